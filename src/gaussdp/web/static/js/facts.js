// A list of readings, each with its explanation.

import { h } from "./dom.js";
import { term } from "./terms.js";

/** Facts as a list of terms; entries are reused while their number stays the same. */
export function factList(list) {
  let entries = [];
  return {
    /** @param {[string, string, string][]} rows glossary entry, words, value */
    show(rows) {
      if (entries.length !== rows.length || rows.some(([name], i) => entries[i].name !== name)) {
        entries = rows.map(([name]) => {
          const words = h("span", {});
          const value = h("dd", {});
          return { name, words, value, row: h("div", { class: "fact" }, h("dt", {}, words, term(name)), value) };
        });
        list.replaceChildren(...entries.map((entry) => entry.row));
      }
      rows.forEach(([, words, value], i) => {
        entries[i].words.textContent = words;
        entries[i].value.textContent = value;
      });
    },
  };
}
