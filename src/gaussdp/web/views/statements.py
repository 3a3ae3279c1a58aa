"""What is kept of a view: its figure, a statement, or an entry of OpenDP's registry of deployments."""

import io
import zipfile
from dataclasses import fields
from typing import cast

from gaussdp.advising import advise, record
from gaussdp.advising.record import decision_entry
from gaussdp.choosing import choose
from gaussdp.choosing.budgets import budget_document
from gaussdp.documents.blocks import Block, Document, Headline, Picture, Section, flat
from gaussdp.documents.rendering import ENDINGS, PROSE_FORMATS, STYLES, Format, render
from gaussdp.errors import DomainError
from gaussdp.figures.accounted import accounted_plot, render_accounted
from gaussdp.figures.tradeoffs import Attack, render_tradeoffs, tradeoff_plot
from gaussdp.guarantees import GDP, Guarantee
from gaussdp.published.opendp_registry import RegistryEntry, RegistryFacts
from gaussdp.statements import Report, report_run
from gaussdp.statements.report import run_entry
from gaussdp.statements.run import Run
from gaussdp.web.schemas.requests import (
    AccountRequest,
    AdviseRequest,
    CalibrateRequest,
    ChooseRequest,
    DescribedRun,
    EntryRequest,
    ReleasesRequest,
    State,
    StatementRequest,
    UnderstandRequest,
)
from gaussdp.web.views.account import Tell, settled
from gaussdp.web.views.advise import answers_of
from gaussdp.web.views.choose import choose as choose_view
from gaussdp.web.views.choose import curve_of, matched_point
from gaussdp.web.views.showing import budget_text, guarantee_text, level_text, percent_text
from gaussdp.web.views.training import holding
from gaussdp.web.views.understand import explanation, fprs_of
from gaussdp.words import say


def picture(state: State, ending: str, tell: Tell) -> bytes:
    """The view as a picture in this format."""
    match state:
        case ChooseRequest():
            return _choose(state, ending)
        case UnderstandRequest():
            return _understand(state, ending)
        case AdviseRequest():
            return record(advise(answers_of(state))).picture(ending)
        case AccountRequest() | CalibrateRequest() | ReleasesRequest():
            return _account(settled(state, tell), state, ending, tell)


def _choose(state: ChooseRequest, ending: str) -> bytes:
    choice = choose(*state.asked)
    point, policy = matched_point(choice), curve_of(choice.binding)
    curves: dict[str, Guarantee] = {say("budget: GDP, μ = {mu}", mu=budget_text(choice.mu)): GDP(choice.mu)}
    if policy is not None:
        curves[say("policy: {stated}", stated=policy.label)] = policy
    words = say("matched here") if choice.binding.matches else say("met here")
    attacks = [Attack(point["fpr"], point["tpr"], words)] if point and 0 < point["fpr"] < 1 else []
    return render_tradeoffs(tradeoff_plot(curves, attacks), ending)[ending]


def _understand(state: UnderstandRequest, ending: str) -> bytes:
    release = GDP(state.mu)
    rates = [(fpr, release.tpr(fpr)) for fpr in fprs_of(state)]
    attacks = [
        Attack(fpr, tpr, say("FPR {fpr}: TPR {tpr}", fpr=level_text(fpr), tpr=percent_text(tpr))) for fpr, tpr in rates
    ]
    return render_tradeoffs(
        tradeoff_plot({say("GDP, μ = {mu}", mu=guarantee_text(state.mu)): release}, attacks), ending
    )[ending]


def _account(run: Run, state: DescribedRun, ending: str, tell: Tell) -> bytes:
    tell(say("reading the tails of the privacy loss"))
    found = holding(run, state.floor, state.delta)
    tell(say("drawing"))
    if isinstance(found.curve, GDP):
        held: dict[str, Guarantee] = {say("what holds: μ ≤ {mu}", mu=guarantee_text(found.mu)): found.curve}
        return render_tradeoffs(tradeoff_plot(held), ending)[ending]
    floor = found.fit.floor if found.fit and not found.fit.unconditional else state.floor
    return render_accounted(accounted_plot(found.curve, floor, state.delta), ending)[ending]


ENTRY_TYPE = "application/yaml"
TYPES = {name: STYLES[name].media for name in PROSE_FORMATS} | {
    "pdf": "application/pdf",
    "toml": "application/toml",
    "zip": "application/zip",
}
_DIGITS = 4
_ONLY_RECORDS = ("pdf", "toml")


def statement(request: StatementRequest, state: State, tell: Tell) -> tuple[str, str, bytes]:
    """The view as a document: the name of the file, its type and its content; with its pictures an archive."""
    tell(say("writing the document"))
    stem = f"gaussdp-{request.view}"
    if isinstance(state, AdviseRequest) and request.format in _ONLY_RECORDS:
        answers = answers_of(state)
        content = record(advise(answers)).pdf() if request.format == "pdf" else answers.as_toml().encode()
        name = f"{stem}.pdf" if request.format == "pdf" else "policy.toml"
        return name, TYPES[request.format], content
    document = _document(state, tell)
    name = f"{stem}.{ENDINGS[request.format]}"
    text = render(document, request.format, _DIGITS).encode()
    files = {name: text, **_pictures(document, STYLES[cast(Format, request.format)].pictures)}
    if len(files) == 1:
        return name, TYPES[request.format], text
    return f"{stem}-{ENDINGS[request.format]}.zip", TYPES["zip"], _archive(files)


def check_unit(state: State) -> None:
    """Refuse, before any work, a run that does not say whom it protects."""
    if isinstance(state, DescribedRun) and not state.unit:
        raise DomainError(
            "state.unit", problem=say("is missing: a guarantee says nothing until it says whom it protects")
        )


def check_statement(request: StatementRequest, state: State) -> None:
    """Refuse, before any work, what `check_unit` does, and formats that only records have."""
    check_unit(state)
    if request.format in _ONLY_RECORDS and not isinstance(state, AdviseRequest):
        raise DomainError("format", "markdown, html, latex, json or text for this view", request.format)


def _document(state: State, tell: Tell) -> Document:
    match state:
        case ChooseRequest():
            return _chosen(state, tell)
        case UnderstandRequest():
            return _explained(state, tell)
        case AdviseRequest():
            return record(advise(answers_of(state))).document()
        case AccountRequest() | CalibrateRequest() | ReleasesRequest():
            return _report(state, settled(state, tell))


def _explained(state: UnderstandRequest, tell: Tell) -> Document:
    """What the μ means, with its curve."""
    told = explanation(state).document()
    curve = Picture(
        "tradeoff",
        "The trade-off curve",
        "The best attack by its false alarms: on the left the least share of members that it misses, on the right the"
        " most that it finds, on logarithmic axes.",
        lambda ending: picture(state, ending, tell),
    )
    return Document(told.title, (*told.blocks, curve), told.content, told.generator)


def _chosen(state: ChooseRequest, tell: Tell) -> Document:
    """The budget for all that is asked, in a sentence, a picture and the tables."""
    answer, tables = choose_view(state), budget_document(state.asked)
    words = answer["warning"] or f"{answer['risk']['sentence']} {answer['cost']}".strip()
    blocks: list[Block] = [
        Headline(f"μ ≤ {answer['mu_text']}", words, struck=answer["saturated"]),
        Section("budgets", say("Budgets, rules and a recommendation"), tables.blocks),
        Picture(
            "tradeoff",
            say("The trade-off curves"),
            say(
                "The policy and the budget: on the left the least share of members that an attack misses"
                " by its false alarms, on the right the most that it finds, on logarithmic axes."
            ),
            lambda ending: picture(state, ending, tell),
        ),
    ]
    return Document(tables.title, tuple(blocks), tables.content, tables.generator)


def _report(state: DescribedRun, run: Run) -> Document:
    return reported(state, run).document()


def reported(state: DescribedRun, run: Run) -> Report:
    """The report of a run, at the levels that its request names."""
    return report_run(run, floor=state.floor, deltas=[state.delta], digits=_DIGITS)


def _pictures(document: Document, ending: str) -> dict[str, bytes]:
    """The pictures that a rendering points to."""
    if not ending:
        return {}
    drawn = [block for block in flat(document.blocks) if isinstance(block, Picture) and block.draw]
    return {f"{one.name}.{ending}": one.draw(ending) for one in drawn if one.draw}


def _archive(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return made.getvalue()


def registry_entry(request: EntryRequest, state: State, tell: Tell) -> tuple[str, str, bytes]:
    """The entry: the name of the file, its type and its content."""
    tell(say("writing the document"))
    told = {one.name: getattr(request, one.name, None) for one in fields(RegistryFacts)}
    facts = RegistryFacts(**{key: words for key, words in told.items() if words})
    entry = _entry(state, facts, tell)
    return f"{entry.as_mapping()['url_slug']}.yaml", ENTRY_TYPE, entry.as_yaml().encode()


def _entry(state: State, facts: RegistryFacts, tell: Tell) -> RegistryEntry:
    match state:
        case AdviseRequest():
            return decision_entry(record(advise(answers_of(state))), facts)
        case AccountRequest() | CalibrateRequest() | ReleasesRequest():
            return run_entry(reported(state, settled(state, tell)), facts, state.delta)
    raise TypeError(f"{type(state).__name__} makes no entry")
