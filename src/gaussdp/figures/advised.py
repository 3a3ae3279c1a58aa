"""The picture of a decision: what a guess achieves and how large the noise is, as mu moves; and a page around it."""

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussdp import words
from gaussdp.figures import style
from gaussdp.figures.drawing import Mark, name_marks, readable_log_axis, rendered

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

SIZE = (7.0, 2.6)  # inches
_A4 = (8.27, 11.69)
_MARGIN = 0.75  # inches, on all sides of a page
_LARGEST, _SMALLEST = 9.0, 5.5  # points
_LINE = 1.36  # heights of type from line to line
_WIDTH = 0.51  # of the average letter, in heights of type: a little more than there is
_TITLE = 1.55
_BAND = "#fde0c5"
_ONE_LINE = 1.004  # of the range: a narrower one is hidden by the line of what was decided
_HEADROOM = 1.08
_NAMES = "#1a1a1a"
_LOOKS: tuple[tuple[str, Any], ...] = (
    (style.OWN_SECOND, "solid"),
    ("#b35806", style.DASHES),
    ("#1a1a1a", (0, (1.0, 1.5))),
    (style.SEQUENCE[-1], "dashdot"),
)


@dataclass(frozen=True)
class DecisionPicture:
    """The numbers behind the picture.

    Attributes:
        mu: along the axis, ascending.
        chance: of a right guess at each.
        before: without the release.
        low, high: the range that is advised.
        marked: a mu to point out, and its label.
        noise: for each statistic its label and the noise at each mu; at most a few.
        measure: of the noise.
    """

    mu: Sequence[float]
    chance: Sequence[float]
    before: float
    low: float
    high: float
    marked: tuple[float, str]
    noise: Sequence[tuple[str, Sequence[float]]]
    measure: str

    @property
    def ranged(self) -> bool:
        """Whether a range is advised that is wide enough to be seen beside the line of what was decided."""
        return self.high > self.low * _ONE_LINE


@dataclass(frozen=True)
class Sheet:
    """What a page says.

    Attributes:
        title: one line.
        sentence: the one to remember.
        sections: headings with their lines.
        footer: the last lines, such as the one to sign.
    """

    title: str
    sentence: str
    sections: Sequence[tuple[str, Sequence[str]]]
    footer: Sequence[str]


def render_decision(decision: DecisionPicture, *formats: str) -> dict[str, bytes]:
    """The picture in these formats ("svg", "pdf", "png")."""

    def draw(canvas: "Canvas") -> None:
        left, right = canvas.subplots(1, 2)
        canvas.subplots_adjust(left=0.085, right=0.985, bottom=0.17, top=0.9, wspace=0.24)
        _draw(decision, left, right)

    return rendered(draw, SIZE, *formats)


def render_sheet(decision: DecisionPicture, sheet: Sheet) -> bytes:
    """One page, A4, as PDF."""
    return rendered(lambda canvas: _page(decision, sheet, canvas), _A4, "pdf")["pdf"]


def _draw(decision: DecisionPicture, left: "Axes", right: "Axes") -> None:
    left.plot(decision.mu, [100 * chance for chance in decision.chance], color=style.SEQUENCE[-1])
    left.axhline(100 * decision.before, color=style.BASELINE, linestyle=style.DASHES, linewidth=0.8)
    left.set_title(words.say("Chance of a right guess, at most (%)"), fontsize=8, loc="left")
    left.set_ylim(0, _HEADROOM * 100 * max(*decision.chance, decision.before))
    for place, (label, values) in enumerate(decision.noise):
        right.plot(decision.mu, values, label=label, **_look(place, len(decision.noise)))
    right.set_title(decision.measure, fontsize=8, loc="left")
    found = [value for _, values in decision.noise for value in values if math.isfinite(value) and value > 0]
    readable_log_axis(right, min(found, default=1.0), max(found, default=1.0))
    about = words.say("μ for everything together; shaded: the range that is advised") if decision.ranged else ""
    for axes in (left, right):
        if decision.ranged:
            axes.axvspan(decision.low, decision.high, color=_BAND, linewidth=0)
        axes.axvline(decision.marked[0], color=style.OWN, linewidth=1.2)
        axes.set_xlim(decision.mu[0], decision.mu[-1])
        axes.set_xlabel(about or words.say("μ for everything together"), fontsize=7)
        axes.grid(visible=True, which="major")
    if len(decision.noise) > 1:
        right.legend(loc="best", frameon=True, facecolor="white", edgecolor="none", framealpha=0.85)
    chance = 100 * np.interp(decision.marked[0], decision.mu, decision.chance)
    before = Mark(decision.mu[-1], 100 * decision.before, words.say("without the release"))
    name_marks(left, [Mark(decision.marked[0], float(chance), decision.marked[1]), before], _NAMES)


def _look(place: int, count: int) -> dict[str, Any]:
    """Of a curve among so many: a wide one below a narrow one of other dashes is seen where they are the same."""
    kind = place % len(_LOOKS)
    colour, dashes = _LOOKS[kind]
    return {"color": colour, "linestyle": dashes, "linewidth": style.THICK + 0.6 * (min(count, len(_LOOKS)) - 1 - kind)}


def _page(decision: DecisionPicture, sheet: Sheet, canvas: "Canvas") -> None:
    width, height = _A4
    picture = 2.3  # inches
    size = _LARGEST
    while size > _SMALLEST and _needed(sheet, size) > height - 2 * _MARGIN - picture - 0.35:
        size -= 0.25
    left, y = _MARGIN / width, height - _MARGIN

    def say(text: str, scale: float = 1.0, weight: str = "normal", indent: str = "") -> None:
        nonlocal y
        for line in _wrapped(text, size * scale, indent):
            y -= size * scale * _LINE / 72
            canvas.text(left, y / height, line, fontsize=size * scale, weight=weight, va="baseline", parse_math=False)

    say(sheet.title, _TITLE, "bold")
    y -= 0.06
    say(sheet.sentence, 1.1)
    frames = [(_MARGIN + 0.42, 2.8), (_MARGIN + 3.87, 2.8)]  # left and width, inches
    axes = [
        canvas.add_axes((x / width, (y - picture + 0.3) / height, wide / width, (picture - 0.62) / height))
        for x, wide in frames
    ]
    _draw(decision, axes[0], axes[1])
    y -= picture
    for heading, lines in sheet.sections:
        y -= 0.06
        say(heading, 1.1, "bold")
        for line in lines:
            say(line, indent="• ")
    y -= 0.12
    for line in sheet.footer:
        say(line)


def _wrapped(text: str, size: float, indent: str = "") -> list[str]:
    inches = _A4[0] - 2 * _MARGIN
    count = max(int(inches * 72 / (size * _WIDTH)), 20)
    return textwrap.wrap(text, count, initial_indent=indent, subsequent_indent=" " * 2 * bool(indent)) or [""]


def _needed(sheet: Sheet, size: float) -> float:
    """The height of all words in inches."""
    rows = len(_wrapped(sheet.title, size * _TITLE)) * _TITLE + len(_wrapped(sheet.sentence, size * 1.1)) * 1.1
    rows += sum(1.1 + sum(len(_wrapped(line, size, "• ")) for line in lines) for _, lines in sheet.sections)
    rows += sum(len(_wrapped(line, size)) for line in sheet.footer)
    return rows * size * _LINE / 72 + 0.06 * (len(sheet.sections) + 1) + 0.12
