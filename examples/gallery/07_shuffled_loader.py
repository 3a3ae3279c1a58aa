"""A loader that shuffles.

Most training code shuffles the data and cuts it into batches, and is accounted for as Poisson sampling. The statement
says that the number does not hold; the curves are what was claimed and what can be proved instead.
"""

import gaussdp

run = gaussdp.Run(
    mechanism=gaussdp.DPSGD.from_training(dataset_size=50_000, batch_size=256, epochs=20, noise_multiplier=1.0),
    unit="one image",
    adjacency="add-remove",
    sampling="shuffle",
    dataset_size=50_000,
)
report = gaussdp.report_run(run)
print(f"as if Poisson sampling: μ = {report.mu}; it {report.standing}")
print(next(assumption.words for assumption in report.assumptions if assumption.key == "sampling"))

instead = gaussdp.check_claim(run, gaussdp.GDP(report.mu))
print(f"μ = {report.mu} is {instead.status}: no μ below {instead.lower:.3f} holds, and μ = {instead.upper:.3f} does")

figure = gaussdp.comparison_figure(
    {
        "as if Poisson sampling": gaussdp.GDP(report.mu),
        "no better than": gaussdp.GDP(instead.lower),
        "what holds": gaussdp.GDP(instead.upper),
    }
)
