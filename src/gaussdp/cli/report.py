"""gaussdp report: the privacy statement of a run."""

from collections.abc import Sequence
from pathlib import Path

import click

from gaussdp.accounting.document import DEFAULT_FPRS
from gaussdp.accounting.fitted import DEFAULT_FLOOR
from gaussdp.cli.options import WholeRange, announcing, folder_option, levels, number, numbers, prior_option, show
from gaussdp.cli.runs import registering, registry_options
from gaussdp.documents.files import check_folder, write_file
from gaussdp.documents.rendering import PROSE_FORMATS
from gaussdp.documents.rounding import MOST_DIGITS
from gaussdp.statements.report import DEFAULT_ENTRY_DELTA, DEFAULT_RECALLS, report_run, run_entry
from gaussdp.statements.run import Run


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@folder_option("--out", words="Write every format and the figure into this directory; it is made if need be.")
@click.option(
    "--format",
    "style",
    type=click.Choice(PROSE_FORMATS),
    default=None,
    help="How to print; the numbers are the same in each. Not with --out.  [default: text]",
)
@click.option(
    "--floor",
    type=number,
    default=DEFAULT_FLOOR,
    show_default=True,
    help="Smallest error rate of the attacks that μ speaks about.",
)
@click.option(
    "--delta",
    type=numbers,
    default=None,
    metavar="N,N,...",
    help="Deltas at which to read ε, between commas. [default: 1e-5,1e-6,1e-8 and one over the data set size]",
)
@levels("--fpr", DEFAULT_FPRS, "False-positive rates at which to read the attacker's TPR")
@levels("--recall", DEFAULT_RECALLS, "Recalls at which to read the attacker's precision")
@prior_option
@click.option(
    "--digits",
    type=WholeRange(1, MOST_DIGITS),
    default=4,
    show_default=True,
    help="Significant digits, rounded to the side of less privacy.",
)
@registry_options
@click.option("--certified", is_flag=True, help="Prove μ in ball arithmetic, and write certificate.json with --out.")
def report(
    file: Path,
    out: Path | None,
    overwrite: bool,
    style: str | None,
    floor: float,
    delta: Sequence[float] | None,
    fpr: Sequence[float],
    recall: Sequence[float],
    prior: float,
    digits: int,
    entry: Path | None,
    told: tuple[str, ...],
    certified: bool,
) -> None:
    """The privacy statement of the run described in FILE, a TOML or JSON file.

    It says the guarantee, the mechanism, what is protected, which assumptions the run met, what an attacker can
    achieve. A run that does not say its unit of privacy and its adjacency is refused. The keys of FILE are in
    docs/report.md.

    \b
    Writes into the directory, with --out:
      statement.md, .html, .tex, .json, .txt    the statement
      tradeoff.svg, .pdf, .png                  the figure
      curve.csv, .json, .parquet                where it is to be reported

    \b
    Examples:
      gaussdp report run.toml
      gaussdp report run.toml --out report
      gaussdp report run.toml --format latex --floor 1e-8
      gaussdp report run.toml --registry-entry entry.yaml --registry curator=Town --registry curator_type=Government \
        --registry region=Town --registry author="A. Clerk" --registry intended_use=Planning
    """
    if out and style:
        raise click.UsageError("--out writes every format; leave --format out")
    asked = registering(entry, told)
    if out:
        check_folder(out, ["statement.html"], overwrite)
    run = Run.read(file)
    with announcing("Accounting") as announce:
        statement = report_run(
            run, floor=floor, deltas=delta, fprs=fpr, recalls=recall, prior=prior, digits=digits, certified=certified
        )
        made = asked and run_entry(statement, asked[1], delta[0] if delta else DEFAULT_ENTRY_DELTA)
        if out:
            files = statement.write(out, announce, overwrite=overwrite)
    if asked and made:
        write_file(asked[0], made.as_yaml().encode())
    if out:
        click.echo(f"The statement: {len(files)} files in {out}; open {out / 'statement.html'}")
    else:
        show(statement.document(), style or "text", digits)
