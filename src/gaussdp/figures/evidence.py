"""The picture of a sequential audit: the evidence as it grew, and the bound on mu."""

from typing import TYPE_CHECKING

import numpy as np

from gaussdp.auditing.claims import described
from gaussdp.auditing.sequential import SequentialAudit
from gaussdp.errors import DomainError
from gaussdp.figures import style
from gaussdp.figures.drawing import rendered

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

SIZE = (7.0, 3.2)  # inches: the width of two columns

_MARGINS = {"left": 0.085, "right": 0.985, "bottom": 0.16, "top": 0.84, "wspace": 0.25}


def render_evidence(audit: SequentialAudit, *formats: str) -> dict[str, bytes]:
    """The evidence against the claim and the bound on mu by the number of pairs, in each of these formats.

    Raises:
        DomainError: if there is no pair yet.
        MissingExtraError: if Matplotlib is not installed.
    """
    if not audit.pairs:
        raise DomainError(None, problem="there is nothing to draw before the first pair of trials")
    return rendered(lambda canvas: _draw(canvas, audit), SIZE, *formats)


def _draw(canvas: "Canvas", audit: SequentialAudit) -> None:
    pairs, trail = np.arange(1, audit.pairs + 1), audit.trail
    panels = canvas.subplots(1, 2 if audit.claim is not None else 1, squeeze=False)[0]
    canvas.subplots_adjust(**_MARGINS)
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
