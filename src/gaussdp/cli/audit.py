"""gaussdp audit: from attack scores to a lower bound on mu, at once or growing with every pair of trials."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import click

from gaussdp.auditing import (
    AUC,
    DKW,
    Credible,
    Description,
    EqualLocalLevel,
    FixedThreshold,
    Method,
    OneRunAudit,
    Split,
    audit_one_run,
    plan_audit,
)
from gaussdp.auditing.designs import DESIGNS, DesignName, Direction
from gaussdp.auditing.one_run import GUESSED, audit_ranks
from gaussdp.auditing.one_run import TABLES as ONE_RUN_TABLES
from gaussdp.auditing.result import TABLES
from gaussdp.auditing.score_files import read_scores
from gaussdp.auditing.sequential import (
    LONGEST_TRIAL,
    SequentialAudit,
    add_trial,
    load_audit,
    must_be_new,
    save_audit,
    trials_of,
)
from gaussdp.auditing.sequential import TABLES as EVIDENCE
from gaussdp.auditing.trials import TABLES as ONE_MODEL_TABLES
from gaussdp.auditing.trials import audit_score_counts
from gaussdp.cli.claims import claim_options, confidence_option, guarantee, picture_format, stated_claims
from gaussdp.cli.groups import DefaultGroup
from gaussdp.cli.options import Command, OutputFile, Whole, levels, number, output_options, show
from gaussdp.documents.files import write_file
from gaussdp.documents.rounding import shown_down, shown_up
from gaussdp.guarantees import GDP

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
    type=OutputFile(),
    help="Continue the audit of this JSON file, if it is there, with the trials of FILE, and keep it there.",
)
@click.option(
    "--plot",
    type=OutputFile(),
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
        words += f"   evidence {shown_down(audit.evidence)} of {shown_up(1 / (1 - audit.confidence))}"
    return f"{words}   μ at least {shown_down(audit.mu_lower)}"


def _opened(file: Path) -> IO[str]:
    try:
        return file.open(newline="", encoding="utf-8", errors="replace")
    except OSError as error:
        raise click.UsageError(f"cannot read {file}: {error.strerror}") from None


def _lines(stream: IO[str], *, follow: bool) -> Iterator[str]:
    """Whole lines, as they come."""
    part = ""
    while True:
        line = stream.readline(LONGEST_TRIAL)
        part += line
        if part.endswith("\n") or len(part) > LONGEST_TRIAL:  # which whoever reads it refuses
            yield part
            part = ""
        elif not line:
            if not follow:
                if part:
                    yield part
                return
            time.sleep(_WAIT)


METHODS = ("equal-local-level", "dkw", "auc", "split", "fixed-threshold", "credible")
DEFAULT_DELTAS = (1e-5,)


@click.group(cls=DefaultGroup, default="scores")
def audit() -> None:
    """The μ that the scores of a membership attack prove.

    Followed by a file, it audits the scores in it (see `gaussdp audit scores --help`). The exit code is 0 whatever the
    verdict; read it from the output (the table `claims` in JSON or CSV).

    \b
    Examples:
      gaussdp audit scores.csv --design trials --claim "mu=1"
      gaussdp audit one-run canaries.csv --claim "mu=0.5"
      gaussdp audit one-run --canaries 1000 --guesses 100 --correct 90
      gaussdp audit sequential trials.csv --claim "mu=0.5"
      gaussdp audit plan --mu 1.0 --claim "mu=0.5"
    """


audit.add_command(sequential)


def file_options(command: Command) -> Command:
    """The columns of a file of scores, and their direction."""
    for option in (
        click.option(
            "--either-direction", is_flag=True, help="Try both directions of the scores, each at half the error."
        ),
        click.option(
            "--lower-is-member",
            is_flag=True,
            help="Lower scores mean more likely a member, such as losses; decided before looking.",
        ),
        click.option(
            "--member-value",
            default=None,
            help="The label that means member.  [default: recognises 1/0, true/false, yes/no, in/out,"
            " member/nonmember]",
        ),
        click.option("--member-column", default="member", show_default=True, help="Column or array with the labels."),
        click.option("--score-column", default="score", show_default=True, help="Column or array with the scores."),
    ):
        command = option(command)
    return command


@audit.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--design",
    type=click.Choice(DESIGNS),
    help="How the scores came about: each from its own run with or without the record (trials), canaries of one run put"
    " in by coins (one-run), or members and nonmembers of one trained model (one-model). No verdict on a claim without"
    " it.",
)
@click.option(
    "--by-coin", is_flag=True, help="For one-model: each row was put in by its own fair coin; analysed as one run."
)
@claim_options
@confidence_option
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default=METHODS[0],
    show_default=True,
    help="How to bound; decide before looking. The last two need --threshold.",
)
@click.option("--threshold", type=number, default=None, help="Accuse whoever scores above; fixed before looking.")
@click.option("--seed", type=Whole(), default=0, show_default=True, help="Of the random split; fixed before looking.")
@file_options
@levels("--delta", DEFAULT_DELTAS, "Deltas at which to say what ε is refuted")
@click.option(
    "--plot",
    type=OutputFile(),
    help="Also draw the ROC, its band and the curves into this .svg, .pdf or .png file.",
)
@output_options(tuple(dict.fromkeys((*TABLES, *ONE_MODEL_TABLES))))
def scores(
    file: Path,
    design: DesignName | None,
    by_coin: bool,
    claims: Sequence[str],
    confidence: float,
    method: str,
    threshold: float | None,
    seed: int,
    score_column: str,
    member_column: str,
    member_value: str | None,
    lower_is_member: bool,
    either_direction: bool,
    delta: Sequence[float],
    plot: Path | None,
    style: str,
    digits: int,
    only: Sequence[str],
    **older: Any,
) -> None:
    """A lower bound on μ from a file of scores.

    FILE is CSV or TSV with a header, NPZ, or Parquet (through DuckDB, any size), with a score and a member label in
    each row. Higher scores mean more likely a member. Say how the scores came about (--design): rows of one trained
    model are not independent trials, and prove nothing about a claim. The exit code is 0 whatever the verdict.

    \b
    Examples:
      gaussdp audit scores.csv --design trials --claim "mu=1"
      gaussdp audit losses.csv --design one-model --lower-is-member
      gaussdp audit scores.parquet --score-column loss_gap --member-column in_training --format json
      gaussdp audit scores.csv --design trials --claim "epsilon=2 delta=1e-5" --plot audit.png
    """
    stated = stated_claims(claims, **older)
    chosen = _method(method, threshold, seed)
    ending = picture_format(plot) if plot else ""
    counts = read_scores(file, score_column, member_column, member_value)
    direction = _direction(lower=lower_is_member, either=either_direction)
    found = audit_score_counts(counts, confidence, chosen, design=design, direction=direction, by_coin=by_coin)
    document = found.document(stated) if isinstance(found, Description) else found.document(stated, delta)
    if plot:
        if isinstance(found, OneRunAudit):
            raise click.UsageError("--plot draws independent trials and the curve of one model, not one run")
        from gaussdp.figures.audited import render_audit

        write_file(plot, render_audit(found, stated, ending)[ending])
    show(document, style, digits, only)


@audit.command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--canaries", type=Whole(), help="Without a file: how many there were, each put in by a fair coin.")
@click.option(
    "--guesses",
    type=Whole(),
    multiple=True,
    help="How many are guessed, fixed before looking (again for each number tried).  [default: a few that share the"
    " error]",
)
@click.option(
    "--guess", "guessed", type=click.Choice(GUESSED), default="both", show_default=True, help="With a file: what."
)
@click.option("--correct", type=Whole(), multiple=True, help="Without a file: how many of these guesses were right.")
@file_options
@claim_options
@confidence_option
@levels("--delta", DEFAULT_DELTAS, "Deltas at which to say what ε is refuted")
@output_options(ONE_RUN_TABLES)
def one_run(
    file: Path | None,
    canaries: int | None,
    guesses: Sequence[int],
    guessed: str,
    correct: Sequence[int],
    score_column: str,
    member_column: str,
    member_value: str | None,
    lower_is_member: bool,
    either_direction: bool,
    claims: Sequence[str],
    confidence: float,
    delta: Sequence[float],
    style: str,
    digits: int,
    only: Sequence[str],
    **older: Any,
) -> None:
    """A lower bound on μ from one run with many canaries.

    FILE has a score and a member label for each canary, all that a coin was tossed for; the canaries are ranked, and
    the surest are guessed. Without a file, give the numbers of canaries, guesses and right guesses. The number of
    guesses is fixed in advance; if several are tried, each is tested at its share of the error.

    \b
    Examples:
      gaussdp audit one-run canaries.csv --guesses 100 --claim "mu=0.5"
      gaussdp audit one-run --canaries 1000 --guesses 100 --correct 90
      gaussdp audit one-run --canaries 1000 --guesses 50 --correct 49 --guesses 100 --correct 90 --claim "mu=0.5"
    """
    stated = stated_claims(claims, **older)
    if file is not None:
        if canaries is not None or correct:
            raise click.UsageError(
                "a file of scores says itself how many canaries there are and which guesses are right"
            )
        counts = read_scores(file, score_column, member_column, member_value)
        direction = _direction(lower=lower_is_member, either=either_direction)
        found = audit_ranks(counts, guesses or None, confidence, guessed, direction)
    elif canaries is None or not guesses or not correct:
        raise click.UsageError("give a file of scores, or --canaries, --guesses and --correct")
    else:
        found = audit_one_run(canaries, guesses, correct, confidence)
    show(found.document(stated, delta), style, digits, only)


@audit.command()
@click.option("--mu", type=number, required=True, help="The truth that the audit should detect.")
@click.option("--claim", default="mu=0", show_default=True, help='The claim to refute, such as "mu=0.5".')
@click.option("--claim-mu", type=number, hidden=True)
@click.option("--power", type=number, default=0.9, show_default=True, help="Probability of detection, in (0, 1).")
@confidence_option
@output_options(("plan",))
def plan(
    mu: float,
    claim: str,
    claim_mu: float | None,
    power: float,
    confidence: float,
    style: str,
    digits: int,
    only: Sequence[str],
) -> None:
    """How many trials or canaries prove that a claim is wrong.

    \b
    Examples:
      gaussdp audit plan --mu 1.0
      gaussdp audit plan --mu 2.0 --claim "mu=1" --power 0.8 --format json
    """
    refuted = guarantee(claim) if claim_mu is None else GDP(claim_mu)
    if not isinstance(refuted, GDP):
        raise click.UsageError(f'--claim takes a μ to plan for, such as "mu=0.5", got {claim!r}')
    show(plan_audit(mu, refuted.mu, power, confidence).document(), style, digits, only)


def _direction(*, lower: bool, either: bool) -> Direction:
    if lower and either:
        raise click.UsageError("--lower-is-member and --either-direction exclude each other")
    return "either" if either else "lower" if lower else "higher"


def _method(name: str, threshold: float | None, seed: int) -> Method:
    at_threshold: dict[str, Callable[[float], Method]] = {"fixed-threshold": FixedThreshold, "credible": Credible}
    if name in at_threshold:
        if threshold is None:
            raise click.UsageError(f"--method {name} needs --threshold, fixed before looking at the scores")
        return at_threshold[name](threshold)
    if threshold is not None:
        raise click.UsageError(f"--method {name} takes no --threshold; did you mean --method fixed-threshold?")
    methods: dict[str, Method] = {
        "equal-local-level": EqualLocalLevel(),
        "dkw": DKW(),
        "auc": AUC(),
        "split": Split(seed),
    }
    return methods[name]
