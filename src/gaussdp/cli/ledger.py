"""gaussdp ledger: the budget book of an organisation."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gaussdp.cli.groups import Overview
from gaussdp.cli.options import (
    OutputFile,
    Whole,
    WholeRange,
    folder_option,
    number,
    numbers,
    output_options,
    show,
    style_option,
)
from gaussdp.documents.files import file_text, parsed, write_file, write_files
from gaussdp.documents.rendering import PROSE_FORMATS, document_files
from gaussdp.documents.rounding import MOST_DIGITS, shown
from gaussdp.figures import format_of
from gaussdp.guarantees import GDP
from gaussdp.mechanisms.base import ADJACENCIES
from gaussdp.statements.run import Run

if TYPE_CHECKING:
    from gaussdp.ledger import Entry, Ledger

Command = TypeVar("Command", bound=Callable[..., Any])

NOT_WHOLE = 1
"""The exit code of `verify` for a book that is not whole."""

_book_option = click.option(
    "--book",
    envvar="GAUSSDP_LEDGER",
    required=True,
    metavar="URL",
    help="The book: a file, sqlite:///budget.db, or postgresql+psycopg://user@host/database.  [env: GAUSSDP_LEDGER]",
)
_RELEASE = (
    'RELEASE is what to charge: "mu=0.25", "noise=20" (the noise multiplier of a Gaussian release), "epsilon=1", '
    '"epsilon=1 delta=1e-6", "rho=0.1", or a plan or run file.'
)


@click.group(cls=Overview)
def ledger() -> None:
    """Keep an organisation's privacy budget: reserved before noise is drawn, never overspent.

    \b
    Examples:
      export GAUSSDP_LEDGER=sqlite:///budget.db
      gaussdp ledger create --unit "one person" --adjacency add-remove
      gaussdp ledger open health/2027 --mu 1 --slack 1e-9
      gaussdp ledger reserve health/2027 noise=20 --key table-7 --purpose "monthly table"
      gaussdp ledger commit table-7
      gaussdp ledger show --plot budget.svg
      gaussdp ledger verify
    """


def _opened(url: str) -> "Ledger":
    from gaussdp.ledger import Ledger  # only this command needs its database

    return Ledger.open(url)


@ledger.command()
@_book_option
@click.option("--unit", required=True, help='Whom the budgets protect, such as "one person".')
@click.option(
    "--adjacency", type=click.Choice(list(ADJACENCIES)), required=True, help="Which data sets are neighbours."
)
def create(book: str, unit: str, adjacency: Any) -> None:
    """Make a book; its unit and its adjacency are the meaning of every μ in it, for good."""
    from gaussdp.ledger import Ledger

    with Ledger.create(book, unit=unit, adjacency=adjacency) as made:
        click.echo(f"A book for {made.unit}, {ADJACENCIES[made.adjacency].label}: {made.place}")


@ledger.command("open")
@click.argument("budget")
@_book_option
@click.option("--mu", type=number, required=True, help="All that may be spent.")
@click.option("--slack", type=number, default=0.0, help="The sum of the slacks of its releases.  [default: 0]")
@click.option("--within", multiple=True, metavar="BUDGET", help="A budget that it lies within (again for another).")
@click.option("--period", default="", help='What it is for if it may be renewed, such as "year".')
@click.option("--per-person", is_flag=True, help="Each person has it, instead of all together.")
@click.option("--purpose", default="", help="What it is for, in words.")
def open_(budget: str, book: str, mu: float, **others: Any) -> None:
    """Open a BUDGET."""
    with _opened(book) as opened:
        made = opened.open_budget(budget, GDP(mu), **others)
        inside = f" within {', '.join(made.within)}" if made.within else ""
        click.echo(f"Budget {made.name}: μ = {shown(made.total.mu)}{inside}")


def _release_options(command: Command) -> Command:
    for option in (
        click.option("--people", type=click.Path(dir_okay=False), help="CSV or Parquet file of who is in the data."),
        click.option("--column", default="person", show_default=True, help="Its column that holds them."),
        click.option("--floor", type=number, help="Of the fit, for what is not exactly GDP: a smaller one less slack."),
        click.option(
            "--stated-for",
            type=click.Choice(list(ADJACENCIES)),
            help="The neighbours that a stated guarantee speaks about, if not those of the book.",
        ),
    ):
        command = option(command)
    return command


def _release(text: str) -> object:
    """What a text or a file says is released."""
    from gaussdp.ledger.plain import release_of

    if "=" in text and not Path(text).exists():
        return release_of(text)
    content = parsed(*file_text(text))
    return Run.read(text) if isinstance(content, dict) and "unit" in content else text


def _people(people: str | None, column: str) -> Any:
    from gaussdp.ledger import People

    return {} if people is None else {"people": People(people, column)}


@ledger.command(epilog=_RELEASE)
@click.argument("budget")
@click.argument("release")
@_book_option
@click.option("--key", required=True, help="Of this release, which no other has.")
@click.option("--purpose", default="", help="What it is for, in words.")
@_release_options
def reserve(budget: str, release: str, book: str, people: str | None, column: str, **others: Any) -> None:
    """Take what RELEASE needs from BUDGET and all that it lies within, before its noise is drawn."""
    with _opened(book) as opened:
        entry = opened.reserve(budget, _release(release), **others, **_people(people, column))
        click.echo(_told(entry))
        if entry.repeated:
            click.echo("gaussdp: this was reserved before; do not release a second time", err=True)


@ledger.command()
@click.argument("key")
@_book_option
def commit(key: str, book: str) -> None:
    """Say that the release of KEY came out."""
    with _opened(book) as opened:
        click.echo(_told(opened.commit(key)))


@ledger.command()
@click.argument("key")
@_book_option
@click.option("--reason", required=True, help="Why nothing came out, nor will; it is kept.")
@click.option("--nothing-was-released", is_flag=True, required=True, help="The statement that this is so.")
def refund(key: str, book: str, reason: str, nothing_was_released: bool) -> None:
    """Give back what was reserved for KEY, because nothing came out."""
    if not nothing_was_released:
        raise click.UsageError("a refund needs --nothing-was-released: what came out stays spent")
    with _opened(book) as opened:
        click.echo(_told(opened.refund(key, reason=reason)))


@ledger.command()
@click.argument("budget")
@_book_option
@click.option("--reason", required=True, help="Why it may be spent again; it is kept.")
def renew(budget: str, book: str, reason: str) -> None:
    """Begin another period of BUDGET. Privacy loss does not renew."""
    with _opened(book) as opened:
        entry = opened.renew(budget, reason=reason)
        click.echo(f"{_told(entry)}. {entry.content['says']}")


def _told(entry: "Entry") -> str:
    charge = f": {entry.guarantee.stated(digits=6)}" if entry.kind == "reserve" else ""
    about = f" {entry.key}" if entry.key else ""
    return f"Entry {entry.seq}, {entry.kind}{about} of {entry.budget}{charge}"


@ledger.command("show")
@click.argument("budget", required=False)
@_book_option
@click.option("--plot", type=OutputFile(), help="Also draw BUDGET over time into this file.")
@output_options(["budgets"])
def show_(budget: str | None, book: str, plot: Path | None, style: str, digits: int, only: Sequence[str]) -> None:
    """What BUDGET, or every budget, has spent and has left."""
    from gaussdp.ledger.budgets import budgets_document

    ending = format_of(plot) if plot else ""
    with _opened(book) as opened:
        if plot:
            if budget is None:
                raise click.UsageError("--plot draws one budget; name it")
            write_file(plot, opened.figure(budget, ending)[ending])
        found = opened.budgets() if budget is None else [opened.budget(budget)]
        show(budgets_document(found, f"Budgets for {opened.unit}"), style, digits, only)


@ledger.command()
@click.argument("budget", required=False)
@_book_option
@click.option(
    "--last",
    type=WholeRange(1, 10**6),
    default=1000,
    show_default=True,
    help="So many of the latest entries; `export` writes all.",
)
@output_options(["history"])
def history(budget: str | None, book: str, last: int, style: str, digits: int, only: Sequence[str]) -> None:
    """What happened to BUDGET and those within it, or in the whole book."""
    from gaussdp.ledger.document import history_document

    with _opened(book) as opened:
        entries = opened.entries(budget, last=last)
        show(history_document(entries, f"History of {budget or 'the book'}"), style, digits, only)


@ledger.command()
@_book_option
@click.option("--head", help="Looks for this hash, which you noted earlier: it shows whether entries were cut off.")
@style_option()
def verify(book: str, head: str | None, style: str) -> int:
    """Replay the book: every hash and every balance recomputed, every table, index and trigger compared.

    The exit code is 0 if it is whole, 1 if it is not.
    """
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with _opened(book) as opened, Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("Replaying", total=None)
        found = opened.verify(head, lambda done, total: bar.update(task, completed=done, total=total))
    show(found.document(), style, 4)
    return 0 if found.ok else NOT_WHOLE


@ledger.command()
@click.argument("budget")
@_book_option
@click.option("--releases", type=Whole(), help="Split over so many releases, all alike.")
@click.option("--weights", type=numbers, metavar="N,N,...", help="Split by these weights of the squares of μ.")
@click.option("--release", help="Instead, what this release would leave; written as for reserve.")
@output_options(["plan", "preview"])
def plan(
    budget: str,
    book: str,
    releases: int | None,
    weights: Sequence[float] | None,
    release: str | None,
    style: str,
    digits: int,
    only: Sequence[str],
) -> None:
    """What BUDGET has left, split over releases; or what a release would leave. Nothing is written."""
    if (releases is not None) + (weights is not None) + (release is not None) != 1:
        raise click.UsageError("give one of --releases, --weights and --release")
    with _opened(book) as opened:
        if release is not None:
            show(opened.preview(budget, _release(release)).document(), style, digits, only)
        else:
            show(opened.plan(budget, releases, weights=weights).document(), style, digits, only)


@ledger.command()
@click.argument("budget")
@_book_option
@folder_option("--out", words="Write every format and the picture into this directory; it is made if need be.")
@style_option()
@click.option("--digits", type=WholeRange(1, MOST_DIGITS), default=4, show_default=True, help="Significant digits.")
def report(budget: str, book: str, out: Path | None, overwrite: bool, style: str, digits: int) -> None:
    """The statement of all that was released under BUDGET."""
    with _opened(book) as opened:
        document = opened.report(budget)
        if out is None:
            show(document, style, digits)
            return
        files = document_files("statement", document, digits, *PROSE_FORMATS)
        files |= {
            f"spending.{ending}": content for ending, content in opened.figure(budget, "svg", "pdf", "png").items()
        }
        write_files(out, files, overwrite=overwrite)
        click.echo(f"The statement: {len(files)} files in {out}; open {out / 'statement.html'}")


@ledger.command()
@_book_option
@click.option("--out", type=OutputFile(), required=True, help="The file to write.")
def export(book: str, out: Path) -> None:
    """All entries as lines of JSON, with the hashes that chain them."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with _opened(book) as opened, Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        total = opened.entries(last=1)[0].seq
        each = bar.track(opened.each_entry(), total=total, description="Writing")
        write_file(out, (f"{json.dumps(entry.as_dict(), ensure_ascii=False)}\n".encode() for entry in each))
    click.echo(f"{total:,} entries: {out}")


@ledger.command()
@_book_option
def upgrade(book: str) -> None:
    """Bring a book of an older version to the schema of this one; keep a copy before."""
    from gaussdp.ledger import Ledger

    with Ledger.upgrade(book) as opened:
        click.echo(f"The book is of this version: {opened.place}")
