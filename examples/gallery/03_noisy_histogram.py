"""Laplace noise, many times.

A dashboard answers ten histogram queries, each with Laplace noise and ε = 0.1. Pure ε adds up to 1; the composed
curve says what the attacker really gets. Needs the extra `accounting`.
"""

import gaussdp

week = gaussdp.account(10 * gaussdp.Laplace(scale=10.0))
print(f"pure ε: {week.epsilon(0.0):.3f}")
print(f"ε at δ = 1e-6: {week.epsilon(1e-6):.3f}")
print(f"implied by ε = 1 alone: μ = {gaussdp.PureDP(1.0).implied().mu:.3f}; by the curve: μ = {week.implied().mu:.3f}")

figure = gaussdp.comparison_figure({"ten answers": week, "ε = 1 alone": gaussdp.PureDP(1.0)})
