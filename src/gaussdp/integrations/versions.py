"""The one way an integration loads its library: present, and of a version it was made for.

An older version raises: what the integration calls may not be there, or may mean something else. A newer one warns
and goes on: it was not tested, and the message says with which versions this release of gaussdp was.
"""

import re
import warnings
from functools import cache
from importlib import import_module, metadata
from itertools import zip_longest
from types import ModuleType

from gaussdp.errors import MissingExtraError, UnsupportedVersionError, UntestedVersionWarning

_RANGE = re.compile(r">=(\d+(?:\.\d+)*),<(\d+(?:\.\d+)*)")


@cache
def require(package: str, *, extra: str, supported: str, module: str | None = None) -> ModuleType:
    """The module of a library, checked to be installed and of a supported version.

    The check runs once in a process for each library.

    Args:
        package: name under which pip knows it, such as "dp-accounting".
        extra: the extra of gaussdp that installs it.
        supported: the versions this integration was made for, written ">=0.16,<0.17".
        module: what to import; the name of the package with underscores unless given.
    Raises:
        MissingExtraError: if it is not installed.
        UnsupportedVersionError: if it is older than supported.
    Warns:
        UntestedVersionWarning: if it is newer than supported, or its version cannot be told.

    >>> require("numpy", extra="accounting", supported=">=1.0,<99").__name__
    'numpy'
    >>> require("no-such-package", extra="opendp", supported=">=1.0,<2")
    Traceback (most recent call last):
    gaussdp.errors.MissingExtraError: this needs no-such-package>=1.0,<2: pip install "gaussdp[opendp]"
    """
    lowest, end = _bounds(supported)
    command = f'pip install "gaussdp[{extra}]"'
    name = module or package.replace("-", "_")
    try:
        loaded = import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # it is there, and something that it needs is not
        raise MissingExtraError(f"this needs {package}{supported}: {command}") from None
    try:
        version = metadata.version(package)
    except metadata.PackageNotFoundError:
        _warn(f"the version of {package} cannot be told; this release of gaussdp was tested with {supported}")
        return loaded
    if _before(_release(version), lowest):
        raise UnsupportedVersionError(f"{package} must be {supported}, {version} is installed: {command}")
    if not _before(_release(version), end):
        _warn(f"{package} {version} is newer than this release of gaussdp was tested with ({supported}): {command}")
    return loaded


def _warn(message: str) -> None:
    warnings.warn(message, UntestedVersionWarning, stacklevel=3)


def _bounds(supported: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    match = _RANGE.fullmatch(supported)
    if match is None:
        raise ValueError(f"supported must read like '>=0.16,<0.17', got {supported!r}")
    return _release(match[1]), _release(match[2])


def _release(version: str) -> tuple[int, ...]:
    """The numbers a version begins with: 2.13.0+cpu is (2, 13, 0)."""
    match = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in match[0].split(".")) if match else ()


def _before(version: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether a version is older than another; 0.16 and 0.16.0 are the same."""
    for own, others in zip_longest(version, other, fillvalue=0):
        if own != others:
            return own < others
    return False
