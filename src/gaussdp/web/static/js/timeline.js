// The picture of a budget over time: steps of the spent μ below the line of the budget.

import { h } from "./dom.js";
import { brief } from "./numbers.js";
import { numeral, speak } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDEST = 560, NARROWEST = 250, AROUND = 70; // pixels, so that letters keep their size on a phone
const HEIGHT = 230, LEFT = 46, RIGHT = 12, TOP = 18, BOTTOM = 30;

function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/**
 * @param {{time: string, mu: number, renewed: boolean}[]} moments in order
 * @param {number} total the budget
 * @param {{name: string, spent_text: string, total_text: string}} balance
 */
export function timeline(moments, total, balance) {
  if (moments.length === 0) return h("p", { class: "note" }, speak("Nothing happened yet."));
  const WIDTH = Math.max(NARROWEST, Math.min(WIDEST, document.documentElement.clientWidth - AROUND));
  const times = moments.map(({ time }) => Date.parse(time));
  const start = times[0];
  const end = Math.max(Date.now(), times.at(-1), start + 1);
  const high = Math.max(total, ...moments.map(({ mu }) => mu)) * 1.08;
  const x = (time) => LEFT + ((time - start) / (end - start)) * (WIDTH - LEFT - RIGHT);
  const y = (mu) => HEIGHT - BOTTOM - (mu / high) * (HEIGHT - TOP - BOTTOM);
  let path = "";
  moments.forEach(({ mu }, i) => {
    const before = i === 0 ? `M${x(times[0])},${y(mu)}` : `H${x(times[i])}V${y(mu)}`;
    path += before;
  });
  path += `H${x(end)}`;
  const label = (words, at, more) => svg("text", { x: at[0], y: at[1], class: "timeline-label", ...more }, words);
  const words = speak("The μ spent from {name} over time: {spent_text} of {total_text} now. The history below has the numbers.", balance);
  const renewals = moments.flatMap(({ renewed }, i) => (renewed ? [svg("line", { x1: x(times[i]), x2: x(times[i]), y1: TOP, y2: HEIGHT - BOTTOM, class: "timeline-renewed" })] : []));
  return h("figure", { class: "timeline" },
    svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": words },
      svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM, class: "timeline-axis" }),
      svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(total), y2: y(total), class: "timeline-total" }),
      ...renewals,
      svg("path", { d: path, class: "timeline-spent" }),
      label(numeral(brief(total, 3)), [LEFT - 6, y(total) + 4], { "text-anchor": "end" }),
      label("0", [LEFT - 6, HEIGHT - BOTTOM + 4], { "text-anchor": "end" }),
      label(moments[0].time.slice(0, 10), [LEFT, HEIGHT - 8], {}),
      label(speak("now"), [WIDTH - RIGHT, HEIGHT - 8], { "text-anchor": "end" }),
    ),
    h("figcaption", { class: "note" }, h("span", { class: "timeline-key spent" }), speak("μ spent"), h("span", { class: "timeline-key total" }), speak("the budget, μ = {total_text}", balance),
      ...(renewals.length ? [h("span", { class: "timeline-key renewed" }), speak("renewed")] : [])),
  );
}
