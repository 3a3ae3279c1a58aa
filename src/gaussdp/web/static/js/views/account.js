// Account and calibrate: from a training run to its μ, or from a target to the noise.

import { announce } from "../announce.js";
import { follow } from "../api.js";
import { TARGETS } from "../definitions.js";
import { h, part, prose, table } from "../dom.js";
import { factList } from "../facts.js";
import { valueOf } from "../fields.js";
import { superseding } from "../latest.js";
import { createPicture, lowestFor } from "../picture.js";
import { createRefusals } from "../refusals.js";
import { createTakeaway } from "../takeaway.js";

const RUN = ["dataset_size", "batch_size", "epochs"];
const NAMES = [...RUN, "mode", "noise_multiplier", "target", "target_value", "target_level", "account_delta", "floor"];
const ALIASES = { delta: "account_delta", "target.kind": "target", "target.value": "target_value", "target.level": "target_level", value: "target_value", level: "target_level" };
const SETTLED = 250; // milliseconds without a change before a run is accounted for

export function setUpAccount(root, store, fields) {
  const refusals = createRefusals(root, fields, NAMES, ALIASES);
  const picture = createPicture(part(root, "picture"), {
    title: "The exact curve beside its fit", name: "account", store,
    series: [{ label: "Exact curve", colour: "policy" }, { label: "GDP fit", colour: "gdp", dash: [9, 5] }, { label: "(ε, δ)-DP", colour: "approx", dash: [2, 4] }],
  });
  const facts = factList(part(root, "facts"));

  const read = (names) => {
    const values = {};
    for (const name of names) values[name] = valueOf(store, fields, name);
    return Object.values(values).includes(undefined) ? null : values;
  };
  const request = () => {
    refusals.clear();
    const run = read([...RUN, "account_delta", "floor"]);
    const aim = store.read("mode") === "noise" ? read(["noise_multiplier"]) : target();
    if (!run || !aim) return null;
    const { account_delta: delta, ...rest } = run;
    return { path: store.read("mode") === "noise" ? "account" : "calibrate", body: { ...rest, delta, ...aim } };
  };
  const target = () => {
    const kind = store.read("target");
    const values = read(TARGETS[kind].level ? ["target_value", "target_level"] : ["target_value"]);
    return values && { target: { kind, value: values.target_value, ...(TARGETS[kind].level ? { level: values.target_level } : {}) } };
  };
  const takeaway = createTakeaway(part(root, "takeaway"), "account", store, () => {
    const asking = request();
    return asking && { view: asking.path, state: asking.body, extra };
  }, [...root.querySelectorAll("[data-asked]")]);
  // A guarantee means nothing until it says whom it protects: the statement is not written without.
  const extra = () => {
    const unit = store.read("unit").trim();
    fields.unit.complain(unit ? null : "Say whom or what the guarantee protects, such as “one person”.");
    return unit && { unit, adjacency: store.read("adjacency"), sampling: store.read("sampling") };
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
        words.textContent = "Accounting …";
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
    if (!work.cancel()) return;
    const problem = part(root, "problem");
    problem.hidden = false;
    problem.textContent = "Cancelled. What is shown belongs to earlier values; change one to start again.";
  });

  const show = (answer) => {
    refusals.stale(false);
    refusals.clear();
    const calibrated = store.read("mode") === "target";
    part(root, "answer-title").textContent = calibrated ? "The noise that meets the target" : "The guarantee";
    part(root, "noise-line").hidden = !calibrated;
    part(root, "noise").textContent = answer.noise_multiplier_text;
    part(root, "mu").textContent = answer.mu_text;
    part(root, "advice").replaceChildren(...answer.advice.map((text) => h("li", {}, ...prose(text))));
    facts.show([
      ["epsilon", `ε at δ = ${store.read("account_delta")}`, answer.epsilon_text],
      ["regret", "Regret of the fit", answer.regret_text],
      ["floor", "Floor", answer.floor_text],
      ["slack", "Slack", answer.slack_text],
      ["batch_size", "Sample rate", answer.sample_rate_text],
      ["epochs", "Steps", answer.steps.toLocaleString("en")],
    ]);
    part(root, "rates").replaceChildren(table("TPR at FPR", ["FPR", "TPR at most"], answer.tpr.map((row) => [row.fpr_text, row.text])));
    const { fpr, exact, gdp, approx, exact_tpr, gdp_tpr, approx_tpr } = answer.curves;
    picture.show({
      fpr,
      curves: [{ fnr: exact, tpr: exact_tpr }, { fnr: gdp, tpr: gdp_tpr }, { fnr: approx, tpr: approx_tpr }],
      lowest: lowestFor(fpr, 1e-4),
      words: `The exact trade-off curve, its GDP fit μ = ${answer.mu_text} and its (ε, δ) statement. The table below has the numbers.`,
    });
    takeaway.show(answer.snippets);
    announce(`${calibrated ? `Noise multiplier ${answer.noise_multiplier_text}, ` : ""}μ ${answer.mu_text}, ε ${answer.epsilon_text}.`);
  };

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
    for (const element of root.querySelectorAll("[data-only]")) element.hidden = element.dataset.only !== store.read("mode");
    const kind = TARGETS[store.read("target")];
    fields.target_value.relabel(`${kind.bound} at most`);
    if (kind.level) fields.target_level.relabel(`at ${kind.level.label}`);
    root.querySelector('[data-field="target_level"]').hidden = !kind.level;
  };
  store.listen((changed) => {
    if (changed.has("mode") || changed.has("target")) arrange();
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
}
