"""The rows of a sweep as a figure: the noise by batch size and epochs, one panel a target."""

import importlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gaussdp.calibration.sweep_designs import Row
from gaussdp.documents.files import write_file
from gaussdp.documents.rounding import shown, shown_up
from gaussdp.errors import DomainError, MissingExtraError

FIGURE_FORMATS = (".png", ".pdf", ".svg")

_ANNOTATED = 160  # cells of a panel that still have room for their number
_CELL = 0.72  # inches
_LIGHT = 0.6  # share of the colour scale above which black letters read better


def heat_map(rows: Sequence[Row], path: str | Path) -> None:
    """Draw the noise multiplier over batch size and epochs, one panel for each target and data set size.

    Args:
        rows: of a sweep; designs without an answer stay grey.
        path: a .png, .pdf or .svg file.
    Raises:
        MissingExtraError: if matplotlib is not installed.
    """
    file = figure_path(path)
    figures, colors = _matplotlib("matplotlib.figure"), _matplotlib("matplotlib.colors")
    panels = list(dict.fromkeys((row["target"], row["dataset_size"]) for row in rows))
    values = [row["noise_multiplier"] for row in rows if row["noise_multiplier"] is not None]
    if not values:
        raise DomainError(None, problem="no design of the sweep has an answer, so there is nothing to draw")
    batches, epochs = _levels(rows, "batch_size"), _levels(rows, "epochs")
    across = min(len(panels), 3)
    down = -(-len(panels) // across)
    size = (across * (_CELL * len(batches) + 1.2) + 1.4, down * (0.5 * _CELL * len(epochs) + 1.3) + 0.4)
    figure = figures.Figure(figsize=(max(size[0], 4.5), max(size[1], 3.0)), layout="constrained")
    axes = figure.subplots(down, across, squeeze=False)
    low, high = min(values), max(values)
    norm = colors.LogNorm(low, high if high > low else low * 1.01)
    image = None
    for place, axis in enumerate(axes.flat):
        if place >= len(panels):
            axis.set_axis_off()
            continue
        target, dataset_size = panels[place]
        cells = np.full((len(epochs), len(batches)), np.nan)
        for row in rows:
            if (row["target"], row["dataset_size"]) == panels[place] and row["noise_multiplier"] is not None:
                cells[epochs.index(row["epochs"]), batches.index(row["batch_size"])] = row["noise_multiplier"]
        axis.set_facecolor("0.85")
        image = axis.imshow(cells, origin="lower", aspect="auto", norm=norm, cmap="viridis")
        _annotate(axis, cells, norm)
        axis.set_xticks(range(len(batches)), [shown(value) for value in batches])
        axis.set_yticks(range(len(epochs)), [shown(value) for value in epochs])
        axis.set_title(f"{target.replace('mu=', 'μ = ')}, {dataset_size:,} records", fontsize=10)
        axis.set_xlabel("batch size")
        axis.set_ylabel("epochs")
    bar = figure.colorbar(image, ax=axes, label="noise multiplier")
    ticks = np.geomspace(low, high, 5) if high > low else np.array([low])
    bar.set_ticks(ticks, labels=[f"{tick:.2g}" for tick in ticks])
    bar.ax.minorticks_off()
    picture = io.BytesIO()
    figure.savefig(picture, format=file.suffix.removeprefix("."), dpi=150)
    write_file(file, picture.getvalue())


def figure_path(path: str | Path) -> Path:
    """The path, if a figure can be written there."""
    file = Path(path)
    if file.suffix not in FIGURE_FORMATS:
        raise DomainError(
            None, value=str(file), problem=f"the name of the figure must end in {', '.join(FIGURE_FORMATS)}"
        )
    if not file.parent.is_dir():
        raise DomainError(None, place=str(file), problem=f"there is no folder {file.parent}")
    return file


def _annotate(axis: Any, cells: np.ndarray[Any, np.dtype[np.float64]], norm: Any) -> None:
    if cells.size > _ANNOTATED:
        return
    for (i, j), value in np.ndenumerate(cells):
        if not np.isnan(value):
            color = "black" if norm(value) > _LIGHT else "white"
            label = shown_up(float(value), 3)
            axis.text(j, i, label, ha="center", va="center", color=color, fontsize=8)


def _levels(rows: Sequence[Row], column: str) -> list[float]:
    return sorted({row[column] for row in rows})


def _matplotlib(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtraError('figures need matplotlib: pip install "gaussdp[plot]"') from None
