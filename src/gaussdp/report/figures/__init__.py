"""Figures: each described free of any drawing library, then drawn with Matplotlib where it is installed."""

from gaussdp.report.figures.catalogue import FIGURES, figure
from gaussdp.report.figures.drawing import FORMATS, format_of, render
from gaussdp.report.figures.model import Figure

__all__ = ["FIGURES", "FORMATS", "Figure", "figure", "format_of", "render"]
