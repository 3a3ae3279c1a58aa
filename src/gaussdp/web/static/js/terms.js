// Explanations of terms: a small button that shows its tooltip on hover and on focus, and hides it on Escape.

import { h } from "./dom.js";
import { GLOSSARY } from "./glossary.js";
import { speak } from "./words.js";

let count = 0;

/** @param {keyof typeof GLOSSARY} name */
export function term(name) {
  const [symbol, words] = GLOSSARY[name].map((text) => speak(text));
  const id = `term-${name}-${++count}`;
  const tip = h("span", { id, class: "tip", role: "tooltip" }, words);
  const button = h("button", { type: "button", class: "term", "aria-label": speak("About {symbol}", { symbol }), "aria-describedby": id }, "?");
  const wrap = h("span", { class: "term-wrap" }, button, tip);
  const show = () => {
    wrap.classList.add("open");
    keepInside(tip, button);
  };
  const hide = () => wrap.classList.remove("open");
  wrap.addEventListener("pointerenter", show);
  wrap.addEventListener("pointerleave", () => document.activeElement !== button && hide());
  button.addEventListener("focus", show);
  button.addEventListener("blur", hide);
  button.addEventListener("click", show);
  tip.addEventListener("click", hide); // a finger has no Escape key
  wrap.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  return wrap;
}

/** Puts the tooltip under its button, moved so that it stays inside the window. */
function keepInside(tip, button) {
  const margin = 12;
  const anchor = button.getBoundingClientRect();
  const width = Math.min(320, document.documentElement.clientWidth - 2 * margin);
  tip.style.width = `${width}px`;
  const left = Math.max(margin, Math.min(anchor.left + anchor.width / 2 - width / 2, document.documentElement.clientWidth - width - margin));
  tip.style.left = `${left - anchor.left}px`;
  const below = anchor.bottom + tip.offsetHeight + margin < window.innerHeight;
  tip.classList.toggle("above", !below && anchor.top > tip.offsetHeight + margin);
}

/** Fills every placeholder of the page. */
export function setUpTerms(root = document) {
  for (const place of root.querySelectorAll("[data-term]")) place.replaceWith(term(place.dataset.term));
}
