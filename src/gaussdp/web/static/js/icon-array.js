// Of a hundred guesses: how many are right without the release, how many more with it.

import { h, prose } from "./dom.js";

const SLIGHT = 0.1; // of a guess

/**
 * @param {{of: number, before: number, after: number, before_text: string, after_text: string, sentence: string}} guesses
 * @param {string} title
 */
export function iconArray(guesses, title) {
  const right = Math.floor(guesses.before + 1e-9);
  const after = Math.ceil(guesses.after - 1e-9); // a guess is right or wrong: the part of one counts
  const slight = guesses.after > guesses.before && guesses.after - guesses.before < SLIGHT; // its text is rounded up
  const icons = Array.from({ length: guesses.of }, (_, i) => h("span", { class: i < right ? "guess right" : i < after ? "guess gained" : "guess" }));
  return h("figure", { class: "guesses-figure" },
    h("p", { class: "guesses-title" }, title),
    h("p", { class: "guesses-numbers", "aria-hidden": "true" }, h("span", { class: "before" }, guesses.before_text), h("span", { class: "arrow" }, "→"), h("span", { class: "after" }, `${slight ? "< " : ""}${guesses.after_text}`), h("span", { class: "unit" }, "right")),
    h("div", { class: "icons", role: "img", "aria-label": guesses.sentence }, ...icons),
    h("figcaption", {}, ...prose(guesses.sentence)));
}

/** What the colours mean. */
export function iconKey() {
  return h("ul", { class: "legend" },
    h("li", {}, h("span", { class: "guess right" }), "right anyway"),
    h("li", {}, h("span", { class: "guess gained" }), "right because of the release"),
    h("li", {}, h("span", { class: "guess" }), "wrong"));
}
