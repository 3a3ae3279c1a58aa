// Every field of the page: what it is called, what it starts with, and how a slider walks through it. What can be
// chosen, and the words for it, come from the server.

import { GLOSSARY } from "./glossary.js";
import { CURRENCIES, policyCells } from "./policies.js";
import { numeral, speak } from "./words.js";

/**
 * @typedef {object} Definition
 * @property {string} view
 * @property {string} label
 * @property {string} [term] glossary entry
 * @property {string} initial
 * @property {string} [example] for the words of an error
 * @property {{low: number, high: number, digits: number, linear?: boolean}} [slider]
 * @property {{value: string, label: string, hint?: string}[]} [options] for a choice among few
 * @property {"radio" | "segments" | "select" | "text" | "rows" | "hidden"} [shape]
 * @property {string} [hint]
 * @property {boolean} [whole]
 * @property {string} [range] the server's name of the field, where it is another
 * @property {boolean} [optional] whether it may be left empty
 * @property {boolean} [unknown] whether empty means "I don’t know"
 */

export const VIEWS = ["start", "choose", "understand", "account"];
export const SCALES = ["linear", "log"];

/**
 * What can be chosen, by value, and the levels of criteria and targets, by key: as the server defines them, from
 * `define` on.
 * @type {Record<string, {value: string, label: string, hint: string, level: Level}>}
 * @typedef {{key: string, label: string, words: string, title: string, meaning: string, initial: string}} Level
 */
export const CRITERIA = {};
/** @type {Record<string, {value: string, label: string, bound: string, start: string, level?: Level, start_level?: string}>} */
export const TARGETS = {};
/** What a number may be, by the server's name of its field. */
export const RANGES = {};
/** The questions of the guided start: their fields are called `ask_` and their key. */
export const QUESTIONS = [];
/** What the rows of a field are, by the field's name; see rows.js. */
export const ROWS = {};
/** The formats of a statement. */
export const DOCUMENTS = [];
const LEVELS = {};

/** @type {Record<string, Definition>} */
export const FIELDS = {
  published: { view: "start", label: "What does each release hold?", hint: "For the noise beside the numbers. Several share the budget. Of a table, one cell.", initial: "", shape: "rows" },
  required: { view: "start", label: "Must something else hold?", hint: "By law, by contract, or since a board has said so; all must hold.", initial: "", shape: "rows" },
  plan_title: { view: "start", label: "What is the plan called?", initial: "", example: "Visits to the clinic", shape: "text" },
  decided_by: { view: "start", label: "Who decides?", initial: "", example: "the steering committee", shape: "text" },
  scenarios: { view: "start", label: "Scenarios", initial: "", shape: "hidden" },

  currency: { view: "choose", label: "The policy is stated as", initial: "epsilon", options: [], shape: "select" },
  policy_value: { view: "choose", label: "", initial: "", example: "0.55" },
  policy_level: { view: "choose", label: "", initial: "0.001", example: "0.001" },
  also: { view: "choose", label: "What else must hold", hint: "All must hold; the smallest μ counts.", initial: "", shape: "rows" },
  epsilon: { view: "choose", label: "Policy ε", term: "epsilon", initial: "1", example: "1 or 0.5", slider: { low: 0.01, high: 20, digits: 2 } },
  policy_delta: { view: "choose", label: "Policy δ (0 for pure DP)", term: "policy_delta", initial: "0", example: "0 or 1e-5" },
  criterion: { view: "choose", label: "Match by", term: "criterion", initial: "", options: [], shape: "radio" },
  level: { view: "choose", label: "", initial: "", example: "0.001 or 1e-5", slider: { low: 1e-9, high: 0.5, digits: 1 } },

  mu: { view: "understand", label: "μ of the release", term: "mu", initial: "1", example: "1 or 0.31", slider: { low: 0.01, high: 10, digits: 3 } },
  fpr: { view: "understand", label: "", term: "fpr", initial: "0.001", example: "0.001 or 1e-5", slider: { low: 1e-9, high: 0.5, digits: 1 } },
  prior: { view: "understand", label: "Prior of membership", term: "prior", initial: "0.5", example: "0.5 or 0.01", slider: { low: 1e-6, high: 0.9, digits: 2 } },
  recall: { view: "understand", label: "", term: "recall", initial: "0.01", example: "0.01 or 0.5", slider: { low: 1e-6, high: 0.9, digits: 1 } },
  delta: { view: "understand", label: "", term: "delta", initial: "1e-6", example: "1e-6", slider: { low: 1e-12, high: 0.1, digits: 1 } },

  whom: { view: "understand", label: "Who is protected", term: "unit", initial: "", example: "one person", shape: "text" },
  deployed: { view: "understand", label: "Known deployments", initial: "", shape: "hidden" },

  released: {
    view: "account",
    label: "What is released",
    initial: "training",
    shape: "segments",
    options: [
      { value: "training", label: "a model, by DP-SGD" },
      { value: "releases", label: "counts, sums, tables" },
    ],
  },
  releases: { view: "account", label: "The releases", term: "releases", initial: "gaussian 4 1 12", shape: "rows" },
  dataset_size: { view: "account", label: "Dataset size", term: "dataset_size", initial: "50000", example: "50000", whole: true },
  batch_size: { view: "account", label: "Batch size", term: "batch_size", initial: "256", example: "256", whole: true },
  epochs: { view: "account", label: "Epochs", term: "epochs", initial: "30", example: "30", slider: { low: 1, high: 1000, digits: 2 } },
  mode: {
    view: "account",
    label: "I know",
    initial: "noise",
    shape: "segments",
    options: [
      { value: "noise", label: "the noise" },
      { value: "target", label: "the target" },
    ],
  },
  noise_multiplier: { view: "account", label: "Noise multiplier σ", term: "noise_multiplier", initial: "1", example: "1 or 0.8", slider: { low: 0.3, high: 30, digits: 3 } },
  target: { view: "account", label: "Target", term: "target", initial: "", options: [], shape: "select" },
  target_value: { view: "account", label: "", initial: "", example: "1 or 0.31" },
  target_level: { view: "account", label: "", initial: "1e-6", example: "1e-6 or 0.001" },
  account_delta: { view: "account", label: "δ of ε(δ)", term: "delta", range: "delta", initial: "1e-6", example: "1e-6", slider: { low: 1e-12, high: 0.01, digits: 1 } },
  floor: { view: "account", label: "Floor of the fit", term: "floor", initial: "1e-10", example: "1e-10" },
  unit: { view: "account", label: "Who is protected", term: "unit", initial: "", example: "one person", shape: "text" },
  adjacency: { view: "account", label: "Neighbouring data sets", term: "adjacency", initial: "", options: [], shape: "select" },
  records_per_unit: { view: "account", label: "Records of one unit", term: "records_per_unit", initial: "1", example: "1 or 5", whole: true },
  sampling: { view: "account", label: "How batches are made", term: "sampling", initial: "", options: [], shape: "select" },
  last_batch: {
    view: "account", label: "An incomplete last batch is", initial: "", shape: "select",
    options: [{ value: "", label: "not stated" }, { value: "kept", label: "kept" }, { value: "dropped", label: "dropped" }],
  },
  batches_per_pass: { view: "account", label: "Batches in a pass", term: "batches_per_pass", initial: "", example: "195", whole: true, optional: true },
  tuning: { view: "account", label: "Tuning on the same data", term: "tuning", initial: "", options: [], shape: "select" },
  tuning_runs: { view: "account", label: "Tuning runs besides the final one", initial: "", example: "9", whole: true, optional: true },
  tuning_mean: { view: "account", label: "Mean number of runs", initial: "10", example: "10" },
  clipping: { view: "account", label: "What is clipped", term: "clipping", initial: "", options: [], shape: "select" },
  randomness: { view: "account", label: "The noise comes from", term: "randomness", initial: "", options: [], shape: "select" },
};

const releaseCells = (noise) => [
  { key: "scale", label: noise.endsWith("laplace") ? speak("Scale") : speak("Standard deviation"), initial: "4", example: speak("4 or 0.5") },
  { key: "sensitivity", label: speak("Sensitivity"), initial: "1", example: "1" },
  { key: "times", label: speak("How many"), initial: "1", example: "12", whole: true },
];

const statisticCells = (kind) => (kind === "unknown" ? [] : [
  { key: "name", label: speak("Called"), initial: "", example: speak("visits a day"), text: true },
  ...(kind === "model" ? [] : [{ key: "typical", label: speak("Usual size"), initial: "", example: speak("not known"), optional: true }]),
  ...(kind === "sum" || kind === "mean" ? [{ key: "bound", label: speak("Largest value of a record (larger ones are cut)"), initial: "100" }] : []),
  ...(kind === "model" ? [{ key: "batch_size", label: speak("Batch size"), initial: "256", whole: true }, { key: "epochs", label: speak("Epochs"), initial: "30" }] : []),
]);

/** Takes what can be chosen from the server's answer; each choice starts with its first option. */
export function define({ levels, criteria, targets, ranges, noise, questions, currencies, published, documents, ...choices }) {
  for (const field of Object.values(FIELDS)) translate(field);
  for (const { key, text, why, kind, initial, options } of questions) {
    QUESTIONS.push(key);
    const unknown = { value: "", label: speak("I don’t know"), hint: initial ? speak("Then: {answer}.", { answer: options.find((one) => one.value === initial)?.label ?? numeral(initial) }) : "" };
    FIELDS[`ask_${key}`] = options.length
      ? { view: "start", label: text, hint: why, initial: "", options: [unknown, ...options], shape: "select" }
      : { view: "start", label: text, hint: why, initial: "", example: initial ?? speak("0.01 or 1/1000"), range: key, optional: true, whole: kind === "whole", unknown: true };
  }
  DOCUMENTS.push(...documents);
  for (const range of ranges) RANGES[range.name] = range;
  for (const level of levels) {
    LEVELS[level.key] = level;
    GLOSSARY[level.key] = [level.label, level.meaning];
    if (level.key in FIELDS) Object.assign(FIELDS[level.key], { label: level.title, initial: level.initial });
  }
  for (const criterion of criteria) CRITERIA[criterion.value] = { ...criterion, level: LEVELS[criterion.level] };
  for (const target of targets) TARGETS[target.value] = { ...target, level: LEVELS[target.level] };
  for (const currency of currencies) CURRENCIES[currency.value] = { ...currency, level: LEVELS[currency.level] };
  const demanded = { noun: speak("requirement"), add: speak("Add a requirement"), kind: speak("Stated as"), kinds: currencies, first: "", fresh: "epsilon" };
  ROWS.releases = { noun: speak("release"), add: speak("Add a release"), kind: speak("Kind of noise"), kinds: noise, cells: releaseCells, first: "gaussian 4 1 1", fresh: "laplace 10 1 1" };
  ROWS.published = { noun: speak("statistic"), add: speak("Add a statistic"), kind: speak("What it is"), kinds: [{ value: "unknown", label: speak("I don’t know: a count is assumed") }, ...published], cells: statisticCells, first: "unknown", fresh: "count" };
  ROWS.also = { ...demanded, cells: policyCells };
  ROWS.required = { ...demanded, cells: (kind) => [...policyCells(kind), { key: "source", label: speak("Set by"), initial: "", example: speak("our board"), text: true }] };
  for (const [name, options] of Object.entries({ criterion: criteria, target: targets, currency: currencies, ...choices })) {
    FIELDS[name].options = options;
    FIELDS[name].initial = options[0].value;
  }
  FIELDS.level.initial = LEVELS[criteria[0].level].initial;
  FIELDS.target_value.initial = targets[0].start;
  FIELDS.policy_value.initial = CURRENCIES.accuracy.start;
}

/** What a field says, in the language of the page. */
function translate(field) {
  for (const name of ["label", "hint", "example"]) if (field[name]) field[name] = speak(field[name]);
  for (const option of field.options ?? []) option.label = speak(option.label);
}
