// Fields: a label with its explanation, a number to type, a slider to drag, and the words of an error beside them.

import { FIELDS, RANGES } from "./definitions.js";
import { h } from "./dom.js";
import { misfit, numberIn, parse } from "./numbers.js";
import { rows } from "./rows.js";
import { moved, POSITIONS, positionOf, valueAt } from "./sliders.js";
import { term } from "./terms.js";
import { kept, speak, written } from "./words.js";

/**
 * @typedef {object} Field
 * @property {(words: string | null) => void} complain says what is wrong with the value, or takes it back
 * @property {(words: string) => void} [note] says what was wrong with the address, until the person chooses
 * @property {(label: string, termName?: string, called?: string) => void} [relabel]
 * @property {() => string} called what messages call it
 */

/**
 * Builds every field of the page into its placeholder and ties it to the store.
 * @returns {Record<string, Field>}
 */
export function setUpFields(store) {
  const fields = {};
  for (const place of document.querySelectorAll("[data-field]")) {
    const name = place.dataset.field;
    const definition = FIELDS[name];
    if (!definition) continue;
    place.classList.add("field", `field-${definition.shape ?? "number"}`);
    if (definition.shape === "text") fields[name] = text(store, name, definition, place);
    else if (definition.shape === "rows") fields[name] = rows(store, name, definition, place);
    else if (definition.shape === "select") fields[name] = select(store, name, definition, place);
    else if (definition.options) fields[name] = choice(store, name, definition, place);
    else fields[name] = number(store, name, definition, place);
  }
  return fields;
}

/** The number in a field, null if it is left empty and may be, or undefined after a complaint beside it. */
export function valueOf(store, fields, name) {
  const definition = FIELDS[name];
  const text = store.read(name);
  if (definition.optional && text.trim() === "") return null;
  const read = parse(text, definition.example, definition.whole);
  const range = RANGES[definition.range ?? name];
  const wanted = "value" in read && range ? misfit(read.value, range) : null;
  const problem = read.problem ?? (wanted && speak("{field} must be {wanted}.", { field: fields[name].called(), wanted }));
  if (!problem) return read.value;
  fields[name].complain(problem);
  return undefined;
}

/**
 * The numbers in several fields, or null after complaints beside all that are wrong.
 * @returns {Record<string, number> | null}
 */
export function valuesOf(store, fields, names) {
  const values = Object.fromEntries(names.map((name) => [name, valueOf(store, fields, name)]));
  return Object.values(values).includes(undefined) ? null : values;
}

function number(store, name, definition, place) {
  const input = h("input", {
    id: `field-${name}`, type: "text", inputMode: "decimal", autocomplete: "off", spellcheck: false,
    "aria-describedby": `error-${name}`, class: "number",
  });
  const label = h("label", { for: input.id }, definition.label);
  const head = h("div", { class: "field-head" }, label, definition.term ? term(definition.term) : null);
  const error = h("p", { id: `error-${name}`, class: "error", "aria-live": "polite" });
  const slider = definition.slider && range(store, name, definition);
  if (definition.unknown) Object.assign(input, { placeholder: speak("I don’t know") }).dataset.unknown = "";
  place.append(head, ...hinted(definition), h("div", { class: "field-row" }, ...[slider?.element, input].filter(Boolean)), error);

  input.addEventListener("input", () => store.write({ [name]: kept(input.value, definition.whole) }));
  input.addEventListener("keydown", (event) => {
    const steps = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    const value = numberIn(kept(input.value));
    if (!steps || !definition.slider || !(value > 0)) return;
    event.preventDefault();
    store.write({ [name]: moved(definition.slider, value, steps) });
  });
  const show = () => {
    const text = store.read(name);
    if (kept(input.value, definition.whole) !== text) input.value = written(text);
    slider?.show(text);
  };
  store.listen((changed) => changed.has(name) && show());
  show();
  let known = definition.label;
  return {
    complain: (words) => complain(input, error, words),
    called: () => known,
    suggest(text) {
      input.placeholder = text;
    },
    relabel(text, termName, called = text) {
      label.textContent = text;
      known = called;
      slider?.element.setAttribute("aria-label", speak("{label}, slider", { label: text }));
      if (termName) head.replaceChildren(label, term(termName));
    },
  };
}

function range(store, name, definition) {
  const element = h("input", { type: "range", min: "0", max: String(POSITIONS), step: "1", "aria-label": speak("{label}, slider", { label: definition.label }) });
  let before = 0;
  element.addEventListener("input", () => {
    // The position may stand between values of few digits: a key press always reaches the next one.
    const position = Number(element.value);
    let text = valueAt(definition.slider, position);
    const current = numberIn(store.read(name));
    if (text === store.read(name) && Math.abs(position - before) <= 1 && current > 0) text = moved(definition.slider, current, Math.sign(position - before));
    before = position;
    store.write({ [name]: text });
    element.setAttribute("aria-valuetext", written(text));
  });
  return {
    element,
    show(text) {
      const value = numberIn(text);
      const position = Number.isNaN(value) ? 0 : positionOf(definition.slider, value);
      // Not while the hand is on it: rounding would pull the thumb away.
      if (document.activeElement !== element || valueAt(definition.slider, Number(element.value)) !== text) element.value = String(position);
      before = Number(element.value);
      element.style.setProperty("--share", `${(100 * position) / POSITIONS}%`);
      element.setAttribute("aria-valuetext", written(text));
    },
  };
}

function choice(store, name, definition, place) {
  const error = h("p", { id: `error-${name}`, class: "error", "aria-live": "polite" });
  const radios = definition.options.map((option) =>
    h("label", { class: "option" },
      h("input", { type: "radio", name, value: option.value, onchange: () => store.write({ [name]: option.value }) }),
      h("span", { class: "option-words" }, h("span", { class: "option-label" }, option.label), option.hint ? h("span", { class: "option-hint" }, option.hint) : null)),
  );
  const legend = h("legend", {}, definition.label);
  const group = h("fieldset", { "aria-describedby": error.id }, legend, h("div", { class: "options" }, ...radios));
  place.append(group, error);
  if (definition.term) legend.append(" ", term(definition.term));
  const show = () => {
    for (const radio of group.querySelectorAll("input")) radio.checked = radio.value === store.read(name);
  };
  return tied(store, name, definition, show, group, error);
}

function select(store, name, definition, place) {
  const error = h("p", { id: `error-${name}`, class: "error", "aria-live": "polite" });
  const element = h("select", { id: `field-${name}`, "aria-describedby": error.id, onchange: () => store.write({ [name]: element.value }) },
    ...definition.options.map((option) => h("option", { value: option.value }, option.label)));
  const meaning = h("p", { class: "field-hint meaning-of" });
  place.append(h("div", { class: "field-head" }, h("label", { for: element.id }, definition.label), definition.term ? term(definition.term) : null), ...hinted(definition), element, meaning, error);
  const show = () => {
    element.value = store.read(name);
    meaning.textContent = definition.options.find((option) => option.value === element.value)?.hint ?? "";
  };
  return {
    ...tied(store, name, definition, show, element, error),
    chosen: () => element.selectedOptions[0]?.textContent ?? "",
    /** What is assumed while nothing is chosen. */
    assume(value) {
      const unknown = definition.options.find((option) => option.value === "");
      const taken = definition.options.find((option) => option.value === value);
      if (unknown && taken) unknown.hint = speak("Then: {answer}.", { answer: taken.label });
      show();
    },
  };
}

function text(store, name, definition, place) {
  const error = h("p", { id: `error-${name}`, class: "error", "aria-live": "polite" });
  const input = h("input", { id: `field-${name}`, type: "text", class: "text", maxLength: 120, placeholder: definition.example, "aria-describedby": error.id });
  input.addEventListener("input", () => store.write({ [name]: input.value }));
  place.append(h("div", { class: "field-head" }, h("label", { for: input.id }, definition.label), definition.term ? term(definition.term) : null), ...hinted(definition), input, error);
  const show = () => {
    if (input.value !== store.read(name)) input.value = store.read(name);
  };
  return tied(store, name, definition, show, input, error);
}

/** A field that follows the store, and keeps what is wrong with the address in view until it changes. */
export function tied(store, name, definition, show, element, error) {
  let note = null;
  store.listen((changed) => {
    if (!changed.has(name)) return;
    note = null;
    complain(element, error, null);
    show();
  });
  show();
  return {
    called: () => definition.label,
    complain: (words) => complain(element, error, words ?? note),
    note(words) {
      note = words;
      complain(element, error, words);
    },
  };
}

/** What a question is for. */
function hinted({ hint }) {
  return hint ? [h("p", { class: "field-hint" }, hint)] : [];
}

function complain(element, error, words) {
  error.textContent = words ?? "";
  // A group of radio buttons has no aria-invalid of its own; its description carries the words.
  if (element.tagName !== "FIELDSET") {
    if (words) element.setAttribute("aria-invalid", "true");
    else element.removeAttribute("aria-invalid");
  }
  element.closest(".field").classList.toggle("wrong", Boolean(words));
  if (words) {
    const more = element.closest("details");
    if (more) more.open = true;
  }
}
