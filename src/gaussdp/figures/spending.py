"""What a budget spent over time: the mu of all releases together, up to the budget."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from gaussdp.documents.rounding import Rounding, rounded
from gaussdp.errors import DomainError
from gaussdp.figures import style
from gaussdp.figures.drawing import rendered

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

_SIZE = (4.6, 2.6)  # inches
_MARGINS = {"left": 0.12, "right": 0.965, "bottom": 0.17, "top": 0.955}
_HEADROOM = 1.12
_DIGITS = 4


def render_spending(
    times: Sequence[datetime], mus: Sequence[float], total: float, *formats: str, renewals: Sequence[datetime] = ()
) -> dict[str, bytes]:
    """The spent mu over time, as steps, below the line of the budget, in each of these formats.

    Args:
        times: when it changed, in order.
        mus: the mu that is spent from each of these times on.
        total: the budget.
        formats: "svg", "pdf" or "png".
        renewals: when another period began, as thin lines.
    """
    if not times or len(times) != len(mus):
        raise DomainError("times", "as many as mus, and at least one", got=f"{len(times)} and {len(mus)}")
    return rendered(lambda canvas: _draw(canvas, times, mus, total, renewals), _SIZE, *formats)


def _draw(
    canvas: "Canvas", times: Sequence[datetime], mus: Sequence[float], total: float, renewals: Sequence[datetime]
) -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    axes = canvas.add_subplot()
    canvas.subplots_adjust(**_MARGINS)
    places = [_days(time) for time in times]
    last = places[-1] + max(0.04 * (places[-1] - places[0]), 1e-5)
    spent, left = style.number_words(rounded(mus[-1], Rounding.UP, _DIGITS)), style.number_words(total)
    axes.fill_between([*places, last], [*mus, mus[-1]], step="post", color=style.SEQUENCE[0], alpha=0.45, linewidth=0)
    axes.step(
        [*places, last],
        [*mus, mus[-1]],
        where="post",
        color=style.SEQUENCE[-1],
        label=rf"spent: $\mu = {spent}$",
        clip_on=False,
        zorder=3,
    )
    axes.axhline(total, color=style.OWN, linestyle=style.DASHES, label=rf"budget: $\mu = {left}$")
    for renewal in renewals:
        axes.axvline(_days(renewal), color=style.ARROW, linewidth=0.6)
    axes.set(
        xlim=(places[0], last), ylim=(0.0, _HEADROOM * max(total, max(mus))), ylabel=r"$\mu$ of all releases together"
    )
    locator = AutoDateLocator(minticks=3, maxticks=6)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    axes.grid(visible=True)
    axes.legend(loc="best")


def _days(time: datetime) -> float:
    """As Matplotlib counts them: days since the beginning of 1970."""
    return time.timestamp() / 86_400
