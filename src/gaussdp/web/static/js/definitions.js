// Every field of the page: what it is called, what it starts with, and how a slider walks through it.

/**
 * @typedef {object} Definition
 * @property {string} view
 * @property {string} label
 * @property {string} [term] glossary entry
 * @property {string} initial
 * @property {string} [example] for the words of an error
 * @property {{low: number, high: number, digits: number, linear?: boolean}} [slider]
 * @property {{value: string, label: string, hint?: string}[]} [options] for a choice among few
 * @property {"radio" | "segments" | "select" | "text"} [shape]
 * @property {string} [hint]
 * @property {boolean} [whole]
 */

export const VIEWS = ["choose", "understand", "account"];
export const SCALES = ["linear", "log"];

/** The level with which a criterion starts, and how its level is called. */
export const LEVELS = {
  multiplicative_advantage: { label: "at false-positive rate", initial: "0.001", term: "fpr", symbol: "FPR" },
  precision: { label: "at recall", initial: "0.001", term: "recall", symbol: "recall" },
  profile: { label: "at δ", initial: "1e-6", term: "delta", symbol: "δ" },
};

export const CRITERIA = [
  { value: "multiplicative_advantage", label: "TPR over FPR", hint: "how many more members than non-members are accused" },
  { value: "precision", label: "Precision", hint: "how often an accusation is right" },
  { value: "profile", label: "Privacy profile", hint: "the δ at this ε" },
];

export const TARGETS = [
  { value: "mu", label: "μ at most" },
  { value: "epsilon", label: "ε at a δ, at most" },
  { value: "multiplicative_advantage", label: "TPR over FPR at an FPR, at most" },
  { value: "tpr", label: "TPR at an FPR, at most" },
  { value: "precision", label: "Precision at a recall, at most" },
  { value: "accuracy", label: "Share of right guesses, at most" },
  { value: "advantage", label: "Advantage TPR − FPR, at most" },
];

/** @type {Record<string, Definition>} */
export const FIELDS = {
  epsilon: { view: "choose", label: "Policy ε", term: "epsilon", initial: "1", example: "1 or 0.5", slider: { low: 0.01, high: 20, digits: 2 } },
  criterion: { view: "choose", label: "Match by", term: "criterion", initial: "multiplicative_advantage", options: CRITERIA, shape: "radio" },
  level: { view: "choose", label: "at false-positive rate", term: "fpr", initial: "0.001", example: "0.001 or 1e-5", slider: { low: 1e-9, high: 0.5, digits: 1 } },

  mu: { view: "understand", label: "μ of the release", term: "mu", initial: "1", example: "1 or 0.31", slider: { low: 0.01, high: 10, digits: 3 } },
  fpr: { view: "understand", label: "False-positive rate", term: "fpr", initial: "0.001", example: "0.001 or 1e-5", slider: { low: 1e-9, high: 0.5, digits: 1 } },
  prior: { view: "understand", label: "Prior of membership", term: "prior", initial: "0.5", example: "0.5 or 0.01", slider: { low: 0.01, high: 0.99, digits: 2, linear: true } },
  recall: { view: "understand", label: "Recall", term: "recall", initial: "0.01", example: "0.01 or 0.5", slider: { low: 1e-6, high: 0.9, digits: 1 } },
  delta: { view: "understand", label: "δ", term: "delta", initial: "1e-6", example: "1e-6", slider: { low: 1e-12, high: 0.1, digits: 1 } },

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
  target: { view: "account", label: "Target", term: "target", initial: "mu", options: TARGETS, shape: "select" },
  target_value: { view: "account", label: "μ at most", initial: "1", example: "1 or 0.31" },
  target_level: { view: "account", label: "at δ", initial: "1e-6", example: "1e-6 or 0.001" },
  account_delta: { view: "account", label: "δ of ε(δ)", term: "delta", initial: "1e-6", example: "1e-6", slider: { low: 1e-12, high: 0.01, digits: 1 } },
  floor: { view: "account", label: "Floor of the fit", term: "floor", initial: "1e-10", example: "1e-10" },
  unit: { view: "account", label: "What is protected", term: "unit", initial: "", example: "one person", shape: "text" },
  adjacency: {
    view: "account",
    label: "Neighbouring data sets",
    term: "adjacency",
    initial: "add-remove",
    shape: "select",
    options: [
      { value: "add-remove", label: "add or remove a record" },
      { value: "replace-one", label: "replace a record" },
    ],
  },
  sampling: {
    view: "account",
    label: "How batches are made",
    term: "sampling",
    initial: "poisson",
    shape: "select",
    options: [
      { value: "poisson", label: "each record independently" },
      { value: "shuffle", label: "shuffled, then cut" },
      { value: "fixed batches", label: "the same batches each time" },
      { value: "without replacement", label: "drawn without replacement" },
      { value: "full batch", label: "all records in each" },
    ],
  },
};
