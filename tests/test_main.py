"""python -m gaussdp is the command line, with its exit codes."""

import subprocess
import sys

import pytest

import gaussdp
from gaussdp import __main__


@pytest.mark.parametrize("code", [0, 2])
def test_the_exit_code_is_that_of_the_command_line(monkeypatch, code):
    monkeypatch.setattr("gaussdp.cli.main", lambda: code)
    with pytest.raises(SystemExit) as caught:
        __main__.run()
    assert caught.value.code == code


def test_as_a_module():
    def called(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "gaussdp", *arguments], capture_output=True, text=True, check=False
        )

    good = called("risk", "--mu", "1", "--format", "csv")
    assert (good.returncode, good.stderr) == (0, "")
    assert "0.38" in good.stdout  # the advantage erf(1 / 2 sqrt 2)
    bad = called("risk", "--mu", "-1")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert len(bad.stderr.splitlines()) == 1
    assert "mu must be in [0, inf], got -1" in bad.stderr
    assert gaussdp.__version__ in called("--version").stdout
