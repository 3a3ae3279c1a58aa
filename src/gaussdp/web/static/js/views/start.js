// The guided start: questions in plain words, a range of μ, what binds, the noise, and plans side by side.

import { announce } from "../announce.js";
import { ask } from "../api.js";
import { FIELDS, QUESTIONS, ROWS } from "../definitions.js";
import { h, part, prose, table } from "../dom.js";
import { valuesOf } from "../fields.js";
import { eachFrame } from "../latest.js";
import { createRefusals } from "../refusals.js";
import { policyText } from "../policies.js";
import { rowsOf } from "../rows.js";
import { createTakeaway } from "../takeaway.js";
import { counted, kept, speak } from "../words.js";

const OTHERS = ["published", "required", "plan_title", "decided_by"];
const MOST_SCENARIOS = 3;
const LETTERS = ["A", "B", "C", "D"];
const RECORDS = [["html", "HTML"], ["pdf", "PDF"], ["markdown", "Markdown"], ["json", "JSON"], ["toml", "policy.toml"]].map(([value, label]) => ({ value, label }));

/** Places for the questions, before the fields are built. */
export function placeQuestions(root) {
  part(root, "questions").replaceChildren(...QUESTIONS.map((key) => h("div", { "data-field": `ask_${key}` })));
}

export function setUpStart(root, store, fields) {
  const asked = QUESTIONS.map((key) => `ask_${key}`);
  const names = [...asked, ...OTHERS];
  const aliases = Object.fromEntries([...QUESTIONS.map((key) => [key, `ask_${key}`]), ["requirements", "required"], ["policy", "required"]]);
  const refusals = createRefusals(root, fields, names, () => update(), aliases);

  const answers = () => {
    const typed = asked.filter((name) => !FIELDS[name].options);
    const numbers = valuesOf(store, fields, typed);
    const published = fields.published.values();
    if (!numbers || !published) return null;
    const chosen = asked.filter((name) => FIELDS[name].options).map((name) => [name.slice(4), store.read(name)]);
    const said = [...chosen, ...typed.map((name) => [name.slice(4), numbers[name]])];
    return stated({ ...Object.fromEntries(said), published: published.filter(({ kind }) => kind !== "unknown").map(stated) });
  };
  const request = () => {
    refusals.clear();
    const plan = answers();
    const required = fields.required.values();
    if (!plan || !required) return null;
    const text = (name) => store.read(name).trim();
    const requirements = required.map((one) => stated({ policy: policyText(one), source: one.source }));
    const scenarios = saved().map(([name, content]) => ({ ...content, name }));
    return stated({ ...plan, title: text("plan_title"), decided_by: text("decided_by"), requirements: requirements.length ? requirements : null, scenarios: scenarios.length ? scenarios : null });
  };

  // Scenarios: the answers as they were asked, each under a letter, in the address with everything else.
  const saved = () => {
    try {
      const read = JSON.parse(store.read("scenarios") || "[]");
      return Array.isArray(read) ? read.filter((one) => Array.isArray(one) && one.length === 2 && typeof one[1] === "object").slice(0, MOST_SCENARIOS) : [];
    } catch {
      return [];
    }
  };
  const keep = part(root, "keep");
  const called = document.getElementById("scenario-name");
  const free = () => LETTERS.find((letter) => !saved().some(([name]) => name === letter)) ?? "";
  keep.addEventListener("click", () => {
    const plan = answers();
    const name = called.value.trim() || free();
    const others = saved().filter(([other]) => other !== name);
    if (plan && others.length < MOST_SCENARIOS) store.write({ scenarios: JSON.stringify([...others, [name, plan]]) });
  });
  const drop = (name) => store.write({ scenarios: saved().length > 1 ? JSON.stringify(saved().filter(([other]) => other !== name)) : "" });

  const takeaway = createTakeaway(part(root, "takeaway"), "start", store, () => {
    const state = request();
    return state && { view: "advise", state };
  }, { name: speak("Decision record"), formats: RECORDS, registered: true });
  const questions = eachFrame((question) => ask("advise", question), (answer) => show(answer), (error) => refusals.tell(error));
  const update = () => {
    if (store.read("view") !== "start") return; // asked when it is looked at
    const question = request();
    if (question) return questions.ask(question);
    questions.drop();
    refusals.stale(true);
  };

  const links = root.querySelector(".onward");
  let shown = null; // the answer that the links hand over
  const show = (answer) => {
    refusals.stale(false);
    refusals.clear();
    shown = answer;
    links.hidden = !(Number(answer.mu) > 0); // neither 0 nor ∞
    links.querySelector('[data-go="account"]').hidden = !answer.onward;
    const wide = answer.mu_high_text !== answer.mu_text;
    part(root, "mu").textContent = answer.mu_text;
    part(root, "high").textContent = wide ? speak(" to {high}", { high: answer.mu_high_text }) : "";
    part(root, "sentence").replaceChildren(...prose(answer.sentence));
    list("words", answer.words);
    list("assumptions", answer.assumptions);
    list("not-covered", answer.not_covered);
    part(root, "requirements").replaceChildren(table(speak("What must hold"), [speak("What"), speak("Set by"), speak("μ at most")], answer.requirements.map((row) => [row.binds ? speak("{words} (binds)", row) : row.words, row.source, row.mu_text])));
    part(root, "utility").replaceChildren(table(speak("Risk and noise as μ moves"), [speak("μ in all"), speak("Which"), speak("μ each"), speak("A guess is right"), ...answer.statistics.map((label) => speak("Noise: {label}", { label }))],
      answer.utility.map((step) => [step.mu_text, step.place, step.each_text, step.chance_text, ...step.noise])));
    part(root, "scenario-table").replaceChildren(...(answer.scenarios.length ? [table(speak("Scenarios"), [speak("Scenario"), speak("Releases"), speak("μ in all"), speak("μ each"), speak("A guess is right"), speak("Noise")],
      answer.scenarios.map((row) => [row.name, counted(row.releases), row.mu_text, row.each_text, row.chance_text, row.noise_text]))] : []));
    keep.disabled = saved().length >= MOST_SCENARIOS && !saved().some(([name]) => name === called.value.trim());
    if (called !== document.activeElement) called.value = free();
    part(root, "kept").replaceChildren(...saved().map(([name]) => h("button", { type: "button", class: "small", onclick: () => drop(name) }, speak("Remove {name}", { name }))));
    // What is assumed stands in the empty field.
    for (const [key, text] of answer.filled) {
      fields[`ask_${key}`].suggest?.(speak("I don’t know: {assumed}", { assumed: text }));
      fields[`ask_${key}`].assume?.(text);
    }
    takeaway.show(answer.snippets);
    announce(answer.sentence);
  };
  const list = (name, sentences) => part(root, name).replaceChildren(...sentences.map((text) => h("li", {}, ...prose(text))));

  store.listen((changed) => {
    if (changed.has("view") || changed.has("scenarios") || names.some((name) => changed.has(name))) update();
  });
  update();
  return {
    /** The plan that is shown, as what another view asks. */
    handOver: (view) => (view === "account" ? fieldsOf(shown.onward) : { mu: kept(shown.mu_text), whom: shown.unit }),
  };
}

/** A question of the server's as the fields of its view: what is not in it is as on a new page. */
function fieldsOf({ view, state: { target, releases, ...rest } }) {
  const fresh = Object.fromEntries(Object.entries(FIELDS).filter(([, field]) => field.view === "account").map(([name, field]) => [name, field.initial]));
  const said = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)]));
  const [, scale] = rowsOf("", ROWS.releases)[0];
  const rows = releases?.map((row) => `${row.noise} ${scale} ${row.sensitivity} ${row.times}`).join("; ");
  return {
    ...fresh, ...said, ...(rows ? { releases: rows } : {}),
    released: view === "releases" ? "releases" : "training", mode: "target", target: target.kind, target_value: String(target.value),
  };
}

/** Without what is not known. */
function stated(content) {
  return Object.fromEntries(Object.entries(content).filter(([, value]) => value !== null && value !== undefined && value !== "" && value.length !== 0));
}
