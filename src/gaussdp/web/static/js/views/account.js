// Account and calibrate: from a run, or from releases, to the μ that holds for them, or from a target to the noise.

import { announce } from "../announce.js";
import { follow } from "../api.js";
import { DOCUMENTS, FIELDS, TARGETS } from "../definitions.js";
import { h, part, prose, table } from "../dom.js";
import { factList } from "../facts.js";
import { valueOf, valuesOf } from "../fields.js";
import { superseding } from "../latest.js";
import { createPicture, lowestFor } from "../picture.js";
import { createRefusals } from "../refusals.js";
import { createTakeaway } from "../takeaway.js";
import { counted, kept, speak, written } from "../words.js";

const SIZES = ["dataset_size", "batch_size", "epochs"];
const PROTECTED = ["unit", "adjacency", "records_per_unit", "tuning", "tuning_runs", "tuning_mean", "randomness"];
const NAMES = [
  "released", "releases", ...SIZES, "sampling", "last_batch", "batches_per_pass", "clipping", "mode", "noise_multiplier", "target", "target_value", "target_level",
  ...PROTECTED, "account_delta", "floor",
];
const ALIASES = { delta: "account_delta", "target.kind": "target", "target.value": "target_value", "target.level": "target_level", value: "target_value", level: "target_level" };
const SETTLED = 250; // milliseconds without a change before a run is accounted for

const EXACT = [{ label: speak("Exact curve"), colour: "policy" }, { label: speak("GDP fit"), colour: "gdp", dash: [9, 5] }, { label: "(ε, δ)-DP", colour: "approx", dash: [2, 4] }];
const ENCLOSED = [{ label: speak("The μ that holds"), colour: "gdp" }, { label: "(ε, δ)-DP", colour: "approx", dash: [2, 4] }];
/** The library's words with the names of its parameters as the page calls them. */
const labelled = (text) => text.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => {
  const label = FIELDS[CALLED[name] ?? name]?.label;
  return label ? `“${label}”` : name.replaceAll("_", " ");
});
const CALLED = { drop_last: "last_batch" };

export function setUpAccount(root, store, fields) {
  const refusals = createRefusals(root, fields, NAMES, () => update(), ALIASES);
  const picture = createPicture(part(root, "picture"), { title: speak("The curve that holds"), name: "account", store, series: EXACT });
  const facts = factList(part(root, "facts"));
  const training = () => store.read("released") === "training";
  const cut = () => ["shuffle", "fixed batches", "random allocation"].includes(store.read("sampling"));
  const aimed = () => store.read("mode") === "target";

  const request = () => {
    refusals.clear();
    const described = protection();
    const what = training() ? run() : releases();
    if (!described || !what) return null;
    return { path: training() ? (aimed() ? "calibrate" : "account") : "releases", body: { ...what, ...described } };
  };
  const protection = () => {
    const tuning = store.read("tuning");
    const counted = tuning === "counted" || tuning === "not counted";
    const numbers = valuesOf(store, fields, ["records_per_unit", "account_delta", "floor", ...(counted ? ["tuning_runs"] : []), ...(tuning === "best of" ? ["tuning_mean"] : [])]);
    if (!numbers) return null;
    const { account_delta: delta, ...rest } = numbers;
    return stated({ ...rest, delta, unit: store.read("unit").trim(), adjacency: store.read("adjacency"), tuning, randomness: store.read("randomness") });
  };
  const run = () => {
    const sizes = valuesOf(store, fields, [...SIZES, ...(cut() ? ["batches_per_pass"] : [])]);
    const aim = aimed() ? target() : valuesOf(store, fields, ["noise_multiplier"]);
    return sizes && aim && stated({ ...sizes, ...aim, sampling: store.read("sampling"), last_batch: cut() ? store.read("last_batch") : "", clipping: store.read("clipping") });
  };
  const releases = () => {
    const asked = fields.releases.values(aimed() ? ["scale"] : []);
    const aim = aimed() ? target() : {};
    return asked && aim && { releases: asked.map(({ kind: noise, ...rest }) => stated({ noise, ...rest })), ...aim };
  };
  const target = () => {
    const kind = store.read("target");
    const value = valueOf(store, fields, "target_value");
    const level = TARGETS[kind].level ? valueOf(store, fields, "target_level") : null;
    return value === undefined || level === undefined ? null : { target: stated({ kind, value, level }) };
  };

  const takeaway = createTakeaway(part(root, "takeaway"), "account", store, () => {
    const asking = request();
    return asking && { view: asking.path, state: asking.body, ready };
  }, { name: speak("Statement"), formats: DOCUMENTS, registered: true });
  // A guarantee means nothing until it says whom it protects: the statement is not written without.
  const ready = () => {
    const unit = store.read("unit").trim();
    fields.unit.complain(unit ? null : speak("Say whom or what the guarantee protects, such as “one person”."));
    return unit !== "";
  };

  const progress = part(root, "progress");
  const words = part(root, "progress-words");
  const work = superseding(
    ({ path, body }, signal) => follow(path, body, signal, ({ seconds, message }) => {
      words.textContent = `${message.replace(/[.…]+$/, "")} … ${seconds.toFixed(0)} s`;
    }),
    {
      start() {
        progress.hidden = false;
        words.textContent = speak("Accounting …");
        root.classList.add("busy");
        refusals.stale(true);
      },
      answer: (answer) => show(answer),
      refusal: (error) => refusals.tell(error),
      stop() {
        progress.hidden = true;
        root.classList.remove("busy");
      },
    },
  );
  part(root, "cancel").addEventListener("click", () => {
    clearTimeout(timer);
    if (work.cancel()) refusals.say(speak("Cancelled; change a value to start again."));
  });

  const show = (answer) => {
    refusals.stale(false);
    refusals.clear();
    const mu = answer.mu_text;
    const sign = answer.exact ? "=" : "≤";
    part(root, "answer-title").textContent = aimed() ? speak("The noise that meets the target") : speak("The guarantee");
    part(root, "noise-line").hidden = !aimed();
    part(root, "noise").textContent = answer.noise_multiplier_text ?? "";
    part(root, "sign").textContent = `μ ${sign} `;
    part(root, "mu").textContent = mu;
    part(root, "onward").hidden = mu === "∞";
    part(root, "about").replaceChildren(...prose(about(answer)));
    part(root, "advice").replaceChildren(...answer.sentences.map((text) => h("li", {}, ...prose(labelled(text)))));
    facts.show([
      ["epsilon", speak("ε at δ = {delta}", { delta: written(store.read("account_delta")) }), `${answer.exact ? "" : "≤ "}${answer.epsilon_text}`],
      ...(answer.exact ? [["regret", speak("Regret of the fit"), answer.regret_text], ["floor", speak("Floor"), answer.floor_text], ["slack", speak("Slack"), answer.slack_text]] : [["floor", speak("Floor"), answer.floor_text]]),
      ...(answer.scales ?? []).map((row) => ["releases", speak("Standard deviation of each, at sensitivity {sensitivity}", { sensitivity: row.sensitivity_text }), row.text]),
      ...(answer.steps ? [["batch_size", speak("Sample rate"), answer.sample_rate_text], ["epochs", speak("Steps"), counted(answer.steps)]] : []),
    ]);
    part(root, "rates-note").textContent = answer.exact ? speak("Read off the exact curve, not off its fit.") : speak("Read off the μ that holds.");
    part(root, "rates").replaceChildren(table(speak("TPR at FPR"), ["FPR", speak("TPR at most")], answer.tpr.map((row) => [row.fpr_text, row.text])));
    const { fpr, exact, gdp, approx, exact_tpr, gdp_tpr, approx_tpr } = answer.curves;
    const known = exact ? [{ fnr: exact, tpr: exact_tpr }] : [];
    picture.show({
      fpr,
      curves: [...known, { fnr: gdp, tpr: gdp_tpr }, { fnr: approx, tpr: approx_tpr }],
      series: exact ? EXACT : ENCLOSED,
      lowest: lowestFor(fpr, 1e-4),
      words: exact
        ? speak("The exact trade-off curve, its GDP fit μ = {mu} and the (ε, δ) statement. The table below has the numbers.", { mu })
        : speak("The trade-off curve of μ ≤ {mu} and the (ε, δ) statement. The table below has the numbers.", { mu }),
    });
    takeaway.show(answer.snippets);
    const noise = aimed() ? speak("Noise multiplier {noise}, ", { noise: answer.noise_multiplier_text }) : "";
    const told = { mu, epsilon: answer.epsilon_text };
    announce(`${noise}${answer.exact ? speak("μ {mu}, ε {epsilon}.", told) : speak("μ at most {mu}, ε {epsilon}.", told)}`);
  };

  /** For whom the number holds, in one line beside it. */
  const about = (answer) => {
    const unit = store.read("unit").trim() || speak("one unit");
    const records = Number(store.read("records_per_unit")) > 1 ? speak(" with up to {count} records", { count: written(store.read("records_per_unit")) }) : "";
    const change = store.read("adjacency") === "replace-one" ? speak("exchanged for another") : speak("added or removed");
    const batches = training() ? speak("; batches: {how}", { how: wordsOf("sampling") }) : "";
    const least = answer.exact || answer.mu_lower_text === "∞" ? "" : speak(" The least that holds is not below {mu}.", { mu: answer.mu_lower_text });
    return `${speak("for {unit}{records}, {change}{batches}.", { unit, records, change, batches })}${least}`;
  };
  const wordsOf = (name) => fields[name].chosen();

  let timer = 0;
  let wanted = false; // accounting starts when its view is first seen
  const update = () => {
    clearTimeout(timer);
    if (!wanted) return;
    const question = request();
    if (question) timer = setTimeout(() => work.ask(question), SETTLED);
    else {
      work.cancel();
      refusals.stale(true);
    }
  };

  const arrange = () => {
    root.querySelector('[data-field="releases"]').classList.toggle("sought", aimed());
    const only = { training: training(), releases: !training(), noise: training() && !aimed(), target: aimed(), cut: cut(), "best of": store.read("tuning") === "best of", counted: ["counted", "not counted"].includes(store.read("tuning")) };
    for (const element of root.querySelectorAll("[data-only]")) element.hidden = !only[element.dataset.only];
    const kind = TARGETS[store.read("target")];
    fields.target_value.relabel(speak("{bound} at most", kind), undefined, kind.bound);
    if (kind.level) fields.target_level.relabel(speak("at {level}", { level: kind.level.label }), undefined, kind.level.title);
    root.querySelector('[data-field="target_level"]').hidden = !kind.level;
  };
  store.listen((changed) => {
    if (["released", "mode", "target", "tuning", "sampling"].some((name) => changed.has(name))) arrange();
    if (changed.has("target") && !changed.has("target_value")) {
      const kind = TARGETS[store.read("target")];
      store.write({ target_value: kind.start, ...(kind.start_level ? { target_level: kind.start_level } : {}) });
    }
    if (changed.has("view") && store.read("view") === "account" && !wanted) {
      wanted = true;
      update();
    } else if (NAMES.some((name) => changed.has(name))) update();
  });
  arrange();
  if (store.read("view") === "account") {
    wanted = true;
    update();
  }
  return {
    /** The μ that is shown, and whom it protects. */
    handOver: () => ({ mu: kept(part(root, "mu").textContent), whom: store.read("unit").trim() }),
  };
}

/** Without what is not stated. */
function stated(content) {
  return Object.fromEntries(Object.entries(content).filter(([, value]) => value !== null && value !== ""));
}
