"""Arrays of icons side by side: what was right before a release, what it adds at most, and the rest."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gaussdp.documents.blocks import ADDED, BEFORE, HUNDRED, REST, IconArray
from gaussdp.errors import DomainError
from gaussdp.figures.drawing import rendered
from gaussdp.words import say

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_WIDTH, _HEIGHT = 3.1, 3.6  # inches, of one array
_TITLE_WIDTH = 48  # characters
_MARKERS = ("o", "D", "o")
_COLOURS = (BEFORE, ADDED, REST)
_REST = 2  # the kind that stays hollow
_SIZES = (6.6, 5.4, 6.2)  # points
_SHRUNK = 0.36  # where there are a thousand


def render_icons(arrays: Sequence[IconArray], *formats: str) -> dict[str, bytes]:
    """The arrays side by side, in each of these formats ("svg", "pdf", "png").

    Raises:
        MissingExtraError: if Matplotlib is not installed.
    """
    if not arrays:
        raise DomainError("arrays", problem="must not be empty", advice="give at least one array of icons")
    return rendered(lambda canvas: _draw(canvas, arrays), (_WIDTH * len(arrays), _HEIGHT), *formats)


def _draw(canvas: "Canvas", arrays: Sequence[IconArray]) -> None:
    panels = canvas.subplots(1, len(arrays), squeeze=False)[0]
    canvas.subplots_adjust(left=0.03, right=0.97, bottom=0.17, top=0.87, wspace=0.1)
    for axes, array in zip(panels, arrays, strict=True):
        _draw_array(axes, array)


def _draw_array(axes: "Axes", array: IconArray) -> None:
    columns, rows = array.columns, len(array.kinds) // array.columns
    places = [(place % columns, place // columns, kind) for place, kind in enumerate(array.kinds)]
    shrunk = 1.0 if array.of == HUNDRED else _SHRUNK
    for kind, (count, label) in enumerate(array.legend()):
        axes.plot(
            [x for x, _, k in places if k == kind],
            [y for _, y, k in places if k == kind],
            linestyle="",
            marker=_MARKERS[kind],
            markersize=shrunk * _SIZES[kind],
            markeredgewidth=shrunk,
            color=_COLOURS[kind],
            markerfacecolor="white" if kind == _REST else _COLOURS[kind],
            label=say("{count:,} {label}", count=count, label=label),
        )
    axes.set(xlim=(-0.6, columns - 0.4), ylim=(rows - 0.4, -0.6), aspect="equal")
    axes.set_axis_off()
    title = f"{array.title} ({array.note})" if array.note else array.title
    axes.set_title(textwrap.fill(title, _TITLE_WIDTH), fontsize=7.5, pad=5)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), handletextpad=0.3)
