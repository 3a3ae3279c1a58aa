"""Kernels written out as C, compiled by whatever compiler is there and held against the functions on NumPy arrays."""

import ctypes
import inspect
import shutil
import subprocess

import numpy as np
import pytest
from scipy import special

import array_accuracy
import gaussdp
from gaussdp.numerics import flat, source

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
FUNCTIONS = array_accuracy.FUNCTIONS
DRAWS = 300
PRELUDE = """
#include <math.h>
#include <stdbool.h>
#include <string.h>
#define __device__
#define __noinline__
double (*scipy_erfcx)(double), (*scipy_erfinv)(double), (*scipy_ndtri)(double);
static double erfcx(double x) { return scipy_erfcx(x); }
static double erfinv(double y) { return scipy_erfinv(y); }
static double normcdfinv(double p) { return scipy_ndtri(p); }
static double gaussdp_product(double a, double b) { return a * b; }
static double gaussdp_bits(unsigned long long bits) { double d; memcpy(&d, &bits, 8); return d; }
"""


def inputs_of(name):
    return len(inspect.signature(getattr(flat, name).value).parameters) - 1


def source_of(name):
    return source.source_of(getattr(flat, name).value, inputs_of(name))


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A function of arrays for the name of each flat function."""
    if COMPILER is None:
        pytest.skip("no C compiler: kernels for GPUs are not tried")
    folder = tmp_path_factory.mktemp("kernels")
    kind = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)
    own = {name: kind(getattr(special, name)) for name in ("erfcx", "erfinv", "ndtri")}

    def function(name):
        text, made = folder / f"{name}.c", folder / f"{name}.so"
        text.write_text(PRELUDE + source_of(name))
        command = [COMPILER, "-O1", "-ffp-contract=off", "-shared", "-fPIC", str(text), "-o", str(made), "-lm"]
        subprocess.run(command, check=True)
        library = ctypes.CDLL(str(made))
        for called, callback in own.items():
            kind.in_dll(library, f"scipy_{called}").value = None
            ctypes.c_void_p.in_dll(library, f"scipy_{called}").value = ctypes.cast(callback, ctypes.c_void_p).value
        entry = getattr(library, source.ENTRY)
        entry.restype, entry.argtypes = ctypes.c_double, [ctypes.c_double] * inputs_of(name)
        defaults = inspect.signature(getattr(gaussdp, name)).parameters.values()
        rest = [parameter.default for parameter in defaults if parameter.default is not inspect.Parameter.empty]

        def call(*arrays):
            rows = zip(*map(np.ndarray.tolist, arrays), strict=True)
            return np.array([entry(*row, *rest[: inputs_of(name) - len(arrays)]) for row in rows])

        return call

    return function


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_source_computes_what_numpy_does(compiled, name):
    function = compiled(name)
    arguments, expected = array_accuracy.reference_rows(name)
    np.testing.assert_allclose(function(*arguments), expected, rtol=1e-12, atol=1e-307)
    inputs = [np.asarray(values)[:: max(1, len(values) // DRAWS)] for values in array_accuracy.inputs_of(name, 4000)]
    expected = getattr(gaussdp, name)(*inputs)
    above = expected > array_accuracy.SMALLEST
    found = function(*inputs)
    np.testing.assert_allclose(found[above], expected[above], rtol=1e-12)
    assert np.all(found[~above] <= 2 * array_accuracy.SMALLEST)


def test_the_ends_of_the_domain(compiled):
    ends = {
        "delta_from_mu": ([0.0, np.inf, 1.0], [1.0, 1.0, np.inf]),
        "epsilon_from_mu": ([0.0, np.inf, 1.0, 1.0], [0.1, 0.1, 0.0, 1.0]),
        "mu_from_profile": ([0.0, np.inf], [0.1, 0.1]),
        "fnr_from_mu": ([0.0, np.inf, 1.0, 1.0], [0.1, 0.1, 0.0, 1.0]),
    }
    for name, arguments in ends.items():
        arrays = [np.array(values) for values in arguments]
        np.testing.assert_allclose(compiled(name)(*arrays), getattr(gaussdp, name)(*arrays), rtol=1e-13)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_products_are_rounded_by_themselves(name):
    """A compiler that fuses a product with a sum would spoil the exact errors of products: none is left to it."""
    code = "\n".join(line for line in source_of(name).splitlines() if "static const" not in line)
    assert " * " not in code
    assert "nan" not in code
    assert "inf" not in code
