"""The table of docs/integrations/arrays.md: the worst relative error of each function in each library.

python tests/array_accuracy.py prints it. Inputs are the rows of tests/reference (against their 25 digits) and 40,000
draws over the promised domain with its hardest corners (against the NumPy functions, which have 120-digit oracles).
"""

import csv
import sys
from importlib import import_module
from pathlib import Path

import numpy as np

import gaussdp
from portable_inputs import inputs_of

FUNCTIONS = [name for name in gaussdp.__all__ if "_from_" in name]
REFERENCE = Path(__file__).parent / "reference"
SMALLEST = 1e-300  # below, the result only has to be as small


def reference_rows(name):
    with (REFERENCE / f"{name}.csv").open() as file:
        rows = np.array([[float(cell) for cell in row] for row in list(csv.reader(file))[1:]])
    return list(rows[:, :-1].T.copy()), rows[:, -1]


def worst_error(name, convert, size):
    """Over the reference rows and so many draws."""
    function = getattr(gaussdp, name)
    drawn = list(inputs_of(name, size))
    worst = 0.0
    for arguments, expected in (reference_rows(name), (drawn, function(*drawn))):
        found = np.asarray(function(*(convert(argument) for argument in arguments)), dtype=float)
        above = expected > SMALLEST
        assert np.all(found[~above] <= 2 * SMALLEST)
        worst = max(worst, float(np.max(np.abs(found[above] / expected[above] - 1))))
    return worst


def converters():
    jax = import_module("jax")
    jax.config.update("jax_enable_x64", True)
    return {
        "PyTorch": import_module("torch").tensor,
        "JAX": import_module("jax.numpy").asarray,
        "standard only": import_module("array_api_strict").asarray,
    }


def main():
    libraries = converters()
    lines = [f"| function | {' | '.join(libraries)} |", "|---" * (len(libraries) + 1) + "|"]
    for name in FUNCTIONS:
        errors = (f"{worst_error(name, convert, 40_000):.0e}" for convert in libraries.values())
        lines.append(f"| `{name}` | {' | '.join(errors)} |")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
