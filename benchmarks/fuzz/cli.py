"""Command lines made of the options that there are, with good values and hostile ones, run in this process.

What comes back is an exit code that the command has: 0, or for bad input 2 with one line on standard error; never a
traceback, a warning, or NaN.
"""

import io
import json
import os
import random
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

import click

from benchmarks.fuzz.trials import LONGEST, Find, TookTooLong, Trial, ending_within
from benchmarks.fuzz.values import TEXTS
from gaussdp.cli.app import app, main

PLAN = '[[releases]]\nmechanism = "gaussian"\nnoise_multiplier = 2.0\n'
RUN = (
    'unit = "person"\nadjacency = "add-remove"\nsampling = "poisson"\n\n[training]\nnoise_multiplier = 1.0\n'
    "dataset_size = 1000\nbatch_size = 50\nepochs = 2\n"
)
SCORES = "score,member\n" + "".join(f"{i % 7},{int(i % 3 > 0)}\n" for i in range(40))
POINTS = "fpr,tpr\n0.01,0.05\n0.1,0.3\n0.5,0.8\n"
FILES = {"plan.toml": PLAN, "run.toml": RUN, "scores.csv": SCORES, "points.csv": POINTS, "empty.toml": ""}
CODES = {"check": (0, 1, 2, 3)}

GOOD: Mapping[str, tuple[str, ...]] = {
    "at_most": ("advantage=0.3", "tpr@1e-3=0.02", "epsilon@1e-5=2"),
    "batch_size": ("10", "50"),
    "canaries": ("100",),
    "claim": ("mu=1", "epsilon=3 delta=1e-5", "(3, 1e-5)", "Eps=3", "rho=0.5"),
    "claims": ("mu=1", "epsilon=3 delta=1e-5"),
    "claim_mu": ("0.5",),
    "claim_epsilon": ("2",),
    "confidence": ("0.9", "0.95"),
    "correct": ("15",),
    "dataset_size": ("1000",),
    "delta": ("1e-5", "1e-5,1e-6"),
    "digits": ("1", "4", "17"),
    "divisors": ("5", "5,3"),
    "epochs": ("1", "2.5"),
    "epsilon": ("1", "0.5"),
    "epsilon_range": ("0.1,10",),
    "file": ("plan.toml", "run.toml", "scores.csv", "points.csv", "empty.toml", "dir.csv", "none.toml"),
    "figure": ("fig1a", "fig1b", "tradeoff", "comparison"),
    "floor": ("1e-10", "1e-4"),
    "fpr": ("1e-3", "0.01,0.1"),
    "group": ("2", "2,5"),
    "guarantees": ("mu=0.8", "ours: plan.toml", "epsilon=1"),
    "guesses": ("20",),
    "member_column": ("member",),
    "mu": ("1", "0.31"),
    "name": ("EMNIST",),
    "noise_multiplier": ("1", "0.8"),
    "only": ("budgets",),
    "points": ("ours: 0.01,0.03",),
    "power": ("0.8",),
    "prior": ("0.5", "0.1"),
    "recall": ("0.1",),
    "releases": ("10",),
    "sample_rate": ("0.01", "0.1"),
    "score_column": ("score",),
    "seed": ("0", "7"),
    "steps": ("10", "100"),
    "threshold": ("3", "0"),
    "workers": ("1",),
}
NOT_RUN = ("serve", "paper", "completion")  # a server, a long job, and a text that never changes


@cache
def commands() -> list[tuple[tuple[str, ...], click.Command]]:
    """Every command with its words."""

    def found(words: tuple[str, ...], command: click.Command) -> Iterator[tuple[tuple[str, ...], click.Command]]:
        if isinstance(command, click.Group):
            for name, child in command.commands.items():
                if name not in NOT_RUN:
                    yield from found((*words, name), child)
        else:
            yield words, command

    return list(found((), app))


def line(draw: random.Random) -> list[str]:
    """A command line: what is required, some of the rest, and here and there a hostile value."""
    words, command = draw.choice(commands())
    hostile = draw.choice((0.0, 0.1, 0.3))
    arguments = [*words]
    with click.Context(command) as context:
        parameters = command.get_params(context)
    for parameter in parameters:
        if parameter.name == "help" or (not parameter.required and draw.random() > 0.25):
            continue
        if parameter.required and draw.random() < hostile / 4:
            continue
        for _ in range(draw.choice((1, 1, 2)) if parameter.multiple else 1):
            value = _value(draw, parameter, hostile)
            if isinstance(parameter, click.Argument):
                arguments.append(value)
            else:
                flag = draw.choice(parameter.opts)
                arguments += [f"{flag}={value}"] if draw.random() < 0.2 else [flag, value]
    if draw.random() < hostile / 4:
        arguments.insert(draw.randrange(len(arguments) + 1), draw.choice((*TEXTS, "--", "-x", "--no-such", "-")))
    return arguments


def _value(draw: random.Random, parameter: click.Parameter, hostile: float) -> str:
    if draw.random() < hostile:
        text = draw.choice(TEXTS)
        return f"{draw.choice(TEXTS)},{text}" if draw.random() < 0.2 else text
    if isinstance(parameter.type, click.Choice):
        return str(draw.choice(list(parameter.type.choices)))
    if str(parameter.name) in GOOD:
        return draw.choice(GOOD[str(parameter.name)])
    if isinstance(parameter.type, click.Path):
        return draw.choice(("out.svg", "out.csv", "out.png", "out.txt", "folder", "no/such/out.svg", "dir.csv"))
    return draw.choice(TEXTS)


@contextmanager
def folder() -> Iterator[Path]:
    """A new folder to stand in, with the files that are named."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as place:
        for name, content in FILES.items():
            (Path(place) / name).write_text(content, encoding="utf-8")
        (Path(place) / "dir.csv").mkdir()
        os.chdir(place)
        try:
            yield Path(place)
        finally:
            os.chdir(before)


def judged(arguments: list[str]) -> str:
    """Run it; "answered" or "refused"."""
    out, err = io.StringIO(), io.StringIO()
    shown = "gaussdp " + " ".join(repr(word) if not word or " " in word else word[:60] for word in arguments)
    try:
        with warnings.catch_warnings(), redirect_stdout(out), redirect_stderr(err), ending_within(LONGEST):
            warnings.simplefilter("error")
            code = main(arguments)
    except (Exception, SystemExit, TookTooLong) as error:
        raise Find(f"{shown}: {type(error).__name__}: {str(error)[:300]}") from None
    if code not in CODES.get(arguments[0] if arguments else "", (0, 2)):
        raise Find(f"{shown}: exit code {code}")
    said = err.getvalue()
    if code == 2:
        if not said.startswith("gaussdp: ") or said.count("\n") != 1 or out.getvalue():
            raise Find(f"{shown}: refused with {said!r} and {out.getvalue()[:100]!r}")
        if len(said) > 700:
            raise Find(f"{shown}: refused with {len(said)} letters")
        return "refused"
    _hold(shown, out.getvalue(), json_asked="json" in arguments)
    return "answered"


def _hold(shown: str, output: str, *, json_asked: bool) -> None:
    if "nan" in output.lower().replace("nanayakkara", "").split():
        raise Find(f"{shown}: prints NaN")
    if json_asked and output.lstrip().startswith(("{", "[")):
        try:
            json.loads(output, parse_constant=_no_number)
        except ValueError as error:
            raise Find(f"{shown}: prints JSON that is none: {error}") from None


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _trial(draw: random.Random) -> str:
    with folder():
        return judged(line(draw))


AREAS: Mapping[str, Trial] = {"command lines": _trial}
