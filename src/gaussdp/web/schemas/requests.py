"""What can be asked, field by field."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal, get_args

from gaussdp.accounting.fitted import DEFAULT_FLOOR
from gaussdp.advising.answers import BY_KEY, YEARS
from gaussdp.advising.published import KINDS
from gaussdp.choosing.requirements import Policy, Requirement, parse_policy
from gaussdp.documents.rendering import PROSE_FORMATS
from gaussdp.domains import FINITE_NON_NEGATIVE, LEVEL, POSITIVE, SAMPLED_NOISE, SCALE, Domain
from gaussdp.errors import DomainError
from gaussdp.explaining.facts import RATE
from gaussdp.guarantees import ZCDP, ApproxDP, PureDP
from gaussdp.mechanisms.base import ADJACENCIES, Adjacency
from gaussdp.mechanisms.selection import MEAN_RUNS
from gaussdp.objects import cached_property
from gaussdp.published.entry_text import LONGEST
from gaussdp.published.opendp_registry import CURATORS
from gaussdp.risks import Risk, criteria, registered
from gaussdp.risks.registry import RISKS
from gaussdp.statements.run import SAMPLINGS, Clipping, Randomness, Sampling, Tuning
from gaussdp.web.schemas.kinds import Anything, FileText, Number, OneOf, Several, SomeOf, Text, Whole, read

CRITERION = OneOf(lambda: [risk.key for risk in criteria()], "The risk that is matched.")
TARGET = OneOf(lambda: ["mu", *(risk.value_key for risk in registered())], "What is bounded.")

VIEWS = ("choose", "understand", "account", "calibrate", "releases", "advise")
FIGURE_FORMATS = ("svg", "png", "pdf")
REGISTERED = ("account", "calibrate", "releases", "advise")
STATEMENT_FORMATS = (*PROSE_FORMATS, "pdf", "toml")

MOST_RECORDS = 10**15
MOST_RELEASES = 12  # different ones, as many as fit a page
NOISES = ("gaussian", "laplace", "discrete-gaussian", "discrete-laplace")
SNIPPETS = ("python", "cli", "latex", "json")
Side = Literal["fnr", "tpr"]
"""What is read off a curve."""
SIDES: tuple[Side, ...] = ("fnr", "tpr")

_LEVEL = Number(LEVEL, "Where it is matched: the level of the criterion, such as an FPR, a recall or a δ.", 1e-3)
_DELTA = Number(LEVEL, "δ at which to read ε.", 1e-6)
_DATASET_SIZE = Whole(1, MOST_RECORDS, "Number of records.", 50_000)
_BATCH_SIZE = Whole(1, MOST_RECORDS, "Expected size of a batch, at most dataset_size.", 256)
_POLICY_DELTA = Domain(0.0, 1.0, closed_high=False)
_EPOCHS = Number(POSITIVE, "Expected number of times that a record is seen.", 30.0)
_FLOOR = Number(LEVEL, "Smallest error rate of the attacks that the fitted μ speaks about.", DEFAULT_FLOOR)


def _answer(key: str) -> OneOf | Whole | Number:
    """What may answer a question of the guided start."""
    question = BY_KEY[key]
    if question.kind == "choice":
        return OneOf(tuple(option.value for option in question.options), question.text)
    if question.kind == "whole":
        return Whole(1, MOST_RECORDS, question.text, int(question.default or 1))
    return Number(LEVEL if question.kind == "share" else YEARS, question.text, float(question.default or 0.5))


def _parts(more: str) -> SomeOf:
    """What an answer need not hold."""
    return SomeOf((more, *SIDES, *SNIPPETS), "What the answer holds of this, besides all else; all if left out.")


class InParts:
    """A question whose answer may leave out what nobody looks at."""

    parts: frozenset[str] | None

    def wants(self, part: str) -> bool:
        """Whether the answer is to hold it."""
        return self.parts is None or part in self.parts

    @property
    def sides(self) -> list[Side]:
        """What is to be read off the curves."""
        return [side for side in SIDES if self.wants(side)]


@lru_cache(maxsize=1024)
def _risk_at(kind: type[Risk], level: float) -> Risk:
    """The same for the same level, which then knows already what is said of it."""
    return kind.at(level)


@dataclass(frozen=True, kw_only=True)
class RequirementRequest:
    """Something that must hold, and who has set it."""

    policy: Annotated[str, Text(120, "In any currency, as on the command line.", "epsilon=3 delta=1e-5")]
    source: Annotated[str | None, Text(120, "Who has set it.", "data protection board")] = None


@dataclass(frozen=True, kw_only=True)
class ChooseRequest(InParts):
    """A policy: ε-DP with the criterion by which to match it, (ε, δ)-DP, anything else that must hold, or several."""

    epsilon: Annotated[
        float | None, Number(FINITE_NON_NEGATIVE, "The policy: the ε of differential privacy, if it has one.", 1.0)
    ] = None
    criterion: Annotated[str, CRITERION]
    level: Annotated[float, _LEVEL]
    policy_delta: Annotated[float, Number(_POLICY_DELTA, "The policy's δ; 0 for pure DP.", 0.0)] = 0.0
    requirements: Annotated[
        tuple[RequirementRequest, ...] | None, Several(RequirementRequest, MOST_RELEASES, "What must hold besides.")
    ] = None
    parts: Annotated[frozenset[str] | None, _parts("advice")] = None

    @cached_property
    def risk(self) -> Risk:
        """The criterion at its level, by which pure DP is matched."""
        return _risk_at(RISKS[self.criterion], self.level)

    @cached_property
    def own(self) -> Requirement | None:
        """What the ε asks for; None if there is none."""
        if self.epsilon is None:
            return None
        policy = ApproxDP(self.epsilon, self.policy_delta) if self.policy_delta else PureDP(self.epsilon)
        return self._required(policy)

    @property
    def asked(self) -> tuple[Requirement, ...]:
        """All that must hold, the ε first."""
        found = [] if self.own is None else [self.own]
        for i, one in enumerate(self.requirements or ()):
            try:
                found.append(self._required(parse_policy(one.policy), one.source or ""))
            except DomainError as error:
                raise error.changed(parameter=f"requirements.{i}.policy") from None
        if not found:
            raise DomainError("epsilon", problem="is missing, and so are requirements: nothing is asked for")
        return tuple(found)

    @property
    def of_a_region(self) -> bool:
        """Whether a policy is known by the region of attacks that it allows, which takes a while to find."""
        return bool(self.requirements) and any(isinstance(one.policy, ZCDP) for one in self.asked)

    def _required(self, policy: Policy, source: str = "") -> Requirement:
        """Pure DP, which no Gaussian release has, is matched by the criterion; everything else is met."""
        return Requirement(policy, (self.risk,) if isinstance(policy, PureDP) else (), source)


@dataclass(frozen=True, kw_only=True)
class RulesRequest:
    """A criterion by which to judge the rules of thumb."""

    criterion: Annotated[str, CRITERION]
    level: Annotated[float, _LEVEL]

    @property
    def risk(self) -> Risk:
        """The criterion at its level."""
        return RISKS[self.criterion].at(self.level)


@dataclass(frozen=True, kw_only=True)
class UnderstandRequest(InParts):
    """A GDP guarantee, and the attacker for whom to read it."""

    mu: Annotated[float, Number(FINITE_NON_NEGATIVE, "The GDP parameter.", 0.31)]
    prior: Annotated[float, Number(LEVEL, "Probability of membership before the attack.", 0.5)] = 0.5
    recall: Annotated[float, Number(RATE, "Share of the members that the attack finds, for precision.", 1e-2)] = 1e-2
    delta: Annotated[float, _DELTA] = 1e-6
    fpr: Annotated[float | None, Number(RATE, "One more false-positive rate at which to read the TPR.", 1e-4)] = None
    unit: Annotated[str | None, Text(120, "Whom or what it protects; a person if left out.", "one person")] = None
    parts: Annotated[frozenset[str] | None, _parts("tables")] = None


@dataclass(frozen=True, kw_only=True)
class PointRequest:
    """An operating point of an attack."""

    fpr: Annotated[float, Number(LEVEL, "False-positive rate.", 0.1)]
    fnr: Annotated[float, Number(LEVEL, "False-negative rate; at most 1 − fpr.", 0.5)]


@dataclass(frozen=True, kw_only=True)
class DescribedRun:
    """Whom a release is to protect, what else was done with the data, and where to read the guarantee."""

    unit: Annotated[str | None, Text(120, "Whom or what the guarantee protects; a statement needs it.", "person")] = (
        None
    )
    adjacency: Annotated[Adjacency, OneOf(tuple(ADJACENCIES), "Which data sets are neighbours.")] = "add-remove"
    records_per_unit: Annotated[int, Whole(1, MOST_RECORDS, "The most records that one unit has.", 1)] = 1
    tuning: Annotated[
        Tuning | None, OneOf(get_args(Tuning), "Of hyper-parameters on the same data; not stated if left out.")
    ] = None
    tuning_runs: Annotated[int | None, Whole(1, 10**6, "Runs for tuning besides the final one.", 9)] = None
    tuning_mean: Annotated[
        float | None, Number(MEAN_RUNS, "Mean of the random number of runs of which the best is released.", 10.0)
    ] = None
    randomness: Annotated[Randomness | None, OneOf(get_args(Randomness), "Of the noise; not stated if left out.")] = (
        None
    )
    delta: Annotated[float, _DELTA] = 1e-6
    floor: Annotated[float, _FLOOR] = DEFAULT_FLOOR


@dataclass(frozen=True, kw_only=True)
class Trained(DescribedRun):
    """DP-SGD but for its noise: its sizes, how its batches are really made, and how gradients are clipped."""

    dataset_size: Annotated[int, _DATASET_SIZE]
    batch_size: Annotated[int, _BATCH_SIZE]
    epochs: Annotated[float, _EPOCHS]
    sampling: Annotated[Sampling, OneOf(tuple(SAMPLINGS), "How batches are really made.")] = "poisson"
    last_batch: Annotated[
        str | None, OneOf(("kept", "dropped"), "Of a last, incomplete batch, where batches are cut from the data.")
    ] = None
    batches_per_pass: Annotated[
        int | None,
        Whole(
            1, MOST_RECORDS, "Batches in a pass, where batches are cut from the data; from the sizes if left out.", 195
        ),
    ] = None
    clipping: Annotated[
        Clipping | None, OneOf(get_args(Clipping), "How gradients are clipped; not stated if left out.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class AccountRequest(Trained):
    """A run of DP-SGD."""

    noise_multiplier: Annotated[
        float, Number(SAMPLED_NOISE, "Standard deviation of the noise over the clipping norm.", 1.0)
    ]


@dataclass(frozen=True, kw_only=True)
class ReleaseRequest:
    """A number or a table released with noise, once or several times."""

    noise: Annotated[str, OneOf(NOISES, "The distribution of the noise.")]
    scale: Annotated[
        float | None,
        Number(
            SCALE, "Standard deviation of Gaussian noise, scale of Laplace noise; left out where it is sought.", 4.0
        ),
    ] = None
    sensitivity: Annotated[
        float, Number(SCALE, "The most that one record changes the release; a whole number for discrete noise.", 1.0)
    ] = 1.0
    times: Annotated[int, Whole(1, MOST_RECORDS, "How many such releases.", 12)] = 1


@dataclass(frozen=True, kw_only=True)
class TargetRequest:
    """What a run must meet: a budget μ, or a bound on one risk of its exact curve."""

    kind: Annotated[str, TARGET]
    value: Annotated[float, Number(FINITE_NON_NEGATIVE, "The largest value allowed.", 0.31)]
    level: Annotated[
        float | None,
        Number(LEVEL, "The level of the risk, such as the δ of epsilon and the FPR of tpr; not for one without.", 1e-3),
    ] = None
    prior: Annotated[
        float, Number(LEVEL, "Probability of membership before the attack, for precision and accuracy.", 0.5)
    ] = 0.5


@dataclass(frozen=True, kw_only=True)
class ReleasesRequest(DescribedRun):
    """Counts, sums or tables with noise, or with a target for which their Gaussian noise is sought.

    That noise is the same over the sensitivity of each, so that all have the same share of the budget.
    """

    releases: Annotated[
        tuple[ReleaseRequest, ...], Several(ReleaseRequest, MOST_RELEASES, "What is released, about the same people.")
    ]
    target: TargetRequest | None = None


@dataclass(frozen=True, kw_only=True)
class CalibrateRequest(Trained):
    """A run of DP-SGD whose noise is sought."""

    target: TargetRequest


@dataclass(frozen=True, kw_only=True)
class PublishedRequest:
    """One statistic of each release, and what its noise is judged beside."""

    kind: Annotated[str, OneOf(tuple(KINDS), "What it is.")]
    name: Annotated[str | None, Text(60, "What it is called.", "visits a day")] = None
    typical: Annotated[float | None, Number(POSITIVE, "Its usual size.", 1000.0)] = None
    bound: Annotated[float | None, Number(POSITIVE, "The largest value of a record, for sums and means.", 100.0)] = None
    batch_size: Annotated[int | None, Whole(1, MOST_RECORDS, "Of a model's training.", 256)] = None
    epochs: Annotated[float | None, Number(POSITIVE, "Of a model's training.", 30.0)] = None


@dataclass(frozen=True, kw_only=True)
class Answered:
    """What is known about a planned release; what is left out is not known, and the usual is assumed."""

    unit: Annotated[str | None, _answer("unit")] = None
    records_per_unit: Annotated[int | None, _answer("records_per_unit")] = None
    aim: Annotated[str | None, _answer("aim")] = None
    chance: Annotated[float | None, _answer("chance")] = None
    acceptable: Annotated[float | None, _answer("acceptable")] = None
    people: Annotated[int | None, _answer("people")] = None
    every: Annotated[str | None, _answer("every")] = None
    years: Annotated[float | None, _answer("years")] = None
    attacker: Annotated[str | None, _answer("attacker")] = None
    published: Annotated[
        tuple[PublishedRequest, ...] | None, Several(PublishedRequest, MOST_RELEASES, "What each release holds.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class ScenarioRequest(Answered):
    """Another plan to compare with: the answers that differ."""

    name: Annotated[str, Text(40, "What it is called.", "B")]


@dataclass(frozen=True, kw_only=True)
class AdviseRequest(Answered):
    """Answers to the questions of the guided start, what else must hold, and other plans to compare."""

    title: Annotated[str | None, Text(120, "Of the plan.", "Visits to the clinic")] = None
    decided_by: Annotated[str | None, Text(120, "Who decides, for the record.", "the board")] = None
    requirements: Annotated[
        tuple[RequirementRequest, ...] | None, Several(RequirementRequest, MOST_RELEASES, "What else must hold.")
    ] = None
    scenarios: Annotated[
        tuple[ScenarioRequest, ...] | None, Several(ScenarioRequest, MOST_RELEASES, "Plans to compare.")
    ] = None


Run = AccountRequest | CalibrateRequest | ReleasesRequest
State = ChooseRequest | UnderstandRequest | Run | AdviseRequest
STATES: dict[str, type[State]] = {
    "choose": ChooseRequest,
    "understand": UnderstandRequest,
    "account": AccountRequest,
    "calibrate": CalibrateRequest,
    "releases": ReleasesRequest,
    "advise": AdviseRequest,
}

_STATE = Anything(
    "The fields of that view's own request.",
    tuple({"$ref": f"#/components/schemas/{request.__name__}"} for request in STATES.values()),
)


@dataclass(frozen=True, kw_only=True)
class FigureRequest:
    """A view of the page as a picture."""

    view: Annotated[str, OneOf(VIEWS, "Which view.")]
    format: Annotated[str, OneOf(FIGURE_FORMATS, "The file's format.")]
    state: Annotated[dict[str, object], _STATE]


@dataclass(frozen=True, kw_only=True)
class StatementRequest:
    """A view of the page as a document; of advice, the record of the decision, also as PDF and as its policy file.

    The state of a run must say its unit.
    """

    view: Annotated[str, OneOf(VIEWS, "Which view.")]
    format: Annotated[str, OneOf(STATEMENT_FORMATS, "The document's format.")]
    state: Annotated[dict[str, object], _STATE]


@dataclass(frozen=True, kw_only=True)
class EntryRequest:
    """A run or a decision as an entry of OpenDP's registry of deployments, with what only people know of it.

    The state of a run must say its unit.
    """

    view: Annotated[str, OneOf(REGISTERED, "Which view.")]
    state: Annotated[dict[str, object], _STATE]
    curator: Annotated[str, Text(200, "Who publishes.", "Town")]
    curator_type: Annotated[str, OneOf(CURATORS, "What they are.")]
    intended_use: Annotated[str, Text(500, "Of what is published.", "Planning")]
    region: Annotated[str, Text(200, "Whom the data describe, or whose laws apply.", "Town")]
    author: Annotated[str, Text(200, "Who fills out the entry.", "A. Clerk")]
    name: Annotated[str | None, Text(200, "Of what is published.", "Visits")] = None


@dataclass(frozen=True, kw_only=True)
class ImportRequest:
    """A file of OpenDP's registry of deployments."""

    name: Annotated[str, Text(200, "Of the file, which ends in .yaml, .yml or .json.", "entry.yaml")]
    text: Annotated[str, FileText(LONGEST, "What it holds.", "deployment: {}")]


def state_of(request: FigureRequest | StatementRequest | EntryRequest) -> State:
    """The state that the view's own request would hold."""
    return read(STATES[request.view], request.state, "state.")
