"""Objects of other libraries find the integration that knows them, which is imported for nothing else."""

import subprocess
import sys

import pytest

from gaussdp import registry
from gaussdp.accounting import account
from gaussdp.errors import DomainError
from gaussdp.mechanisms import Gaussian


@pytest.fixture
def adapter():
    """A library `elsewhere` and the integration that serves it."""
    registry.register("elsewhere", lambda thing, adjacency: Gaussian(thing.noise, adjacency or "add-remove"))


def made(name, base=object):
    kind = type("Release", (base,), {"__module__": name, "noise": 2.0})
    return kind()


@pytest.mark.parametrize("name", ["elsewhere", "elsewhere.events.inner"])
def test_found_by_the_package_that_defines_the_type(adapter, name):
    assert account(made(name)).mechanism == Gaussian(2.0)
    assert account(made(name), adjacency="replace-one").mechanism == Gaussian(2.0, "replace-one")
    assert account(made(name)).fit().mu == 0.5


def test_found_by_an_ancestor(adapter):
    assert account(made("user_code", type(made("elsewhere")))).mechanism == Gaussian(2.0)


@pytest.mark.parametrize("name", ["user_code", "elsewhere_else", "inner.elsewhere"])
def test_unknown(adapter, name):
    with pytest.raises(DomainError, match="mechanism must be a mechanism, got Release"):
        account(made(name))


def test_an_integration_registers_itself_when_it_is_loaded():
    loaded = []

    def load(package):
        loaded.append(package)
        registry.register(package, lambda thing, adjacency: Gaussian(2.0))

    before = registry.load_with(load)
    try:
        assert account(made("a_newcomer.events")).mechanism == Gaussian(2.0)
        assert account(made("a_newcomer")).mechanism == Gaussian(2.0)
    finally:
        registry.load_with(before)
    assert loaded == ["a_newcomer"]


def test_no_integration_is_imported_before_its_objects_come():
    code = (
        "import sys, gaussdp; from gaussdp.errors import DomainError\n"
        "try: gaussdp.account(3.0)\n"
        "except DomainError: pass\n"
        "libraries = {'diffprivlib', 'dp_accounting', 'opendp', 'opacus'}\n"
        "print([name for name in sys.modules if name in libraries or name.startswith('gaussdp.integrations')])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
