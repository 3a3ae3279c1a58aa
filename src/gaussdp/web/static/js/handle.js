// The handle on the curve: drag it, or anywhere in the picture with a mouse, and the curve follows; with the keyboard
// it is a slider for μ.

import { h } from "./dom.js";
import { FIELDS } from "./definitions.js";
import { numberIn } from "./numbers.js";
import { moved } from "./sliders.js";
import { placeMark } from "./picture.js";
import { speak } from "./words.js";

const EDGE = 1e-9; // no curve goes through the corners

/**
 * @param {ReturnType<typeof import("./picture.js").createPicture>} picture
 * @param {any} store
 * @param {(point: {fpr: number, fnr: number}) => void} onDrag
 */
export function createHandle(picture, store, onDrag) {
  const { slider } = FIELDS.mu;
  const element = h("div", {
    class: "handle", role: "slider", tabIndex: 0, "aria-label": speak("μ, by the curve"),
    "aria-valuemin": slider.low, "aria-valuemax": slider.high, "aria-orientation": "horizontal",
  });
  let curve = null;
  let held = null; // the FPR where the curve is held
  let dragging = false;

  picture.marks.append(element);
  picture.onPlace((u, scale) => {
    if (!u.over.dataset.draggable) watch(u);
    if (curve) placeMark(u, scale, element, at(curve, held ?? resting(curve, scale)));
  });

  const watch = (u) => {
    const { over } = u;
    over.dataset.draggable = "true";
    over.addEventListener("pointerdown", (event) => {
      // A finger scrolls the page unless it takes the handle itself.
      if (event.button !== 0 || (event.pointerType === "touch" && event.target !== element)) return;
      event.preventDefault();
      dragging = true;
      element.focus({ preventScroll: true });
      over.setPointerCapture(event.pointerId);
      move(u, event);
    });
    over.addEventListener("pointermove", (event) => dragging && move(u, event));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) over.addEventListener(end, () => (dragging = false));
  };

  const move = (u, event) => {
    const box = u.over.getBoundingClientRect();
    const hold = (value, size) => Math.min(Math.max(value, 0), size);
    const x = u.posToVal(hold(event.clientX - box.left, box.width), "x");
    const y = u.posToVal(hold(event.clientY - box.top, box.height), "y");
    const fpr = Math.min(Math.max(x, EDGE), 1 - EDGE);
    const fnr = Math.min(Math.max(picture.chart.scale() === "log" ? 1 - y : y, EDGE), 1 - fpr);
    held = fpr;
    onDrag({ fpr, fnr });
  };

  element.addEventListener("keydown", (event) => {
    const mu = numberIn(store.read("mu"));
    const steps = { ArrowRight: 2, ArrowUp: 2, ArrowLeft: -2, ArrowDown: -2, PageUp: 20, PageDown: -20 }[event.key];
    let text = null;
    if (event.key === "Home") text = String(slider.low);
    if (event.key === "End") text = String(slider.high);
    if (steps && mu > 0) text = moved(slider, mu, steps);
    if (text === null) return;
    event.preventDefault();
    store.write({ mu: text });
  });

  return {
    /** @param {{fpr: number[], fnr?: number[], tpr?: number[], mu: number, text: string}} shown */
    show(shown) {
      curve = shown;
      element.setAttribute("aria-valuenow", String(shown.mu));
      element.setAttribute("aria-valuetext", `μ = ${shown.text}`);
    },
    /** Let go of the FPR where the curve was held. */
    release() {
      held = null;
    },
  };
}

/** Where the handle waits: where both errors are equal, or at FPR 1e-3 on log axes. */
function resting({ fpr, fnr }, scale) {
  if (scale === "log" || !fnr) return 1e-3;
  const i = fpr.findIndex((x, k) => x >= fnr[k]);
  return fpr[i < 0 ? fpr.length - 1 : i];
}

/** The point of the curve at an FPR, between the points that the server gave. */
function at({ fpr, fnr, tpr }, x) {
  let i = fpr.findIndex((value) => value >= x);
  if (i < 0) i = fpr.length - 1;
  if (i === 0) return { fpr: fpr[0], fnr: fnr?.[0], tpr: tpr?.[0] };
  const share = (x - fpr[i - 1]) / (fpr[i] - fpr[i - 1]);
  const between = (values) => values && values[i - 1] + share * (values[i] - values[i - 1]);
  return { fpr: x, fnr: between(fnr), tpr: between(tpr) };
}
