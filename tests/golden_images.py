"""Small grey pictures of every figure, to compare with; `python tests/golden_images.py [NAME ...]` draws them anew.

A picture is the PNG at 300 dots an inch, averaged to grey blocks of 4 by 4: coarse enough that a font hinted otherwise
hardly shows, fine enough that a moved curve, label or legend does.
"""

import io
import sys
from pathlib import Path

import numpy as np
from PIL import Image

from gaussdp import GDP, ApproxDP, ProfilePoints, PureDP
from gaussdp.accounting import account
from gaussdp.explaining import explain
from gaussdp.figures import FIGURES, figure, render
from gaussdp.figures.deployed import render_deployments
from gaussdp.figures.icon_arrays import render_icons
from gaussdp.figures.maps import render_rule_map, rule_map
from gaussdp.figures.tradeoffs import comparison_figure, tradeoff_figure
from gaussdp.mechanisms import Gaussian

FOLDER = Path(__file__).parent / "golden"
OTHERS = {
    "rules": lambda: render_rule_map(rule_map(), "png"),
    "deployments": lambda: render_deployments("png", mu=0.8),
    "tradeoff": lambda: {"png": tradeoff_figure(GDP(0.8)).render("png")},
    "comparison": lambda: {"png": compared().render("png")},
    "icons": lambda: render_icons(explain(0.8, prior=0.01).icons, "png"),
}
NAMES = (*FIGURES, *OTHERS)
BLOCK = 4


def compared():
    """Five guarantees of different kinds, and an attack."""
    points = ProfilePoints(epsilon=[0.0, 0.5, 1.0], delta=[0.3, 0.1, 0.02])
    curves = [GDP(0.8), PureDP(2.0), ApproxDP(1.0, 1e-5), points, account(Gaussian(2.0))]
    return comparison_figure(curves, points={"an attack": (0.01, 0.03)})


def drawn(name):
    """The figure's PNG."""
    return (OTHERS[name]() if name in OTHERS else render(figure(name), "png"))["png"]


def coarse(png):
    """Brightness from 0 to 1 in blocks."""
    grey = np.asarray(Image.open(io.BytesIO(png)).convert("L"), dtype=float) / 255
    rows, columns = (size // BLOCK for size in grey.shape)
    return grey[: rows * BLOCK, : columns * BLOCK].reshape(rows, BLOCK, columns, BLOCK).mean(axis=(1, 3))


def baseline(name):
    """The committed picture."""
    return np.asarray(Image.open(FOLDER / f"{name}.png"), dtype=float) / 255


def difference(one, other):
    """Root mean square; pictures of different sizes differ entirely."""
    return float(np.sqrt(np.mean((one - other) ** 2))) if one.shape == other.shape else 1.0


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or NAMES:
        picture = np.rint(coarse(drawn(name)) * 255).astype(np.uint8)
        Image.fromarray(picture).save(FOLDER / f"{name}.png", optimize=True)
