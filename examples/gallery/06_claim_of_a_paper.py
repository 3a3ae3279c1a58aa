"""A published claim, checked.

Abadi et al. (Deep learning with differential privacy, 2016) train for 100 epochs, with noise 4 and a sample rate of
0.01, and claim ε = 1.26 at δ = 1e-5. Does it hold, is it the least that does, and what of the μ that the central limit
theorem gives for the same run?
"""

import gaussdp

run = gaussdp.Run(
    mechanism=gaussdp.DPSGD(noise_multiplier=4.0, sample_rate=0.01, steps=10_000),
    unit="one record",
    adjacency="add-remove",
    sampling="poisson",
)
claims = {"the paper": gaussdp.ApproxDP(1.26, 1e-5), "the central limit": gaussdp.GDP(0.254)}
for who, claim in claims.items():
    verdict = gaussdp.check_claim(run, claim)
    print(f"{who}: {verdict.sentences[0]}")
    for cause in verdict.causes:
        print("-", cause.words)

figure = gaussdp.comparison_figure({"the run": gaussdp.account(run.mechanism), **claims})
