"""Objects of other libraries find the integration that knows them, which is imported for nothing else."""

import subprocess
import sys
from types import ModuleType

import pytest

from gaussdp.accounting import account, adapters
from gaussdp.errors import DomainError
from gaussdp.mechanisms import Gaussian


@pytest.fixture
def adapter(monkeypatch):
    """A library `elsewhere` and the integration that serves it."""
    module = ModuleType("integration_of_elsewhere")
    module.adapted = lambda thing, adjacency: Gaussian(thing.noise, adjacency or "add-remove")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(adapters._ADAPTERS, "elsewhere", module.__name__)


def made(name, base=object):
    kind = type("Release", (base,), {"__module__": name, "noise": 2.0})
    return kind()


@pytest.mark.parametrize("name", ["elsewhere", "elsewhere.events.inner"])
def test_found_by_the_package_that_defines_the_type(adapter, name):
    assert adapters.adapted(made(name), None) == Gaussian(2.0)
    assert adapters.adapted(made(name), "replace-one") == Gaussian(2.0, "replace-one")
    assert account(made(name)).fit().mu == 0.5


def test_found_by_an_ancestor(adapter):
    assert adapters.adapted(made("user_code", type(made("elsewhere"))), None) == Gaussian(2.0)


@pytest.mark.parametrize("name", ["user_code", "elsewhere_else", "inner.elsewhere"])
def test_unknown(adapter, name):
    assert adapters.adapted(made(name), None) is None
    with pytest.raises(DomainError, match="mechanism must be a mechanism, got Release"):
        account(made(name))


def test_every_integration_that_is_named_is_there():
    for name in adapters._ADAPTERS.values():
        assert callable(__import__(name, fromlist=["adapted"]).adapted)


def test_no_integration_is_imported_before_its_objects_come():
    code = (
        "import sys; from gaussdp.accounting import adapters; adapters.adapted(3.0, None);"
        "print([name for name in (*adapters._ADAPTERS, *adapters._ADAPTERS.values()) if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
