"""docs/architecture.md is true: every room and place that it names is there; a name means one thing."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
SOURCE = ROOT / "src" / "gaussdp"


def section(title):
    return PAGE.split(f"## {title}")[1].split("\n## ")[0]


def test_the_map_names_every_room():
    named = {name.rstrip("/") for line in section("The map").splitlines() for name in re.findall(r"`([\w.]+/?)`", line)}
    rooms = {path.name for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert rooms - {"__init__.py", "__main__.py"} <= named
    inner = {path.parent.name for path in (SOURCE / "accounting").glob("*/__init__.py")}
    assert inner <= named


@pytest.mark.parametrize("place", sorted(set(re.findall(r"`((?:src|tests)/[\w./]+)`", PAGE))))
def test_every_place_to_touch_is_there(place):
    assert (ROOT / place).exists()


STOPS = set(re.findall(r"`((?:\w+/)+\w*(?:\.py)?|\w+\.py)`", section("Three walks")))


@pytest.mark.parametrize("place", sorted(STOPS))
def test_every_stop_of_a_walk_is_there(place):
    assert (SOURCE / place).exists()


def test_there_is_something_to_check():
    assert len(re.findall(r"^\| a", section("To add a …, touch …"), flags=re.MULTILINE)) >= 10


# Shapes of JSON bear the names of what they show. Public in two rooms, where each is told by its room:
# `accounting.Method` and `auditing.Method`, `auditing.Design` and `calibration.Design`.
SHAPES = SOURCE / "web" / "schemas"
TOLD_BY_THEIR_ROOM = {"Method", "Design"}


def test_a_class_name_has_one_meaning():
    places = defaultdict(set)
    for path in SOURCE.rglob("*.py"):
        if SHAPES not in path.parents:
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places[node.name].add(str(path.relative_to(SOURCE)))
    assert len(places) > 100
    twice = {name: sorted(where) for name, where in places.items() if len(where) > 1}
    assert set(twice) == TOLD_BY_THEIR_ROOM, twice


# Names of modules that stand in several rooms: what each room has of its own kind (`base`, `registry`, `document`,
# `curve`, `tails`), and the same thing seen from above (a mechanism's loss, a command, a view).
EACH_HAS_ITS_OWN = {"app", "base", "budgets", "catalogue", "closed_forms", "curve", "document", "machine", "registry"}
EACH_HAS_ITS_OWN |= {"tables", "tails"}
SEEN_FROM_ABOVE = {"account", "advise", "bent", "choose", "claims", "deployments", "gaussian", "ledger", "mixtures"}
SEEN_FROM_ABOVE |= {"paper", "report", "rules", "steps", "training"}


def test_a_module_name_has_one_meaning():
    places = defaultdict(set)
    for path in SOURCE.rglob("*.py"):
        places[path.stem].add(str(path.relative_to(SOURCE)))
    twice = {name: sorted(where) for name, where in places.items() if len(where) > 1 and name != "__init__"}
    assert set(twice) == EACH_HAS_ITS_OWN | SEEN_FROM_ABOVE, twice


# Where numbers become text: as people read them, as LaTeX, as mathtext; and the constant of the JSON schema.
WORDS_FOR_INFINITY = {"documents/rounding.py", "documents/latex.py", "figures/style.py", "web/schemas/describing.py"}


def test_infinity_is_put_into_words_in_one_place():
    found = set()
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        parsed = {
            inner
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "float"
            for inner in node.args
        }
        words = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in parsed)
        if any(node.value in ("inf", "-inf", "∞", r"\infty", r"$\infty$") for node in words):
            found.add(str(path.relative_to(SOURCE)))
    assert found - {"domains.py"} == WORDS_FOR_INFINITY  # which reads what people type


# What tests may look at: displays of notebooks, other libraries, kernels below the functions of `gaussdp.numerics`,
# and the one place where a line is kept from foreseeing that its grid is too coarse.
OF_OTHERS = {"_repr_html_", "_repr_svg_", "_exit", "_rdp", "_get_dprv"}
KERNELS = {"_extended", "_quantiles", "_profile", "_MAX_STEPS"}


def private_names(tree):
    """Names of gaussdp with an underscore: attributes that the file does not set itself, imports, what is patched."""
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            own.add(node.attr)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr not in own:
            yield node.attr
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gaussdp"):
            yield from [*node.module.split("."), *(alias.name for alias in node.names)]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "monkeypatch.setattr":
            for word in (inner.value for inner in node.args[:2] if isinstance(inner, ast.Constant)):
                yield from str(word).split(".")


def test_tests_ask_what_a_user_could_ask():
    found = defaultdict(set)
    for path in (ROOT / "tests").rglob("*.py"):
        for name in private_names(ast.parse(path.read_text(encoding="utf-8"))):
            if re.match("_[a-zA-Z]", name):
                found[name].add(path.name)
    assert set(found) == OF_OTHERS | KERNELS, found
