"""Understand: what a GDP guarantee lets an attacker achieve, in numbers and in the words of `gaussdp.explain`."""

from collections.abc import Mapping
from dataclasses import replace

from gaussdp import numerics
from gaussdp.documents.blocks import IconArray
from gaussdp.documents.rounding import shown_down
from gaussdp.domains import LEVEL, PROBABILITY, evaluate, readings
from gaussdp.errors import DomainError
from gaussdp.explaining import Explanation, explain
from gaussdp.explaining.explanation import DEFAULT_GROUPS, DEFAULT_RELEASES
from gaussdp.explaining.facts import Meaning, alarm, equivalents, group, guesses, repeated, search
from gaussdp.explaining.sentences import accusation_icons, accusation_sentence, guess_icons, headline, sentences
from gaussdp.guarantees import GDP
from gaussdp.risks.base import EVEN
from gaussdp.web.schemas.requests import PointRequest, UnderstandRequest
from gaussdp.web.schemas.responses import (
    Curve,
    EpsilonAtDelta,
    Equivalent,
    Group,
    Icons,
    Mu,
    PrecisionAtRecall,
    Repeated,
    Share,
    TprAtFpr,
    UnderstandResponse,
)
from gaussdp.web.views.showing import curve_rates, guarantee_text, level_text, percent_text, read_sides
from gaussdp.web.views.snippets import understand_snippets
from gaussdp.words import numeral, say

FPRS = (1e-2, 1e-3, 1e-5)
_TOLD = ("guesses", "alarms", "searches")  # what the page has no other place for


@readings()
def understand(request: UnderstandRequest) -> UnderstandResponse:
    """The guarantee in TPRs, precision, ε, right guesses, groups and repetition."""
    release = GDP(request.mu)
    meaning = _meaning(request, release)
    (found,) = meaning.searches
    epsilon = release.epsilon(request.delta)
    told = sentences(meaning, _TOLD)
    advantage = release.advantage()
    answer = UnderstandResponse(
        mu=request.mu,
        mu_text=guarantee_text(request.mu),
        tpr=[
            TprAtFpr(fpr=row.fpr, fpr_text=level_text(row.fpr), tpr=row.tpr, text=percent_text(row.tpr))
            for row in meaning.alarms
        ],
        precision=PrecisionAtRecall(
            recall=found.recall, prior=found.prior, value=found.precision, text=percent_text(found.precision)
        ),
        epsilon=EpsilonAtDelta(delta=request.delta, epsilon=epsilon, text=guarantee_text(epsilon)),
        advantage=Share(value=advantage, text=percent_text(advantage)),
        accuracy=Share(value=meaning.guesses[-1].after, text=percent_text(meaning.guesses[-1].after)),
        icons=_icons(release, meaning, request.fpr, told),
        sentences=[
            headline(request.mu, meaning.guesses[0], meaning.whose),
            *(words for passage in told.values() for words in passage),
        ],
        snippets=understand_snippets(request, fprs_of(request), epsilon, found.precision),
    )
    sides = request.sides
    if sides:
        rates = curve_rates(*([request.fpr] if request.fpr is not None else []))
        answer["curve"] = Curve(fpr=rates)
        for side, read in zip(sides, read_sides(release, rates.numbers, sides), strict=True):
            answer["curve"][side] = read
    if request.wants("tables"):
        _add_tables(answer, request, release)
    return answer


def _meaning(request: UnderstandRequest, release: GDP) -> Meaning:
    """What the page tells of the guarantee outside its tables."""
    prior = request.prior
    return Meaning(
        request.mu,
        prior,
        guesses=tuple([guesses(release, share) for share in ((EVEN,) if prior == EVEN else (EVEN, prior))]),
        alarms=tuple([alarm(release, fpr, prior) for fpr in fprs_of(request)]),
        searches=(search(release, request.recall, prior),),
        groups=(),
        releases=(),
        equivalents=(),
        unit=request.unit or "",
    )


def _add_tables(answer: UnderstandResponse, request: UnderstandRequest, release: GDP) -> None:
    groups = [group(release, size) for size in DEFAULT_GROUPS]
    releases = [repeated(release, count) for count in DEFAULT_RELEASES]
    answer["group"] = [Group(k=row.count, mu=row.mu, mu_text=guarantee_text(row.mu)) for row in groups]
    answer["repeated"] = [Repeated(releases=row.count, mu=row.mu, mu_text=guarantee_text(row.mu)) for row in releases]
    levels = {"fpr": fprs_of(request), "recall": [request.recall], "delta": [request.delta]}
    answer["equivalents"] = [
        Equivalent(
            criterion=row.criterion,
            level=row.level,
            level_text=level_text(row.level),
            epsilon=row.epsilon,
            text=guarantee_text(row.epsilon),
        )
        for row in equivalents(release, levels)
        if row.level is not None
    ]


def explanation(request: UnderstandRequest) -> Explanation:
    """What the guarantee means, for the attacker that the request describes."""
    told = explain(
        request.mu, prior=request.prior, fpr=fprs_of(request), recall=[request.recall], delta=[request.delta]
    )
    return replace(told, unit=request.unit or "")


def fprs_of(request: UnderstandRequest) -> list[float]:
    """The false-positive rates at which to read the TPR: the usual ones, and the user's own if it is another."""
    return [*FPRS, *([request.fpr] if request.fpr is not None and request.fpr not in FPRS else [])]


def _icons(release: GDP, meaning: Meaning, fpr: float | None, told: Mapping[str, tuple[str, ...]]) -> list[Icons]:
    """Right guesses at even odds; at another prior right accusations, at the user's own false-positive rate."""
    found = [_drawn(guess_icons(meaning.guesses[0]), told["guesses"][0])]
    if len(meaning.guesses) > 1:
        accused = alarm(release, fpr, meaning.prior) if fpr else meaning.accusations[0]
        found.append(
            _drawn(
                accusation_icons(accused, meaning.whose),
                accusation_sentence(accused, meaning.whose) if fpr else told["alarms"][-1],
            )
        )
    return found


def _drawn(array: IconArray, sentence: str) -> Icons:
    return Icons(
        title=array.title,
        of=array.of,
        before=array.before,
        after=array.before + array.added,
        sentence=sentence,
        drawn=list(array.drawn),
        labels=list(array.labels),
        columns=array.columns,
        note=array.note,
    )


def mu_through(request: PointRequest) -> Mu:
    """The μ whose curve passes through the point."""
    fpr, fnr = request.fpr, request.fnr
    if fpr + fnr > 1:
        raise DomainError(
            "fnr",
            say("at most 1 − fpr = {fpr}", fpr=numeral(shown_down(1 - fpr, 6))),
            fnr,
            say("above the diagonal lies no attack worth the name"),
        )
    mu: float = evaluate(numerics.mu_through_point, fpr=(fpr, LEVEL), fnr=(fnr, LEVEL), tpr=(1 - fnr, PROBABILITY))
    return Mu(mu=mu, mu_text=guarantee_text(mu))
