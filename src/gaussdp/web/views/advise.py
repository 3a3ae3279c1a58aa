"""The guided start: from answers in plain words to a range of μ, and the record of the decision."""

import math
from typing import Any

from gaussdp.advising import Advice, Answers, Asked, Published, advise
from gaussdp.advising.answers import BY_KEY, QUESTIONS
from gaussdp.advising.published import KINDS, noise_text
from gaussdp.choosing.worded_bands import band_words
from gaussdp.documents.machine import dumped
from gaussdp.documents.rounding import shown, shown_level, shown_percent
from gaussdp.web.schemas.requests import AdviseRequest, Answered, PublishedRequest
from gaussdp.web.schemas.responses import (
    AdviseResponse,
    Answer,
    HandedOver,
    Option,
    QuestionDefinition,
    Scenario,
    Snippets,
    Step,
)
from gaussdp.web.schemas.responses import Asked as AskedFor
from gaussdp.web.views.showing import budget_text
from gaussdp.words import numeral, say


def answers_of(request: AdviseRequest) -> Answers:
    """The answers that a request holds; cheap, so that bad ones are refused before any work."""
    scenarios = tuple((one.name, tuple(_said(one).items())) for one in request.scenarios or ())
    asked = tuple(Asked(one.policy, one.source or "") for one in request.requirements or ())
    return Answers(
        **_said(request),
        title=request.title or "",
        decided_by=request.decided_by or "",
        requirements=asked,
        scenarios=scenarios,
    )


def _said(request: Answered) -> dict[str, Any]:
    """The answers that are given."""
    found = {key: getattr(request, key) for key in BY_KEY if getattr(request, key) is not None}
    if request.published:
        found["published"] = tuple(Published(**_given(one)) for one in request.published)
    return found


def _given(one: PublishedRequest) -> dict[str, Any]:
    return {key: value for key in Published.fields if (value := getattr(one, key)) is not None}


def advised(request: AdviseRequest) -> AdviseResponse:
    """The advice, with the other plans beside it."""
    answers = answers_of(request)
    found = advise(answers)
    plans = ((say("as planned"), found), *found.scenarios) if found.scenarios else ()
    answer = AdviseResponse(
        sentence=found.sentence,
        mu=found.mu,
        mu_text=_text(found.mu),
        mu_high_text=_text(found.high),
        each_text=_text(found.each(found.mu)),
        count=found.count,
        band=band_words(found.mu),
        words=list(found.sentences),
        requirements=[
            AskedFor(
                words=one.words,
                source=one.source or say("who answered"),
                mu_text=_text(one.low),
                binds=one is found.choice.binding,
            )
            for one in found.choice.requirements
        ],
        statistics=[one.label for one in answers.statistics],
        utility=[
            Step(
                mu_text=_text(step.mu),
                place=step.place,
                each_text=_text(step.each),
                chance_text=numeral(shown_percent(found.guess(step.mu))),
                noise=[noise_text(noise) for noise in step.noise],
            )
            for step in found.steps
        ],
        scenarios=[_scenario(name, plan) for name, plan in plans],
        assumptions=list(found.assumptions),
        not_covered=list(found.not_covered),
        assumed=list(answers.assumed),
        filled=[[key, numeral(_filled(value))] for key, value in answers.filled.items()],
        unit=_unit(found),
        snippets=_snippets(found),
    )
    onward = _handed_over(found)
    if onward is not None:
        answer["onward"] = onward
    return answer


def _handed_over(found: Advice) -> HandedOver | None:
    """The question which noise meets the budget, about all that is planned; None where no view can ask it.

    Counts, sums, means and tables are one question, a model that is released once is another.
    """
    answers, full = found.answers, found.answers.filled
    asked = {
        "target": {"kind": "mu", "value": found.mu},
        "unit": _unit(found),
        "records_per_unit": full["records_per_unit"],
    }
    if not 0 < found.mu < math.inf or found.choice.saturated:
        return None
    kinds = [one.kind for one in answers.statistics]
    if "model" not in kinds:
        rows = [
            {"noise": "gaussian", "sensitivity": one.sensitivity(full["people"], 1), "times": answers.releases}
            for one in answers.statistics
        ]
        return HandedOver(view="releases", state={**asked, "releases": rows})
    if found.count > 1:
        return None
    (model,) = answers.statistics
    sizes = {"dataset_size": full["people"], "batch_size": model.batch_size, "epochs": model.epochs}
    return HandedOver(view="calibrate", state={**asked, **sizes})


def _unit(found: Advice) -> str:
    return f"one {found.answers.filled['unit']}"


def questions() -> list[QuestionDefinition]:
    """What is asked."""
    return [
        QuestionDefinition(
            key=one.key,
            text=one.text,
            why=one.why,
            kind=one.kind,
            initial=None if one.default is None else _filled(one.default),
            options=[Answer(value=option.value, label=option.label, hint=option.meaning) for option in one.options],
        )
        for one in QUESTIONS
    ]


def kinds() -> list[Option]:
    """What can be published."""
    return [Option(value=kind, label=label) for kind, label in KINDS.items()]


def _scenario(name: str, plan: Advice) -> Scenario:
    noises = (plan.noise(one, plan.mu) for one in plan.answers.statistics)
    return Scenario(
        name=name,
        releases=plan.answers.releases,
        mu_text=_text(plan.mu),
        mu_high_text=_text(plan.high),
        each_text=_text(plan.each(plan.mu)),
        chance_text=numeral(shown_percent(plan.guess(plan.mu))),
        noise_text="; ".join(map(noise_text, noises)),
    )


def _snippets(found: Advice) -> Snippets:
    policy = found.answers.as_toml()
    return Snippets(
        python=(
            "from gaussdp.advising import Answers, advise\n\n"
            f"answers = Answers.from_mapping({found.answers.as_mapping()!r})\n"
            "advice = advise(answers)\nprint(advice.mu, advice.high)\nprint(advice.sentence)\n"
        ),
        cli=f"cat > policy.toml <<'END'\n{policy}END\ngaussdp advise policy.toml",
        latex=rf"The budget for everything together is $\mu = {_text(found.mu)}$.",
        json=dumped(found.as_object()),
    )


def _text(value: float) -> str:
    return budget_text(value)


def _filled(value: Any) -> str:
    return value if isinstance(value, str) else shown_level(value) if 0 < value < 0.001 else shown(value)
