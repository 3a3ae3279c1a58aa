"""How results show themselves in a notebook: they only ask; the report layer, which is above them, knows how.

`gaussdp/__init__.py` brings the two together, so that no result depends on tables and none is drawn until asked.
"""

from collections.abc import Callable

Renderer = Callable[[object], str]


def _unset(result: object) -> str:
    raise LookupError(f"nothing shows a {type(result).__name__} yet; import gaussdp")


_renderer: Renderer = _unset


def show_with(renderer: Renderer) -> None:
    """Show every result with this function, which gives HTML."""
    global _renderer
    _renderer = renderer


class Displayed:
    """A result that a notebook shows as small tables."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return _renderer(self)
