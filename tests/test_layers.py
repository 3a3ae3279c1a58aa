"""Imports point down the list only, and importing gaussdp stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "gaussdp"
LAYERS = [
    "errors",
    "displays",
    "adapters",
    "domains",
    "numerics",
    "conversions",
    "guarantees",
    "risks",
    "choosing",
    "mechanisms",
    "accounting",
    "calibration",
    "auditing",
    "report",
    "integrations",
    "web",
    "cli",
]
FILES = [
    path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).parts[0] not in ("__init__.py", "__main__.py")
]


def layer_of(module):
    return LAYERS.index(module.split(".")[1])


def imports_of(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "gaussdp":
                yield from (f"gaussdp.{alias.name}" for alias in node.names)
            elif node.module.startswith("gaussdp."):
                yield node.module
                yield from (f"{node.module}.{alias.name}" for alias in node.names if alias.name.startswith("_"))
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("gaussdp"))


def test_there_is_something_to_check():
    assert len(FILES) > 20
    assert any("gaussdp.numerics" in name for path in FILES for name in imports_of(path))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_down(path):
    own = LAYERS.index(path.relative_to(SOURCE).parts[0].removesuffix(".py"))
    for module in imports_of(path):
        assert layer_of(module) <= own, f"{path.name} is below {module}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_private_modules_stay_in_their_folder(path):
    own = path.relative_to(SOURCE).parts
    for module in imports_of(path):
        parts = module.split(".")[1:]
        private = next((place for place, name in enumerate(parts) if name.startswith("_")), 0)
        assert own[:private] == tuple(parts[:private]), f"{path.name} reaches into {module}"


def test_importing_gaussdp_is_light():
    code = (
        "import sys, gaussdp; heavy = {'scipy.stats', 'scipy.optimize', 'matplotlib', 'dp_accounting', 'click', "
        "'rich', 'pandas', 'polars', 'torch', 'jax', "
        "'gaussdp.accounting', 'gaussdp.mechanisms'}; print(sorted(heavy & set(sys.modules)))"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.strip() == "[]"


ROOMS = [
    ("columns", "descriptions"),
    ("readings",),
    ("operating_points",),
    ("inversion",),
    ("loss",),
    ("lines", "density", "distribution"),
    ("composed",),
    ("fit", "directions"),
    ("curve",),
    ("accountant",),
]
ACCOUNTING = [path for path in (SOURCE / "accounting").rglob("*.py") if path.parent.name != path.name != "__init__.py"]


@pytest.mark.parametrize("path", ACCOUNTING, ids=lambda path: str(path.relative_to(SOURCE)))
def test_rooms_of_accounting_import_one_way(path):
    """A room imports from itself and from rooms before it, never from a neighbour."""

    def room(name):
        return next(place for place, names in enumerate(ROOMS) if name in names)

    own = path.relative_to(SOURCE / "accounting").parts[0].removesuffix(".py")
    for module in imports_of(path):
        parts = module.split(".")
        if parts[1] == "accounting":
            assert parts[2] == own or room(parts[2]) < room(own), f"{own} imports {module}"
