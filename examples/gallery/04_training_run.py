"""A DP-SGD run and its one number.

50,000 images, batches of 256, 20 epochs. The curve is exact; μ sums it up for attacks above a floor, with the slack
and the regret that belong to it.
"""

import gaussdp

run = gaussdp.DPSGD.from_training(dataset_size=50_000, batch_size=256, epochs=20, noise_multiplier=1.0)
curve = gaussdp.account(run)
fit = curve.fit(floor=1e-10)
print(run)
print(f"μ = {fit.mu:.4f} above {fit.floor:g}; slack {fit.slack:.1e}, regret {fit.regret:.3f}")
print(f"ε = {curve.epsilon(1e-5):.3f} at δ = 1e-5; TPR {curve.tpr(1e-3):.5f} at FPR 1e-3")

figure = gaussdp.comparison_figure({"the run": curve, "its μ": gaussdp.GDP(fit.mu)})
