"""What a report says, in order: sections of sentences, facts, tables and verdicts, free of any format."""

from collections.abc import Callable, Sequence

from gaussdp.accounting.readings import LARGE_REGRET
from gaussdp.documents.blocks import Facts, Headline, Judgement, Picture, Section, Tone, Words
from gaussdp.documents.rounding import Rounding, rounded, shown
from gaussdp.mechanisms.base import ADJACENCIES
from gaussdp.statements.assumptions import Assumption, Met
from gaussdp.statements.findings import Findings
from gaussdp.statements.run import SAMPLINGS, Run

NOT_STATED = "not stated"
_TONES: dict[Met, Tone] = {"met": "good", "not met": "bad", "not stated": "open"}
DEFAULT_TITLE = "Privacy statement"
FIGURE_TITLE = "The trade-off curve"

_TUNING = {
    "none": "none on these data",
    "counted": "counted",
    "not counted": "not counted",
    "best of": "the best of a random number of runs, counted",
}


def title(report: Findings) -> str:
    """The title of the statement."""
    return report.run.title or DEFAULT_TITLE


def headline(report: Findings) -> Headline:
    """The number first; struck through where it does not hold."""
    row = report.guarantee.text_rows(report.digits)[0]
    about = "for every attack" if report.fit.unconditional else f"for attacks with error rates of at least {row[2]}"
    words = f"Gaussian differential privacy, {about}; protects {report.run.unit}"
    return Headline(f"μ = {row[0]}", words, struck=report.standing == "does not hold")


def sections(report: Findings, draw: Callable[[str], bytes]) -> tuple[Section, ...]:
    """The parts of a statement; the figure is drawn in the format asked for."""
    run = report.run
    sentence, *others = guarantee_words(report)
    return (
        Section(
            "guarantee",
            "Guarantee",
            (
                *standing_words(report),
                Words(sentence),
                report.guarantee,
                *(Words(words) for words in (*others, *report.notes)),
            ),
        ),
        *claim_section(report),
        Section("mechanism", "Mechanism", (Facts(mechanism_facts(run)),)),
        Section(
            "accounting",
            "Accounting",
            (Facts((("Method", report.method), ("Software", f"gaussdp {report.version}"), ("Rounding", _ROUNDING))),),
        ),
        Section("protected", "What is protected", (Facts(protected_facts(run)),)),
        Section("assumptions", "Assumptions and whether the run met them", tuple(map(_judged, report.assumptions))),
        Section("epsilon", "Equivalent ε", (report.epsilon,)),
        Section("risks", "What an attacker can achieve", (report.attacker, report.precision, report.overall)),
        Section("figure", FIGURE_TITLE, (Picture("tradeoff", FIGURE_TITLE, figure_caption(report), draw),)),
    )


_ROUNDING = "to the side of less privacy: what is bounded from above up, from below down"


def standing_words(report: Findings) -> tuple[Words, ...]:
    """The first thing to know: whether the number holds for this run, and of whom it does not speak."""
    broken = [a for a in report.assumptions if a.decisive and a.verdict == "not met"]
    unknown = [a for a in report.assumptions if a.decisive and a.verdict == "not stated"]
    if broken:
        words = f"This number does not hold for the run as described: {_listed(broken)} not as the accounting assumes"
        return (Words(f"{words} (see the assumptions).", "warning"),)
    found = [Words(a.remark) for a in report.assumptions if a.remark]
    if unknown:
        found.insert(0, Words(f"Whether this number holds depends on what is not stated: {_names(unknown)}."))
    return tuple(found)


def guarantee_words(report: Findings) -> list[str]:
    """The guarantee in a sentence, what belongs to it, and advice."""
    fit, digits = report.fit, report.digits
    mu = shown(report.mu)
    neighbours = report.run.protected.adjacency
    broken = report.standing == "does not hold"
    subject, verb = ("Were the assumptions met, the run", "would be") if broken else ("The run", "is")
    if fit.unconditional:
        return [f"{subject} {verb} {mu}-GDP under {neighbours} adjacency: for every attack, without floor or slack."]
    floor, slack = (shown(rounded(value, Rounding.UP, digits)) for value in (fit.floor, fit.slack))
    found = [
        f"{subject} {verb} {mu}-GDP under {neighbours} adjacency, for every attack whose false-positive and"
        f" false-negative rates are at least {floor} (the floor).",
        f"Without a floor it {verb} (μ, δ)-GDP with μ = {mu} and δ = {slack} (the slack).",
    ]
    regret = shown(rounded(fit.regret, Rounding.UP, 2))
    if report.curve_matters:
        found.append(
            f"The regret, {regret}, exceeds {LARGE_REGRET}: one μ promises visibly less than the curve does. Report the"
            " curve, or ε and TPR at your own levels, beside it."
        )
    else:
        found.append(f"The regret, {regret}, is at most {LARGE_REGRET}: the one number μ describes the curve well.")
    return found


def claim_section(report: Findings) -> tuple[Section, ...]:
    """The verdict on the published claim, if the run states one."""
    verdict = report.verdict
    if verdict is None:
        return ()
    first, *others = verdict.sentences
    likely = (f"Likely cause ({cause.key}): {cause.words}" for cause in verdict.causes)
    words = (*others, *likely, *verdict.caveats)
    return (
        Section(
            "claim",
            f"The claim {verdict.claim}",
            (Words(first, "plain" if verdict.holds else "warning"), *(Words(sentence) for sentence in words)),
        ),
    )


def mechanism_facts(run: Run) -> tuple[tuple[str, str], ...]:
    """The mechanism and its parameters."""
    rows = [("Mechanism", run.protected.sentence), *run.mechanism.facts(run.dataset_size)]
    if run.trains and run.clip_norm:
        rows.append(("Clip norm", shown(run.clip_norm)))
    if run.batches_per_pass and run.sampling != "random allocation":  # which the mechanism tells
        rows.append(("Batches a pass", f"{run.batches_per_pass:,}"))
    if run.drop_last is not None:
        rows.append(("Incomplete last batch", "dropped" if run.drop_last else "kept"))
    if run.tuning == "counted" and run.tuning_runs:
        rows.append(("Tuning runs counted", f"{run.tuning_runs:,}"))
    return tuple(rows)


def protected_facts(run: Run) -> tuple[tuple[str, str], ...]:
    """Whom the guarantee protects, and from what becoming known."""
    tuning = _TUNING[run.tuning] if run.tuning else NOT_STATED
    if run.tuning_runs:
        tuning = f"{run.tuning_runs:,} runs, {tuning}"
    rows = [
        ("Unit of privacy", run.unit),
        ("Records a unit", f"{run.records_per_unit:,}" if run.records_per_unit else NOT_STATED),
        ("Adjacency", ADJACENCIES[run.adjacency].meaning if run.adjacency else NOT_STATED),
        ("Data accesses covered", _joined(run.accesses)),
        ("Outputs covered", _joined(run.outputs)),
        ("Hyper-parameter tuning", tuning),
    ]
    if run.sampled or run.sampling:
        rows.append(("Batches", SAMPLINGS[run.sampling].meaning if run.sampling else NOT_STATED))
    if run.data:
        rows.insert(0, ("Data", run.data))
    if run.contact:
        rows.append(("Contact", run.contact))
    return tuple(rows)


def figure_caption(report: Findings) -> str:
    """What the figure shows."""
    return (
        f"The run's own trade-off curve and that of μ = {shown(report.mu)}. Left: the least share of members that an"
        " attack misses (FNR) by its false alarms (FPR). Right: the most that it finds (TPR), on logarithmic axes."
    )


def _judged(assumption: Assumption) -> Judgement:
    return Judgement(assumption.title, assumption.verdict, _TONES[assumption.verdict], assumption.words)


def _joined(entries: Sequence[str]) -> str:
    return "; ".join(entries) if entries else NOT_STATED


def _names(assumptions: Sequence[Assumption]) -> str:
    return ", ".join(assumption.name for assumption in assumptions)


def _listed(assumptions: Sequence[Assumption]) -> str:
    return f"{_names(assumptions)} {'is' if len(assumptions) == 1 else 'are'}"
