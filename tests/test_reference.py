"""The Python reference: every public name says what it is, with an example that runs; mathematics with its source."""

import inspect
import sys
from pathlib import Path

import pytest

from gaussdp import Guarantee, Mechanism, Risk
from gaussdp.auditing.methods import Method

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "site"))

import reference

NAMES = [(page, name) for page in reference.families() for name in reference.names(page)]
ABSTRACT = (Risk, Mechanism)  # each of whose kinds has a formula of its own
ALIASES = ("gaussdp.mechanisms.Adjacency",)


def value(name):
    thing = __import__("gaussdp")
    for part in name.split(".")[1:]:
        thing = getattr(thing, part)
    return thing


@pytest.mark.parametrize(("page", "name"), NAMES, ids=[name for _, name in NAMES])
def test_every_name_has_what_a_reader_needs(page, name):
    if name in ALIASES:
        return
    thing = value(name)
    words = inspect.getdoc(thing) or ""
    assert ">>> " in words, "an example; the tests run it"
    if page == "conversions" or (
        inspect.isclass(thing) and issubclass(thing, Guarantee | Mechanism | Risk | Method) and thing not in ABSTRACT
    ):
        assert "math:" in words, "its formula"
        assert "Reference: " in words, "its source"
