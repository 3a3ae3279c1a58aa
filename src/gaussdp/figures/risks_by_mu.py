"""Figures 4a, 5a and 6a of the paper: the risk that each of several mu allows, by level."""

import math
from collections.abc import Sequence

import numpy as np

from gaussdp.domains import number
from gaussdp.figures import scales, style
from gaussdp.figures.illustrations import (
    DRAWABLE,
    baseline,
    epsilons,
    log10_delta,
    log_delta_axis,
    precisions,
    recalls,
)
from gaussdp.figures.mappings import columns, few
from gaussdp.figures.model import Axis, Curve, Figure
from gaussdp.guarantees import GDP
from gaussdp.numerics import Floats
from gaussdp.risks import FPR, RECALL, Level, MultiplicativeAdvantage, Precision, Risk
from gaussdp.risks.levels import capital

PAPER_MUS = (0.1, 0.25, 0.5, 1.0)
_POINTS = 251
_LOWEST_LOG_DELTA = -15.0


def multiplicative_advantage(mu: Sequence[float] = PAPER_MUS) -> Figure:
    """Figure 4a: TPR/FPR by FPR. The paper's source labels the x-axis TPR; it is the FPR."""
    guarantees = _guarantees(mu)
    low, high = 1e-6, 1e-1
    x = np.geomspace(low, high, _POINTS)
    x[0], x[-1] = low, high
    ratios = [guarantee.multiplicative_advantage(x) for guarantee in guarantees]
    # One decade above the highest curve leaves room for the legend.
    top = float(f"1e{math.ceil(math.log10(max(float(ratio[0]) for ratio in ratios))) + 1}")
    even = Curve("TPR = FPR", np.array([low, high]), np.ones(2), style.BASELINE, dashed=True)
    return Figure(
        "fig4a",
        _title(MultiplicativeAdvantage, FPR),
        Axis(FPR.label, low, high, scales.decades(low, high), log=True),
        Axis(_axis(MultiplicativeAdvantage), 1.0, top, scales.decades(1.0, top), log=True),
        (even, *_curves(guarantees, [x] * len(ratios), ratios)),
        "upper right",
        {"fpr": x, **dict(zip(columns(len(ratios)), ratios, strict=True))},
        "fig4a_advratio_vs_fpr.dat",
        wide=True,
    )


def precision(mu: Sequence[float] = PAPER_MUS) -> Figure:
    """Figure 5a: precision by recall."""
    guarantees = _guarantees(mu)
    x = recalls()
    shares = [precisions(guarantee, x) for guarantee in guarantees]
    return Figure(
        "fig5a",
        _title(Precision, RECALL),
        Axis("TPR", 0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0), ("0", "0.25", "0.5", "0.75", "1")),
        Axis(Precision.label, 0.45, 1.02, (0.5, 0.6, 0.7, 0.8, 0.9, 1.0), ("0.5", "0.6", "0.7", "0.8", "0.9", "1")),
        (baseline(), *_curves(guarantees, [x] * len(shares), shares)),
        "upper right",
        {"recall": x, **dict(zip(columns(len(shares)), shares, strict=True))},
        "fig5a_precision_vs_recall.dat",
        wide=True,
    )


def profile(mu: Sequence[float] = PAPER_MUS) -> Figure:
    """Figure 6a: epsilon by delta."""
    guarantees = _guarantees(mu)
    top = scales.enlarged(9.0, max(guarantee.epsilon(10.0**_LOWEST_LOG_DELTA) for guarantee in guarantees))
    y = epsilons(top)
    exponents = [log10_delta(guarantee.mu, y) for guarantee in guarantees]
    return Figure(
        "fig6a",
        "Privacy profile of μ-GDP: ε by δ",
        log_delta_axis(_LOWEST_LOG_DELTA),
        Axis(r"$\varepsilon$", 0.0, top, scales.ticks(top, 5)),
        _curves(guarantees, exponents, [y] * len(exponents)),
        "upper right",
        {"eps": y, **dict(zip(columns(len(exponents)), exponents, strict=True))},
        "fig6a_log10delta_vs_eps.dat",
        wide=True,
    )


def _title(risk: type[Risk], level: Level) -> str:
    return f"{capital(risk.name)} of the best attack on μ-GDP, by {level.label}"


def _axis(risk: type[Risk]) -> str:
    return f"{capital(risk.name)} {risk.quantity}"


def _guarantees(mus: Sequence[float]) -> list[GDP]:
    return [GDP(number("mu", mu, DRAWABLE)) for mu in few("mu", mus)]


def _curves(guarantees: Sequence[GDP], xs: Sequence[Floats], ys: Sequence[Floats]) -> tuple[Curve, ...]:
    colours = style.sequence(len(guarantees))
    return tuple(
        Curve(rf"$\mu = {scales.number_words(guarantee.mu)}$", x, y, colour)
        for guarantee, x, y, colour in zip(guarantees, xs, ys, colours, strict=True)
    )
