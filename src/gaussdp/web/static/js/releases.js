// Plain releases as rows: the noise, its scale, the sensitivity and how many. The store holds them as one text, such as
// "gaussian 4 1 12; laplace 10 1 3", so that they fit into the address.

import { NOISES, RANGES } from "./definitions.js";
import { h } from "./dom.js";
import { misfit, parse } from "./numbers.js";
import { term } from "./terms.js";
import { kept, speak, written } from "./words.js";

const MOST = 12; // rows
const COLUMNS = [
  { key: "scale", label: speak("Noise"), example: speak("4 or 0.5") },
  { key: "sensitivity", label: speak("Sensitivity"), example: "1" },
  { key: "times", label: speak("How many"), example: "12", whole: true },
];
const NEW = ["laplace", "10", "1", "1"];

/** The rows that a text states; what is missing starts with the usual. */
export function rowsOf(text) {
  const rows = text.split(";").map((row) => row.trim()).filter(Boolean);
  return (rows.length ? rows : ["gaussian 4 1 1"]).slice(0, MOST).map((row) => {
    const [noise, ...numbers] = row.split(/\s+/);
    const known = NOISES.some((one) => one.value === noise) ? noise : NOISES[0].value;
    return [known, ...COLUMNS.map((column, i) => (numbers[i] ?? "1").replaceAll("_", " ").trim())];
  });
}

const textOf = (rows) => rows.map(([noise, ...numbers]) => [noise, ...numbers.map((text) => text.trim().replaceAll(/[\s;]+/g, "_") || "_")].join(" ")).join("; ");

/** A field of rows; its `values` are what the server is asked, or undefined after complaints beside the cells. */
export function releases(store, name, definition, place) {
  const body = h("div", { class: "release-rows" });
  const error = h("p", { id: `error-${name}`, class: "error", "aria-live": "polite" });
  const add = h("button", { type: "button", class: "small", onclick: () => write([...rowsOf(store.read(name)), NEW]) }, speak("Add a release"));
  place.append(h("div", { class: "field-head" }, h("span", { class: "field-title", id: `label-${name}` }, definition.label), term(definition.term)), body, add, error);
  body.setAttribute("role", "group");
  body.setAttribute("aria-labelledby", `label-${name}`);
  let cells = [];

  const write = (rows) => store.write({ [name]: textOf(rows) });
  const change = (at, column, text) => write(rowsOf(store.read(name)).map((row, i) => (i === at ? row.map((old, j) => (j === column ? text : old)) : row)));

  const build = (rows) => {
    cells = rows.map((_, at) => {
      const many = rows.length > 1;
      const of = many ? speak(" of release {number}", { number: at + 1 }) : "";
      const noise = h("select", { id: `${name}-${at}-noise`, onchange: () => change(at, 0, noise.value) }, ...NOISES.map((one) => h("option", { value: one.value }, one.label)));
      const inputs = COLUMNS.map((column, j) => {
        const input = h("input", { id: `${name}-${at}-${column.key}`, type: "text", inputMode: "decimal", autocomplete: "off", class: "number", "aria-describedby": error.id });
        input.addEventListener("input", () => change(at, j + 1, kept(input.value, column.whole)));
        return input;
      });
      const labelled = (element, text) => h("div", { class: "release-cell" }, h("label", { for: element.id }, text, many ? h("span", { class: "visually-hidden" }, of) : null), element);
      const drop = h("button", { type: "button", class: "small", hidden: !many, "aria-label": speak("Remove release {number}", { number: at + 1 }), onclick: () => write(rowsOf(store.read(name)).filter((_, i) => i !== at)) }, speak("Remove"));
      return { noise, inputs, row: h("div", { class: "release-row" }, labelled(noise, speak("Kind of noise")), ...inputs.map((input, j) => labelled(input, j === 0 ? speak("Standard deviation") : COLUMNS[j].label)), drop) };
    });
    body.replaceChildren(...cells.map((cell) => cell.row));
  };
  const show = () => {
    const rows = rowsOf(store.read(name));
    if (rows.length !== cells.length) build(rows);
    add.hidden = rows.length >= MOST;
    rows.forEach(([noise, ...numbers], at) => {
      const { inputs, noise: select, row } = cells[at];
      select.value = noise;
      row.querySelectorAll("label")[1].firstChild.textContent = noise.endsWith("laplace") ? speak("Scale") : speak("Standard deviation");
      inputs.forEach((input, j) => {
        if (input !== document.activeElement && kept(input.value, COLUMNS[j].whole) !== numbers[j]) input.value = written(numbers[j]);
      });
    });
  };
  store.listen((changed) => changed.has(name) && show());
  show();

  const complain = (words, bad = []) => {
    error.textContent = words ?? "";
    for (const { inputs } of cells) for (const input of inputs) {
      if (bad.includes(input)) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    }
    place.classList.toggle("wrong", Boolean(words));
  };
  return {
    called: () => definition.label,
    complain: (words, field = "") => {
      const [, at, key] = field.split(".");
      const column = COLUMNS.findIndex((one) => one.key === key);
      complain(words, at !== undefined && cells[at] && column >= 0 ? [cells[at].inputs[column]] : []);
    },
    note: (words) => complain(words),
    values() {
      const problems = [];
      const bad = [];
      const rows = rowsOf(store.read(name));
      const asked = rows.map(([noise, ...numbers], at) => ({
        noise,
        ...Object.fromEntries(COLUMNS.map((column, j) => {
          const label = j === 0 && noise.endsWith("laplace") ? speak("Scale") : j === 0 ? speak("Standard deviation") : column.label;
          const called = rows.length > 1 ? `${label}${speak(" of release {number}", { number: at + 1 })}` : label;
          const read = parse(numbers[j], column.example, column.whole);
          const wanted = "value" in read ? misfit(read.value, RANGES[column.key]) : null;
          const problem = read.problem ? `${called}: ${read.problem}` : wanted && speak("{field} must be {wanted}.", { field: called, wanted });
          if (problem) {
            problems.push(problem);
            bad.push(cells[at].inputs[j]);
          }
          return [column.key, read.value];
        })),
      }));
      if (!problems.length) return asked;
      complain(problems.join(" "), bad);
      return undefined;
    },
  };
}
