"""The table of docs/integrations/arrays.md: the worst relative error of each function in each library.

python tests/array_accuracy.py prints it for every library that is installed, CuPy where there is a GPU. Inputs are the
rows of tests/reference (against their 25 digits) and 40,000 draws over the promised domain with its hardest corners
(against the NumPy functions, which have 120-digit oracles).
"""

import csv
import sys
from importlib import import_module
from importlib.util import find_spec
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


def worst_error(name, convert, size, back=np.asarray):
    """Over the reference rows and so many draws; back makes NumPy arrays of the library's."""
    function = getattr(gaussdp, name)
    drawn = list(inputs_of(name, size))
    worst = 0.0
    for arguments, expected in (reference_rows(name), (drawn, function(*drawn))):
        found = back(function(*(convert(argument) for argument in arguments))).astype(float)
        above = expected > SMALLEST
        assert np.all(found[~above] <= 2 * SMALLEST)
        worst = max(worst, float(np.max(np.abs(found[above] / expected[above] - 1))))
    return worst


def libraries():
    """Name to the functions that take NumPy arrays there and back."""
    found = {}
    if find_spec("torch"):
        found["PyTorch"] = (import_module("torch").tensor, np.asarray)
    if find_spec("jax"):
        import_module("jax").config.update("jax_enable_x64", True)
        found["JAX"] = (import_module("jax.numpy").asarray, np.asarray)
    if find_spec("array_api_strict"):
        found["standard only"] = (import_module("array_api_strict").asarray, np.asarray)
    if find_spec("cupy") and import_module("cupy").cuda.is_available():
        cupy = import_module("cupy")
        found["CuPy"] = (cupy.asarray, cupy.asnumpy)
    return found


def main():
    columns = libraries()
    lines = [f"| function | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for name in FUNCTIONS:
        errors = (f"{worst_error(name, there, 40_000, back):.0e}" for there, back in columns.values())
        lines.append(f"| `{name}` | {' | '.join(errors)} |")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
