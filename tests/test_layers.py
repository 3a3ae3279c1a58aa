"""Imports point down only, at every level and whenever they run; importing gaussdp stays light."""

import ast
import subprocess
import sys
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "gaussdp"
LAYERS = [
    "words",
    "errors",
    "registry",
    "domains",
    "objects",
    "interrupts",
    "documents",
    "numerics",
    "conversions",
    "guarantees",
    "risks",
    "choosing",
    "mechanisms",
    "accounting",
    "calibration",
    "auditing",
    "published",
    "figures",
    "statements",
    "explaining",
    "ledger",
    "advising",
    "paper",
    "integrations",
    "web",
    "cli",
]
ROOMS = [
    ("readings",),
    ("operating_points", "read_curve", "fitted", "plain_gaussians"),
    ("inversion",),
    ("loss",),
    ("lines", "density", "allocation"),
    ("distribution",),
    ("composed", "enclosed"),
    ("fit", "directions", "certified"),
    ("curve",),
    ("accountant",),
    ("document", "bounds"),
]
TOP = ("__init__.py", "__main__.py")  # the top of the tree, which brings the layers together
FILES = sorted(path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).parts[0] not in TOP)
NAMES = {path: ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts) for path in FILES}
MODULES = {name.removesuffix(".__init__"): path for path, name in NAMES.items()}


def for_types_only(tree):
    """The statements under `if TYPE_CHECKING`, which never run."""
    blocks = (node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test))
    return {inner for block in blocks for statement in block.body for inner in ast.walk(statement)}


def imports_of(path, *, running=False):
    """The modules of gaussdp that a file imports, at once or later, by name or as a string; as (module, name)."""
    tree = ast.parse(path.read_text())
    idle = for_types_only(tree) if running else set()
    for node in ast.walk(tree):
        if node in idle:
            continue
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "gaussdp":
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "gaussdp")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in MODULES:
            yield node.value


def graph(part_of):
    """Which part imports which others, for parts of modules."""
    found = defaultdict(set)
    for path in FILES:
        own = part_of(NAMES[path].removesuffix(".__init__"))
        found[own] |= {part_of(module) for module in imports_of(path, running=True) if module in MODULES} - {own}
    return found


def room(module):
    """The room of a module: the folder inside its package, or the module itself where it stands in none."""
    return ".".join(module.split(".")[:3]) if module.count(".") > 2 else module


def test_there_is_something_to_check():
    assert len(FILES) > 100
    assert any("gaussdp.numerics" in module for path in FILES for module in imports_of(path))


def test_every_file_has_a_layer():
    assert {path.relative_to(SOURCE).parts[0].removesuffix(".py") for path in FILES} == set(LAYERS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_down(path):
    own = LAYERS.index(path.relative_to(SOURCE).parts[0].removesuffix(".py"))
    for module in imports_of(path):
        if module != "gaussdp":
            assert LAYERS.index(module.split(".")[1]) <= own, f"{path.name} is below {module}"


@pytest.mark.parametrize("part_of", [lambda module: module, room], ids=["files", "rooms"])
def test_there_are_no_cycles(part_of):
    try:
        TopologicalSorter(graph(part_of)).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def test_rooms_of_accounting_import_one_way():
    """A room imports from itself and from rooms before it, never from a neighbour."""
    rank = {f"gaussdp.accounting.{name}": place for place, names in enumerate(ROOMS) for name in names}
    found = {own: others for own, others in graph(room).items() if own.startswith("gaussdp.accounting.")}
    assert set(found) == set(rank)
    for own, others in found.items():
        wrong = [other for other in others if other in rank and rank[other] >= rank[own]]
        assert wrong == [], f"{own} imports {wrong}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_private_modules_stay_in_their_folder(path):
    own = path.relative_to(SOURCE).parts
    for module in imports_of(path):
        parts = module.split(".")[1:]
        private = next((place for place, name in enumerate(parts) if name.startswith("_")), 0)
        assert own[:private] == tuple(parts[:private]), f"{path.name} reaches into {module}"


def test_importing_gaussdp_is_light():
    code = (
        "import sys, gaussdp; heavy = {'numpy', 'scipy', 'matplotlib', 'dp_accounting', 'click', "
        "'rich', 'pandas', 'polars', 'torch', 'jax', 'sqlalchemy', "
        "'gaussdp.accounting', 'gaussdp.mechanisms'}; print(sorted(heavy & set(sys.modules)))"
    )
    assert printed(code) == "[]"


def test_computing_with_curves_loads_no_heavy_part_of_scipy():
    code = (
        "import sys, gaussdp; gaussdp.choose(gaussdp.PureDP(1.0)); gaussdp.account(gaussdp.Gaussian(1.0)).fit(1e-6); "
        "heavy = {'scipy.stats', 'scipy.optimize', 'scipy.interpolate', 'matplotlib', 'click', 'rich'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    assert printed(code) == "[]"


def printed(code):
    """What a program prints, in a process of its own."""
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    return output.strip()
