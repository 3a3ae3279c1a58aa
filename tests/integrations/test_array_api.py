"""Arrays of torch, JAX and the array API standard: same numbers, same device and dtype, exact derivatives."""

import inspect
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import array_accuracy
import gaussdp
from gaussdp.integrations import array_api

strict = pytest.importorskip("array_api_strict")

FLAT = [getattr(gaussdp, name) for name in gaussdp.__all__ if "_from_" in name]
TOLERANCE = 1e-12
GOOD = {
    "epsilon": [0.05, 0.5, 3.0, 10.0],
    "mu": [0.4, 0.6, 1.0, 4.0],
    "fpr": [1e-2, 0.1, 0.6, 0.9],
    "recall": [1e-2, 0.1, 0.6, 0.9],
    "delta": [1e-2, 5e-2, 0.2, 0.6],
    "prior": [0.1, 0.4, 0.5, 0.9],
}


def names_of(function):
    return list(inspect.signature(function).parameters)


def rows_of(function):
    return array_accuracy.reference_rows(function.__name__)


def assert_close(found, expected):
    """Within the tolerance; what rounds to 0 may be 0, since some libraries flush the smallest doubles."""
    np.testing.assert_allclose(np.asarray(found, dtype=float), expected, rtol=TOLERANCE, atol=1e-307)


class TestStandard:
    """array-api-strict has nothing but the standard, and devices that do not mix."""

    @pytest.mark.parametrize("function", FLAT)
    def test_every_reference_row(self, function):
        arguments, expected = rows_of(function)
        result = function(*(strict.asarray(argument) for argument in arguments))
        assert type(result) is type(strict.asarray(1.0))
        assert_close(result, expected)

    @pytest.mark.parametrize("function", FLAT)
    def test_device_and_dtype_stay(self, function):
        device = strict.Device("device1")
        for dtype, tolerance in ((strict.float32, 1e-7), (strict.float64, TOLERANCE)):
            arrays = [strict.asarray(GOOD[name], dtype=dtype, device=device) for name in names_of(function)]
            result = function(*arrays)
            assert result.device == device
            assert result.dtype == dtype
            given = [np.asarray(strict.asarray(a, device=strict.Device("CPU_DEVICE")), dtype=float) for a in arrays]
            found = np.asarray(strict.asarray(result, device=strict.Device("CPU_DEVICE")))
            np.testing.assert_allclose(found, function(*given), rtol=tolerance)

    def test_two_devices(self):
        arrays = [strict.asarray([1.0], device=strict.Device(name)) for name in ("CPU_DEVICE", "device1")]
        with pytest.raises(gaussdp.DomainError, match=r"epsilon is on .*, another array on .*; move them to one"):
            gaussdp.delta_from_mu(*arrays)

    def test_shapes(self):
        mu, epsilon = strict.ones((2, 1)), strict.ones((1, 3))
        assert gaussdp.delta_from_mu(mu, epsilon).shape == (2, 3)
        assert gaussdp.delta_from_mu(strict.asarray(1.0), 1.0).shape == ()
        assert gaussdp.delta_from_mu(1.0, epsilon).shape == (1, 3)
        assert gaussdp.delta_from_mu(np.ones((2, 1)), epsilon).shape == (2, 3)
        assert gaussdp.advantage_from_mu(strict.asarray([1, 2])).dtype == strict.float64
        with pytest.raises(gaussdp.DomainError, match=r"do not broadcast together: mu \(2, 3\), epsilon \(2,\)"):
            gaussdp.delta_from_mu(strict.ones((2, 3)), strict.ones(2))

    def test_bad_values(self):
        for value in (-1.0, math.nan):
            with pytest.raises(gaussdp.DomainError, match=rf"^mu must be in \[0, inf\], got {value!r}$"):
                gaussdp.advantage_from_mu(strict.asarray([1.0, value]))
        with pytest.raises(gaussdp.DomainError, match=r"^epsilon must be in \[0, inf\], got -2.0"):
            gaussdp.delta_from_mu(strict.asarray([1.0]), -2.0)
        with pytest.raises(gaussdp.DomainError, match="mu must not be empty"):
            gaussdp.advantage_from_mu(strict.zeros(0))
        for value in (strict.asarray([True]), strict.asarray([1j])):
            with pytest.raises(gaussdp.DomainError, match=r"^mu must be a number or an array of numbers"):
                gaussdp.advantage_from_mu(value)

    def test_other_functions_say_so(self):
        with pytest.raises(gaussdp.DomainError, match="computes on NumPy arrays, got an array of array_api_strict"):
            gaussdp.GDP(1.0).tpr(strict.asarray([0.1]))
        assert gaussdp.GDP(1.0).fnr(strict.asarray([0.1])).shape == (1,)


class TestTorch:
    @pytest.fixture(autouse=True)
    def library(self):
        self.torch = pytest.importorskip("torch")

    def tensors(self, function, **options):
        double = {"dtype": self.torch.float64, **options}
        return [self.torch.tensor(GOOD[name], **double) for name in names_of(function)]

    @pytest.mark.parametrize("function", FLAT)
    def test_every_reference_row(self, function):
        arguments, expected = rows_of(function)
        result = function(*(self.torch.tensor(argument) for argument in arguments))
        assert isinstance(result, self.torch.Tensor)
        assert_close(result, expected)

    @pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")  # torch's own use of it
    @pytest.mark.parametrize("function", FLAT)
    def test_gradients(self, function):
        """First and second derivatives, backward and forward, against difference quotients."""
        tensors = self.tensors(function, requires_grad=True)
        options = {"eps": 1e-7, "rtol": 1e-4}
        assert self.torch.autograd.gradcheck(function, tensors, atol=1e-5, check_forward_ad=True, **options)
        assert self.torch.autograd.gradgradcheck(function, tensors, atol=1e-4, eps=1e-7, rtol=1e-3)

    @pytest.mark.parametrize("function", FLAT)
    def test_blocks(self, function, monkeypatch):
        """Long tensors are computed on in blocks, with the same values and gradients."""
        whole = [tensor.repeat(5) for tensor in self.tensors(function)]
        parts = [tensor.clone().requires_grad_() for tensor in whole]
        whole = [tensor.requires_grad_() for tensor in whole]
        expected = function(*whole)
        monkeypatch.setattr(array_api, "BLOCK", 4)
        result = function(*parts)
        assert self.torch.equal(result, expected)
        expected.sum().backward()
        result.sum().backward()
        for one, other in zip(parts, whole, strict=True):
            assert self.torch.equal(one.grad, other.grad)

    def test_closed_form_derivatives(self):
        mu = self.torch.tensor([0.01, 1.0, 5.0], dtype=self.torch.float64, requires_grad=True)
        gaussdp.advantage_from_mu(mu).sum().backward()
        density = np.exp(-(mu.detach().numpy() ** 2) / 8) / math.sqrt(2 * math.pi)
        np.testing.assert_allclose(mu.grad.numpy(), density, rtol=1e-14)

    def test_dtype_stays(self):
        for dtype, tolerance in ((self.torch.float32, 1e-7), (self.torch.bfloat16, 4e-3), (self.torch.float64, 1e-12)):
            mu = self.torch.tensor([0.5, 2.0], dtype=dtype, requires_grad=True)
            result = gaussdp.delta_from_mu(mu, 1.0)
            assert result.dtype == dtype
            expected = gaussdp.delta_from_mu([0.5, 2.0], 1.0)
            np.testing.assert_allclose(result.detach().to(self.torch.float64), expected, rtol=tolerance)
            result.sum().backward()
            assert mu.grad.dtype == dtype
        assert gaussdp.advantage_from_mu(self.torch.tensor([1, 2])).dtype == self.torch.get_default_dtype()
        assert gaussdp.advantage_from_mu(self.torch.nn.Parameter(self.torch.ones(2))).requires_grad

    @pytest.mark.parametrize("function", [gaussdp.delta_from_mu, gaussdp.mu_from_profile, gaussdp.epsilon_from_mu])
    def test_vmap(self, function):
        func, tensors = self.torch.func, self.tensors(function)
        np.testing.assert_allclose(func.vmap(function)(*tensors), function(*tensors), rtol=1e-14)
        grads = func.vmap(func.grad(function))(*tensors)
        np.testing.assert_allclose(grads, func.grad(lambda *t: function(*t).sum())(*tensors), rtol=1e-13)

    def test_values_that_cannot_be_read(self):
        """Inside vmap nothing can be refused: outside the domain the result and its gradient are NaN, no number."""
        mu = self.torch.tensor([1.0, -1.0, math.nan], dtype=self.torch.float64)
        value = self.torch.func.vmap(lambda m: gaussdp.delta_from_mu(m, 1.0))(mu)
        gradient = self.torch.func.vmap(self.torch.func.grad(lambda m: gaussdp.delta_from_mu(m, 1.0)))(mu)
        assert float(value[0]) == pytest.approx(gaussdp.delta_from_mu(1.0, 1.0), rel=TOLERANCE)
        assert value[1:].isnan().all()
        assert gradient.isnan().tolist() == [False, True, True]

    def test_bad_values(self):
        mu = self.torch.tensor([1.0, -1.0], requires_grad=True)
        with pytest.raises(gaussdp.DomainError, match=r"^mu must be in \[0, inf\], got -1.0$"):
            gaussdp.advantage_from_mu(mu)
        for value in (self.torch.float64, self.torch.device("cpu")):
            with pytest.raises(gaussdp.DomainError, match=r"^mu must be a number or an array of numbers"):
                gaussdp.advantage_from_mu(value)
        meta = self.torch.ones(1, device="meta")
        with pytest.raises(gaussdp.DomainError, match="epsilon is on meta, another array on cpu"):
            gaussdp.delta_from_mu(self.torch.ones(1), meta)

    def test_mixed_libraries(self):
        pandas = pytest.importorskip("pandas")
        with pytest.raises(gaussdp.DomainError, match="mu belongs to torch and epsilon to array_api_strict"):
            gaussdp.delta_from_mu(self.torch.ones(1), strict.ones(1))
        with pytest.raises(gaussdp.DomainError, match="columns and arrays do not go together"):
            gaussdp.delta_from_mu(self.torch.ones(1), pandas.Series([1.0]))
        with pytest.raises(gaussdp.DomainError, match="mu belongs to pandas and epsilon to torch"):
            gaussdp.delta_from_mu(pandas.Series([1.0]), self.torch.ones(1))


class TestJax:
    """Compiled once for each function at one shape: compiling is what costs here."""

    @pytest.fixture(autouse=True)
    def library(self):
        self.jax = pytest.importorskip("jax")

    @pytest.mark.parametrize("function", FLAT)
    def test_reference_rows_and_gradients(self, function):
        """The gradient against that of torch, which difference quotients have checked."""
        torch = pytest.importorskip("torch")
        arguments, expected = rows_of(function)
        with self.jax.enable_x64(True):
            arrays = [self.jax.numpy.asarray(argument) for argument in arguments]
            result = function(*arrays)
            assert isinstance(result, self.jax.Array)
            assert_close(result, expected)
            every = tuple(range(len(arrays)))
            gradients = self.jax.grad(lambda *a: function(*a).sum(), argnums=every)(*arrays)
        tensors = [torch.tensor(argument, requires_grad=True) for argument in arguments]
        function(*tensors).sum().backward()
        for gradient, tensor in zip(gradients, tensors, strict=True):
            expected = tensor.grad.numpy()
            seen = np.isfinite(expected)
            np.testing.assert_allclose(np.asarray(gradient)[seen], expected[seen], rtol=1e-9, atol=1e-290)

    def test_transformations(self):
        jax, jnp = self.jax, self.jax.numpy
        with jax.enable_x64(True):
            mu = jnp.asarray(GOOD["mu"])

            def delta(m):
                return gaussdp.delta_from_mu(m, 0.5)

            expected = np.asarray(delta(mu))
            np.testing.assert_allclose(jax.jit(delta)(mu), expected, rtol=1e-14)
            np.testing.assert_allclose(jax.vmap(delta)(mu), expected, rtol=1e-14)
            first = jax.jit(jax.vmap(jax.grad(delta)))(mu)
            x = 0.5 / np.asarray(mu) - np.asarray(mu) / 2
            np.testing.assert_allclose(first, np.exp(-x * x / 2) / math.sqrt(2 * math.pi), rtol=1e-13)
            second = jax.vmap(jax.grad(jax.grad(delta)))(mu)
            np.testing.assert_allclose(second, first * x * (0.5 / np.asarray(mu) ** 2 + 0.5), rtol=1e-12)

    def test_single_precision_sessions(self):
        """Without x64 the computation is still in float64; only the numbers in and out are float32."""
        jax, jnp = self.jax, self.jax.numpy
        with jax.enable_x64(False):
            mu = jnp.asarray([0.5, 2.0])
            result = gaussdp.delta_from_mu(mu, 1.0)
            assert result.dtype == jnp.float32
            np.testing.assert_allclose(result, gaussdp.delta_from_mu([0.5, 2.0], 1.0), rtol=1e-7)
            gradient = jax.jit(jax.grad(lambda m: gaussdp.delta_from_mu(m, 1.0).sum()))(mu)
            assert gradient.dtype == jnp.float32
            assert gaussdp.advantage_from_mu(jnp.asarray([1, 2])).dtype == jnp.float32

    def test_settled_elements_are_left_alone(self):
        """Each element halves until it is below 1, whatever its neighbours need."""
        start = self.jax.numpy.asarray([1.5, 8.0, 100.0])
        halved = array_api.jax().iterate(lambda _, x: (x / 2, x / 2 < 1), start, 4)
        np.testing.assert_array_equal(halved, [0.75, 0.5, math.nan])

    def test_values_that_cannot_be_read(self):
        """Under jit nothing can be refused: outside the domain the result and its gradient are NaN, no number."""
        jax = self.jax
        mu = jax.numpy.asarray([1.0, -1.0, math.nan])
        value = jax.jit(gaussdp.advantage_from_mu)(mu)
        gradient = jax.jit(jax.grad(lambda m: gaussdp.advantage_from_mu(m).sum()))(mu)
        for array in (value, gradient):
            assert np.isnan(np.asarray(array)).tolist() == [False, True, True]
        for wrap in (lambda f: f, lambda f: jax.grad(lambda m: f(m).sum())):
            with pytest.raises(gaussdp.DomainError, match=r"^mu must be in \[0, inf\], got -1.0"):
                wrap(gaussdp.advantage_from_mu)(mu)


def test_documented_accuracy():
    """The table of the docs on a smaller draw, for the two libraries that need no compiling."""
    page = (Path(__file__).parents[2] / "docs" / "integrations" / "arrays.md").read_text().partition("## Accuracy")[2]
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if "_from_" in line and line.startswith("|")]
    assert [row[0].strip("`") for row in rows] == array_accuracy.FUNCTIONS
    torch = pytest.importorskip("torch")
    for name, by_torch, by_jax, by_standard in rows:
        assert max(float(by_torch), float(by_jax), float(by_standard)) < TOLERANCE
        for stated, convert in ((by_torch, torch.tensor), (by_standard, strict.asarray)):
            assert array_accuracy.worst_error(name.strip("`"), convert, 2000) < 2 * float(stated), name


def test_no_library_is_imported_without_its_arrays():
    code = (
        "import sys, gaussdp, array_api_strict as xp; gaussdp.delta_from_mu(xp.ones(2), 1.0); "
        "print(sorted({'torch', 'jax', 'pandas', 'polars'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
