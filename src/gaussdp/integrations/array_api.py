"""Arrays of PyTorch, JAX, CuPy and every library that follows the array API standard, on their devices.

`gaussdp.domains.evaluate` hands over here when a parameter is such an array. The formulas are those of NumPy's arrays,
`gaussdp.numerics`, computed in float64 on the device and returned in the dtype of the arrays. For PyTorch and
JAX each has its exact derivatives, so that gradients do not pass through branches and iterations.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from importlib import import_module
from typing import Any, ClassVar, TypeAlias

import numpy as np

from gaussdp import domains
from gaussdp.domains import Domain, Kernel
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.integrations.versions import require
from gaussdp.numerics import Array, Floats, Operations, Port, Portable, Step, source

TORCH = ">=2.4,<2.14"
JAX = ">=0.8,<0.11"

BLOCK = 1 << 21
"""Elements of one block: a kernel needs about a gigabyte on the way. Smaller blocks leave a large device idle."""


class Library(Portable):
    """One array library: the operations of the kernels, and what it takes to bring arrays to them and back.

    Attributes:
        name: its name, for messages.
        blocks: whether long arrays are computed on in blocks; JAX compiles its own.
        namespace: its module with the functions of the standard.
    """

    name: str
    blocks = False

    @abstractmethod
    def computing(self, like: Array) -> AbstractContextManager[Any]:
        """Where float64 is available on the device of an array, and values not selected do not warn."""

    def is_real(self, array: Array) -> bool:
        """Whether its dtype holds integers or floating-point numbers."""
        return bool(self.namespace.isdtype(array.dtype, ("integral", "real floating")))

    @abstractmethod
    def result_dtype(self, arrays: Sequence[Array]) -> Any:
        """The floating-point dtype of a result."""

    def same_device(self, array: Array, other: Array) -> bool:
        """Whether both can be computed on together."""
        return bool(array.device == other.device)

    def read(self, mask: Array) -> bool | None:
        return bool(mask)

    def detached(self, array: Array) -> Array:
        """The values alone, without what is recorded to differentiate them."""
        return array

    def compiled(self, port: Port, arrays: Sequence[Array]) -> Callable[..., Array] | None:
        """The port as one compiled function of such arrays, where the library makes one on their device."""
        return None

    def value(self, port: Port, *arrays: Array) -> Array:
        """The value of a port: compiled, or operation by operation."""
        function = self.compiled(port, arrays)
        return port.value(self, *arrays) if function is None else function(*arrays)

    def apply(self, port: Port, arrays: Sequence[Array]) -> Array:
        """The same, differentiable where the library differentiates."""
        return self.value(port, *arrays)

    def apply_in_blocks(self, port: Port, arrays: Sequence[Array]) -> Array:
        """The same, block by block: what a kernel needs on the way is then a multiple of a block, not of the arrays."""
        size = arrays[0].shape[0]
        if size <= BLOCK or not self.blocks or self.compiled(port, arrays) is not None:
            return self.apply(port, arrays)
        starts = range(0, size, BLOCK)
        return self.namespace.concatenate(
            [self.apply(port, [array[start : start + BLOCK] for array in arrays]) for start in starts]
        )


class Standard(Library):
    """A library that has nothing but the array API standard."""

    def __init__(self, namespace: Any, name: str) -> None:
        super().__init__(namespace)
        self.name = name

    def computing(self, like: Array) -> AbstractContextManager[Any]:
        return np.errstate(all="ignore")

    def result_dtype(self, arrays: Sequence[Array]) -> Any:
        dtype = self.namespace.result_type(*arrays) if len(arrays) > 1 else arrays[0].dtype
        return dtype if self.namespace.isdtype(dtype, "real floating") else self.namespace.float64

    def as_dtype(self, array: Array, dtype: Any) -> Array:
        return self.namespace.astype(array, dtype, copy=False)

    def from_numpy(self, array: Floats, like: Array) -> Array:
        return self.namespace.asarray(array.tolist(), dtype=self.namespace.float64, device=like.device)


class Cupy(Library):
    """CuPy: NumPy's dtypes and methods, and work on the current device, which must be that of the arrays.

    Not every version has the newer names of the standard (astype, isdtype, the device of asarray), so none is used.

    Args:
        namespace: cupy.
        special: cupyx.scipy.special, whose functions are those of CUDA, exact to a few units in the last place.
    """

    blocks = True
    on_gpu: ClassVar[dict[str, str]] = {}  # where it makes arrays anyway

    def __init__(self, namespace: Any, special: Any) -> None:
        super().__init__(namespace, round=namespace.rint, erf=special.erf, erfcx=special.erfcx, ndtri=special.ndtri)
        self.name = "cupy"

    def computing(self, like: Array) -> AbstractContextManager[Any]:
        device: AbstractContextManager[Any] = like.device
        return device

    def is_real(self, array: Array) -> bool:
        return array.dtype.kind in "iuf"

    def result_dtype(self, arrays: Sequence[Array]) -> Any:
        dtype = np.result_type(*(array.dtype for array in arrays))
        return dtype if dtype.kind == "f" else np.dtype(np.float64)

    def as_dtype(self, array: Array, dtype: Any) -> Array:
        return array.astype(dtype, copy=False)

    def from_numpy(self, array: Floats, like: Array) -> Array:
        return self.namespace.asarray(array)  # on the current device, which computing has made that of the arrays

    def compiled(self, port: Port, arrays: Sequence[Array]) -> Callable[..., Array] | None:
        return _compiled(self, port, len(arrays))

    def kernel(self, functions: str, inputs: list[str]) -> Callable[..., Array]:
        """One that computes the last of some functions, in the source of CUDA, for each element."""
        parameters, value = ", ".join(f"float64 {name}" for name in inputs), f"y = {source.ENTRY}({', '.join(inputs)})"
        kernel: Callable[..., Array] = self.namespace.ElementwiseKernel(
            parameters, "float64 y", value, "gaussdp_element", preamble=functions
        )
        return kernel


class Torch(Library):
    """PyTorch: tensors of any device with float64."""

    blocks = True
    on_gpu: ClassVar[dict[str, str]] = {"device": "cuda"}

    def __init__(self) -> None:
        torch: Any = require("torch", extra="torch", supported=TORCH)
        super().__init__(torch, **{name: getattr(torch.special, name) for name in ("erf", "erfcx", "ndtri")})
        self.name = "torch"

    def computing(self, like: Array) -> AbstractContextManager[Any]:
        return nullcontext()

    def is_real(self, array: Array) -> bool:
        return not array.dtype.is_complex and array.dtype != self.namespace.bool

    def result_dtype(self, arrays: Sequence[Array]) -> Any:
        dtype = arrays[0].dtype
        for array in arrays[1:]:
            dtype = self.namespace.promote_types(dtype, array.dtype)
        return dtype if dtype.is_floating_point else self.namespace.get_default_dtype()

    def as_dtype(self, array: Array, dtype: Any) -> Array:
        return array.to(dtype)

    def from_numpy(self, array: Floats, like: Array) -> Array:
        return self.namespace.tensor(array, dtype=self.namespace.float64, device=like.device)

    def look_up(self, table: Floats, places: Array) -> Array:
        return self.from_numpy(table, places)[places.to(self.namespace.int64)]  # torch.take is slow in vmap

    def read(self, mask: Array) -> bool | None:
        try:
            return bool(mask)
        except RuntimeError:  # inside vmap, or a tensor without data
            return None

    def detached(self, array: Array) -> Array:
        return array.detach()

    def compiled(self, port: Port, arrays: Sequence[Array]) -> Callable[..., Array] | None:
        wrapped = self.namespace._C._functorch.is_functorch_wrapped_tensor
        if any(not array.is_cuda or wrapped(array) for array in arrays):
            return None
        return _compiled(self, port, len(arrays))

    def kernel(self, functions: str, inputs: list[str]) -> Callable[..., Array]:
        """One that computes the last of some functions, in the source of CUDA, for each element."""
        parameters, value = ", ".join(f"T {name}" for name in inputs), f"{source.ENTRY}({', '.join(inputs)})"
        entry = f"template <typename T> T gaussdp_element({parameters}) {{ return {value}; }}"
        kernel: Callable[..., Array] = self.namespace.cuda.jiterator._create_jit_fn(functions + entry)
        return kernel

    def apply(self, port: Port, arrays: Sequence[Array]) -> Array:
        return _torch_function(self, port).apply(*arrays)


class Jax(Library):
    """JAX: compiled, and in float64 whether or not the session is."""

    def __init__(self) -> None:
        self._jax: Any = require("jax", extra="jax", supported=JAX)
        special: Any = import_module("jax.scipy.special")
        # Our own erfcx, since that of JAX 0.10 is wrong from about 26.5 on.
        own = {"erf": special.erf, "ndtri": special.ndtri, "erfcx": self._differentiable(super().erfcx)}
        super().__init__(import_module("jax.numpy"), **own)
        self.name = "jax"

    def computing(self, like: Array) -> AbstractContextManager[Any]:
        context: AbstractContextManager[Any] = self._jax.enable_x64(True)
        return context

    def same_device(self, array: Array, other: Array) -> bool:
        return True  # JAX refuses by itself, and knows it only when the computation runs

    def result_dtype(self, arrays: Sequence[Array]) -> Any:
        dtype = self.namespace.result_type(*(array.dtype for array in arrays))
        return dtype if self.namespace.issubdtype(dtype, self.namespace.floating) else self.namespace.result_type(float)

    def as_dtype(self, array: Array, dtype: Any) -> Array:
        return array.astype(dtype)

    def from_numpy(self, array: Floats, like: Array) -> Array:
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

    def iterate(self, step: Step, start: Array, limit: int, *fixed: Array) -> Array:
        jnp = self.namespace

        def unsettled(state: Any) -> Array:
            count, _, settled = state
            return (count < limit) & ~jnp.all(settled)

        def advance(state: Any) -> Any:
            count, array, settled = state
            return (count + 1, *self.advance(step, array, settled, *fixed))

        state = (0, start, jnp.zeros(start.shape, dtype=bool))
        _, array, settled = self._jax.lax.while_loop(unsettled, advance, state)
        return jnp.where(settled, array, math.nan)

    def _differentiable(self, erfcx: Any) -> Any:
        """With its derivative, so that JAX does not differentiate the series."""
        function = self._jax.custom_jvp(erfcx)

        def jvp(primals: Any, tangents: Any) -> Any:
            (x,), (tangent,) = primals, tangents
            value = function(x)
            return value, (2 * x * value - 2 / math.sqrt(math.pi)) * tangent

        function.defjvp(jvp)
        return function


# Each is loaded with its first array.
standard: Callable[..., Standard] = cache(Standard)
torch: Callable[..., Torch] = cache(Torch)
jax: Callable[..., Jax] = cache(Jax)


@cache
def cupy() -> Cupy:
    """CuPy, loaded likewise."""
    return Cupy(import_module("cupy"), import_module("cupyx.scipy.special"))


@cache
def _compiled(library: Cupy | Torch, port: Port, inputs: int) -> Callable[..., Array] | None:
    """One kernel of a graphics processor for a port, tried on one element; None where it cannot be made."""
    try:
        kernel = library.kernel(source.CUDA + source.source_of(port.value, inputs), [f"x{k}" for k in range(inputs)])
        kernel(*[library.namespace.full((1,), 0.5, dtype=library.namespace.float64, **library.on_gpu)] * inputs)
    except Exception:  # whatever a compiler or its absence raises: operations one by one serve as well, more slowly
        return None
    return kernel


@cache
def _torch_function(library: Torch, port: Port) -> Any:
    """An autograd function with the exact derivatives, forward and backward, to any order."""

    def forward(*inputs: Array) -> Array:
        return library.value(port, *inputs)

    def setup_context(context: Any, inputs: Any, output: Array) -> None:
        context.save_for_backward(*inputs, output)
        context.save_for_forward(*inputs, output)

    def backward(context: Any, gradient: Array) -> tuple[Array | None, ...]:
        needed = zip(context.needs_input_grad, port.partials, strict=True)
        return tuple(gradient * partial(library, *context.saved_tensors) if need else None for need, partial in needed)

    def jvp(context: Any, *tangents: Array | None) -> Array:
        moved = zip(tangents, port.partials, strict=True)
        return sum(t * partial(library, *context.saved_tensors) for t, partial in moved if t is not None)

    body = {"forward": forward, "setup_context": setup_context, "backward": backward, "jvp": jvp}
    members: dict[str, Any] = {name: staticmethod(function) for name, function in body.items()}
    function = library.namespace.autograd.Function
    return type("GaussdpFunction", (function,), {**members, "generate_vmap_rule": True})


@cache
def _jax_function(library: Jax, port: Port) -> Any:
    """A compiled function with the exact derivatives, from which JAX makes those of any order and mode."""
    jax = library._jax
    value = jax.custom_jvp(jax.jit(lambda *inputs: port.value(library, *inputs)))
    partials = jax.jit(lambda *inputs: tuple(partial(library, *inputs) for partial in port.partials))

    def jvp(primals: Any, tangents: Any) -> Any:
        with library.computing(primals[0]):
            result = value(*primals)
            slopes = partials(*primals, result)
            return result, sum(slope * tangent for slope, tangent in zip(slopes, tangents, strict=True))

    value.defjvp(jvp)
    return value


Parameters: TypeAlias = Mapping[str, tuple[Any, Domain]]


def evaluate(kernel: Kernel, parameters: Parameters) -> Array:
    """The kernel over arrays of another library, on their device.

    Args:
        kernel: one of the nine flat functions of `gaussdp.numerics.flat`; any other is refused.
        parameters: name to (value, domain); at least one value is an array of another library than NumPy. The others
            are arrays of the same library and device, or numbers, lists and NumPy arrays, which are brought there.
    Returns:
        An array of that library, of the broadcast shape. Values that cannot be read now (under jax.jit or vmap) cannot
        be refused either: where they lie outside the domain, the result is NaN.
    """
    foreign = {name: value for name, (value, _) in parameters.items() if _is_foreign(value)}
    for name, value in foreign.items():
        if not hasattr(value, "shape"):  # a dtype, a device, an expression
            raise domains.wrong_type(name, parameters[name][1], value)
    library = _common_library(foreign)
    if not isinstance(kernel, Port):
        raise DomainError(
            None,
            problem="this function computes on NumPy arrays",
            got=f"an array of {library.name}",
            advice="convert it first, or use one of the flat functions such as gaussdp.fnr_from_mu",
        )
    return compute(library, kernel, parameters)


def compute(library: Library, port: Port, parameters: Parameters) -> Array:
    """The port over parameters of which at least one is an array of the library."""
    foreign = [value for value, _ in parameters.values() if _is_foreign(value)]
    like, dtype = foreign[0], library.result_dtype(foreign)
    with library.computing(like):
        arrays = [_as_double(library, name, value, domain, like) for name, (value, domain) in parameters.items()]
        shape = _common_shape(dict(zip(parameters, arrays, strict=True)))
        xp = library.namespace
        flat = [xp.reshape(xp.broadcast_to(array, shape), (-1,)) for array in arrays]
        if not _are_inside(library, parameters, flat):
            port = _guarded(port, tuple(domain for _, domain in parameters.values()))
        result = library.apply_in_blocks(port, flat)
        if library.read(xp.all(result == result)) is False:
            raise ConvergenceError("the iteration did not settle for some of the values; please report them")
        return library.as_dtype(xp.reshape(result, shape), dtype)


def _is_foreign(value: Any) -> bool:
    return domains.EVALUATORS[type(value)] is not None


def _common_library(foreign: dict[str, Any]) -> Library:
    libraries = {name: _library_of(value) for name, value in foreign.items()}
    (first, library), *others = libraries.items()
    for name, other in others:
        if other is not library:
            raise DomainError(
                first,
                problem=f"belongs to {library.name} and {name} to {other.name}",
                advice="give both in the same library, or one as numbers",
            )
    return library


def _library_of(value: Any) -> Library:
    packages = [base.__module__.partition(".")[0] for base in type(value).__mro__]
    if "torch" in packages:
        return torch()
    if {"jax", "jaxlib"} & set(packages):
        return jax()
    if "cupy" in packages:
        return cupy()
    if hasattr(value, "__array_namespace__"):
        return standard(value.__array_namespace__(), packages[0])
    raise DomainError(
        None, problem="columns and arrays do not go together: give arrays only", got=f"a {type(value).__name__}"
    )


def _as_double(library: Library, name: str, value: Any, domain: Domain, like: Array) -> Array:
    if not _is_foreign(value):
        return library.from_numpy(domains.checked(name, value, domain), like)
    if not library.is_real(value):
        raise domains.wrong_type(name, domain, value)
    if not library.same_device(value, like):
        raise DomainError(
            name, problem=f"is on {value.device}, another array on {like.device}", advice="move them to one device"
        )
    try:
        return library.as_dtype(value, library.namespace.float64)
    except TypeError:
        raise DomainError(
            name,
            problem=f"is on {value.device}, which has no float64",
            advice="move it to the CPU, since float32 is too coarse for the computation",
        ) from None


def _common_shape(arrays: dict[str, Array]) -> tuple[int, ...]:
    shapes = {name: tuple(array.shape) for name, array in arrays.items()}
    for name, shape in shapes.items():
        if 0 in shape:
            raise DomainError(name, problem="must not be empty", advice="give at least one number")
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        shown = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise DomainError(
            None, problem=f"the shapes do not broadcast together: {shown}", advice="give scalars or matching arrays"
        ) from None


def _are_inside(library: Library, parameters: Parameters, arrays: list[Array]) -> bool:
    """Refuse what is seen to lie outside its domain; False if some of it cannot be seen now."""
    seen = True
    for (name, (_, domain)), array in zip(parameters.items(), arrays, strict=True):
        inside = domain.contains(array)
        all_inside = library.namespace.all(inside)
        verdict = library.read(all_inside)
        if verdict is None:
            seen = False
        elif not verdict:
            first = float(library.detached(array)[~inside][0])
            raise domains.outside(name, domain, first)
    return seen


@cache
def _guarded(port: Port, allowed: tuple[Domain, ...]) -> Port:
    """The port, but NaN with NaN derivatives where an input lies outside its domain."""

    def guard(function: Callable[..., Array]) -> Callable[..., Array]:
        def guarded(xp: Operations, *arrays: Array) -> Array:
            inside = allowed[0].contains(arrays[0])
            for domain, array in zip(allowed[1:], arrays[1:], strict=False):
                inside = inside & domain.contains(array)
            safe = (xp.where(inside, array, 0.5) for array in arrays)
            return xp.where(inside, function(xp, *safe), math.nan)

        return guarded

    return Port(guard(port.value), tuple(guard(partial) for partial in port.partials))
