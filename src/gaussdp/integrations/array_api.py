"""Arrays of PyTorch, JAX, CuPy and every library that follows the array API standard, on their device.

`gaussdp.domains.evaluate` hands over here when a parameter is such an array. The formulas are those of NumPy's arrays,
`gaussdp.numerics`, computed in float64 on the device and returned in the dtype of the arrays. For PyTorch and
JAX each has its exact derivatives, so that gradients do not pass through branches and iterations.
"""

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from gaussdp import domains
from gaussdp.domains import Domain, Kernel
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.integrations.array_libraries import Library, cupy, jax, standard, torch
from gaussdp.numerics import Array, Operations, Port

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
