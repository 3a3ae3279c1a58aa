// Results for screen readers: said once things have settled, so that a drag is not a flood of numbers.

const SETTLED = 700; // milliseconds
let timer = 0;

/** @param {string} text */
export function announce(text) {
  clearTimeout(timer);
  timer = setTimeout(() => {
    document.getElementById("live").textContent = text;
  }, SETTLED);
}
