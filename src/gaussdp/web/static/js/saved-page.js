// A view as one page that needs no server: its numbers, words and picture, as they stand, with what was entered as text.

import { h } from "./dom.js";
import { speak } from "./words.js";

const LEFT_OUT = "script, button, .term-wrap, .handle, .readout, .segments, .progress, .onward, .takeaway, input[type=range], [hidden], .visually-hidden:not(caption):not(h2), .u-select, .u-cursor-x, .u-cursor-y, .u-legend, .scenario-row";

/**
 * @param {HTMLElement} view
 * @param {string} address where the page lives, for who has the server
 * @returns {string} HTML
 */
export function savedPage(view, address) {
  const copy = view.cloneNode(true);
  const fields = (root) => [...root.querySelectorAll("input, select")];
  // What a copy does not carry: what was drawn, typed and chosen.
  const drawn = [...view.querySelectorAll("canvas")];
  copy.querySelectorAll("canvas").forEach((canvas, i) => {
    const { width, height } = drawn[i].style;
    const image = h("img", { src: drawn[i].toDataURL("image/png"), alt: drawn[i].getAttribute("aria-label") ?? "" });
    Object.assign(image.style, { width, height, display: "block" });
    canvas.replaceWith(image);
  });
  const typed = fields(view);
  fields(copy).forEach((field, i) => {
    const { type, value, checked } = typed[i];
    if (type === "range") return;
    if (type === "radio") {
      if (!checked) field.closest(".option").remove();
      else field.remove();
    } else field.replaceWith(h("span", { class: "value" }, field.tagName === "SELECT" ? (typed[i].selectedOptions[0]?.textContent ?? "") : value || ("unknown" in typed[i].dataset ? typed[i].placeholder : speak("not stated"))));
  });
  for (const element of copy.querySelectorAll(LEFT_OUT)) element.remove();
  for (const details of copy.querySelectorAll("details")) details.open = true;
  for (const label of copy.querySelectorAll("label")) label.replaceWith(h("span", { class: "field-title" }, ...label.childNodes));
  for (const element of copy.querySelectorAll("[aria-describedby], [aria-labelledby]")) {
    element.removeAttribute("aria-describedby");
    element.removeAttribute("aria-labelledby");
  }
  copy.removeAttribute("role");
  copy.removeAttribute("aria-labelledby");
  const heading = copy.querySelector("h2");
  heading.className = "";
  const styles = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).map((rule) => rule.cssText).join("\n");
  const page = h("html", { lang: document.documentElement.lang },
    h("head", {}, h("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }), h("title", {}, document.title), h("style", {}, styles, SAVED)),
    h("body", {},
      h("header", { class: "top" }, h("h1", {}, "gaussdp"), h("p", { class: "tagline" }, speak("Saved on {date} from ", { date: new Date().toISOString().slice(0, 10) }), h("a", { href: address }, address))),
      h("main", {}, heading, copy),
      h("footer", {}, h("p", {}, speak("Every number was computed by the gaussdp library. Guarantees are rounded up, budgets down.")))));
  page.firstChild.prepend(h("meta", { charset: "utf-8" }));
  page.querySelector("meta").setAttribute("charset", "utf-8");
  page.dataset.theme = "light";
  return `<!doctype html>\n${page.outerHTML}\n`;
}

const SAVED = `
.value { font-weight: 600; } .tagline a { overflow-wrap: anywhere; }
main { visibility: visible !important; } main > h2 { margin-bottom: 16px; font-size: 1.3rem; }
footer { visibility: visible !important; }
.row { display: block; } .row-head, .row-cell { display: flex; gap: 12px; } .row-cell .field-title { flex: none; width: 15rem; }
.view, .column { display: block !important; } .card { max-width: 52rem; margin-bottom: 16px; } .chart-wrap { overflow-x: auto; }
.field-radio .option { display: block; padding: 0; border: 0; background: none; } .field-segments .options { display: block; padding: 0; border: 0; background: none; }
`;
