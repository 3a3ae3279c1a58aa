"""The picture of a decision: what a guess achieves and how large the noise is, as mu moves; and a page around it."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gaussdp import words
from gaussdp.documents.rounding import shown
from gaussdp.figures import style
from gaussdp.figures.drawing import rendered

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
    left.set_ylim(bottom=0)
    before = words.say("without the release")
    left.annotate(before, (1, 100 * decision.before), (-3, 3), xycoords=("axes fraction", "data"),
                  textcoords="offset points", ha="right", fontsize=6.5, color=style.BASELINE)  # fmt: skip
    for place, (label, values) in enumerate(decision.noise):
        colour = (style.SEQUENCE[-1], "#b35806", "#525252", style.OWN_SECOND)[place % 4]
        right.plot(decision.mu, values, color=colour, label=label, linestyle="solid" if place < 4 else "dashed")
    right.set_yscale("log")
    right.yaxis.set_major_formatter(lambda value, _: words.numeral(shown(value)))
    right.yaxis.set_minor_formatter("")
    left.annotate(decision.marked[1], (decision.marked[0], 0.95), (4, 0), xycoords=("data", "axes fraction"),
                  textcoords="offset points", va="top", fontsize=6.5)  # fmt: skip
    right.set_title(decision.measure, fontsize=8, loc="left")
    if len(decision.noise) > 1:
        right.legend(loc="upper right")
    for axes in (left, right):
        axes.axvspan(decision.low, max(decision.high, decision.low * 1.004), color=_BAND, linewidth=0)
        axes.axvline(decision.marked[0], color=style.OWN, linewidth=1.2)
        axes.set_xlim(decision.mu[0], decision.mu[-1])
        axes.set_xlabel(words.say("μ for everything together; shaded: the range that is advised"), fontsize=7)
        axes.grid(visible=True, which="major")


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
