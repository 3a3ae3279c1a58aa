"""A private model, from the data to its statement.

Logistic regression by DP-SGD in NumPy: a target for the attacker's success, the noise that meets it, Poisson batches,
clipping, noise, and the statement of the run.
"""

import numpy as np

import gaussdp

rng = np.random.default_rng(7)
records, features, batch, epochs, clip = 4000, 20, 80, 10, 1.0
weights = rng.normal(size=features)
x = rng.normal(size=(records, features))
y = (x @ weights + rng.normal(size=records) > 0).astype(float)

rate, steps = batch / records, epochs * records // batch
at_most = gaussdp.AtMost(gaussdp.TruePositiveRate(fpr=0.01), 0.05)
found = gaussdp.calibration.noise_multiplier(at_most, sample_rate=rate, steps=steps)
print(f"noise multiplier {found.value} keeps the TPR at FPR 1 % to {found.achieved:.4f}")

model = np.zeros(features)
for _ in range(steps):
    chosen = rng.random(records) < rate  # a coin for each record: Poisson sampling
    errors = 1 / (1 + np.exp(-x[chosen] @ model)) - y[chosen]
    gradients = errors[:, None] * x[chosen]
    gradients /= np.maximum(1, np.linalg.norm(gradients, axis=1, keepdims=True) / clip)
    model -= 2.0 / batch * (gradients.sum(0) + rng.normal(0, found.value * clip, features))
print(f"accuracy {((x @ model > 0) == y).mean():.1%}; without privacy at best {((x @ weights > 0) == y).mean():.1%}")

run = gaussdp.Run(
    mechanism=gaussdp.DPSGD(found.value, rate, steps),
    unit="one record",
    records_per_unit=1,
    adjacency="add-remove",
    sampling="poisson",
    tuning="none",
    clipping="per-example",
    randomness="ordinary",
)
report = gaussdp.report_run(run)
print(f"the statement: μ = {report.mu}, {report.standing}")

figure = report.plot
