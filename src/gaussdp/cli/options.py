"""Options that several commands share."""

import math
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

import click

from gaussdp.choosing.budgets import DEFAULT_DIVISORS
from gaussdp.documents.blocks import Document
from gaussdp.documents.rendering import DEFAULT_DIGITS, FORMATS, render
from gaussdp.documents.rounding import MOST_DIGITS, shown
from gaussdp.documents.text import ICONS, text

Command = TypeVar("Command", bound=Callable[..., Any])

_WIDEST = 200  # for pipes and files, where no terminal says how wide it is


def number(text: str) -> float:
    """A real number; NaN is refused."""
    try:
        parsed = float(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a number") from None
    if math.isnan(parsed):
        raise click.BadParameter("NaN is not a number one can use here")
    return parsed


def numbers(text: str | Sequence[float]) -> tuple[float, ...]:
    """Numbers between commas; a default comes as numbers already."""
    return tuple(number(part.strip()) for part in text.split(",")) if isinstance(text, str) else tuple(text)


def levels(flag: str, default: Sequence[float], meaning: str) -> Callable[[Command], Command]:
    """A list of levels such as --fpr 1e-3,1e-5."""
    usual = ",".join(shown(value) for value in default)
    return click.option(
        flag,
        type=numbers,
        default=tuple(default),
        metavar="N,N,...",
        help=f"{meaning}, between commas. [default: {usual}]",
    )


def prior_option(command: Command) -> Command:
    """--prior."""
    return click.option(
        "--prior",
        type=number,
        default=0.5,
        show_default=True,
        help="Probability of membership before the attack, for precision and for the share of right guesses.",
    )(command)


def rule_option(command: Command) -> Command:
    """--rule, the divisors of rules of thumb."""
    return click.option(
        "--rule",
        "divisors",
        type=numbers,
        default=DEFAULT_DIVISORS,
        metavar="K,K,...",
        help="Judge the rules of thumb μ = ε/K for these K.  [default: 5,3]",
    )(command)


def floor_option(default: float) -> Callable[[Command], Command]:
    """--floor, of a fitted mu."""
    return click.option(
        "--floor",
        type=number,
        default=default,
        help=f"Smallest error rate of the attacks that the fitted μ speaks about.  [default: {shown(default)}]",
    )


def output_options(tables: Sequence[str], digits: int | None = DEFAULT_DIGITS) -> Callable[[Command], Command]:
    """--format, --digits and --table, which every command with tables has; without digits the tables know their own."""
    side = "Significant digits, rounded to the side of less privacy."

    def decorate(command: Command) -> Command:
        for option in (
            click.option(
                "--table",
                "only",
                type=click.Choice(tables),
                multiple=True,
                help="Show this table only (give it again for another).  [default: all]",
            ),
            click.option(
                "--digits",
                type=click.IntRange(1, MOST_DIGITS),
                default=digits,
                show_default=digits is not None,
                help=side if digits else "Significant digits.  [default: as the paper, or 4 if one-sided]",
            ),
            click.option(
                "--format",
                "style",
                type=click.Choice(FORMATS),
                default="text",
                show_default=True,
                help="How to print; the numbers are the same in each.",
            ),
        ):
            command = option(command)
        return command

    return decorate


def waiting(text: str) -> AbstractContextManager[object]:
    """A spinner on standard error while something long runs, if somebody looks on."""
    from rich.console import Console

    console = Console(stderr=True)
    return console.status(text) if console.is_terminal else nullcontext()


def show(document: Document, style: str, digits: int, only: Sequence[str] = ()) -> None:
    """Print the document, or the tables asked for, in the style asked for."""
    chosen = document.only(only)
    if style == "text":
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _WIDEST
        click.echo(text(chosen, digits, width, ascii_icons=not _shows_icons()), nl=False)
    else:
        click.echo(render(chosen, style, digits), nl=False)


def _shows_icons() -> bool:
    """Whether the terminal has the symbols."""
    try:
        "".join(ICONS).encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
