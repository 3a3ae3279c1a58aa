// A refusal goes beside the field it is about; what is about none goes beside the answer.

import { part } from "./dom.js";

/**
 * @param {HTMLElement} root the view
 * @param {Record<string, import("./fields.js").Field>} fields
 * @param {string[]} names of the view's fields
 * @param {Record<string, string>} aliases from the server's names to ours, where they differ
 */
export function createRefusals(root, fields, names, aliases = {}) {
  const problem = part(root, "problem");
  return {
    clear() {
      for (const name of names) fields[name].complain(null);
      problem.hidden = true;
      problem.textContent = "";
    },
    /** What is shown belongs to an earlier question. */
    stale: (yes) => root.classList.toggle("stale", yes),
    /** @param {import("./api.js").Refusal} error */
    tell(error) {
      const name = aliases[error.field] ?? error.field;
      if (name && names.includes(name)) fields[name].complain(sentence(error.message));
      else {
        problem.hidden = false;
        problem.textContent = sentence(error.message);
      }
      root.classList.add("stale");
    },
  };
}

const SYMBOLS = { epsilon: "ε", mu: "μ", delta: "δ", account_delta: "δ", "target.value": "value", "target.level": "level" };

/** The server's words in the terms of the page: symbols and words instead of the names of an interface. */
function sentence(message) {
  const words = message
    .replace(/^[a-z_.]+(?= must )/, (name) => SYMBOLS[name] ?? name)
    .replace(/\b[a-z]+(_[a-z]+)+\b/g, (name) => name.replaceAll("_", " "))
    .replace(/\binf\b/g, "∞");
  const text = /^[a-z]/.test(words) ? words.charAt(0).toUpperCase() + words.slice(1) : words;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
