"""The help of every command fits a page of 80 columns and is complete."""

import shlex
from pathlib import Path

import click
import pytest

from gaussdp.cli import main
from gaussdp.cli.app import app
from gaussdp.cli.help import DefaultGroup
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
