"""CuPy on a GPU, and CuPy's manners on a stand-in where there is none.

On a machine with a GPU, where nothing but gaussdp's dependencies, pytest and CuPy need be installed:
PYTHONPATH=src python -m pytest --noconftest -p no:cacheprovider -o addopts="" -rs tests/integrations/test_cupy.py
"""

import inspect
import math
import warnings
from contextlib import nullcontext

import numpy as np
import pytest

import array_accuracy
import cupy_stand_in
import gaussdp
from gaussdp import domains
from gaussdp.integrations import array_api
from gaussdp.integrations.array_api import Cupy
from gaussdp.numerics import flat

TOLERANCE = 1e-12
FUNCTIONS = array_accuracy.FUNCTIONS
GOOD = {
    "epsilon": [0.05, 0.5, 3.0, 10.0],
    "mu": [0.4, 0.6, 1.0, 4.0],
    "fpr": [1e-2, 0.1, 0.6, 0.9],
    "recall": [1e-2, 0.1, 0.6, 0.9],
    "delta": [1e-2, 5e-2, 0.2, 0.6],
    "prior": [0.1, 0.4, 0.5, 0.9],
}


def names_of(name):
    return list(inspect.signature(getattr(gaussdp, name)).parameters)


class Checks:
    """What holds on a GPU and on the stand-in: call(name, *values) gives an array of cupy, the namespace."""

    @pytest.mark.parametrize("name", FUNCTIONS)
    def test_every_reference_row(self, name):
        arguments, expected = array_accuracy.reference_rows(name)
        result = self.call(name, *(self.cupy.asarray(argument) for argument in arguments))
        assert type(result) is type(self.cupy.asarray(1.0))
        np.testing.assert_allclose(result.get(), expected, rtol=TOLERANCE, atol=1e-307)

    @pytest.mark.filterwarnings("ignore::RuntimeWarning")  # values not selected, on the stand-in
    @pytest.mark.parametrize("name", FUNCTIONS)
    def test_draws_over_the_whole_domain(self, name):
        inputs = array_accuracy.inputs_of(name, 4000)
        expected = getattr(gaussdp, name)(*inputs)
        found = self.call(name, *(self.cupy.asarray(values) for values in inputs)).get()
        above = expected > array_accuracy.SMALLEST
        np.testing.assert_allclose(found[above], expected[above], rtol=TOLERANCE)
        assert np.all(found[~above] <= 2 * array_accuracy.SMALLEST)

    @pytest.mark.parametrize("name", FUNCTIONS)
    def test_dtypes(self, name):
        for dtype, tolerance in ((np.float32, 1e-6), (np.float64, TOLERANCE)):
            given = [np.asarray(GOOD[parameter], dtype=dtype) for parameter in names_of(name)]
            result = self.call(name, *(self.cupy.asarray(values) for values in given))
            assert result.dtype == dtype
            expected = getattr(gaussdp, name)(*(values.astype(float) for values in given))
            np.testing.assert_allclose(result.get(), expected, rtol=tolerance)
        assert self.call("advantage_from_mu", self.cupy.asarray([1, 2])).dtype == np.float64
        single = self.cupy.asarray(np.asarray([1.0], dtype=np.float32))
        assert self.call("delta_from_mu", single, 1.0).dtype == np.float32
        assert self.call("delta_from_mu", single, self.cupy.asarray([1.0])).dtype == np.float64

    def test_numbers_lists_and_numpy_arrays_next_to_it(self):
        mu = self.cupy.asarray([0.4, 1.0, 4.0])
        for epsilon in (0.5, [0.5, 1.0, 2.0], np.asarray([0.5, 1.0, 2.0]), self.cupy.asarray(0.5)):
            plain = epsilon.get() if hasattr(epsilon, "get") else epsilon
            expected = gaussdp.delta_from_mu([0.4, 1.0, 4.0], plain)
            np.testing.assert_allclose(self.call("delta_from_mu", mu, epsilon).get(), expected, rtol=TOLERANCE)
            swapped = gaussdp.delta_from_mu(plain, [0.4, 1.0, 4.0])
            np.testing.assert_allclose(self.call("delta_from_mu", epsilon, mu).get(), swapped, rtol=TOLERANCE)

    def test_shapes(self):
        mu, epsilon = np.asarray([[0.5], [2.0]]), np.asarray([[0.1, 1.0, 3.0]])
        result = self.call("delta_from_mu", self.cupy.asarray(mu), self.cupy.asarray(epsilon))
        np.testing.assert_allclose(result.get(), gaussdp.delta_from_mu(mu, epsilon), rtol=TOLERANCE)
        assert self.call("delta_from_mu", self.cupy.asarray(1.0), 1.0).shape == ()
        with pytest.raises(gaussdp.DomainError, match=r"do not broadcast together: mu \(2, 1\), epsilon \(3, 2\)"):
            self.call("delta_from_mu", self.cupy.asarray(mu), np.ones((3, 2)))

    def test_the_ends_of_the_domain(self):
        mu, delta = np.asarray([0.0, math.inf, 1.0, 1.0, 1e300]), np.asarray([0.5, 0.5, 0.0, 1.0, 0.5])
        result = self.call("epsilon_from_mu", self.cupy.asarray(mu), self.cupy.asarray(delta))
        np.testing.assert_allclose(result.get(), gaussdp.epsilon_from_mu(mu, delta), rtol=TOLERANCE)
        epsilon = np.asarray([0.0, math.inf, 1e-200])
        result = self.call("mu_from_profile", self.cupy.asarray(epsilon), 1e-200)
        np.testing.assert_allclose(result.get(), gaussdp.mu_from_profile(epsilon, 1e-200), rtol=TOLERANCE)

    def test_bad_values(self):
        for value in (-1.0, math.nan):
            with pytest.raises(gaussdp.DomainError, match=rf"^mu must be in \[0, inf\], got {value!r}$"):
                self.call("advantage_from_mu", self.cupy.asarray([1.0, value]))
        with pytest.raises(gaussdp.DomainError, match=r"^epsilon must be in \[0, inf\], got -2.0"):
            self.call("delta_from_mu", self.cupy.asarray([1.0]), -2.0)
        with pytest.raises(gaussdp.DomainError, match="mu must not be empty"):
            self.call("advantage_from_mu", self.cupy.asarray(np.zeros(0)))
        for value in ([True], [1j]):
            with pytest.raises(gaussdp.DomainError, match=r"^mu must be a number or an array of numbers"):
                self.call("advantage_from_mu", self.cupy.asarray(value))

    def test_another_device(self):
        """The result stays there, whichever device is the current one; two devices do not mix."""
        first = self.cupy.asarray([1.0, 2.0])
        with self.another():
            second = self.cupy.asarray([1.0, 2.0])
        result = self.call("epsilon_from_mu", second, 0.1)
        assert result.device == second.device
        expected = gaussdp.epsilon_from_mu([1.0, 2.0], 0.1)
        np.testing.assert_allclose(result.get(), expected, rtol=TOLERANCE)
        if first.device != second.device:
            with pytest.raises(gaussdp.DomainError, match=r"epsilon is on .*, another array on .*; move them to one"):
                self.call("delta_from_mu", first, second)


class TestStandIn(Checks):
    """The stand-in's rules are CuPy's; its numbers are NumPy's and SciPy's."""

    cupy = cupy_stand_in.cupy
    library = Cupy(cupy_stand_in.cupy, cupy_stand_in.cupyx_special)
    domains = {"fpr": domains.LEVEL, "recall": domains.LEVEL, "prior": domains.LEVEL, "delta": domains.PROBABILITY}
    pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # values not selected

    def call(self, name, *values):
        pairs = zip(names_of(name), values, strict=False)
        parameters = {key: (value, self.domains.get(key, domains.NON_NEGATIVE)) for key, value in pairs}
        if name == "precision_from_mu":
            parameters.setdefault("prior", (0.5, domains.LEVEL))
        return array_api.compute(self.library, getattr(flat, name), parameters)

    def another(self):
        return cupy_stand_in.Device(1)

    def test_the_stand_in_refuses_what_cupy_refuses(self):
        array = self.cupy.asarray([1.0])
        with pytest.raises(TypeError, match="Unsupported type"):
            array + np.ones(1)
        with pytest.raises(TypeError, match="Implicit conversion"):
            np.asarray(array)
        with pytest.raises(TypeError, match="device"):
            self.cupy.asarray([1.0], device=array.device)
        with cupy_stand_in.Device(1), pytest.raises(RuntimeError, match="is not the current device"):
            array + 1.0


class TestGpu(Checks):
    """The real one, through the public functions."""

    pytestmark = pytest.mark.filterwarnings("default")  # CuPy's own warnings are not ours to raise

    @pytest.fixture(autouse=True)
    def gpu(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.cupy = pytest.importorskip("cupy", reason="CuPy is not installed: nothing was tested on a GPU")
            if not self.cupy.cuda.is_available():
                pytest.skip("CuPy sees no GPU: nothing was tested on one")

    def call(self, name, *values):
        return getattr(gaussdp, name)(*values)

    def another(self):
        count = self.cupy.cuda.runtime.getDeviceCount()
        return self.cupy.cuda.Device(1) if count > 1 else nullcontext()
