"""An audit.

The scores of a membership attack on 2,000 models, half of them trained with the record. What μ do they prove, and
does the claim μ = 0.5 stand?
"""

import numpy as np

import gaussdp

rng = np.random.default_rng(11)
truth = gaussdp.GDP(1.0)  # what the attacker cannot know
members, nonmembers = rng.normal(truth.mu, 1, 1000), rng.normal(0, 1, 1000)

audit = gaussdp.audit(members=members, nonmembers=nonmembers, confidence=0.95, design="trials")
print(f"μ is at least {audit.mu_lower:.3f}, with 95 % confidence")
print(audit.verdict(0.5).sentence)

best = {"the best threshold": (float((nonmembers > 0.5).mean()), float((members > 0.5).mean()))}
figure = gaussdp.comparison_figure(
    {"proved": gaussdp.GDP(audit.mu_lower), "claimed": gaussdp.GDP(0.5), "the truth": truth}, points=best
)
