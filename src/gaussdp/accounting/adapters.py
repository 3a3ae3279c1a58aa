"""What `account` takes from other libraries: each is described in gaussdp's own terms by the integration that knows it.

The integrations lie above this layer, so they are found by name, and only when an object of their library is given.
"""

from importlib import import_module
from typing import Protocol, cast

from gaussdp.accounting.distribution.points import PointsCurve
from gaussdp.mechanisms import Adjacency, Mechanism

_ADAPTERS = {"dp_accounting": "gaussdp.integrations.dp_accounting", "opendp": "gaussdp.integrations.opendp"}
"""The package in which a type is defined, and the module that adapts its objects."""


class _Adapter(Protocol):
    def adapted(self, thing: object, adjacency: Adjacency | None) -> Mechanism | PointsCurve: ...


def adapted(thing: object, adjacency: Adjacency | None) -> Mechanism | PointsCurve | None:
    """The mechanism or the curve that an object of another library stands for, None if no integration knows it."""
    for kind in type(thing).__mro__:
        name = _ADAPTERS.get(kind.__module__.partition(".")[0])
        if name is not None:
            return cast(_Adapter, import_module(name)).adapted(thing, adjacency)
    return None
