// Units and symbols in a sentence or two, shown on hover and on focus; those of levels come from the server.

export const GLOSSARY = {
  mu: ["μ", "The parameter of Gaussian differential privacy: telling whether a person is in the data is no easier than telling a normal variable with mean 0 from one with mean μ and the same variance 1. It has no unit; 0 is perfect privacy, above about 5 there is next to none."],
  epsilon: ["ε", "The parameter of pure differential privacy: no outcome is more than e^ε times as likely with a person’s data as without. It has no unit."],
  criterion: ["the criterion", "What the GDP release must not exceed: the one reading of risk in which it is matched to ε-DP. Curves of the two families cross, so they can agree in one reading only."],
  tpr: ["TPR", "True-positive rate, or recall: the share of people in the data whom the attack finds."],
  prior: ["the prior", "The probability, before the release, that the person under attack is in the data. One half means that the attacker would be tossing a coin."],
  rule: ["rules of thumb", "μ = ε/5 and μ = ε/3 are popular shortcuts. A rule is conservative where it spends no more than the matched budget."],
  noise_multiplier: ["the noise multiplier σ", "The standard deviation of the noise added to a sum of clipped gradients, divided by the clipping norm."],
  dataset_size: ["the dataset size", "The number of people (or whatever the unit of privacy is) in the training data."],
  batch_size: ["the batch size", "The expected number of records in a batch. Each record enters a batch independently (Poisson sampling), with probability batch size over dataset size."],
  epochs: ["epochs", "Passes over the data: the number of steps is epochs × dataset size / batch size, rounded up."],
  floor: ["the floor", "The μ speaks about all attacks whose false-positive and false-negative rates are at least this. Below it, a subsampled mechanism is worse than any one μ says."],
  regret: ["regret", "How far the GDP curve lies from the exact one, as a shift of both error rates. Above 0.01, report the curve itself."],
  slack: ["slack", "The δ with which the μ holds for all attacks without a floor."],
  target: ["the target", "What the training run must not exceed."],
  advantage: ["advantage", "The largest difference TPR − FPR of any attack, between 0 (no attack beats guessing) and 1."],
  precision: ["precision", "Of the people whom the attack accuses, the share who are in the data."],
  unit: ["the unit of privacy", "Whom or what the guarantee protects: the statement speaks about one such record."],
  adjacency: ["neighbouring data sets", "Which two data sets an attacker tries to tell apart. The accounting here is for adding or removing one record."],
  sampling: ["how batches are drawn", "The accounting is for Poisson sampling: each record enters each batch independently. Shuffled batches give another, often weaker, guarantee."],
};
