// The guided start: questions in plain words, a range of μ, what binds, the noise, and plans side by side.

import { announce } from "../announce.js";
import { ask } from "../api.js";
import { FIELDS, QUESTIONS } from "../definitions.js";
import { h, part, prose, table } from "../dom.js";
import { valuesOf } from "../fields.js";
import { eachFrame } from "../latest.js";
import { createRefusals } from "../refusals.js";
import { createTakeaway } from "../takeaway.js";
import { counted, kept, speak } from "../words.js";

const OTHERS = ["published", "typical", "bound", "ask_batch_size", "ask_epochs", "requirement", "requirement_source", "plan_title", "decided_by"];
const LETTERS = ["A", "B", "C"];
const RECORDS = [["html", "HTML"], ["pdf", "PDF"], ["markdown", "Markdown"], ["json", "JSON"], ["toml", "policy.toml"]];

/** Places for the questions, before the fields are built. */
export function placeQuestions(root) {
  part(root, "questions").replaceChildren(...QUESTIONS.map((key) => h("div", { "data-field": `ask_${key}` })));
}

export function setUpStart(root, store, fields) {
  const asked = QUESTIONS.map((key) => `ask_${key}`);
  const names = [...asked, ...OTHERS];
  const aliases = Object.fromEntries([...QUESTIONS.map((key) => [key, `ask_${key}`]), ["requirements", "requirement"], ["policy", "requirement"], ["batch_size", "ask_batch_size"], ["epochs", "ask_epochs"]]);
  const refusals = createRefusals(root, fields, names, () => update(), aliases);

  const needed = (kind) => ({ count: ["typical"], histogram: ["typical"], sum: ["typical", "bound"], mean: ["typical", "bound"], model: ["ask_batch_size", "ask_epochs"] })[kind] ?? [];
  const answers = () => {
    const typed = asked.filter((name) => !FIELDS[name].options);
    const kind = store.read("published");
    const numbers = valuesOf(store, fields, [...typed, ...needed(kind)]);
    if (!numbers) return null;
    const chosen = asked.filter((name) => FIELDS[name].options).map((name) => [name.slice(4), store.read(name)]);
    const said = [...chosen, ...typed.map((name) => [name.slice(4), numbers[name]])];
    const { typical, bound, ask_batch_size: batch_size, ask_epochs: epochs } = numbers;
    return stated({ ...Object.fromEntries(said), published: [stated({ kind, typical, bound, batch_size, epochs })] });
  };
  const request = () => {
    refusals.clear();
    const plan = answers();
    const text = (name) => store.read(name).trim();
    const requirements = text("requirement") ? [stated({ policy: text("requirement"), source: text("requirement_source") })] : null;
    return plan && stated({ ...plan, title: text("plan_title"), decided_by: text("decided_by"), requirements, scenarios: kept().length ? kept().map(([name, content]) => ({ ...content, name })) : null });
  };

  // Scenarios: the answers as they were asked, each under a letter, in the address with everything else.
  const kept = () => {
    try {
      const read = JSON.parse(store.read("scenarios") || "[]");
      return Array.isArray(read) ? read.filter((one) => Array.isArray(one) && one.length === 2 && typeof one[1] === "object").slice(0, LETTERS.length) : [];
    } catch {
      return [];
    }
  };
  const keep = part(root, "keep");
  const free = () => LETTERS.find((letter) => !kept().some(([name]) => name === letter));
  keep.addEventListener("click", () => {
    const plan = answers();
    if (plan && free()) store.write({ scenarios: JSON.stringify([...kept(), [free(), plan]]) });
  });
  const drop = (name) => store.write({ scenarios: kept().length > 1 ? JSON.stringify(kept().filter(([other]) => other !== name)) : "" });

  const takeaway = createTakeaway(part(root, "takeaway"), "start", store, () => {
    const state = request();
    return state && { view: "advise", state };
  }, { name: speak("Decision record"), formats: RECORDS });
  const questions = eachFrame((question) => ask("advise", question), (answer) => show(answer), (error) => refusals.tell(error));
  const update = () => {
    if (store.read("view") !== "start") return; // asked when it is looked at
    const question = request();
    if (question) return questions.ask(question);
    questions.drop();
    refusals.stale(true);
  };

  const show = (answer) => {
    refusals.stale(false);
    refusals.clear();
    const wide = answer.mu_high_text !== answer.mu_text;
    part(root, "mu").textContent = answer.mu_text.replace("inf", "∞");
    part(root, "high").textContent = wide ? speak(" to {high}", { high: answer.mu_high_text.replace("inf", "∞") }) : "";
    part(root, "sentence").replaceChildren(...prose(answer.sentence));
    list("words", answer.words);
    list("assumptions", answer.assumptions);
    list("not-covered", answer.not_covered);
    part(root, "requirements").replaceChildren(table(speak("What must hold"), [speak("What"), speak("Set by"), speak("μ at most")], answer.requirements.map((row) => [row.binds ? speak("{words} (binds)", row) : row.words, row.source, row.mu_text])));
    part(root, "utility").replaceChildren(table(speak("Risk and noise as μ moves"), [speak("μ in all"), "", speak("μ each"), speak("A guess is right"), ...answer.statistics.map((label) => speak("Noise: {label}", { label }))],
      answer.utility.map((step) => [step.mu_text, step.place, step.each_text, step.chance_text, ...step.noise])));
    part(root, "scenario-table").replaceChildren(...(answer.scenarios.length ? [table(speak("Scenarios"), [speak("Scenario"), speak("Releases"), speak("μ in all"), speak("μ each"), speak("A guess is right"), speak("Noise")],
      answer.scenarios.map((row) => [row.name, counted(row.releases), row.mu_text, row.each_text, row.chance_text, row.noise_text]))] : []));
    keep.hidden = !free();
    keep.textContent = speak("Keep these answers as scenario {name}", { name: free() });
    keep.parentElement.replaceChildren(keep, ...kept().map(([name]) => h("button", { type: "button", class: "small", onclick: () => drop(name) }, speak("Remove {name}", { name }))));
    // What is assumed stands in the empty field.
    for (const [key, text] of answer.filled) fields[`ask_${key}`].suggest?.(speak("I don’t know: {assumed}", { assumed: text }));
    takeaway.show(answer.snippets);
    announce(answer.sentence);
  };
  const list = (name, sentences) => part(root, name).replaceChildren(...sentences.map((text) => h("li", {}, ...prose(text))));

  const arrange = () => {
    const kind = store.read("published");
    const only = { sized: kind !== "model", bounded: kind === "sum" || kind === "mean", model: kind === "model" };
    for (const element of root.querySelectorAll("[data-only]")) element.hidden = !only[element.dataset.only];
  };
  store.listen((changed) => {
    if (changed.has("published")) arrange();
    if (changed.has("view") || changed.has("scenarios") || names.some((name) => changed.has(name))) update();
  });
  arrange();
  update();
}

/** Without what is not known. */
function stated(content) {
  return Object.fromEntries(Object.entries(content).filter(([, value]) => value !== null && value !== undefined && value !== ""));
}
