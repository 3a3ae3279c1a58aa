"""A loader that shuffles.

Most training code shuffles the data and cuts it into batches, and is accounted for as Poisson sampling. The statement
says that the number does not hold, and what is known instead.
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

figure = report.plot
