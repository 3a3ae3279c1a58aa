"""Figures 1a, 2a and 3a of the paper: what each criterion reads off the curve of one mu."""

import math

import numpy as np

from gaussdp import numerics
from gaussdp.documents.rounding import shown
from gaussdp.domains import Domain, number
from gaussdp.figures import style
from gaussdp.figures.model import Arrow, Axis, Curve, Figure
from gaussdp.guarantees import GDP
from gaussdp.numerics import TINY, Floats

DRAWABLE = Domain(1e-6, 1e6)  # the mu and epsilon of which a figure still shows something
_FPR = Domain(TINY, 1.0, closed_high=False)
_POINTS = 301
_LEAST_SHARE = 1e-4  # of the window: where a curve with a vertical start begins, well within a line's width
_BASELINE = "Precision = ½"
_LOWEST_LOG_DELTA = -10.0


def tradeoff(mu: float = 1.0, fpr: float = 1e-3) -> Figure:
    """Figure 1a: TPR by FPR, with the multiplicative advantage at one FPR as an arrow."""
    guarantee = GDP(number("mu", mu, DRAWABLE))
    level = number("fpr", fpr, _FPR)
    decade = math.floor(math.log10(level) + 1e-12)
    low, high = float(f"1e{decade - 2}"), float(f"1e{decade + 1}")
    at_level = guarantee.tpr(level)
    x = np.geomspace(low, high, _POINTS)
    x[0], x[-1] = low, high
    y = guarantee.tpr(x)
    top = 1.15 * at_level
    return Figure(
        "fig1a",
        f"Multiplicative advantage of μ-GDP at μ = {shown(guarantee.mu)}: TPR over FPR, at FPR {shown(level)}",
        Axis("FPR", low, high, style.decades(low, high), log=True),
        Axis("TPR", 0.0, top, style.ticks(top, 2)[1:]),
        (Curve("GDP", x, y, style.SINGLE), Curve("TPR = FPR", x, x, style.BASELINE, dashed=True)),
        "upper left",
        {"fpr": x, "tpr": y},
        "fig1a_tradeoff_mu1.dat",
        arrow=Arrow(level, level, at_level, r"$\dfrac{\mathrm{TPR}}{\mathrm{FPR}}$"),
    )


def precision(mu: float = 1.0) -> Figure:
    """Figure 2a: precision by recall."""
    guarantee = GDP(number("mu", mu, DRAWABLE))
    x = recalls()
    y = precisions(guarantee, x)
    return Figure(
        "fig2a",
        f"Precision of the best attack on μ-GDP at μ = {shown(guarantee.mu)}, by recall",
        Axis("TPR", 0.0, 1.0, (0.0, 0.5, 1.0), ("0", "0.5", "1")),
        Axis("Precision", 0.4, 1.05, (0.5, 0.75, 1.0), ("0.5", "0.75", "1")),
        (Curve("GDP", x, y, style.SINGLE), baseline()),
        "lower right",
        {"recall": x, "precision": y},
        "fig2a_precision_mu1.dat",
        legend_columns=2,
    )


def profile(mu: float = 1.0) -> Figure:
    """Figure 3a: epsilon by delta."""
    guarantee = GDP(number("mu", mu, DRAWABLE))
    top = style.enlarged(8.0, guarantee.epsilon(10.0**_LOWEST_LOG_DELTA))
    y = epsilons(top)
    x = log10_delta(guarantee.mu, y)
    return Figure(
        "fig3a",
        f"Privacy profile of μ-GDP at μ = {shown(guarantee.mu)}: ε by δ",
        log_delta_axis(_LOWEST_LOG_DELTA),
        Axis(r"$\varepsilon$", 0.0, top, style.ticks(top, 5)),
        (Curve("GDP", x, y, style.SINGLE),),
        "upper right",
        {"log10delta": x, "eps": y},
        "fig3a_log10delta_mu1.dat",
    )


def recalls() -> Floats:
    """Recalls whose steps are even in the normal quantile, since precision is steep at both ends; 1 closes them."""
    from scipy import special

    end = float(special.ndtri(_LEAST_SHARE))
    inner = special.ndtr(np.linspace(end, -end, _POINTS))
    return np.concatenate([[_LEAST_SHARE], inner[1:], [1.0]])


def precisions(guarantee: GDP, recall: Floats) -> Floats:
    """Precision at each recall, and 1/2 at recall 1, where everyone is accused."""
    return np.concatenate([guarantee.precision(recall[:-1]), [0.5]])


def baseline() -> Curve:
    """The precision of guessing."""
    return Curve(_BASELINE, np.array([0.0, 1.0]), np.array([0.5, 0.5]), style.BASELINE, dashed=True)


def epsilons(top: float) -> Floats:
    """From 0 to top, dense near 0, where the profile of a small mu falls."""
    return top * np.linspace(0.0, 1.0, 2 * _POINTS - 1) ** 2


def log10_delta(mu: float, epsilon: Floats) -> Floats:
    """The profile in powers of ten, also where delta underflows."""
    return numerics.log_profile(np.full_like(epsilon, mu), epsilon) / math.log(10)


def log_delta_axis(low: float) -> Axis:
    """The axis of delta: exponents, marked every three decades."""
    exponents = tuple(range(-3 * int(-low // 3), 1, 3))
    words = tuple(f"$10^{{{exponent}}}$" if exponent else "$1$" for exponent in exponents)
    return Axis(r"$\delta$", low, 0.0, tuple(map(float, exponents)), words)
