"""The figure of a report: the run's own trade-off curve beside that of its mu, with the attacks of the tables named."""

from collections.abc import Sequence

from gaussdp.accounting import AccountedCurve, DistributionCurve, Fit
from gaussdp.guarantees import Guarantee
from gaussdp.report.figures.tradeoffs import Attack, TradeoffPlot, tradeoff_plot
from gaussdp.report.rounding import Rounding, rounded, shown, shown_level

_BELOW = 1000  # the picture reaches this far below the smallest rate that is named
_MOST_NAMED = 3


def statement_plot(
    curve: AccountedCurve | DistributionCurve, fit: Fit, fprs: Sequence[float], digits: int = 4
) -> TradeoffPlot:
    """The numbers behind the figure.

    Args:
        curve: the accounted guarantee, drawn as the run itself.
        fit: its mu, drawn beside it.
        fprs: false-positive rates of the attacks to name, as far as the accounting reaches.
        digits: significant digits of mu.
    """
    mu = shown(rounded(fit.mu, Rounding.UP, digits))
    curves: dict[str, Guarantee] = {f"μ = {mu}": fit.guarantee}
    if not fit.unconditional:
        curves["the run itself"] = curve
    reach = _BELOW * curve.noise_floor if isinstance(curve, DistributionCurve) else 0.0
    named = sorted((fpr for fpr in fprs if fpr >= max(reach, 1e-12)), reverse=True)[:_MOST_NAMED]
    return tradeoff_plot(curves, [Attack(fpr, curve.tpr(fpr), _words(fpr, curve.tpr(fpr))) for fpr in named])


def _words(fpr: float, tpr: float) -> str:
    return f"FPR {shown_level(fpr)}, TPR {shown(rounded(tpr, Rounding.UP, 2))}"
