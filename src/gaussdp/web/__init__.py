"""The calculator: a local web page and a small JSON API over the library (the extra `web`)."""

from typing import TYPE_CHECKING

from gaussdp.errors import MissingExtraError

if TYPE_CHECKING:
    from gaussdp.web.app import create_app
    from gaussdp.web.limits import Limits
    from gaussdp.web.safety.hosts import is_loopback
    from gaussdp.web.serving import serve
    from gaussdp.web.settings import Settings, Site

__all__ = ["Limits", "Settings", "Site", "create_app", "is_loopback", "serve"]

_HOMES = {
    "Limits": "gaussdp.web.limits",
    "Settings": "gaussdp.web.settings",
    "Site": "gaussdp.web.settings",
    "create_app": "gaussdp.web.app",
    "is_loopback": "gaussdp.web.safety.hosts",
    "serve": "gaussdp.web.serving",
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'gaussdp.web' has no attribute {name!r}")
    try:
        return getattr(import_module(_HOMES[name]), name)
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] in ("starlette", "uvicorn", "msgspec"):
            raise MissingExtraError('the calculator needs starlette and uvicorn: pip install "gaussdp[web]"') from None
        raise
