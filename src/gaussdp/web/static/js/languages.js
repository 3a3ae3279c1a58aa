// The language of the page: chosen in its head, remembered, and named in the address.

import { LANGUAGE } from "./words.js";

const KEY = "gaussdp-language"; // read before the first paint, in early-theme.js

const inLanguage = (language) => {
  const query = new URLSearchParams(location.search);
  query.set("lang", language);
  return `?${query}`;
};

/** Whether the page is left for the one in the language that was chosen before. */
export function leaving() {
  const { other } = document.documentElement.dataset;
  if (other) location.replace(inLanguage(other));
  return Boolean(other);
}

export function setUpLanguages() {
  const choice = document.getElementById("language");
  choice.value = LANGUAGE;
  choice.addEventListener("change", () => {
    try {
      localStorage.setItem(KEY, choice.value);
    } catch {
      // Not remembered, but shown.
    }
    location.assign(inLanguage(choice.value));
  });
}
