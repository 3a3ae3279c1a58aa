"""The picture of an audit: its ROC curve with band, bound and claims on log axes, or the evidence as it grew."""

from typing import TYPE_CHECKING

import numpy as np

from gaussdp.auditing.claims import described
from gaussdp.auditing.sequential import SequentialAudit
from gaussdp.errors import DomainError
from gaussdp.figures import style
from gaussdp.figures.drawing import rendered

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gaussdp.auditing import Audit, Description
from gaussdp.auditing.claims import Claimed, as_guarantee
from gaussdp.documents.rounding import shown_down
from gaussdp.numerics import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas


SIZE = (7.0, 3.6)  # inches: the width of two columns

_MARGINS = {"left": 0.085, "right": 0.985, "bottom": 0.25, "top": 0.86, "wspace": 0.25}
_LEGEND_COLUMNS = 3
_OBSERVED, _BOUND, _CLAIMS = "#333333", style.OWN, (style.SEQUENCE[-1], style.OWN_SECOND, style.BASELINE)


def render_audit(audit: Audit | Description, claims: Sequence[Claimed], *formats: str) -> dict[str, bytes]:
    """Both corners of the ROC curve on log axes, in each of these formats ("svg", "pdf", "png").

    The band lies between the observed curve and the worst that is still believed of it; a GDP claim is contradicted
    where the whole band lies above the claimed curve.

    Args:
        audit: of independent trials, or the description of one model, whose curve has no band.
        claims: mus or guarantees whose curves to draw.
        formats: the file formats.
    Raises:
        MissingExtraError: if Matplotlib is not installed.
    """
    return rendered(lambda canvas: _draw(canvas, audit, claims), SIZE, *formats)


def _draw(canvas: "Canvas", audit: Audit | Description, claims: Sequence[Claimed]) -> None:
    panels = canvas.subplots(1, 2)
    canvas.subplots_adjust(**_MARGINS)
    for axes, corner in zip(panels, _corners(audit), strict=True):
        _draw_corner(axes, audit, corner, claims)
    canvas.text(0.5, 0.995, audit.design.assumption, ha="center", va="top", fontsize="small", wrap=True)
    if isinstance(audit, Audit) and audit.mu_lower > 0 and audit.fpr_upper is not None and audit.fnr_upper is not None:
        _mark(panels[0], audit.fpr_upper, 1 - audit.fnr_upper)
        _mark(panels[1], audit.fnr_upper, 1 - audit.fpr_upper)
    canvas.legend(*panels[0].get_legend_handles_labels(), loc="lower center", ncols=_LEGEND_COLUMNS)


@dataclass(frozen=True, eq=False)
class _Corner:
    """One corner of the ROC curve: a rate of errors, ascending, and the share found in spite of so few."""

    title: str
    errors: str
    found: str
    rates: Floats
    finds: Floats
    rates_upper: Floats
    finds_lower: Floats


def _corners(audit: Audit | Description) -> list[_Corner]:
    band = audit.band
    return [
        _Corner(
            "few nonmembers accused",
            "false-positive rate",
            "true-positive rate",
            band.fpr[::-1],
            1 - band.fnr[::-1],
            band.fpr_upper[::-1],
            1 - band.fnr_upper[::-1],
        ),
        _Corner(
            "few members missed",
            "false-negative rate",
            "true-negative rate",
            band.fnr,
            1 - band.fpr,
            band.fnr_upper,
            1 - band.fpr_upper,
        ),
    ]


def _draw_corner(axes: "Axes", audit: Audit | Description, corner: _Corner, claims: Sequence[Claimed]) -> None:
    lowest = 0.4 / max(audit.members, audit.nonmembers)  # stands for 0, which log axes have not
    rates, finds = np.maximum(corner.rates, lowest), np.maximum(corner.finds, lowest)
    axes.plot(rates, finds, color=_OBSERVED, linewidth=0.8, label="observed")
    bounded = (corner.rates_upper < 1) & (corner.finds_lower > 0)
    if isinstance(audit, Audit) and bounded.sum() > 1:
        x, y = corner.rates_upper[bounded], corner.finds_lower[bounded]
        off = lowest / 10  # below the axes, where the first bound's band closes
        around_x = np.concatenate((rates[bounded], x[::-1], [x[0], rates[bounded][0]]))
        around_y = np.concatenate((finds[bounded], y[::-1], [off, off]))
        axes.fill(around_x, around_y, color=_OBSERVED, alpha=0.18, linewidth=0, label=_words(audit))
    curve = np.logspace(np.log10(lowest), 0, 600)[:-1]
    # Guarantees are symmetric, so that one reading serves for both corners.
    for claim, colour in zip(claims, _cycle(len(claims)), strict=True):
        words = audit.judged(claim)[0] if isinstance(audit, Audit) else "not judged"
        claimed = as_guarantee(claim).tpr(curve)
        axes.plot(curve, claimed, color=colour, label=f"claim {described(claim)}: {words}")
    if isinstance(audit, Audit) and audit.mu_lower > 0:
        label = f"proved: μ ≥ {shown_down(audit.mu_lower)}"
        axes.plot(curve, audit.guarantee.tpr(curve), color=_BOUND, linestyle=style.DASHES, label=label)
    axes.plot(curve, curve, color=style.BASELINE, linewidth=0.6, linestyle="dotted", label="guessing")
    axes.set(xscale="log", yscale="log", xlim=(lowest, 1), ylim=(lowest, 1.1))
    axes.set(xlabel=corner.errors, ylabel=corner.found)
    axes.set_title(corner.title, fontsize="medium")
    axes.grid(visible=True)


def _mark(axes: "Axes", rate: float, found: float) -> None:
    axes.plot([rate], [found], "o", color=_BOUND, markersize=3.5, label="the attack that proves it")


def _words(audit: Audit) -> str:
    return f"{100 * audit.confidence:.4g} % {audit.kind} band"


def _cycle(count: int) -> list[str]:
    return [_CLAIMS[i % len(_CLAIMS)] for i in range(count)]


_EVIDENCE_SIZE = (7.0, 3.2)

_EVIDENCE_MARGINS = {"left": 0.085, "right": 0.985, "bottom": 0.16, "top": 0.84, "wspace": 0.25}


def render_evidence(audit: SequentialAudit, *formats: str) -> dict[str, bytes]:
    """The evidence against the claim and the bound on mu by the number of pairs, in each of these formats.

    Raises:
        DomainError: if there is no pair yet.
        MissingExtraError: if Matplotlib is not installed.
    """
    if not audit.pairs:
        raise DomainError(None, problem="there is nothing to draw before the first pair of trials")
    return rendered(lambda canvas: _draw_evidence(canvas, audit), _EVIDENCE_SIZE, *formats)


def _draw_evidence(canvas: "Canvas", audit: SequentialAudit) -> None:
    pairs, trail = np.arange(1, audit.pairs + 1), audit.trail
    panels = canvas.subplots(1, 2 if audit.claim is not None else 1, squeeze=False)[0]
    canvas.subplots_adjust(**_EVIDENCE_MARGINS)
    if audit.claim is not None:
        level = f"needed for {100 * audit.confidence:.4g} % confidence"
        limit = 1 / (1 - audit.confidence)
        axes = panels[0]
        axes.plot(pairs, trail.evidence, color=style.OWN)
        axes.axhline(limit, color=style.SEQUENCE[-1], linestyle=style.DASHES, label=level)
        axes.set(yscale="log", xlabel="pairs of trials", ylabel="evidence (e-value)")
        axes.set_title(f"against the claim {described(audit.claim)}", fontsize="medium")
        axes.legend(loc="best")
        axes.grid(visible=True)
    axes = panels[-1]
    axes.step(pairs, trail.mu_lower, where="post", color=style.OWN)
    axes.set(xlabel="pairs of trials", ylabel="μ at least", ylim=(0, None))
    axes.set_title("proved at any time", fontsize="medium")
    axes.grid(visible=True)
    canvas.text(0.5, 0.995, audit.design.assumption, ha="center", va="top", fontsize="small", wrap=True)
