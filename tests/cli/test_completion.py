import os
import subprocess
import sys

import pytest

from gaussdp.cli import main


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_script(shell, capsys):
    assert main(["completion", shell]) == 0
    assert "_GAUSSDP_COMPLETE" in capsys.readouterr().out


def test_a_shell_that_asks_gets_our_options():
    environment = {
        **os.environ,
        "_GAUSSDP_COMPLETE": "bash_complete",
        "COMP_WORDS": "gaussdp choose --eps",
        "COMP_CWORD": "2",
    }
    program = "import sys; sys.argv[0] = 'gaussdp'; from gaussdp.__main__ import run; run()"
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert "--epsilon" in done.stdout
