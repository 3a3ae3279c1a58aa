// Known deployments on an axis of μ, with the page's own μ among them. Arrows walk from one to the next.

import { ask, Refusal } from "./api.js";
import { h, table } from "./dom.js";
import { numberIn } from "./numbers.js";
import { numeral, speak } from "./words.js";

const MARGIN = 0.15; // of a decade, at both ends of the axis
const CLOSE = 0.026; // of the axis: dots nearer than this are stacked

/** @param {HTMLElement} root */
export function createDeployments(root, store) {
  const axis = h("div", { class: "axis" });
  const detail = h("p", { class: "deployment-detail", role: "status" }, speak("Choose a dot to read what was released, and for whom. Circles: a trusted curator adds the noise; diamonds: each person’s device does."));
  const list = h("details", { class: "more" }, h("summary", {}, speak("All of them as a table")));
  root.append(h("h3", {}, speak("Known deployments on the axis of μ")), axis, detail, list);
  let place = null;
  const here = h("div", { class: "here" }, h("span", { class: "here-label" }));

  let asked = false;
  const load = async () => {
    if (asked) return;
    asked = true;
    try {
      const { deployments } = await ask("deployments");
      place = draw(deployments, axis, detail, list);
      axis.append(here);
      show();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      asked = false; // again when there is another reason to look
      detail.textContent = error.message;
    }
  };

  const show = () => {
    const mu = numberIn(store.read("mu"));
    here.hidden = !(place && mu > 0 && Number.isFinite(mu));
    if (here.hidden) return;
    const share = place(mu);
    here.style.left = `${100 * Math.min(Math.max(share, 0), 1)}%`;
    here.classList.toggle("flip-x", share > 0.75);
    here.firstChild.textContent = share < 0 || share > 1 ? speak("your μ (off the axis)") : speak("your μ");
  };
  store.listen((changed) => changed.has("mu") && show());
  return { load };
}

function draw(deployments, axis, detail, list) {
  const known = deployments.filter((one) => typeof one.mu === "number" && one.mu > 0).sort((a, b) => a.mu - b.mu);
  const place = axisOf(known.map((one) => one.mu));
  const levels = stacked(known.map((one) => place(one.mu)));
  axis.style.setProperty("--levels", String(Math.max(...levels, 0) + 1));
  for (const tick of place.ticks) {
    const mark = h("div", { class: "tick" }, h("span", {}, numeral(String(tick))));
    mark.style.left = `${100 * place(tick)}%`;
    axis.append(mark);
  }
  const dots = known.map((one, i) => {
    const dot = h("button", { type: "button", class: `dot dot-${one.setting === "local" ? "local" : "central"}`, tabIndex: i === 0 ? 0 : -1, "aria-label": `${title(one)}: μ = ${one.mu_text}`, title: `${title(one)}: μ = ${one.mu_text}` });
    dot.style.left = `${100 * place(one.mu)}%`;
    dot.style.setProperty("--level", String(levels[i]));
    const tell = () => {
      detail.replaceChildren(...describe(one));
      for (const other of dots) other.setAttribute("aria-pressed", String(other === dot));
    };
    dot.addEventListener("click", tell);
    dot.addEventListener("focus", tell);
    dot.addEventListener("pointerenter", tell);
    return dot;
  });
  const swarm = h("div", { class: "swarm", role: "group", "aria-label": speak("Deployments, from small to large μ; arrows walk through them") }, ...dots);
  swarm.addEventListener("keydown", (event) => {
    const i = dots.indexOf(document.activeElement);
    const next = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: dots.length - 1 }[event.key];
    if (i < 0 || next === undefined || !dots[next]) return;
    event.preventDefault();
    dots[i].tabIndex = -1;
    dots[next].tabIndex = 0;
    dots[next].focus();
  });
  axis.append(swarm);
  const rows = [...known, ...deployments.filter((one) => !known.includes(one))].map((one) => [
    title(one), one.year ? String(one.year) : "–", one.unit, SETTINGS[one.setting] ?? one.setting, one.published, one.mu_text ?? speak("none follows"), BASES[one.basis] ?? one.basis,
  ]);
  list.append(h("div", { class: "scroll words", tabIndex: 0, role: "region", "aria-label": speak("Deployments, table") },
    table(speak("Known deployments"), [speak("Deployment"), speak("Year"), speak("Unit of privacy"), speak("Setting"), speak("As published"), "μ", speak("Basis of μ")], rows)));
  return place;
}

const title = (one) => (one.organisation && !one.name.includes(one.organisation) ? `${one.organisation}, ${one.name}` : one.name);

const SETTINGS = { central: speak("central"), local: speak("local") };
const BASES = { exact: speak("exact"), implied: speak("implied"), none: speak("none") };
const BASIS = {
  exact: speak("its μ follows from what was published"),
  implied: speak("its μ is implied by what was published"),
  none: speak("no μ follows from what was published"),
};

/** What was released, for whom, and where it is said. */
function describe(one) {
  const link = h("a", { href: one.url, target: "_blank", rel: "noreferrer" }, one.source);
  return [
    h("strong", {}, `${title(one)}${one.year ? `, ${one.year}` : ""}: μ = ${one.mu_text}`),
    speak(" ({published}; {basis}; {setting} setting). It protects {unit}. {covers} ", { ...one, basis: BASIS[one.basis] ?? one.basis, setting: SETTINGS[one.setting] ?? one.setting }),
    one.url?.startsWith("https://") ? link : one.source,
  ];
}

/** A logarithmic axis that holds these values: the place of a value from 0 to 1, and its ticks. */
function axisOf(values) {
  const low = Math.min(Math.log10(Math.min(...values, 0.1)), -1) - MARGIN;
  const high = Math.max(Math.log10(Math.max(...values, 10)), 1) + MARGIN;
  const place = (value) => (Math.log10(value) - low) / (high - low);
  place.ticks = [];
  for (let e = Math.ceil(low); e <= high; e += 1) place.ticks.push(Number(`1e${e}`));
  return place;
}

/** For places in ascending order, the level of each: the lowest where it touches no other. */
function stacked(places) {
  const last = [];
  return places.map((place) => {
    let level = last.findIndex((other) => place - other >= CLOSE);
    if (level < 0) level = last.length;
    last[level] = place;
    return level;
  });
}
