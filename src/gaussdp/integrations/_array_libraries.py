"""What differs between array libraries, said once for each: how to read, convert, iterate and differentiate."""

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from gaussdp.integrations._versions import require
from gaussdp.numerics.portable import Array, Operations, Port, own_erfcx

TORCH = ">=2.4,<2.14"
JAX = ">=0.8,<0.11"

_ELEMENTARY = ("exp", "log", "log1p", "expm1", "sqrt", "round")


class Library(Protocol):
    """One array library.

    Attributes:
        name: its name, for messages.
        namespace: its module with the functions of the standard.
        operations: what the kernels need of it.
    """

    name: str
    namespace: Any
    operations: Operations

    def computing(self) -> AbstractContextManager[Any]:
        """Where float64 is available, and branches not taken do not warn."""

    def is_real(self, array: Array) -> bool:
        """Whether its dtype holds integers or floating-point numbers."""

    def same_device(self, array: Array, other: Array) -> bool:
        """Whether both can be computed on together."""

    def result_dtype(self, arrays: Sequence[Array]) -> Any:
        """The floating-point dtype of a result."""

    def as_dtype(self, array: Array, dtype: Any) -> Array:
        """The array in that dtype."""

    def from_numpy(self, array: npt.NDArray[np.float64], like: Array) -> Array:
        """Float64 numbers on the device of another array."""

    def read(self, mask: Array) -> bool | None:
        """The truth of a mask of no dimensions; None if it is not known yet."""

    def detached(self, array: Array) -> Array:
        """The values alone, without what is recorded to differentiate them."""

    def apply(self, port: Port, arrays: Sequence[Array]) -> Array:
        """The value of a port, differentiable where the library differentiates."""


class Standard:
    """A library that follows the array API standard; CuPy with its special functions."""

    def __init__(self, namespace: Any, name: str) -> None:
        self.name = name
        self.namespace = namespace
        self.operations = _operations(self, namespace, _special_functions(name))

    def computing(self) -> AbstractContextManager[Any]:
        return np.errstate(all="ignore")

    def is_real(self, array: Array) -> bool:
        return bool(self.namespace.isdtype(array.dtype, ("integral", "real floating")))

    def same_device(self, array: Array, other: Array) -> bool:
        return bool(array.device == other.device)

    def result_dtype(self, arrays: Sequence[Array]) -> Any:
        dtype = self.namespace.result_type(*arrays) if len(arrays) > 1 else arrays[0].dtype
        return dtype if self.namespace.isdtype(dtype, "real floating") else self.namespace.float64

    def as_dtype(self, array: Array, dtype: Any) -> Array:
        if hasattr(self.namespace, "astype"):
            return self.namespace.astype(array, dtype, copy=False)
        return array.astype(dtype)

    def from_numpy(self, array: npt.NDArray[np.float64], like: Array) -> Array:
        return self.namespace.asarray(array.tolist(), dtype=self.namespace.float64, device=like.device)

    def read(self, mask: Array) -> bool | None:
        return bool(mask)

    def detached(self, array: Array) -> Array:
        return array

    def apply(self, port: Port, arrays: Sequence[Array]) -> Array:
        return port.value(self.operations, *arrays)


class Torch:
    """PyTorch: tensors of any device with float64."""

    def __init__(self) -> None:
        torch: Any = require("torch", extra="torch", supported=TORCH)
        self.name = "torch"
        self.namespace = torch
        special = {name: getattr(torch.special, name) for name in ("erf", "erfcx", "ndtri")}
        operations = _operations(self, torch, special)
        self.operations = replace(operations, take=lambda table, index: table[index])  # torch.take is slow in vmap

    def computing(self) -> AbstractContextManager[Any]:
        return nullcontext()

    def is_real(self, array: Array) -> bool:
        return not array.dtype.is_complex and array.dtype != self.namespace.bool

    def same_device(self, array: Array, other: Array) -> bool:
        return bool(array.device == other.device)

    def result_dtype(self, arrays: Sequence[Array]) -> Any:
        dtype = arrays[0].dtype
        for array in arrays[1:]:
            dtype = self.namespace.promote_types(dtype, array.dtype)
        return dtype if dtype.is_floating_point else self.namespace.get_default_dtype()

    def as_dtype(self, array: Array, dtype: Any) -> Array:
        return array.to(dtype)

    def from_numpy(self, array: npt.NDArray[np.float64], like: Array) -> Array:
        return self.namespace.tensor(array, dtype=self.namespace.float64, device=like.device)

    def read(self, mask: Array) -> bool | None:
        try:
            return bool(mask)
        except RuntimeError:  # inside vmap, or a tensor without data
            return None

    def detached(self, array: Array) -> Array:
        return array.detach()

    def apply(self, port: Port, arrays: Sequence[Array]) -> Array:
        return _torch_function(self, port).apply(*arrays)


class Jax:
    """JAX: compiled, and in float64 whether or not the session is."""

    def __init__(self) -> None:
        self._jax: Any = require("jax", extra="jax", supported=JAX)
        self.name = "jax"
        self.namespace: Any = import_module("jax.numpy")
        special: Any = import_module("jax.scipy.special")
        available = {name: getattr(special, name) for name in ("erf", "ndtri")}
        operations = _operations(self, self.namespace, available, iterate=self._iterate)
        self.operations = replace(operations, erfcx=self._erfcx(operations))

    def computing(self) -> AbstractContextManager[Any]:
        context: AbstractContextManager[Any] = self._jax.enable_x64(True)
        return context

    def is_real(self, array: Array) -> bool:
        return bool(self.namespace.isdtype(array.dtype, ("integral", "real floating")))

    def same_device(self, array: Array, other: Array) -> bool:
        return True  # JAX refuses by itself, and knows it only when the computation runs

    def result_dtype(self, arrays: Sequence[Array]) -> Any:
        dtype = self.namespace.result_type(*(array.dtype for array in arrays))
        return dtype if self.namespace.issubdtype(dtype, self.namespace.floating) else self.namespace.result_type(float)

    def as_dtype(self, array: Array, dtype: Any) -> Array:
        return array.astype(dtype)

    def from_numpy(self, array: npt.NDArray[np.float64], like: Array) -> Array:
        return self.namespace.asarray(array)

    def read(self, mask: Array) -> bool | None:
        try:
            return bool(mask)
        except self._jax.errors.TracerBoolConversionError:
            return None

    def detached(self, array: Array) -> Array:
        return self._jax.lax.stop_gradient(array)

    def apply(self, port: Port, arrays: Sequence[Array]) -> Array:
        return _jax_function(self, port)(*arrays)

    def _erfcx(self, operations: Operations) -> Any:
        """Our own, since that of JAX 0.10 is wrong from about 26.5 on."""
        erfcx = self._jax.custom_jvp(lambda x: own_erfcx(operations, x))

        def jvp(primals: Any, tangents: Any) -> Any:
            (x,), (tangent,) = primals, tangents
            value = erfcx(x)
            return value, (2 * x * value - 2 / math.sqrt(math.pi)) * tangent

        erfcx.defjvp(jvp)
        return erfcx

    def _iterate(self, step: Any, start: Array, limit: int) -> Array:
        jnp = self.namespace

        def unsettled(state: Any) -> Array:
            count, _, settled = state
            return (count < limit) & ~jnp.all(settled)

        def advance(state: Any) -> Any:
            count, array, _ = state
            return (count + 1, *step(array))

        state = (0, start, jnp.zeros(start.shape, dtype=bool))
        _, array, settled = self._jax.lax.while_loop(unsettled, advance, state)
        return jnp.where(settled, array, math.nan)


@cache
def standard(namespace: Any, name: str) -> Standard:
    """The library of a namespace."""
    return Standard(namespace, name)


@cache
def torch() -> Torch:
    """PyTorch, loaded once."""
    return Torch()


@cache
def jax() -> Jax:
    """JAX, loaded once."""
    return Jax()


def _special_functions(name: str) -> dict[str, Any]:
    if name != "cupy":
        return {}
    special: Any = import_module("cupyx.scipy.special")
    return {function: getattr(special, function) for function in ("erf", "erfcx", "ndtri")}


def _operations(library: Any, xp: Any, special: dict[str, Any], iterate: Any = None) -> Operations:
    def where(condition: Array, a: Array | float, b: Array | float) -> Array:
        if isinstance(a, float) and isinstance(b, float):
            a = library.from_numpy(np.asarray(a), condition)
        return xp.where(condition, a, b)

    def repeat(step: Any, array: Array, limit: int) -> Array:
        settled = array != array
        for _ in range(limit):
            array, settled = step(array)
            if library.read(xp.all(settled)):
                break
        return where(settled, array, math.nan)

    return Operations(
        where=where,
        concat=getattr(xp, "concat", None) or xp.concatenate,
        **{name: getattr(xp, name) for name in _ELEMENTARY},
        take=xp.take,
        whole=lambda array: library.as_dtype(array, xp.int64),
        table=lambda numbers, like: library.from_numpy(np.asarray(numbers), like),
        some=lambda mask: library.read(xp.any(mask)) is not False,
        iterate=iterate or repeat,
        **special,
    )


@cache
def _torch_function(library: Torch, port: Port) -> Any:
    """An autograd function with the exact derivatives, forward and backward, to any order."""
    xp = library.operations

    def forward(*inputs: Array) -> Array:
        return port.value(xp, *inputs)

    def setup_context(context: Any, inputs: Any, output: Array) -> None:
        context.save_for_backward(*inputs, output)
        context.save_for_forward(*inputs, output)

    def backward(context: Any, gradient: Array) -> tuple[Array | None, ...]:
        needed = zip(context.needs_input_grad, port.partials, strict=True)
        return tuple(gradient * partial(xp, *context.saved_tensors) if need else None for need, partial in needed)

    def jvp(context: Any, *tangents: Array | None) -> Array:
        moved = zip(tangents, port.partials, strict=True)
        return sum(t * partial(xp, *context.saved_tensors) for t, partial in moved if t is not None)

    body = {"forward": forward, "setup_context": setup_context, "backward": backward, "jvp": jvp}
    members: dict[str, Any] = {name: staticmethod(function) for name, function in body.items()}
    function = library.namespace.autograd.Function
    return type("GaussdpFunction", (function,), {**members, "generate_vmap_rule": True})


@cache
def _jax_function(library: Jax, port: Port) -> Any:
    """A compiled function with the exact derivatives, from which JAX makes those of any order and mode."""
    jax = library._jax
    xp = library.operations
    value = jax.custom_jvp(jax.jit(lambda *inputs: port.value(xp, *inputs)))
    partials = jax.jit(lambda *inputs: tuple(partial(xp, *inputs) for partial in port.partials))

    def jvp(primals: Any, tangents: Any) -> Any:
        with library.computing():
            result = value(*primals)
            slopes = partials(*primals, result)
            return result, sum(slope * tangent for slope, tangent in zip(slopes, tangents, strict=True))

    value.defjvp(jvp)
    return value
