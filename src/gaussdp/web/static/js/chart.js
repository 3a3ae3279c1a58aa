// A picture of trade-off curves. Linear axes show the false-negative rate by the false-positive rate; logarithmic axes
// show the true-positive rate, since small false-positive rates are where an attacker works and 1 - FNR is small there.

import uPlot from "../vendor/uplot/uPlot.esm.js";
import { h } from "./dom.js";
import { oneSided, powerOfTen } from "./numbers.js";
import { colour } from "./theme.js";
import { numeral, speak } from "./words.js";

const LINEAR_TICKS = [0, 0.25, 0.5, 0.75, 1];
const STEPS = [1, 2, 5, 10, 20, 50, 100]; // decades between ticks
const FONT = "system-ui, sans-serif";
const FORCED = matchMedia("(forced-colors: active)"); // colours may hardly differ there

/** How much larger than usual the person's letters are. */
const rem = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

/** @typedef {{fpr: number[], curves: {fnr?: number[], tpr?: number[]}[], lowest: number, words: string, series?: Series[]}} Data */
/** @typedef {{label: string, colour: string, dash?: number[]}} Series */

/**
 * @param {HTMLElement} place
 * @param {{label: string, colour: string, dash?: number[]}[]} series
 * @param {(chart: uPlot) => void} onDraw called after each drawing, to put things over it
 */
export function createChart(place, series, onDraw) {
  let drawn = series;
  let plot = null;
  let data = null;
  let scale = "linear";

  const readout = h("div", { class: "readout", "aria-hidden": "true", hidden: true });

  const build = () => {
    plot?.destroy();
    const log = scale === "log";
    const range = log ? [data.lowest, 1] : [0, 1];
    const axis = (label, side) => ({
      side,
      scale: side === 2 ? "x" : "y",
      label,
      labelFont: `500 ${13 * rem()}px ${FONT}`,
      labelSize: (side === 2 ? 26 : 24) * rem(),
      font: `${12 * rem()}px ${FONT}`,
      size: (side === 2 ? 32 : 46) * rem(),
      gap: 6,
      stroke: () => colour("text-soft"),
      grid: { stroke: () => colour("grid"), width: 1 },
      ticks: { show: false },
      splits: () => (log ? decades(data.lowest, place.clientWidth < 420 && side === 2) : LINEAR_TICKS),
      values: (_, splits) => splits.map((v) => (log ? powerOfTen(Math.round(Math.log10(v))) : numeral(String(v)))),
      filter: (_, splits) => splits,
    });
    plot = new uPlot(
      {
        ...size(),
        pxAlign: 0, // whole pixels would make a smooth curve ripple
        padding: [12, 14, 0, 0],
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, y: false, points: { show: false } },
        scales: {
          x: { time: false, distr: log ? 3 : 1, range: () => range },
          y: { distr: log ? 3 : 1, range: () => range },
        },
        axes: [axis(speak("False-positive rate (FPR)"), 2), axis(log ? speak("True-positive rate (TPR)") : speak("False-negative rate (FNR)"), 3)],
        series: [
          {},
          { stroke: () => colour("baseline"), width: 1.25, dash: [5, 5], pxAlign: 0, points: { show: false } },
          ...drawn.map((one) => ({ stroke: () => colour(one.colour), width: 2.5, dash: one.dash ?? (FORCED.matches && drawn.length > 1 && one.colour === "gdp" ? [10, 5] : undefined), pxAlign: 0, points: { show: false } })),
        ],
        hooks: { draw: [(u) => onDraw(u)], setCursor: [(u) => read(u)] },
      },
      columns(),
      place,
    );
    plot.over.append(readout);
  };

  // On the canvas alone: what lies over it can be focused, and an image has no parts.
  const label = () => {
    plot.ctx.canvas.setAttribute("role", "img");
    plot.ctx.canvas.setAttribute("aria-label", data.words);
  };

  const size = () => {
    const width = Math.max(240, place.clientWidth);
    return { width, height: Math.round(Math.min(Math.max(0.78 * width, 250), 460)) };
  };

  const columns = () => {
    const log = scale === "log";
    // One point outside the axes lets the curve reach their edge; 0 has no logarithm.
    const first = data.fpr.findIndex((x) => x >= data.lowest);
    const from = log ? (data.fpr[first - 1] > 0 ? first - 1 : first) : 0;
    const x = data.fpr.slice(from);
    const y = data.curves.map((curve) => (log ? curve.tpr : curve.fnr).slice(from));
    return [x, log ? x : x.map((v) => 1 - v), ...y];
  };

  const read = (u) => {
    const at = u.cursor.idx;
    const inside = at !== null && at !== undefined && u.cursor.left >= 0;
    readout.hidden = !inside;
    if (!inside) return;
    const log = scale === "log";
    const lines = drawn.map((one, i) => {
      const value = u.data[i + 2][at];
      return h("div", {}, h("span", { class: `key key-${one.colour}` }), `${one.label}: ${log ? "TPR" : "FNR"} ${numeral(oneSided(value, log ? "up" : "down"))}`);
    });
    readout.replaceChildren(h("div", { class: "readout-x" }, `FPR ${numeral(oneSided(u.data[0][at], "up"))}`), ...lines);
    const rightHalf = u.cursor.left > u.over.clientWidth / 2;
    readout.classList.toggle("on-left", rightHalf !== log);
    readout.classList.toggle("at-bottom", log);
  };

  new ResizeObserver(() => {
    if (!plot || place.clientWidth === 0 || size().width === plot.width) return;
    build();
    label();
  }).observe(place);
  document.addEventListener("themechange", () => plot?.redraw(false));

  return {
    /** @param {Data} newData */
    show(newData, newScale) {
      const asked = newData.series ?? series;
      const rebuild = !plot || newScale !== scale || newData.lowest !== data.lowest || asked !== drawn;
      drawn = asked;
      data = newData;
      scale = newScale;
      if (place.clientWidth === 0) return; // hidden: shown when its view is
      if (rebuild) build();
      else plot.setData(columns());
      label();
    },
    plot: () => plot,
    scale: () => scale,
  };
}

/** Powers of ten from the lowest to 1, every second or third one where there is little room. */
function decades(lowest, narrow) {
  const first = Math.round(Math.log10(lowest));
  const step = STEPS.find((one) => -first / one <= (narrow ? 4 : 8));
  const exponents = [];
  for (let e = 0; e >= first; e -= step) exponents.unshift(e);
  return exponents.map((e) => 10 ** e);
}
