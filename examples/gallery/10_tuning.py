"""The price of tuning.

Ten training runs were tried, and only the best became known. If the number of runs was drawn at random, the best one
costs about twice the ε of one run; if it was fixed, all ten count. What is known of the best run is a bound, made for
attacks with few false alarms. Needs the extra `accounting`.
"""

import gaussdp

run = gaussdp.DPSGD(noise_multiplier=1.0, sample_rate=0.00512, steps=3907)
told = {
    "one run": gaussdp.account(run),
    "the best of about ten": gaussdp.account(gaussdp.BestOf(run, mean_runs=10, eta=1.0)),
    "ten runs": gaussdp.account(10 * run),
}
for words, curve in told.items():
    print(f"{words:<22} ε = {curve.epsilon(1e-5):6.3f} at δ = 1e-5")

figure = gaussdp.comparison_figure(told)
