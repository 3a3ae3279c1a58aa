"""From a policy to a budget.

The policy says ε = 1. Which μ is that, if what counts is how many members an attacker finds, how often an accusation
is right, or the privacy profile? The smallest answer is safe by all three.
"""

import gaussdp

policy = gaussdp.PureDP(1.0)
measures = (gaussdp.MultiplicativeAdvantage(fpr=1e-3), gaussdp.Precision(recall=1e-3), gaussdp.Profile(delta=1e-6))
budgets = {measure.words: gaussdp.choose(policy, measure) for measure in measures}
for words, budget in budgets.items():
    print(f"{words:<40} μ = {budget.mu:.4f}")

figure = gaussdp.comparison_figure({"the policy": policy, **budgets})
