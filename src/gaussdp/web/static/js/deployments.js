// Known deployments as a list on one axis of μ, a row each with its unit of privacy and its period: nothing overprints.

import { ask, Refusal } from "./api.js";
import { h, prose, table } from "./dom.js";
import { numberIn } from "./numbers.js";
import { counted, numeral, speak } from "./words.js";

const MARGIN = 0.12; // of a decade, at both ends of the axis
const SPANS = [["published", speak("As published")], ["year", speak("Of a year")]];
const NOTES = {
  published: speak("Each μ is for the unit and the period named, as published. Filled: exact. Hollow: implied by pure DP. Diamonds: each person’s device adds the noise."),
  year: speak("Each μ is that of a year: what is spent anew each day or month adds in squares, what was released once counts once. Compare with a μ that also covers a year."),
};

/** @param {HTMLElement} root */
export function createDeployments(root, store) {
  const chosen = () => (store.read("deployed") === "year" ? "year" : "published");
  const spans = h("fieldset", { class: "segments", "aria-label": speak("Which μ") }, ...SPANS.map(([value, label]) =>
    h("label", { class: "option" },
      h("input", { type: "radio", name: "deployed", value, onchange: () => store.write({ deployed: value }) }),
      h("span", { class: "option-words" }, label))));
  const list = h("div", { class: "deployed" });
  const note = h("p", { class: "note", role: "status" });
  const more = h("details", { class: "more" }, h("summary", {}, speak("What each number covers, and its source")));
  const said = h("p", { class: "said", role: "status" });
  const files = h("input", { type: "file", hidden: true, "aria-label": speak("Files of OpenDP’s registry"), accept: ".yaml,.yml,.json", multiple: true, onchange: () => open([...files.files]) });
  const forget = h("button", { type: "button", class: "small", hidden: true, onclick: () => { taken = []; tell(""); show(); } }, speak("Remove what was opened"));
  root.append(h("div", { class: "picture-head" }, h("h3", {}, speak("Known deployments")), spans), list, note,
    h("p", { class: "takeaway-row" }, h("button", { type: "button", onclick: () => files.click() }, speak("Open files of OpenDP’s registry")), files, forget), said, more);
  let known = null;
  let taken = []; // from files, shown beside
  const tell = (words, wrong = false) => {
    said.textContent = words;
    said.classList.toggle("wrong", wrong);
  };
  const open = async (chosen) => {
    tell(speak("Reading …"));
    try {
      for (const file of chosen) {
        const { deployments } = await ask("registry-import", { name: file.name, text: await file.text() });
        taken = [...taken.filter((one) => one.file !== file.name), ...deployments.map((one) => ({ ...one, file: file.name }))];
      }
      tell(chosen.length === 1 ? speak("{name} is shown with the others, marked.", { name: chosen[0].name }) : speak("{count} files are shown with the others, marked.", { count: counted(chosen.length) }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      tell(error.message, true);
    }
    files.value = "";
    show();
  };
  let place = null;

  let asked = false;
  const load = async () => {
    if (asked) return;
    asked = true;
    try {
      known = (await ask("deployments")).deployments;
      show();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      asked = false; // again when there is another reason to look
      note.textContent = error.message;
    }
  };

  const show = () => {
    for (const radio of spans.querySelectorAll("input")) radio.checked = radio.value === chosen();
    if (!known) return;
    forget.hidden = taken.length === 0;
    const rows = [...known, ...taken].map((one) => (chosen() === "year" ? { ...one, mu: one.mu_per_year, mu_text: one.mu_per_year_text } : one));
    rows.sort((a, b) => (a.mu ?? Infinity) - (b.mu ?? Infinity));
    place = axisOf(rows.map((one) => one.mu).filter((mu) => mu > 0));
    list.replaceChildren(h("ul", {}, ...rows.map((one) => row(one, place))), foot(place));
    note.textContent = NOTES[chosen()];
    more.replaceChildren(more.firstChild, h("div", { class: "scroll words", tabIndex: 0, role: "region", "aria-label": speak("Deployments, table") },
      table(speak("Known deployments"), [speak("Deployment"), speak("Protects"), speak("Setting"), speak("As published"), chosen() === "year" ? speak("μ of a year") : "μ", speak("Covers, and its source")], rows.map(cells))));
    mark();
  };
  const mark = () => {
    const mu = numberIn(store.read("mu"));
    const share = place && mu > 0 && Number.isFinite(mu) ? place(mu) : null;
    list.classList.toggle("placed", share !== null);
    if (share === null) return;
    list.style.setProperty("--here", `${100 * Math.min(Math.max(share, 0), 1)}%`);
    const label = list.querySelector(".here-label");
    label.textContent = share < 0 || share > 1 ? speak("your μ (off the axis)") : speak("your μ");
    label.classList.toggle("flip-x", share > 0.6);
  };
  store.listen((changed) => {
    if (changed.has("deployed")) show();
    else if (changed.has("mu")) mark();
  });
  show();
  return { load };
}

const title = (one) => `${one.organisation && !one.name.includes(one.organisation) ? `${one.organisation}, ` : ""}${one.name}, ${one.year}`;
const EACH = { "": speak("once"), hour: speak("each hour"), day: speak("each day"), week: speak("each week"), month: speak("each month"), quarter: speak("each quarter"), year: speak("each year"), "not stated": speak("often") };
const SETTINGS = { central: speak("central"), local: speak("local"), shuffle: speak("shuffled"), federated: speak("federated"), varies: speak("varies"), "not stated": speak("not stated") };
const BASES = { exact: speak("exact"), implied: speak("implied"), none: speak("none") };
const hours = (period) => speak("every {count} hours", { count: period.split(" ")[0] });
const protects = (one) => `${one.unit}; ${EACH[one.period] ?? hours(one.period)}`;

/** Who, whom it protects and for how long; a dot on the axis; the number. */
function row(one, place) {
  const dot = one.mu ? h("span", { class: `dot dot-${one.setting === "local" ? "local" : "central"} dot-${one.basis}` }) : null;
  if (dot) dot.style.left = `${100 * place(one.mu)}%`;
  return h("li", one.file ? { class: "opened" } : {},
    h("span", { class: "deployed-name" }, h("strong", {}, one.file ? speak("{title} (opened)", { title: title(one) }) : title(one)), h("span", {}, protects(one))),
    h("span", { class: "deployed-axis", "aria-hidden": "true" }, ...place.ticks.map(tick(place)), dot),
    h("span", { class: "deployed-mu" }, one.mu_text ? `μ = ${one.mu_text}` : speak("no μ"), h("span", {}, ...prose(one.published))));
}

function foot(place) {
  const numbers = place.ticks.map((value) => {
    const label = h("span", { class: "tick-label" }, numeral(String(value)));
    label.style.left = `${100 * place(value)}%`;
    return label;
  });
  return h("div", { class: "deployed-foot", "aria-hidden": "true" }, h("span", {}), h("span", { class: "deployed-axis" }, ...numbers, h("span", { class: "here-label" })), h("span", {}));
}

const tick = (place) => (value) => {
  const line = h("span", { class: "tick" });
  line.style.left = `${100 * place(value)}%`;
  return line;
};

function cells(one) {
  const link = one.url?.startsWith("https://") ? h("a", { href: one.url, target: "_blank", rel: "noreferrer" }, one.source) : one.source;
  return [one.file ? speak("{title} (opened)", { title: title(one) }) : title(one), protects(one), SETTINGS[one.setting] ?? one.setting, one.published, one.mu_text ? `${one.mu_text}, ${BASES[one.basis] ?? one.basis}` : speak("none follows"), h("span", {}, `${one.covers} `, link)];
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
