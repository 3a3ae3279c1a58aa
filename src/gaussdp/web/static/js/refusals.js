// A refusal goes beside the field it is about, in the field's own words; what is about none goes beside the answer.

import { h, part } from "./dom.js";
import { within } from "./numbers.js";
import { speak } from "./words.js";

const OLD = speak("What is shown belongs to earlier values.");

/**
 * @param {HTMLElement} root the view
 * @param {Record<string, import("./fields.js").Field>} fields
 * @param {string[]} names of the view's fields
 * @param {() => void} retry asks the last question again
 * @param {Record<string, string>} aliases from the server's names to ours, where they differ
 */
export function createRefusals(root, fields, names, retry, aliases = {}) {
  const problem = part(root, "problem");
  root.dataset.fresh = ""; // until there is something to see
  const say = (...content) => {
    problem.hidden = false;
    problem.replaceChildren(...content);
  };
  return {
    clear() {
      for (const name of names) fields[name].complain(null);
      problem.hidden = true;
      problem.textContent = "";
    },
    /** What is shown belongs to an earlier question. */
    stale(yes) {
      root.classList.toggle("stale", yes);
      if (!yes) delete root.dataset.fresh;
    },
    /** Says something about the answer itself. */
    say: (words) => say(`${words} ${OLD}`),
    /** @param {import("./api.js").Refusal} error */
    tell(error) {
      const field = error.field ?? "";
      const name = aliases[field] ?? aliases[field.split(".")[0]] ?? (names.includes(field) ? field : field.split(".")[0]);
      if (name && names.includes(name)) fields[name].complain(sentence(error.message, fields[name].called()), field);
      else if (error.unreachable) say(`${error.message} ${OLD} `, h("button", { type: "button", class: "small", onclick: retry }, speak("Retry")));
      else say(sentence(error.message, null));
      root.classList.add("stale");
      delete root.dataset.fresh;
    },
  };
}

const SYMBOLS = { epsilon: "ε", mu: "μ", delta: "δ", "target.value": speak("value"), "target.level": speak("level") };
const INTERVAL = /\bin ([[(])([^;\s]+?)[,;] ([^\])\s]+)([\])])/g;

/** The server's words in the terms of the page: labels, symbols and words instead of the names of an interface. */
export function sentence(message, called) {
  const words = message
    .replace(/^[a-z_.0-9]+(?= (?:must|is|cannot|muss|ist|fehlt|kann|lässt|und)[ :(])/, (name) => called ?? SYMBOLS[name] ?? name)
    .replace(INTERVAL, (_, open, low, high, close) => within(low, high.replace("inf", "∞"), open === "[", close === "]"))
    .replace(/\b[a-z]+(_[a-z]+)+\b/g, (name) => name.replaceAll("_", " "))
    .replace(/\binf\b/g, "∞");
  const text = /^[a-z]/.test(words) ? words.charAt(0).toUpperCase() + words.slice(1) : words;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
