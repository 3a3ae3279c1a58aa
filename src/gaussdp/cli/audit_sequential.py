"""gaussdp audit sequential: evidence that grows with every pair of trials."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import click

from gaussdp.auditing.growing import add_trial, load_audit, must_be_new, save_audit, trials_of
from gaussdp.auditing.sequential import TABLES as EVIDENCE
from gaussdp.auditing.sequential import SequentialAudit
from gaussdp.cli.claims import claim_options, confidence_option, picture_format, stated_claims
from gaussdp.cli.options import output_options, show
from gaussdp.documents.files import write_file

_STEP = 1.3  # by which the number of pairs grows between two lines about the evidence
_WAIT = 0.2  # seconds between two looks at a file that grows


@click.command()
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@claim_options
@confidence_option
@click.option(
    "--score-column",
    "columns",
    multiple=True,
    default=("score",),
    show_default=True,
    help="Column with the scores; again for another attack on the same trials: the evidence of several is averaged.",
)
@click.option("--member-column", default="member", show_default=True, help="Column with the labels.")
@click.option("--member-value", default=None, help="The label that means member; all others mean not.")
@click.option("--lower-is-member", is_flag=True, help="Lower scores mean more likely a member; decided before looking.")
@click.option("--follow", is_flag=True, help="Wait for more rows at the end of the file, until interrupted.")
@click.option("--stop", is_flag=True, help="Stop reading as soon as the claim is contradicted.")
@click.option(
    "--state",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Continue the audit of this JSON file, if it is there, with the trials of FILE, and keep it there.",
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also draw the evidence and the bound into this .svg, .pdf or .png file.",
)
@output_options(EVIDENCE)
def sequential(
    file: Path,
    claims: Sequence[str],
    confidence: float,
    columns: tuple[str, ...],
    member_column: str,
    member_value: str | None,
    lower_is_member: bool,
    follow: bool,
    stop: bool,
    state: Path | None,
    plot: Path | None,
    style: str,
    digits: int,
    only: Sequence[str],
    **older: Any,
) -> None:
    """Evidence against a claim that may be looked at any time.

    FILE is a CSV with a score and a member label in each row, in the order in which the trials came, or - for standard
    input. Each row is a run of its own, with or without the record; one of either kind make a pair. The evidence goes
    to standard error as it grows. It is valid at every look: stop when it is clear.

    \b
    Examples:
      gaussdp audit sequential trials.csv --claim "mu=0.5"
      ./attack | gaussdp audit sequential - --claim "epsilon=2 delta=1e-5" --stop
      gaussdp audit sequential trials.csv --follow --stop --claim "mu=0.5" --plot evidence.png
      gaussdp audit sequential tuesday.csv --state audit.json --claim "mu=0.5"
    """
    stated = stated_claims(claims, **older)
    if len(stated) > 1 or (stop and not stated):
        raise click.UsageError("--stop needs a --claim" if not stated else "a sequential audit is one of one claim")
    ending = picture_format(plot) if plot else ""
    claim = stated[0] if stated else None
    if state is not None and state.exists():
        audit = load_audit(state, claim)
    else:
        audit = SequentialAudit(claim, confidence, direction="lower" if lower_is_member else "higher")
    with ExitStack() as opened:
        stream = sys.stdin if str(file) == "-" else opened.enter_context(_opened(file))
        trials = trials_of(_lines(stream, follow=follow), str(file), columns, member_column, member_value)
        try:
            _run(audit, must_be_new(audit, trials) if audit.attacks else trials, stop=stop)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
    if state is not None:
        save_audit(audit, state)
    if plot:
        from gaussdp.figures.audited import render_evidence

        write_file(plot, render_evidence(audit, ending)[ending])
    show(audit.document(), style, digits, only)


def _run(audit: SequentialAudit, trials: Iterator[Any], *, stop: bool) -> None:
    """Add the trials one by one, and say from time to time how the evidence stands."""
    said, contradicted = audit.pairs, audit.claim is not None and audit.contradicted
    for trial in trials:
        before = audit.pairs
        add_trial(audit, trial)
        if audit.pairs == before:
            continue
        now = audit.claim is not None and audit.contradicted
        if audit.pairs >= said * _STEP or now != contradicted:
            click.echo(_line(audit), err=True)
            said, contradicted = audit.pairs, now
        if stop and now:
            return


def _line(audit: SequentialAudit) -> str:
    words = f"{audit.pairs:>8} pairs"
    if audit.claim is not None:
        words += f"   evidence {audit.evidence:.4g} of {1 / (1 - audit.confidence):.4g}"
    return f"{words}   μ at least {audit.mu_lower:g}"


def _opened(file: Path) -> IO[str]:
    try:
        return file.open(newline="", encoding="utf-8", errors="replace")
    except OSError as error:
        raise click.UsageError(f"cannot read {file}: {error.strerror}") from None


def _lines(stream: IO[str], *, follow: bool) -> Iterator[str]:
    """Whole lines, as they come."""
    part = ""
    while True:
        line = stream.readline()
        part += line
        if part.endswith("\n"):
            yield part
            part = ""
        elif not line:
            if not follow:
                if part:
                    yield part
                return
            time.sleep(_WAIT)
