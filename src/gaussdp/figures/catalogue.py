"""The nine plots of the paper by name, and the parameters each takes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gaussdp.figures import illustrations, mappings, risks_by_mu
from gaussdp.figures.model import Figure


@dataclass(frozen=True)
class FigureEntry:
    """A figure's maker and what it takes: parameters with one value and with several (one a curve)."""

    make: Callable[..., Figure]
    one: tuple[str, ...] = ()
    several: tuple[str, ...] = ()

    @property
    def takes(self) -> tuple[str, ...]:
        """The names of all its parameters."""
        return self.several + self.one


FIGURES: dict[str, FigureEntry] = {
    "fig1a": FigureEntry(illustrations.tradeoff, one=("mu", "fpr")),
    "fig1b": FigureEntry(mappings.by_multiplicative_advantage, one=("epsilon",), several=("fpr",)),
    "fig2a": FigureEntry(illustrations.precision, one=("mu",)),
    "fig2b": FigureEntry(mappings.by_precision, one=("epsilon",), several=("recall",)),
    "fig3a": FigureEntry(illustrations.profile, one=("mu",)),
    "fig3b": FigureEntry(mappings.by_profile, one=("epsilon",), several=("delta",)),
    "fig4a": FigureEntry(risks_by_mu.multiplicative_advantage, several=("mu",)),
    "fig5a": FigureEntry(risks_by_mu.precision, several=("mu",)),
    "fig6a": FigureEntry(risks_by_mu.profile, several=("mu",)),
}


def figure(key: str, **parameters: Any) -> Figure:
    """A figure of the paper, with the paper's values for the parameters that are not given.

    Args:
        key: "fig1a", "fig1b", ... "fig6a".
        parameters: `mu`, `epsilon` (the end of the axis), `fpr`, `recall`, `delta`; a sequence where the figure has
            one curve for each.

    >>> figure("fig4a", mu=[0.3, 0.6]).curves[2].label
    '$\\\\mu = 0.6$'
    """
    return FIGURES[key].make(**parameters)
