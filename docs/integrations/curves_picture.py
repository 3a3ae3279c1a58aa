"""Draws curves.svg: python docs/integrations/curves_picture.py."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gaussdp import GDP, TradeoffPoints
from gaussdp.figures import style
from gaussdp.figures.drawing import rendered

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FPR = np.array([0.02, 0.1, 0.3])


def draw(canvas: "Figure") -> None:
    """A known curve, three of its points, and the two readings of them."""
    true, fpr = GDP(1.2), np.linspace(0, 1, 1001)
    axes = canvas.subplots()
    canvas.subplots_adjust(left=0.12, right=0.97, bottom=0.13, top=0.97)
    bounds = TradeoffPoints(FPR, true.fnr(FPR))
    vertices = TradeoffPoints(FPR, true.fnr(FPR), meaning="vertices")
    axes.plot(fpr, 1 - fpr, color=style.BASELINE, linestyle=style.DASHES, label="guessing")
    axes.plot(fpr, true.fnr(fpr), color=style.SEQUENCE[0], linewidth=3, label="the mechanism")
    axes.plot(fpr, vertices.fnr(fpr), color=style.SINGLE, label='meaning="vertices"')
    axes.plot(fpr, bounds.fnr(fpr), color=style.SEQUENCE[-1], label='meaning="bounds"')
    axes.plot(FPR, true.fnr(FPR), "o", color="black", markersize=4, zorder=5, label="the points")
    axes.set(xlabel="FPR", ylabel="FNR", xlim=(0, 1), ylim=(0, 1))
    axes.grid(visible=True)
    axes.legend(loc="upper right")


if __name__ == "__main__":
    Path(__file__).with_name("curves.svg").write_bytes(rendered(draw, (4.6, 4.2), "svg")["svg"])
