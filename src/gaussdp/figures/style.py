"""Colours, lines and type, as in the paper's source, for every figure.

Text in SVG is drawn as outlines, so that a figure looks the same in every viewer and every document, whatever fonts
are there; PDF embeds its fonts as TrueType, so that text stays text. Both, and PNG, carry no date and no random
identifier: the same input gives the same bytes.
"""

from collections.abc import Sequence
from typing import Any

# The paper's names for its colours: a light-to-dark sequence, one for the single curve, mixtures of grey.
SEQUENCE = ("#9ecae1", "#6baed6", "#2171b5", "#08519c")
SINGLE = "#ff7f0e"
# The same two for figures of our own, dark enough to be seen: a contrast of at least 3 to white.
OWN, OWN_SECOND = "#d95f02", "#3d8cc0"
BASELINE = "#737373"  # black!55
RULE_OF_3 = "#bfbfbf"  # gray!50
RULE_OF_5 = "#d9d9d9"  # gray!30
ARROW = "#9f9f9f"  # gray!75
GRID = "#dfdfdf"  # gray!25
FRAME = "#7f7f7f"  # black at opacity 0.5

SQUARE = (2.45, 2.3)  # inches
WIDE = (3.35, 2.5)
# Equal margins make equal frames, so that figures set side by side line up.
SQUARE_MARGINS = {"left": 0.2, "right": 0.94, "bottom": 0.185, "top": 0.965}
WIDE_MARGINS = {"left": 0.145, "right": 0.945, "bottom": 0.17, "top": 0.955}
PNG_DPI = 300

THICK = 1.0  # points
MINOR_TICK, MINOR_WIDTH = 1.5, 0.3
DASHES = (0, (3.5, 2.5))

_SMALL = 7.0
PARAMETERS: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "mathtext.fontset": "dejavusans",
    "font.size": 8.0,
    "axes.labelsize": 8.0,
    "xtick.labelsize": _SMALL,
    "ytick.labelsize": _SMALL,
    "legend.fontsize": _SMALL,
    "axes.linewidth": 0.5,
    "axes.edgecolor": FRAME,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.4,
    "xtick.top": True,
    "ytick.right": True,
    "xtick.direction": "in",
    "ytick.direction": "in",
    "xtick.color": FRAME,
    "ytick.color": FRAME,
    "xtick.labelcolor": "black",
    "ytick.labelcolor": "black",
    "xtick.major.width": 0.4,
    "ytick.major.width": 0.4,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.minor.size": MINOR_TICK,
    "ytick.minor.size": MINOR_TICK,
    "xtick.minor.width": MINOR_WIDTH,
    "ytick.minor.width": MINOR_WIDTH,
    "lines.linewidth": THICK,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
    "legend.handlelength": 1.7,
    "legend.labelspacing": 0.2,
    "legend.columnspacing": 1.0,
    "legend.borderaxespad": 0.4,
    "hatch.linewidth": 0.5,
    "savefig.dpi": PNG_DPI,
    "svg.fonttype": "path",
    "svg.hashsalt": "gaussdp",
    "pdf.fonttype": 42,
    "pdf.compression": 9,
}


def sequence(count: int) -> Sequence[str]:
    """So many colours from light to dark: the paper's four for four, the darkest for one, blends of them for others.

    >>> sequence(4) == SEQUENCE
    True
    """
    if count == 1:
        return SEQUENCE[-1:]
    places = [i * (len(SEQUENCE) - 1) / (count - 1) for i in range(count)]
    return tuple(_blend(place) for place in places)


def _blend(place: float) -> str:
    below = min(int(place), len(SEQUENCE) - 2)
    share = place - below
    pairs = zip(_channels(SEQUENCE[below]), _channels(SEQUENCE[below + 1]), strict=True)
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in pairs)


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))
