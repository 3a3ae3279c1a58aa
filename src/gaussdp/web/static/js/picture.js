// A picture card: title, linear/log switch, legend, the chart with its marks, and the same as a table.

import { createChart } from "./chart.js";
import { h, table } from "./dom.js";
import { levelText, oneSided } from "./numbers.js";
import { numeral, speak } from "./words.js";

const TABLE_FPR = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.25, 0.5];

/**
 * @param {HTMLElement} root
 * @param {{title: string, name: string, store: any, series: {label: string, colour: string, dash?: number[]}[], hint?: string, onMissing?: () => void}} options
 *   `onMissing`: called when the axes or the table need what the curves shown do not have
 */
export function createPicture(root, { title, name, store, series, hint, onMissing }) {
  const place = h("div", { class: "chart" });
  const marks = h("div", { class: "marks" });
  const caption = h("p", { class: "note picture-caption" });
  const numbers = h("details", { class: "more" }, h("summary", {}, speak("The picture as a table")));
  let data = null;

  const scales = h("fieldset", { class: "segments", "aria-label": speak("Axes") }, ...["linear", "log"].map((scale) =>
    h("label", { class: "option" },
      h("input", { type: "radio", name: `scale-${name}`, value: scale, onchange: () => store.write({ scale }) }),
      h("span", { class: "option-words" }, scale === "log" ? speak("Log axes") : speak("Linear axes")))));
  const legend = h("ul", { class: "legend" });
  const drawn = () => data?.series ?? series;
  const nameCurves = () => legend.replaceChildren(
    ...drawn().map((one) => h("li", {}, h("span", { class: `key key-${one.colour}${one.dash ? " key-dashed" : ""}` }), one.label)),
    h("li", {}, h("span", { class: "key key-baseline" }), speak("No information")));
  nameCurves();
  root.append(
    h("div", { class: "picture-head" }, h("h3", {}, title), scales),
    legend, h("div", { class: "chart-wrap stale-able" }, place), caption, numbers);

  const placers = [];
  const chart = createChart(place, series, (u) => {
    if (marks.parentNode !== u.over) u.over.append(marks);
    for (const placer of placers) placer(u, chart.scale());
  });

  const show = () => {
    const scale = store.read("scale");
    for (const radio of scales.querySelectorAll("input")) radio.checked = radio.value === scale;
    caption.textContent = scale === "log"
      ? speak("Higher is worse: how many members an attack finds for the false alarms it raises.")
      : `${speak("Lower is worse: the errors that even the best attack must make.")}${hint ? ` ${hint}` : ""}`;
    if (!data) return;
    if (has(drawnSide())) chart.show(data, scale);
    fill();
  };
  const drawnSide = () => (store.read("scale") === "log" ? "tpr" : "fnr");
  const has = (side) => data?.curves.every((curve) => curve[side]);
  /** What the picture and its table need of the curves. */
  const sides = () => (numbers.open ? ["fnr", "tpr"] : [drawnSide()]);
  const fill = () => {
    if (!has("fnr") || !has("tpr")) return numbers.replaceChildren(numbers.firstChild); // nobody looks at it
    const rows = TABLE_FPR.map((fpr) => {
      const i = nearest(data.fpr, fpr);
      return [levelText(data.fpr[i]), ...data.curves.flatMap((curve) => [oneSided(curve.tpr[i], "up"), oneSided(curve.fnr[i], "down")])].map(numeral);
    });
    const headings = ["FPR", ...drawn().flatMap((one) => [`${one.label}: TPR`, `${one.label}: FNR`])];
    numbers.replaceChildren(numbers.firstChild, h("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": speak("{title}, table", { title }) }, table(title, headings, rows)));
  };
  const complete = () => data && sides().some((side) => !has(side)) && onMissing?.();
  numbers.addEventListener("toggle", complete);
  store.listen((changed) => {
    if (!changed.has("scale") && !changed.has("view")) return;
    show();
    complete();
  });
  show();

  return {
    /** @param {import("./chart.js").Data} newData */
    show(newData) {
      data = newData;
      nameCurves();
      show();
    },
    chart,
    marks,
    sides,
    /** @param {(u: any, scale: string) => void} placer puts a mark where it belongs */
    onPlace: (placer) => placers.push(placer),
  };
}

function nearest(sorted, value) {
  let best = 0;
  for (let i = 1; i < sorted.length; i += 1) if (Math.abs(Math.log(sorted[i] / value)) < Math.abs(Math.log(sorted[best] / value))) best = i;
  return best;
}

/** Moves an element over the point of a chart; hidden where the point lies outside the axes. */
export function placeMark(u, scale, element, point) {
  const y = scale === "log" ? point.tpr : point.fnr;
  const left = u.valToPos(point.fpr, "x");
  const top = u.valToPos(y, "y");
  const inside = Number.isFinite(left) && Number.isFinite(top) && left >= -1 && top >= -1 && left <= u.over.clientWidth + 1 && top <= u.over.clientHeight + 1;
  element.hidden = !inside;
  if (!inside) return;
  element.style.left = `${left}px`;
  element.style.top = `${top}px`;
  element.classList.toggle("flip-x", left > u.over.clientWidth * 0.55);
  // Beside the curves, which rise on log axes and fall on linear ones.
  element.classList.toggle("flip-y", top < 40 || (scale === "log" && top < u.over.clientHeight - 40));
}

/** The lowest decade that log axes show, so that a level is well inside. */
export function lowestFor(fpr, ...levels) {
  const wanted = Math.min(1e-5, ...levels.filter((level) => level > 0).map((level) => level / 10));
  return 10 ** Math.max(Math.floor(Math.log10(wanted) + 1e-9), Math.ceil(Math.log10(fpr.find((x) => x > 0)) - 1e-9), -300);
}
