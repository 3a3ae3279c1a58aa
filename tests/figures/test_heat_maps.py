import sys

import pytest

import gaussdp
from gaussdp.calibration import grid
from gaussdp.figures.maps import heat_map

DESIGNS = grid(["mu=0.5", "advantage=0.1"], [1000], [10, 20], [1, 2])
ROWS = [{**design.inputs(), "noise_multiplier": 1.0 + i} for i, design in enumerate(DESIGNS)]


@pytest.mark.parametrize(("name", "start"), [("map.png", b"\x89PNG"), ("map.pdf", b"%PDF"), ("map.svg", b"<?xml")])
def test_formats(name, start, tmp_path):
    pytest.importorskip("matplotlib")
    heat_map(ROWS, tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(start)


def test_one_value_and_designs_without_an_answer(tmp_path):
    pytest.importorskip("matplotlib")
    heat_map([ROWS[0], {**ROWS[1], "noise_multiplier": None}], tmp_path / "map.png")
    with pytest.raises(gaussdp.DomainError, match="nothing to draw"):
        heat_map([{**ROWS[0], "noise_multiplier": None}], tmp_path / "map.png")


def test_bad_input(tmp_path, monkeypatch):
    with pytest.raises(gaussdp.DomainError, match=r"must end in \.png"):
        heat_map(ROWS, tmp_path / "map.gif")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(gaussdp.MissingExtraError, match=r'pip install "gaussdp\[plot\]"'):
        heat_map(ROWS, tmp_path / "map.png")
