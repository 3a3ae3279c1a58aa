"""The help of every command fits a page of 80 columns and is complete."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from gaussdp.cli import main
from gaussdp.cli.app import COMMANDS, app
from gaussdp.cli.groups import DefaultGroup, first_sentence
from gaussdp.cli.reference import reference


def paths(group=app, before=()):
    """Every command and subcommand, by the words that call it."""
    yield before
    for name, command in sorted(group.commands.items()):
        yield from paths(command, (*before, name)) if isinstance(command, click.Group) else [(*before, name)]


def helped(path, monkeypatch, capsys, columns=80):
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main([*path, "--help"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("path", list(paths()), ids=lambda path: " ".join(path) or "gaussdp")
def test_help_fits_and_is_well_formed(path, monkeypatch, capsys):
    shown = helped(path, monkeypatch, capsys)
    assert max(map(len, shown.splitlines())) <= 80
    assert "\b" not in shown
    assert "\\b" not in shown
    assert "..." not in shown.partition("\nCommands:")[2], "a sentence is cut off"


@pytest.mark.parametrize("path", list(paths()), ids=lambda path: " ".join(path) or "gaussdp")
def test_folded_examples_are_the_same_commands(path, monkeypatch, capsys):
    """Whoever copies an example of several lines runs what stands on one line where there is room."""

    def examples(columns):
        joined = helped(path, monkeypatch, capsys, columns).replace("\\\n", " ")
        return [shlex.split(line) for line in joined.splitlines() if line.startswith("    gaussdp ")]

    assert examples(80) == examples(40)


@pytest.mark.parametrize(
    "arguments",
    ["choose --epsilon 1", "risk --mu 0.31", "rules", "tables", "deployments --mu 0.31", "explain --mu 0.31"],
)
@pytest.mark.parametrize("columns", [80, 60])
def test_output_keeps_to_the_columns_asked_for(arguments, columns, monkeypatch, capsys):
    def words(width):
        monkeypatch.setenv("COLUMNS", str(width))
        assert main(shlex.split(arguments)) == 0
        return capsys.readouterr().out

    narrow, wide = words(columns), words(400)
    assert max(len(line) for line in narrow.splitlines() if "https://" not in line) <= columns
    numbers = {word for word in wide.split() if word[0].isdigit()}
    assert numbers <= set(narrow.split())


@click.group(cls=DefaultGroup, default="read")
def group():
    """Say what was called."""


@group.command()
@click.argument("file")
@click.option("--loud", is_flag=True)
def read(file, loud):
    click.echo(f"read {file} {loud}")


@group.command()
def plan():
    click.echo("plan")


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (["plan"], "plan\n"),
        (["scores.csv"], "read scores.csv False\n"),
        (["--loud", "scores.csv"], "read scores.csv True\n"),
        (["read", "plan"], "read plan False\n"),
    ],
)
def test_default(arguments, output, capsys):
    group.main(arguments, standalone_mode=False)
    assert capsys.readouterr().out == output


def test_help_without_arguments(capsys):
    group.main([], standalone_mode=False)
    assert "Say what was called." in capsys.readouterr().out


PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"


def test_the_page_is_up_to_date():
    assert PAGE.read_text() == reference(), "run `make docs`"


def test_every_command_is_on_it():
    for name in app.commands:
        assert f"## gaussdp {name}\n" in reference()


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
