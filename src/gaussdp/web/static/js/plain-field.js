// A field that the address does not keep: its words, an input or a choice, and what is wrong with it.

import { h } from "./dom.js";

/**
 * @param {string} id
 * @param {{label: string, hint?: string, example?: string, type?: string, options?: string[][]}} field with options it is a choice
 */
export function plainField(id, field) {
  const error = h("p", { class: "error", id: `${id}-error` });
  const hint = h("p", { class: "field-hint", id: `${id}-hint` }, field.hint ?? "");
  const about = { id, name: id, "aria-describedby": `${id}-hint ${id}-error` };
  const input = field.options
    ? h("select", about, ...field.options.map(([value, label]) => h("option", { value }, label)))
    : h("input", { ...about, class: "text", type: field.type ?? "text", autocomplete: "off", spellcheck: false, placeholder: field.example ?? "" });
  const element = h("div", { class: "field" }, h("div", { class: "field-head" }, h("label", { for: id }, field.label)), hint, input, error);
  return {
    element,
    input,
    value: () => input.value.trim(),
    complain(words) {
      error.textContent = words;
      element.classList.toggle("wrong", words !== "");
      if (words) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    },
  };
}
