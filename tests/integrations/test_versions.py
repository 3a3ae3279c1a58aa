import warnings

import pytest

from gaussdp.errors import MissingExtraError, UnsupportedVersionError, UntestedVersionWarning
from gaussdp.integrations import versions
from gaussdp.integrations.versions import require


@pytest.fixture(autouse=True)
def fresh():
    require.cache_clear()
    yield
    require.cache_clear()


def installed(monkeypatch, version):
    monkeypatch.setattr(versions.metadata, "version", lambda package: version)


@pytest.mark.parametrize("version", ["0.16", "0.16.0", "0.16.1rc2", "0.16.20251112001", "0.16.9+cpu"])
def test_supported(monkeypatch, version):
    installed(monkeypatch, version)
    assert require("numpy", extra="opendp", supported=">=0.16,<0.17").__name__ == "numpy"


@pytest.mark.parametrize("version", ["0.15.9", "0.9", "0", "unknown"])
def test_older_is_refused(monkeypatch, version):
    installed(monkeypatch, version)
    expected = rf'numpy must be >=0.16,<0.17, {version} is installed: pip install "gaussdp\[opendp\]"'
    with pytest.raises(UnsupportedVersionError, match=expected):
        require("numpy", extra="opendp", supported=">=0.16,<0.17")


@pytest.mark.parametrize("version", ["0.17", "0.17.0.dev1", "1.0"])
def test_newer_warns_once(monkeypatch, version):
    installed(monkeypatch, version)
    with pytest.warns(UntestedVersionWarning, match=rf"numpy {version} is newer than .*\(>=0.16,<0.17\)"):
        require("numpy", extra="opendp", supported=">=0.16,<0.17")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        require("numpy", extra="opendp", supported=">=0.16,<0.17")


def test_absent():
    for package, module in (("no-such-package", None), ("numpy", "no_such_package.part"), ("numpy", "numpy.absent")):
        with pytest.raises(MissingExtraError, match=r'pip install "gaussdp\[opendp\]"'):
            require(package, extra="opendp", supported=">=0.16,<0.17", module=module)


def test_a_library_without_one_of_its_own_needs_is_not_called_absent(monkeypatch, tmp_path):
    (tmp_path / "half_installed.py").write_text("import needed_but_absent")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="needed_but_absent") as caught:
        require("half-installed", extra="opendp", supported=">=0.16,<0.17")
    assert not isinstance(caught.value, MissingExtraError)


def test_without_metadata(monkeypatch, tmp_path):
    (tmp_path / "copied_in.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.warns(UntestedVersionWarning, match="version of copied-in cannot be told"):
        require("copied-in", extra="opendp", supported=">=0.16,<0.17")


@pytest.mark.parametrize("supported", ["0.16", ">=0.16", "<0.17", ">=a,<b", ""])
def test_a_range_is_written_one_way(supported):
    with pytest.raises(ValueError, match="must read like"):
        require("numpy", extra="opendp", supported=supported)
