"""gaussdp deployments."""

import json

import pytest

from commands import refused
from gaussdp.cli import main
from gaussdp.published import deployments


def test_lists_them_all(capsys):
    assert main(["deployments", "--format", "json"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    assert {row["name"] for row in tables["deployments"]["rows"]} == {use.name for use in deployments()}
    assert {row["source"] for row in tables["sources"]["rows"]} == {use.source for use in deployments()}


def test_compares(capsys):
    assert main(["deployments", "--mu", "0.8", "--table", "deployments", "--format", "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].endswith("0.1733,exact,more private than yours")
    assert len(lines) == 1 + len(deployments())


def test_draws(tmp_path, capsys):
    path = tmp_path / "uses.svg"
    assert main(["deployments", "--mu", "1", "--plot", str(path)]) == 0
    assert path.read_bytes().startswith(b"<?xml")
    assert "Where μ = 1 stands" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--mu", "-1"], "mu must be in [0, inf], got -1.0"),
        (["--mu", "nan"], "NaN is not a number"),
        (["--plot", "uses.jpg"], "must end in .svg, .pdf or .png"),
        (["--plot", "no/such/place.svg"], "No such file or directory"),
        (["--format", "xml"], "'xml' is not one of"),
        (["surplus"], "unexpected extra argument"),
    ],
)
def test_bad_input(arguments, words, capsys):
    assert words in refused(capsys, "deployments", *arguments)
