"""Options that several commands share."""

import math
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click
from click.types import IntParamType

from gaussdp.choosing.budgets import DEFAULT_DIVISORS
from gaussdp.choosing.requirements import notations
from gaussdp.documents.blocks import Document
from gaussdp.documents.files import check_file, check_folder
from gaussdp.documents.rendering import DEFAULT_DIGITS, FORMATS, PROSE_FORMATS, render
from gaussdp.documents.rounding import MOST_DIGITS, shown
from gaussdp.documents.text import ICONS, text
from gaussdp.domains import written_number, written_whole
from gaussdp.risks import Level, Risk, by_level, criteria
from gaussdp.risks.levels import capital

Command = TypeVar("Command", bound=Callable[..., Any])

_MADE = "gaussdp.options.made"
_WIDEST = 200  # for pipes and files, where neither a terminal nor COLUMNS says how wide it is

_LISTED = 60  # characters of choices that stand beside an option's name


def number(text: str | float) -> float:
    """A real number; NaN is refused. A default comes as a number already."""
    try:
        parsed = written_number(text) if isinstance(text, str) else text
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a number") from None
    if math.isnan(parsed):
        raise click.BadParameter("NaN is not a number one can use here")
    return parsed


class Whole(IntParamType):
    """Any whole number in plain digits; the library says which it may be."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        return super().convert(whole(value), param, ctx)


class WholeRange(click.IntRange):
    """A whole number in a range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        return super().convert(whole(value), param, ctx)


def whole(text: str | int) -> int:
    """A whole number; a default comes as a number already."""
    try:
        return written_whole(text) if isinstance(text, str) else text
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a whole number") from None


class OutputFile(click.Path):
    """A file to write; refused before anything is computed where none can be."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = super().convert(value, param, ctx)
        check_file(found)  # type: ignore[arg-type]
        return found


class OutputFolder(click.Path):
    """A directory to write files into; refused before anything is computed where none can be."""

    def __init__(self) -> None:
        super().__init__(file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = super().convert(value, param, ctx)
        check_folder(found)  # type: ignore[arg-type]
        return found


def folder_option(*names: str, words: str, required: bool = False) -> Callable[[Command], Command]:
    """A directory to write files into, and --overwrite for those that are there."""

    def decorate(command: Command) -> Command:
        over = click.option("--overwrite", is_flag=True, help="Replace files of that directory that exist already.")
        return click.option(*names, type=OutputFolder(), required=required, help=words)(over(command))

    return decorate


def numbers(text: str | Sequence[float]) -> tuple[float, ...]:
    """Numbers between commas; a default comes as numbers already."""
    return tuple(number(part.strip()) for part in text.split(",")) if isinstance(text, str) else tuple(text)


def levels(flag: str, default: Sequence[float], meaning: str) -> Callable[[Command], Command]:
    """A list of levels such as --fpr 1e-3,1e-5."""
    return click.option(
        flag,
        type=numbers,
        default=tuple(default),
        metavar="N,N,...",
        help=f"{meaning}, between commas. [default: {_listed(default)}]",
    )


def _listed(values: Sequence[float]) -> str:
    return ",".join(shown(value) for value in values)


class _Late(click.Option):
    """Stands for options that are made when they are needed, so that what was registered meanwhile is among them."""

    def __init__(self, declared: Sequence[str], make: Callable[[], Iterable[click.Option]]) -> None:
        super().__init__(declared, expose_value=False)
        self.opts = []  # it is none itself
        self.make = make


class LateCommand(click.Command):
    """A command some of whose options depend on what is registered."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        made: dict[_Late, list[click.Option]] = ctx.meta.setdefault(_MADE, {})  # once, so that their order is known
        found: list[click.Parameter] = []
        for parameter in super().get_params(ctx):
            if isinstance(parameter, _Late):
                if parameter not in made:
                    made[parameter] = list(parameter.make())
                found += made[parameter]
            else:
                found.append(parameter)
        return found


def late(make: Callable[[], Iterable[click.Option]]) -> Callable[[Command], Command]:
    """Options of a `LateCommand`, made when they are needed."""
    return click.option("--late", cls=_Late, make=make)


def level_options(
    meaning: Callable[[Level, Sequence[type[Risk]]], str],
    *,
    one: bool = False,
    of: Callable[[], Sequence[type[Risk]]] = criteria,
    renamed: Mapping[str, str] | None = None,
) -> Callable[[Command], Command]:
    """An option for each level of the risks on offer; the command gets them together as `levels`, by key.

    Args:
        meaning: the help for a level, which these risks have.
        one: whether each takes one number, and need not be given, instead of a list with the usual ones as default.
        of: the risks on offer.
        renamed: what the option of a level is called, by its key, where that is taken.
    """
    names = renamed or {}

    def keep(key: str, ctx: click.Context, option: click.Parameter, value: object) -> None:
        ctx.params.setdefault("levels", {})[key] = value

    def made() -> Iterator[click.Option]:
        for level, risks in by_level(of()).items():
            words, name = meaning(level, risks), names.get(level.key, level.key)
            yield click.Option(
                [f"--{name.replace('_', '-')}", name.replace("-", "_")],
                type=number if one else numbers,
                default=None if one else level.usual,
                metavar=None if one else "N,N,...",
                help=f"{words}." if one else f"{words}, between commas. [default: {_listed(level.usual)}]",
                callback=partial(keep, level.key),
                expose_value=False,
            )

    return late(made)


def matching(level: Level, risks: Sequence[type[Risk]]) -> str:
    """The help for levels at which criteria are matched."""
    return f"{capital(level.plural)} at which to match {' and '.join(risk.phrase for risk in risks)}"


def criterion_option(words: str, *, multiple: bool = False) -> Callable[[Command], Command]:
    """--criterion, any of those that are registered."""

    def made() -> Iterator[click.Option]:
        names = [risk.key.replace("_", "-") for risk in criteria()]
        name = "criteria" if multiple else "criterion"
        yield click.Option(["--criterion", name], type=click.Choice(names), multiple=multiple, help=words)

    return late(made)


def at_most_option(
    words: str, *, multiple: bool = False, callback: Callable[..., object] | None = None
) -> Callable[[Command], Command]:
    """--at-most, a bound on any of the risks that are registered."""

    def made() -> Iterator[click.Option]:
        listed = f"{words}: {', '.join(notations())}."
        yield click.Option(["--at-most"], metavar="RISK=VALUE", multiple=multiple, help=listed, callback=callback)

    return late(made)


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


def output_options(
    tables: Sequence[str] | Callable[[], Sequence[str]], digits: int | None = DEFAULT_DIGITS
) -> Callable[[Command], Command]:
    """--format, --digits and --table, which every command with tables has; without digits the tables know their own.

    Args:
        tables: their keys; for a `LateCommand`, what gives them.
        digits: the default.
    """
    side = "Significant digits, rounded to the side of less privacy."
    flags, which = ("--table", "only"), "Show this table only (give it again for another)"

    def table(keys: Sequence[str]) -> dict[str, Any]:
        """How the option is set: a list of keys that is wider than a page stands in the words beside it."""
        listed = {"type": click.Choice(keys), "multiple": True}
        if sum(map(len, keys)) < _LISTED:
            return {**listed, "help": f"{which}.  [default: all]"}
        return {**listed, "help": f"{which}: {', '.join(keys)}.  [default: all]", "metavar": "TABLE"}

    def decorate(command: Command) -> Command:
        for option in (
            late(lambda: [click.Option(flags, **table(tables()))])
            if callable(tables)
            else click.option(*flags, **table(tables)),
            click.option(
                "--digits",
                type=WholeRange(1, MOST_DIGITS),
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


def style_option(words: str = "How to print.") -> Callable[[Command], Command]:
    """--format of documents with sections, as `style`."""
    formats = click.Choice(PROSE_FORMATS)
    return click.option("--format", "style", type=formats, default="text", show_default=True, help=words)


def waiting(text: str) -> AbstractContextManager[object]:
    """A spinner on standard error while something long runs, if somebody looks on."""
    from rich.console import Console

    console = Console(stderr=True)
    return console.status(text) if console.is_terminal else nullcontext()


@contextmanager
def announcing(words: str) -> Iterator[Callable[[int, int, str], None]]:
    """What tells how far something long has come: a bar on standard error, if somebody looks on."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda done, total, name: None
        return
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(words, total=None)
        yield lambda done, total, name: progress.update(task, completed=done, total=total, description=name)


def show(document: Document, style: str, digits: int, only: Sequence[str] = ()) -> None:
    """Print the document, or the tables asked for, in the style asked for."""
    chosen = document.only(only)
    if style == "text":
        asked = sys.stdout.isatty() or "COLUMNS" in os.environ
        width = shutil.get_terminal_size().columns if asked else _WIDEST
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
