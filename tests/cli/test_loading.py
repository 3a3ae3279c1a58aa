"""Commands are listed without being loaded, and what is listed is true."""

import os
import subprocess
import sys

import click
import pytest

from gaussdp.cli import main
from gaussdp.cli.app import COMMANDS, app
from gaussdp.cli.help import first_sentence

LOADED = (
    "import sys; sys.argv = {argv!r}\n"
    "from gaussdp.__main__ import run\n"
    "try:\n    run()\nexcept SystemExit:\n    pass\n"
    "names = sorted({{name.removeprefix('gaussdp.') for name in sys.modules}} & {watched!r})\n"
    "print('LOADED', *names, file=sys.stderr)"
)
WATCHED = {"numpy", "scipy", "accounting", "auditing", "mechanisms", "choosing", "web", "ledger", "statements"}


def loaded(*arguments, **environment):
    """Which of the rooms and libraries that take time a call has loaded."""
    program = LOADED.format(argv=["gaussdp", *arguments], watched=WATCHED)
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    return done.stdout, set(done.stderr.splitlines()[-1].split()[1:])


def test_the_table_says_what_each_command_says():
    table = {module.rpartition(".")[2]: sentence for module, sentence in COMMANDS.items()}
    assert table == {name: first_sentence(command) for name, command in app.commands.items()}


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], []], ids=["version", "help", "nothing"])
def test_a_list_of_commands_loads_none(arguments):
    output, found = loaded(*arguments)
    assert output
    assert found == set()


def test_completion_lists_all_without_loading_any():
    output, found = loaded(_GAUSSDP_COMPLETE="zsh_complete", COMP_WORDS="gaussdp ", COMP_CWORD="1")
    told = output.splitlines()
    assert dict(zip(told[1::3], told[2::3], strict=True)) == {
        name: command.get_short_help_str() for name, command in app.commands.items()
    }
    assert found == set()


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        (["choose", "--epsilon", "1"], {"numpy", "scipy", "choosing"}),
        (["risk", "--mu", "1"], {"numpy", "scipy", "choosing"}),
        (["audit", "plan", "--mu", "1", "--claim-mu", "0"], {"numpy", "scipy", "choosing", "auditing"}),
    ],
    ids=["choose", "risk", "plan"],
)
def test_a_command_loads_what_it_needs(arguments, needed):
    output, found = loaded(*arguments)
    assert output
    assert found == needed


def test_a_name_that_is_no_command():
    assert "advise" in app.commands
    assert "no-such" not in app.commands
    assert app.get_command(click.Context(app), "no-such") is None


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
