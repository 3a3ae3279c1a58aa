"""A census-like table.

Counts of people by district and age, each released with Gaussian noise. A person is counted in one cell of each of
three tables, so that the three together are one Gaussian release with ρ-zCDP; its μ is exact.
"""

import numpy as np

import gaussdp

rng = np.random.default_rng(2030)
people = rng.poisson(120, size=(12, 5))  # districts, age groups
noise = {"district by age": 8.0, "district": 6.0, "age": 6.0}  # standard deviation; one person moves one count by 1
tables = {"district by age": people, "district": people.sum(1), "age": people.sum(0)}

released = {name: np.rint(table + rng.normal(0, noise[name], table.shape)) for name, table in tables.items()}
for name, table in tables.items():
    error = np.abs(released[name] - table).mean() / table.mean()
    print(f"{name:<16} {table.size:3d} counts, mean error {error:.1%}")

curve = gaussdp.account(gaussdp.Composition([gaussdp.Gaussian(sigma) for sigma in noise.values()]))
fit = curve.fit()
print(f"μ = {fit.mu:.4f} for every attack: {fit.unconditional}")
print(f"ρ = {fit.mu**2 / 2:.5f}, ε = {curve.epsilon(1e-6):.3f} at δ = 1e-6")

figure = gaussdp.tradeoff_figure(curve, name="all three tables")
