"""Figures: each described free of any drawing library, then drawn with Matplotlib where it is installed."""

from gaussdp.figures.catalogue import FIGURES, figure
from gaussdp.figures.drawing import FORMATS, format_of, render
from gaussdp.figures.model import Figure

__all__ = ["FIGURES", "FORMATS", "Figure", "figure", "format_of", "render"]
