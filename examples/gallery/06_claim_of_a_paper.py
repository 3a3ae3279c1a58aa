"""A published claim, checked.

A paper trains for 1,000 steps with noise 0.4 and a sample rate of 0.001, and claims ε = 3 at δ = 1e-5. The verdict
names the analysis that gives such a number.
"""

import gaussdp

run = gaussdp.Run(
    mechanism=gaussdp.DPSGD(noise_multiplier=0.4, sample_rate=0.001, steps=1000),
    unit="one record",
    adjacency="add-remove",
    sampling="poisson",
)
verdict = gaussdp.check_claim(run, gaussdp.ApproxDP(3.0, 1e-5))
print(f"{verdict.status}: no ε below {verdict.lower:.4f} holds")
for cause in verdict.causes:
    print("-", cause.words)

curve = gaussdp.account(run.mechanism)
figure = gaussdp.comparison_figure({"the run": curve, "the claim": gaussdp.ApproxDP(3.0, 1e-5)})
