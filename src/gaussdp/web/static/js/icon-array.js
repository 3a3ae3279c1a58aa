// So many of so many: how many guesses or accusations are right without the release, and how many more with it. Each
// kind has a shape of its own, for those who do not see the colours.

import { h, prose } from "./dom.js";
import { counted, speak } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const STEP = 10;
const KINDS = ["right", "gained", "wrong"];
const SHAPES = [
  (x, y) => `M${x - 4} ${y}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0`,
  (x, y) => `M${x} ${y - 4.8}l4.8 4.8l-4.8 4.8l-4.8 -4.8z`,
  (x, y) => `M${x - 3.4} ${y}a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0 -6.8 0`,
];

/** @param {{title: string, of: number, before: number, after: number, sentence: string, drawn: number[], labels: string[], columns: number, note: string}} icons */
export function iconArray(icons) {
  return h("figure", { class: "guesses-figure" },
    h("p", { class: "guesses-title" }, icons.title),
    h("p", { class: "guesses-numbers", "aria-hidden": "true" },
      h("span", { class: "before" }, counted(icons.before)), h("span", { class: "arrow" }, "→"),
      h("span", { class: "after" }, counted(icons.after)), h("span", { class: "unit" }, speak("of {of} right, at most", { of: counted(icons.of) }))),
    drawing(icons),
    h("ul", { class: "legend" }, ...icons.labels.map((label, kind) => h("li", {}, sample(kind), label)), icons.note ? h("li", {}, icons.note) : null),
    h("figcaption", {}, ...prose(icons.sentence)));
}

function drawing({ drawn, columns, sentence }) {
  const total = drawn.reduce((sum, count) => sum + count, 0);
  const svg = canvas(columns * STEP, Math.ceil(total / columns) * STEP);
  svg.setAttribute("class", columns > 10 ? "icons many" : "icons");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", sentence);
  let first = 0;
  drawn.forEach((count, kind) => {
    const places = Array.from({ length: count }, (_, i) => [(first + i) % columns, Math.floor((first + i) / columns)]);
    svg.append(shape(kind, places.map(([column, row]) => SHAPES[kind]((column + 0.5) * STEP, (row + 0.5) * STEP)).join(""), count));
    first += count;
  });
  return svg;
}

function sample(kind) {
  const svg = canvas(STEP, STEP);
  svg.setAttribute("class", "icon-sample");
  svg.setAttribute("aria-hidden", "true");
  svg.append(shape(kind, SHAPES[kind](STEP / 2, STEP / 2), 1));
  return svg;
}

function canvas(width, height) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  return svg;
}

function shape(kind, d, count) {
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("class", `guess ${KINDS[kind]}`);
  path.setAttribute("d", d);
  path.dataset.count = String(count);
  return path;
}
