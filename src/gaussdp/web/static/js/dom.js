// Elements without markup: text is only ever set as text, so that nothing a person or a server says becomes HTML.

/**
 * @param {string} tag
 * @param {Record<string, any>} [properties] DOM properties; `class`, `aria-*`, `data-*`, `role` and `for` as attributes;
 *   `on…` as listeners.
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElement}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class" || name === "role" || name === "for" || name.includes("-")) element.setAttribute(name, String(value));
    else element[name] = value;
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** The one element of a view that plays a part. */
export function part(root, name) {
  return root.querySelector(`[data-part="${name}"]`);
}

/**
 * A table with a caption for screen readers, its first column being row headings.
 * @param {string} caption
 * @param {string[]} headings
 * @param {string[][]} rows
 */
export function table(caption, headings, rows) {
  return h(
    "table",
    {},
    h("caption", { class: "visually-hidden" }, caption),
    h("thead", {}, h("tr", {}, ...headings.map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, ...rows.map(([first, ...rest]) => h("tr", {}, h("th", { scope: "row" }, first), ...rest.map((text) => h("td", {}, text))))),
  );
}

/**
 * A table of few numbers a row, each under a small heading of its own.
 * @param {string} caption
 * @param {{label: string, cells: [string, string, string?][]}[]} rows of at most four cells: heading, number, class
 */
export function stripTable(caption, rows) {
  const most = 4; // in every table, so that their columns line up
  const cell = ([small, big, kind]) => h("td", kind ? { class: kind } : {}, h("span", { class: "small" }, small), " ", h("b", {}, big));
  const row = ({ label, cells }) => h("tr", {}, h("th", { scope: "row" }, label), ...cells.map(cell), ...(cells.length < most ? [h("td", { colSpan: most - cells.length })] : []));
  return h("div", { class: "strip-holder" }, h("table", { class: "strip" }, h("caption", { class: "visually-hidden" }, caption), h("tbody", {}, ...rows.map(row))));
}

/** Rows gathered by a key, in the order of first appearance. */
export function gathered(rows, key) {
  const groups = new Map();
  for (const row of rows) groups.set(row[key], [...(groups.get(row[key]) ?? []), row]);
  return [...groups];
}

const UNBROKEN = /([μεδσρ] [=≤] \S+|\S*\de-\d+\S*)/;

/** A sentence whose numbers are not broken across lines: neither 1e-10 nor μ = 0.31. */
export function prose(text) {
  return text.split(UNBROKEN).map((piece, i) => (i % 2 ? h("span", { class: "unbroken" }, piece) : piece));
}
