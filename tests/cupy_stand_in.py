"""CuPy's manners without a GPU: arrays that live on devices and refuse what CuPy refuses, computed by NumPy.

Only what every version of CuPy has is here: no device in asarray, no astype, isdtype or round in the namespace. An
operation on an array whose device is not the current one is an error, as are NumPy arrays as operands.
"""

from types import SimpleNamespace

import numpy as np
from scipy import special


class Device:
    """A context manager that makes the device the current one."""

    stack = [0]

    def __init__(self, number):
        self.id = number

    def __enter__(self):
        self.stack.append(self.id)

    def __exit__(self, *_):
        self.stack.pop()

    def __eq__(self, other):
        return self.id == other.id

    def __repr__(self):
        return f"<CUDA Device {self.id}>"


class ndarray(np.lib.mixins.NDArrayOperatorsMixin):  # noqa: N801, the name in CuPy
    """Numbers on the current device."""

    def __init__(self, values):
        self._values = np.asarray(values)
        self.device = Device(Device.stack[-1])

    dtype = property(lambda self: self._values.dtype)
    shape = property(lambda self: self._values.shape)

    def get(self):
        return self._values

    def astype(self, dtype, copy=True):
        return ndarray(unwrapped(self).astype(dtype, copy=copy))

    def __array__(self, *_, **__):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`.")

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        assert method == "__call__", method
        assert not options, options
        return ndarray(ufunc(*(unwrapped(value) for value in inputs)))

    def __getitem__(self, key):
        return ndarray(unwrapped(self)[unwrapped(key) if isinstance(key, ndarray) else key])

    def __bool__(self):
        return bool(self._values)

    def __float__(self):
        return float(self._values)


ndarray.__module__ = "cupy"  # by which gaussdp knows CuPy's arrays


def unwrapped(value):
    if isinstance(value, np.ndarray):
        raise TypeError(f"Unsupported type {type(value)}")
    if not isinstance(value, ndarray):
        return value
    if value.device.id != Device.stack[-1]:
        raise RuntimeError(f"{value.device} is not the current device, {Device.stack[-1]}")
    return value._values


def lifted(function):
    """The function of NumPy on such arrays."""
    return lambda *arguments: ndarray(function(*(unwrapped(argument) for argument in arguments)))


def asarray(values, dtype=None):
    return ndarray(np.asarray(unwrapped(values) if isinstance(values, ndarray) else values, dtype=dtype))


SAME = ["where", "any", "all", "take", "reshape", "broadcast_to", "exp", "log", "log1p", "expm1", "sqrt", "isfinite"]
cupy = SimpleNamespace(asarray=asarray, float64=np.float64, int64=np.int64, rint=lifted(np.rint))
vars(cupy).update({name: lifted(getattr(np, name)) for name in SAME})
cupyx_special = SimpleNamespace(**{name: lifted(getattr(special, name)) for name in ("erf", "erfcx", "ndtri")})
