"""A whole audit: train with and without a canary, score, stop when it is clear, report.

    python examples/audit_training.py

Logistic regression by noisy gradient descent claims mu = 0.5. In one of two versions of the code the clipping norm of
the gradients and the one that the noise is scaled by have drifted apart; the audit is to find out which. NumPy is
enough, and it takes seconds.
"""

from dataclasses import dataclass

import numpy as np

import gaussdp

RECORDS, FEATURES, STEPS, RATE = 100, 5, 10, 0.005
CLAIM = gaussdp.GDP(0.5)
NOISE_MULTIPLIER = (
    STEPS**0.5 / CLAIM.mu
)  # STEPS Gaussian releases of the whole data together have mu = sqrt(STEPS) / it
MOST_PAIRS = 200


@dataclass(frozen=True)
class Trainer:
    """Noisy gradient descent; right if both norms are equal."""

    clipping_norm: float = 1.0
    norm_of_noise: float = 1.0

    def train(self, rows, labels, random):
        """The weights after all steps; each step releases a noisy sum of clipped gradients."""
        weights = np.zeros(rows.shape[1])
        for _ in range(STEPS):
            margins = labels * (rows @ weights)
            gradients = (labels / (1 + np.exp(margins)))[:, None] * rows
            norms = np.linalg.norm(gradients, axis=1, keepdims=True)
            clipped = gradients / np.maximum(1.0, norms / self.clipping_norm)
            noise = random.normal(scale=NOISE_MULTIPLIER * self.norm_of_noise, size=weights.size)
            weights += RATE * (clipped.sum(axis=0) + noise)
        return weights


def people(random):
    """Records whose last feature is always 0, and a canary that has nothing else."""
    rows = np.hstack((random.normal(size=(RECORDS, FEATURES)), np.zeros((RECORDS, 1))))
    labels = np.where(rows[:, 0] + random.normal(size=RECORDS) > 0, 1.0, -1.0)
    canary = np.append(np.zeros(FEATURES), 20.0)
    return rows, labels, canary


def scored(trainer, random, *, with_canary):
    """The score of one trial, a training of its own: how much the model believes in the canary's label."""
    rows, labels, canary = people(np.random.default_rng(0))
    if with_canary:
        rows, labels = np.vstack((rows, canary)), np.append(labels, 1.0)
    return float(trainer.train(rows, labels, random) @ canary)


def audited(trainer, seed):
    """Pairs of trainings until the claim is contradicted, or until there is no more patience."""
    random = np.random.default_rng(seed)
    audit = gaussdp.SequentialAudit(claim=CLAIM, confidence=0.95)
    while not audit.contradicted and audit.pairs < MOST_PAIRS:
        audit.update(
            members=[scored(trainer, random, with_canary=True)],
            nonmembers=[scored(trainer, random, with_canary=False)],
        )
    return audit


if __name__ == "__main__":
    print(f"planned: {gaussdp.plan_audit(mu=1.0, claim_mu=CLAIM.mu).sequential}\n")
    for name, trainer in (("as it should be", Trainer()), ("norms that differ", Trainer(clipping_norm=2.0))):
        print(f"# {name}\n\n{gaussdp.documents.render(audited(trainer, seed=1).document(), 'markdown')}")
