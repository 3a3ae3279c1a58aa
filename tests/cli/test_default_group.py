import click
import pytest

from gaussdp.cli.help import DefaultGroup


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
