"""Every example of every command's help works, and keeps to the width of the terminal without cutting a number."""

import re
import shlex
from collections import Counter
from pathlib import Path

import click
import numpy as np
import pytest

from gaussdp.cli import app as cli
from gaussdp.cli import main, options

EXAMPLES = Path(__file__).parents[2] / "examples"
WIDE, WIDTHS = 200, (80, 60)
ELSEWHERE = re.compile(  # what waits, serves, draws, writes for long, or is not text: each has tests of its own
    r"serve|paper|sweep|plot|--record|completion|certify|ledger|allocation|--follow|--out|parquet|advise$|"
    r"--format|account dpsgd --noise-multiplier 0.5"
)
PLAN = '[[releases]]\nmechanism = "laplace"\nscale = 10.0\ntimes = 3\n'
POINTS = "fpr,fnr\n0.001,0.98\n0.01,0.92\n0.1,0.65\n"
NUMBER = re.compile(r"\d[\d,.]*(?:e[-+]?\d+)?")


def commands(command, *path):
    yield command
    for name in command.list_commands(click.Context(command)) if isinstance(command, click.Group) else ():
        yield from commands(command.get_command(click.Context(command), name), *path, name)


def examples():
    found = [
        line for one in commands(cli.app) for line in re.findall(r"^ +(gaussdp .*)$", one.help or "", re.MULTILINE)
    ]
    return sorted({line for line in found if not ELSEWHERE.search(line)})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files that examples name."""
    made, random = tmp_path_factory.mktemp("files"), np.random.default_rng(0)
    for file in EXAMPLES.glob("*.toml"):
        (made / file.name).write_text(file.read_text())
    (made / "plan.toml").write_text(PLAN)
    (made / "policy.toml").write_text('aim = "membership"\n')
    for name in ("points.csv", "roc.csv"):
        (made / name).write_text(POINTS)
    members = random.random(400) < 0.5
    rows = [f"{score},{int(member)}" for score, member in zip(random.normal(size=400) + members, members, strict=True)]
    for name in ("scores.csv", "losses.csv", "canaries.csv", "trials.csv", "tuesday.csv"):
        (made / name).write_text("\n".join(["score,member", *rows]))
    return made


@pytest.mark.parametrize("example", examples())
def test_examples_at_every_width(example, folder, monkeypatch, capsys):
    shown, rendered = {}, options.text

    def at_all_widths(document, digits, width, **kwargs):
        shown.update({width: rendered(document, digits, width, **kwargs) for width in (WIDE, *WIDTHS)})
        return shown[WIDE]

    monkeypatch.chdir(folder)
    monkeypatch.setattr(options, "text", at_all_widths)
    assert main(shlex.split(example)[1:]) in (0, 1, 3), capsys.readouterr().err
    assert shown, "what it prints is not a document"
    for width in WIDTHS:
        assert "…" not in shown[width]
        assert (
            max(len(line) for line in shown[width].splitlines() if "://" not in line) <= width
        )  # addresses stay whole
        missing = Counter(NUMBER.findall(shown[WIDE])) - Counter(NUMBER.findall(shown[width]))
        assert not missing, f"cut at {width} columns"


def test_most_examples_are_tried():
    assert len(examples()) > 30
