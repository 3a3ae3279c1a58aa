// Rows, each of a kind with its own cells: releases, statistics, requirements. The store holds them as one text, such as
// "gaussian 4 1 12; laplace 10 1 3", so that they fit into the address.

import { RANGES, ROWS } from "./definitions.js";
import { h } from "./dom.js";
import { misfit, parse } from "./numbers.js";
import { term } from "./terms.js";
import { kept, speak, written } from "./words.js";

/**
 * @typedef {object} Rows
 * @property {string} noun what a row is
 * @property {string} add what the button says that adds one
 * @property {string} kind the label of its kind
 * @property {{value: string, label: string}[]} kinds
 * @property {(kind: string) => Cell[]} cells
 * @property {string} first the rows of an empty text; none if empty
 * @property {string} fresh the row that is added
 *
 * @typedef {object} Cell
 * @property {string} key the server's name of it
 * @property {string} label
 * @property {string} initial
 * @property {string} [example]
 * @property {boolean} [whole]
 * @property {boolean} [optional]
 * @property {boolean} [text] whether it takes words
 */

const MOST = 12; // rows

/** The rows that a text states; what is missing starts as usual. */
export function rowsOf(text, { kinds, cells, first }) {
  const rows = (text.trim() || first).split(";").map((row) => row.trim()).filter(Boolean);
  return rows.slice(0, MOST).map((row) => {
    const [named, ...values] = row.split(/\s+/);
    const kind = kinds.some((one) => one.value === named) ? named : kinds[0].value;
    return [kind, ...cells(kind).map((cell, i) => (values[i] ?? cell.initial).replaceAll("_", " ").trim())];
  });
}

const textOf = (rows) => rows.map(([kind, ...values]) => [kind, ...values.map((text) => text.trim().replaceAll(/[\s;]+/g, "_") || "_")].join(" ")).join("; ");

/** A field of rows; its `values` are what the server is asked, or undefined after complaints beside the cells. */
export function rows(store, name, definition, place) {
  const spec = ROWS[name];
  const body = h("div", { class: "rows", role: "group", "aria-labelledby": `label-${name}` });
  const error = h("p", { id: `error-${name}`, class: "error", "aria-live": "polite" });
  const read = () => rowsOf(store.read(name), spec);
  const write = (changed) => store.write({ [name]: textOf(changed) });
  const add = h("button", { type: "button", class: "small", onclick: () => write([...read(), ...rowsOf(spec.fresh, spec)]) }, spec.add);
  place.append(
    h("div", { class: "field-head" }, h("span", { class: "field-title", id: `label-${name}` }, definition.label), definition.term ? term(definition.term) : null),
    ...(definition.hint ? [h("p", { class: "field-hint" }, definition.hint)] : []), body, add, error);
  let built = [];

  const change = (at, column, text) => write(read().map((row, i) => (i === at ? row.map((old, j) => (j === column ? text : old)) : row)));
  /** Another kind keeps the cells that both have. */
  const become = (at, kind) => {
    const changed = read().map((row, i) => {
      if (i !== at) return row;
      const old = spec.cells(row[0]).map(({ key, label }) => `${key} ${label}`);
      return [kind, ...spec.cells(kind).map(({ key, label, initial }) => (old.includes(`${key} ${label}`) ? row[1 + old.indexOf(`${key} ${label}`)] : initial))];
    });
    write(changed);
    document.getElementById(`${name}-${at}-kind`)?.focus();
  };

  const build = (states) => {
    built = states.map(([kind], at) => {
      const many = states.length > 1 || !spec.first;
      const cells = spec.cells(kind);
      const select = h("select", { id: `${name}-${at}-kind`, onchange: () => become(at, select.value) }, ...spec.kinds.map((one) => h("option", { value: one.value }, one.label)));
      select.value = kind;
      const inputs = cells.map((cell, j) => {
        const input = h("input", {
          id: `${name}-${at}-${cell.key}`, type: "text", inputMode: cell.text ? "text" : "decimal", autocomplete: "off", class: cell.text ? "text" : "number", maxLength: 60,
          placeholder: cell.text || cell.optional ? (cell.example ?? "") : "", "aria-describedby": error.id,
        });
        input.addEventListener("input", () => change(at, j + 1, cell.text ? input.value : kept(input.value, cell.whole)));
        return input;
      });
      const labelled = (element, text, key) => h("div", { class: "row-cell", "data-cell": key }, h("label", { for: element.id }, text, many ? h("span", { class: "visually-hidden" }, ` ${speak("of {noun} {number}", { noun: spec.noun, number: at + 1 })}`) : null), element);
      const drop = h("button", { type: "button", class: "small", hidden: !many, "aria-label": speak("Remove {noun} {number}", { noun: spec.noun, number: at + 1 }), onclick: () => write(read().filter((_, i) => i !== at)) }, speak("Remove"));
      const head = h("div", { class: "row-head" }, labelled(select, spec.kind, "kind"), drop);
      return { kind, cells, inputs, row: h("div", { class: "row" }, head, ...inputs.map((input, j) => labelled(input, cells[j].label, cells[j].key))) };
    });
    body.replaceChildren(...built.map((one) => one.row));
  };
  const show = () => {
    const states = read();
    if (states.length !== built.length || states.some(([kind], at) => built[at].kind !== kind)) build(states);
    add.hidden = states.length >= MOST;
    states.forEach(([, ...values], at) => built[at].inputs.forEach((input, j) => {
      const { text, whole } = built[at].cells[j];
      if (input !== document.activeElement && (text ? input.value : kept(input.value, whole)) !== values[j]) input.value = text ? values[j] : written(values[j]);
    }));
  };
  store.listen((changed) => changed.has(name) && show());
  show();

  const complain = (words, bad = []) => {
    error.textContent = words ?? "";
    for (const input of built.flatMap((one) => one.inputs)) {
      if (bad.includes(input)) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    }
    place.classList.toggle("wrong", Boolean(words));
  };
  return {
    called: () => definition.label,
    /** @param {string} [field] the server's name of the cell: list, place in it, key; the first cell if it has no such key */
    complain: (words, field = "") => {
      const [, at, key] = field.split(".");
      const one = built[at];
      complain(words, one ? [one.inputs[Math.max(0, one.cells.findIndex((cell) => cell.key === key))]] : []);
    },
    note: (words) => complain(words),
    /** @param {string[]} [without] the cells that are not asked for */
    values(without = []) {
      const problems = [];
      const bad = [];
      const states = read();
      const found = states.map(([kind, ...values], at) => ({
        kind,
        ...Object.fromEntries(built[at].cells.map((cell, j) => {
          if (without.includes(cell.key)) return [cell.key, null];
          if (cell.text || (cell.optional && !values[j])) return [cell.key, values[j] || null];
          const called = states.length > 1 ? `${cell.label} ${speak("of {noun} {number}", { noun: spec.noun, number: at + 1 })}` : cell.label;
          const number = parse(values[j], cell.example ?? cell.initial, cell.whole);
          const range = RANGES[cell.range ?? cell.key];
          const wanted = "value" in number && range ? misfit(number.value, range) : null;
          const problem = number.problem ? `${called}: ${number.problem}` : wanted && speak("{field} must be {wanted}.", { field: called, wanted });
          if (problem) {
            problems.push(problem);
            bad.push(built[at].inputs[j]);
          }
          return [cell.key, number.value];
        })),
      }));
      if (!problems.length) return found;
      complain(problems.join(" "), bad);
      return undefined;
    },
  };
}
