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

function sentence(message) {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
