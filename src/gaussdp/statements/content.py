"""What a report says, in order: sections of sentences, facts, tables and verdicts, free of any format."""

from collections.abc import Callable, Sequence

from gaussdp.accounting.bounds.batches import UNSTATED
from gaussdp.accounting.fitted import LARGE_REGRET
from gaussdp.documents.blocks import Facts, Headline, Judgement, Picture, Section, Tone, Words
from gaussdp.documents.rounding import shown, shown_down, shown_nearest, shown_up
from gaussdp.mechanisms import DPSGD
from gaussdp.mechanisms.base import ADJACENCIES
from gaussdp.statements.assumptions import Assumption, Met, unmet
from gaussdp.statements.findings import Findings
from gaussdp.statements.run import SAMPLINGS, Run
from gaussdp.words import Phrase, numeral, plural, say

NOT_STATED = Phrase("not stated")
_VERDICTS = {"met": Phrase("met"), "not met": Phrase("not met"), "not stated": NOT_STATED}
_TONES: dict[Met, Tone] = {"met": "good", "not met": "bad", "not stated": "open"}
DEFAULT_TITLE = Phrase("Privacy statement")
FIGURE_TITLE = Phrase("The trade-off curve")

_EPOCH_DIGITS = 6

_TUNING = {
    "none": Phrase("none on these data"),
    "counted": Phrase("counted"),
    "not counted": Phrase("not counted"),
    "best of": Phrase("the best of a random number of runs, counted"),
}


def title(report: Findings) -> str:
    """The title of the statement."""
    return report.run.title or say(DEFAULT_TITLE)


def headline(report: Findings) -> Headline:
    """The number first; struck through where it does not hold."""
    row = report.guarantee.text_rows(report.digits)[0]
    about = (
        say("for every attack")
        if report.fit.unconditional
        else say("for attacks with error rates of at least {floor}", floor=row[2])
    )
    words = say("Gaussian differential privacy, {about}; protects {unit}", about=about, unit=report.run.unit)
    return Headline(say("μ = {mu}", mu=row[0]), words, struck=report.standing == "does not hold")


def sections(report: Findings, draw: Callable[[str], bytes]) -> tuple[Section, ...]:
    """The parts of a statement; the figure is drawn in the format asked for."""
    run = report.run
    sentence, *others = guarantee_words(report)
    doubtful = () if report.standing != "does not hold" else (Words(say(_WERE_THEY_MET), "warning"),)
    return (
        Section(
            "guarantee",
            say("Guarantee"),
            (
                *standing_words(report),
                Words(sentence),
                report.guarantee,
                *(Words(words) for words in (*others, *report.notes)),
            ),
        ),
        *claim_section(report),
        Section("mechanism", say("Mechanism"), (Facts(mechanism_facts(run)),)),
        Section(
            "accounting",
            say("Accounting"),
            (
                Facts(
                    (
                        (say("Method"), report.method),
                        (say("Software"), f"gaussdp {report.version}"),
                        (say("Rounding"), say(_ROUNDING)),
                    )
                ),
            ),
        ),
        Section("protected", say("What is protected"), (Facts(protected_facts(run)),)),
        Section(
            "assumptions", say("Assumptions and whether the run met them"), tuple(map(_judged, report.assumptions))
        ),
        Section("epsilon", say("Equivalent ε"), (*doubtful, report.epsilon)),
        Section(
            "risks",
            say("What an attacker can achieve"),
            (*doubtful, report.attacker, report.precision, report.overall),
        ),
        Section(
            "figure",
            say(FIGURE_TITLE),
            (Picture("tradeoff", say(FIGURE_TITLE), figure_caption(report), draw),),
        ),
    )


_WERE_THEY_MET = Phrase("Only if the assumptions were met; for the run as described these numbers do not hold.")
_ROUNDING = Phrase("to the side of less privacy: what is bounded from above up, from below down")


def standing_words(report: Findings) -> tuple[Words, ...]:
    """The first thing to know: whether the number holds for this run, and of whom it does not speak."""
    broken = unmet(report.assumptions)
    unknown = [a for a in report.assumptions if a.decisive and a.verdict == "not stated"]
    if broken:
        words = plural(
            len(broken),
            "This number does not hold for the run as described: {names} is not as the accounting assumes (see the"
            " assumptions).",
            "This number does not hold for the run as described: {names} are not as the accounting assumes (see the"
            " assumptions).",
            names=_names(broken),
        )
        return (Words(words, "warning"), *(Words(found) for found in holding_words(report)))
    found = [Words(a.remark) for a in report.assumptions if a.remark]
    if unknown:
        found.insert(
            0,
            Words(say("Whether this number holds depends on what is not stated: {names}.", names=_names(unknown))),
        )
    return tuple(found)


def holding_words(report: Findings) -> tuple[str, ...]:
    """What holds for the run as described where the number of the statement does not."""
    if report.holding is None:
        return ()
    ends, digits, floor = report.holding.enclosure, report.digits, report.fit.floor
    nothing = report.holding.nothing_finite(digits)
    if nothing:
        return (nothing,)
    all_attacks = Phrase("For the run as described, all of it counted together, μ = {upper} holds.")
    above_floor = Phrase(
        "For the run as described, all of it counted together, μ = {upper} holds, for attacks with error rates of at"
        " least {floor}."
    )
    upper = numeral(shown_up(ends.upper, digits))
    words = [say(above_floor, floor=shown_up(floor, digits), upper=upper) if floor else say(all_attacks, upper=upper)]
    if ends.lower > 0:
        words.append(say("No μ below {lower} holds.", lower=numeral(shown_down(ends.lower, digits))))
    names = report.holding.unstated(below=False)
    if names:
        words.append(say("This rests on what is not stated: {names}.", names=", ".join(names)))
    return (" ".join(words), *report.holding.caveats)


def guarantee_words(report: Findings) -> list[str]:
    """The guarantee in a sentence, what belongs to it, and advice."""
    fit, digits = report.fit, report.digits
    mu = shown(report.mu)
    neighbours = report.run.protected.adjacency
    broken = report.standing == "does not hold"
    told = {"mu": mu, "neighbours": neighbours}
    if fit.unconditional:
        whole = Phrase("The run is {mu}-GDP under {neighbours} adjacency: for every attack, without floor or slack.")
        were = Phrase(
            "Were the assumptions met, the run would be {mu}-GDP under {neighbours} adjacency: for every attack,"
            " without floor or slack."
        )
        return [say(were if broken else whole, **told)]
    floor, slack = (shown_up(value, digits) for value in (fit.floor, fit.slack))
    holds = Phrase(
        "The run is {mu}-GDP under {neighbours} adjacency, for every attack whose false-positive and false-negative"
        " rates are at least {floor} (the floor)."
    )
    would = Phrase(
        "Were the assumptions met, the run would be {mu}-GDP under {neighbours} adjacency, for every attack whose"
        " false-positive and false-negative rates are at least {floor} (the floor)."
    )
    found = [
        say(would if broken else holds, floor=floor, **told),
        say("Without a floor it would be (μ, δ)-GDP with μ = {mu} and δ = {slack} (the slack).", mu=mu, slack=slack)
        if broken
        else say("Without a floor it is (μ, δ)-GDP with μ = {mu} and δ = {slack} (the slack).", mu=mu, slack=slack),
    ]
    regret = shown_up(fit.regret, 2)
    if report.curve_matters:
        found.append(
            say(
                "The regret, {regret}, exceeds {large}: one μ promises visibly less than the"
                " curve does. Report the curve, or ε and TPR at your own levels, beside it.",
                regret=regret,
                large=shown(LARGE_REGRET),
            )
        )
    else:
        found.append(
            say(
                "The regret, {regret}, is at most {large}: the one number μ describes the curve well.",
                regret=regret,
                large=shown(LARGE_REGRET),
            )
        )
    return found


def claim_section(report: Findings) -> tuple[Section, ...]:
    """The verdict on the published claim, if the run states one."""
    verdict = report.verdict
    if verdict is None:
        return ()
    first, *others = verdict.sentences
    likely = (say("Likely cause ({key}): {words}", key=cause.key, words=cause.words) for cause in verdict.causes)
    words = (*others, *likely, *verdict.caveats)
    return (
        Section(
            "claim",
            say("The claim {claim}", claim=verdict.claim),
            (Words(first, "plain" if verdict.holds else "warning"), *(Words(sentence) for sentence in words)),
        ),
    )


def mechanism_facts(run: Run) -> tuple[tuple[str, str], ...]:
    """The mechanism and its parameters."""
    facts = run.mechanism.facts(run.dataset_size)
    rows = [(say("Mechanism"), run.protected.sentence), *((say(name), numeral(words)) for name, words in facts)]
    if isinstance(run.mechanism, DPSGD):
        rows.append((say("Epochs"), numeral(_epochs(run, run.mechanism))))
    if run.trains and run.clip_norm:
        rows.append((say("Clip norm"), numeral(shown(run.clip_norm))))
    if run.batches_per_pass and run.sampling != "random allocation":  # which the mechanism tells
        rows.append((say("Batches a pass"), numeral(f"{run.batches_per_pass:,}")))
    if run.drop_last is not None:
        rows.append((say("Incomplete last batch"), say("dropped") if run.drop_last else say("kept")))
    if run.tuning == "counted" and run.tuning_runs:
        rows.append((say("Tuning runs counted"), numeral(f"{run.tuning_runs:,}")))
    return tuple(rows)


def _epochs(run: Run, training: DPSGD) -> str:
    """The passes that the run states, or its steps and batches; else how often a record is seen in the mean."""
    if run.epochs is not None:
        return shown_nearest(run.epochs, _EPOCH_DIGITS)
    if run.loader == UNSTATED:
        return say("about {epochs}", epochs=shown_nearest(training.steps * training.sample_rate))
    batches, _ = run.loader.batches(training.sample_rate)
    passes = training.steps / batches
    return say("about {epochs}", epochs=shown_nearest(passes)) if training.steps % batches else shown(passes)


def protected_facts(run: Run) -> tuple[tuple[str, str], ...]:
    """Whom the guarantee protects, and from what becoming known."""
    tuning = say(_TUNING[run.tuning] if run.tuning else NOT_STATED)
    if run.tuning_runs:
        tuning = say("{count:,} runs, {tuning}", count=run.tuning_runs, tuning=tuning)
    rows = [
        (say("Unit of privacy"), run.unit),
        (say("Records a unit"), numeral(f"{run.records_per_unit:,}") if run.records_per_unit else say(NOT_STATED)),
        (say("Adjacency"), say(ADJACENCIES[run.adjacency].meaning if run.adjacency else NOT_STATED)),
        (say("Data accesses covered"), _joined(run.accesses)),
        (say("Outputs covered"), _joined(run.outputs)),
        (say("Hyper-parameter tuning"), tuning),
    ]
    if run.sampled or run.sampling:
        rows.append((say("Batches"), say(SAMPLINGS[run.sampling].meaning if run.sampling else NOT_STATED)))
    if run.data:
        rows.insert(0, (say("Data"), run.data))
    if run.contact:
        rows.append((say("Contact"), run.contact))
    return tuple(rows)


def figure_caption(report: Findings) -> str:
    """What the figure shows."""
    doubt = f"{say(_WERE_THEY_MET)} " if report.standing == "does not hold" else ""
    return doubt + say(
        "The run's own trade-off curve and that of μ = {mu}. Left: the least share of members"
        " that an attack misses (FNR) by its false alarms (FPR). Right: the most that it finds"
        " (TPR), on logarithmic axes.",
        mu=shown(report.mu),
    )


def _judged(assumption: Assumption) -> Judgement:
    return Judgement(assumption.title, say(_VERDICTS[assumption.verdict]), _TONES[assumption.verdict], assumption.words)


def _joined(entries: Sequence[str]) -> str:
    return "; ".join(entries) if entries else say(NOT_STATED)


def _names(assumptions: Sequence[Assumption]) -> str:
    return ", ".join(say(assumption.name) for assumption in assumptions)
