// The language of the page: chosen in its head, remembered, and named in the address.

import { LANGUAGE } from "./words.js";

const KEY = "gaussdp-language"; // read before the first paint, in early-theme.js

export function setUpLanguages() {
  const choice = document.getElementById("language");
  choice.value = LANGUAGE;
  choice.addEventListener("change", () => {
    try {
      localStorage.setItem(KEY, choice.value);
    } catch {
      // Not remembered, but shown.
    }
    const query = new URLSearchParams(location.search);
    query.set("lang", choice.value);
    location.assign(`?${query}`);
  });
}
