"""What is answered, field by field: typed dictionaries, since they are JSON already."""

from collections.abc import Sequence
from typing import Annotated, NotRequired, TypedDict

from gaussdp.web.schemas.kinds import Anything
from gaussdp.web.schemas.requests import CRITERION

Real = Annotated[float, 'a number, or the string "inf"']
Text = Annotated[str, "the number beside it as people read it, rounded to the side of less privacy"]


class Snippets(TypedDict, total=False):
    """The same numbers elsewhere, as far as they were asked for."""

    python: str
    cli: str
    latex: str
    json: str


class Elsewhere(TypedDict):
    """The best attack at another false-positive rate, under the budget and under the policy."""

    fpr: float
    fpr_text: str
    policy: float
    policy_text: str
    budget: float
    budget_text: Text


class Instead(TypedDict):
    """What to match by where a match is saturated."""

    criterion: Annotated[str, CRITERION]
    level: float | None
    level_text: str
    name: str
    mu_text: str


class Place(TypedDict):
    """A criterion at a level."""

    criterion: Annotated[str, CRITERION]
    level: float
    level_text: str


class Budget(Place):
    """The budget by a criterion at a level."""

    saturated: Annotated[bool, "whether the policy hardly limits the attack there"]

    mu: Real
    mu_text: Text


class Mu(TypedDict):
    """One μ."""

    mu: Real
    mu_text: Text


class RiskValue(TypedDict):
    """What an attacker achieves, by the chosen criterion."""

    name: str
    value: Real
    text: Text
    sentence: str


class Rule(TypedDict):
    """The rule of thumb μ = ε/divisor at this policy, by this criterion."""

    divisor: float
    mu: Real
    mu_text: Text
    standing: Annotated[str, "conservative, too much, or saturated where the match is no measure"]
    verdict: str


class RuleRange(TypedDict):
    """The policies ε, as intervals, for which the rule μ = ε/divisor is conservative."""

    divisor: float
    conservative: list[list[float]] | None
    sentence: str


class RulesResponse(TypedDict):
    """Where the rules of thumb hold."""

    rules: list[RuleRange]


class MatchedCurves(TypedDict):
    """FNR and TPR by FPR, of the policy and of the budget; the TPR keeps its digits where it is small."""

    fpr: Sequence[float]
    pure: NotRequired[Annotated[list[float] | None, "the policy that binds; null where it is a bound without a curve"]]
    gdp: NotRequired[list[float]]
    pure_tpr: NotRequired[list[float] | None]
    gdp_tpr: NotRequired[list[float]]


class Point(TypedDict):
    """An operating point."""

    fpr: float
    fnr: float
    tpr: float


class Asked(TypedDict):
    """Something that must hold."""

    words: str
    source: str
    mu_text: str
    binds: bool


class ChooseResponse(TypedDict):
    """The budget for a policy; what is part of `advice` depends on the policy alone."""

    epsilon: float | None
    mu: Real
    mu_text: Text
    criterion: Annotated[str, CRITERION]
    level: float
    level_text: str
    met: Annotated[bool, "whether every release with this μ meets what binds; else it is matched"]
    matching: Annotated[bool, "whether anything is matched by the criterion"]
    requirements: list[Asked]
    risk: RiskValue
    others: NotRequired[Annotated[list[Budget], "part of `advice`: the same policy by all criteria"]]
    implied: NotRequired[
        Annotated[Mu | None, "part of `advice`: the μ that pure DP with this ε has itself; null without one"]
    ]
    saturated: bool
    warning: Annotated[str, "that the match is saturated, and what to use instead; empty if it is not"]
    cost: Annotated[str, "what the match costs at lower false-positive rates; empty if nothing"]
    elsewhere: list[Elsewhere]
    instead: Instead | None
    recommendation: NotRequired[
        Annotated[
            list[str], "part of `advice`: the range over all criteria that count, the most cautious of them, and why"
        ]
    ]
    cautious: NotRequired[Annotated[Mu, "part of `advice`"]]
    rules: list[Rule]
    curves: NotRequired[Annotated[MatchedCurves, "parts `fnr` and `tpr`"]]
    matched: Annotated[Point | None, "where budget and policy meet"]
    snippets: Snippets


class TprAtFpr(TypedDict):
    """The best attack at a false-positive rate."""

    fpr: float
    fpr_text: str
    tpr: float
    text: Text


class PrecisionAtRecall(TypedDict):
    """The best attack at a recall."""

    recall: float
    prior: float
    value: float
    text: Text


class EpsilonAtDelta(TypedDict):
    """The guarantee as (ε, δ)-DP."""

    delta: float
    epsilon: Real
    text: Text


class Share(TypedDict):
    """A number between 0 and 1."""

    value: float
    text: Text


class Icons(TypedDict):
    """So many of so many: right without the release, with it at most, and how that is drawn."""

    title: str
    of: int
    before: int
    after: int
    sentence: str
    drawn: Annotated[list[int], "icons of each kind: right anyway, right because of the release, wrong"]
    labels: list[str]
    columns: int
    note: Annotated[str, "what an icon stands for, if not for one"]


class Group(TypedDict):
    """The guarantee for a group of people."""

    k: int
    mu: Real
    mu_text: Text


class Repeated(TypedDict):
    """The guarantee of several such releases together."""

    releases: int
    mu: Real
    mu_text: Text


class Equivalent(TypedDict):
    """The policy of pure DP that allows the same, by a criterion at a level."""

    criterion: Annotated[str, CRITERION]
    level: float
    level_text: str
    epsilon: Real
    text: Text


class Curve(TypedDict):
    """FNR and TPR by FPR."""

    fpr: Sequence[float]
    fnr: NotRequired[list[float]]
    tpr: NotRequired[list[float]]


class UnderstandResponse(TypedDict):
    """What a GDP guarantee lets an attacker achieve."""

    mu: float
    mu_text: Text
    tpr: list[TprAtFpr]
    precision: PrecisionAtRecall
    epsilon: EpsilonAtDelta
    advantage: Share
    accuracy: Share
    icons: list[Icons]
    group: NotRequired[Annotated[list[Group], "part of `tables`"]]
    repeated: NotRequired[Annotated[list[Repeated], "part of `tables`"]]
    equivalents: NotRequired[Annotated[list[Equivalent], "part of `tables`"]]
    curve: NotRequired[Annotated[Curve, "parts `fnr` and `tpr`"]]
    sentences: list[str]
    snippets: Snippets


class Deployment(TypedDict):
    """A known release with its published guarantee."""

    name: str
    organisation: str
    year: int
    unit: str
    setting: str
    covers: str
    source: str
    url: str
    epsilon: float | None
    epsilon_text: str | None
    delta: float | None
    rho: float | None
    published: str
    mu: float | None
    mu_text: str | None
    period: Annotated[
        str, "after which as much is spent again: 6 hours, day, month, ...; empty for what is released once"
    ]
    mu_per_year: Annotated[float | None, "of a year, in which that adds up in squares; null where it is not known"]
    mu_per_year_text: str | None
    basis: Annotated[str, "how far that μ describes what was released: exact, implied or none"]


class DeploymentsResponse(TypedDict):
    """Known releases."""

    deployments: list[Deployment]


class AccountCurves(TypedDict):
    """FNR and TPR by FPR: the exact curve if it is known, the μ that holds, and the (ε, δ) statement."""

    fpr: Sequence[float]
    exact: list[float] | None
    gdp: list[float]
    approx: list[float]
    exact_tpr: list[float] | None
    gdp_tpr: list[float]
    approx_tpr: list[float]


class Scale(TypedDict):
    """The noise of one kind of release, where it was sought."""

    times: int
    sensitivity_text: str
    scale: Annotated[float, "standard deviation of the noise of each, rounded up"]
    text: str


class AccountResult(TypedDict):
    """The guarantee that holds for a run as it is described."""

    exact: Annotated[bool, "whether the guarantee is exact; else only an enclosure is known, and its upper end shown"]
    mu: Real
    mu_text: Text
    mu_lower: Real
    mu_lower_text: str
    floor: float
    floor_text: str
    slack: float | None
    slack_text: str | None
    regret: float | None
    regret_text: str | None
    sentences: Annotated[list[str], "what the number is about, and what is taken for granted"]
    delta: float
    epsilon: Real
    epsilon_text: Text
    epsilon_lower: Real
    method: str
    tpr: list[TprAtFpr]
    curves: AccountCurves
    snippets: Snippets
    noise_multiplier: NotRequired[float]
    noise_multiplier_text: NotRequired[str]
    sample_rate: NotRequired[float]
    sample_rate_text: NotRequired[str]
    steps: NotRequired[int]
    achieved: NotRequired[float]
    achieved_text: NotRequired[Text]
    target_text: NotRequired[str]
    status: NotRequired[str]
    scales: NotRequired[Annotated[list[Scale], "of releases whose noise was sought, in their order"]]


class Step(TypedDict):
    """Risk and noise at one μ for everything together."""

    mu_text: str
    place: str
    each_text: str
    chance_text: str
    noise: list[str]


class Scenario(TypedDict):
    """One plan among others."""

    name: str
    releases: int
    mu_text: str
    mu_high_text: str
    each_text: str
    chance_text: str
    noise_text: str


class HandedOver(TypedDict):
    """The same plan as a question to another view: which noise meets its budget."""

    view: str
    state: Annotated[dict[str, object], Anything("The fields of that view's own request.")]


class AdviseResponse(TypedDict):
    """A range of μ for everything that is published, what binds, what each release may spend, and how good it is."""

    sentence: str
    mu: Real
    mu_text: str
    mu_high_text: str
    each_text: str
    count: int
    band: str
    words: list[str]
    requirements: list[Asked]
    statistics: list[str]
    utility: list[Step]
    scenarios: list[Scenario]
    assumptions: list[str]
    not_covered: list[str]
    assumed: Annotated[list[str], "the questions that were not answered"]
    filled: Annotated[list[list[str]], "question and answer, given or assumed"]
    unit: Annotated[str, "whom the budget is about, as the other views take it"]
    onward: NotRequired[Annotated[HandedOver, "left out where no one question asks for all of the plan"]]
    snippets: Snippets


class Failure(TypedDict):
    """What is wrong, and with which field."""

    field: str | None
    message: str


class ErrorResponse(TypedDict):
    """A refusal."""

    error: Failure


class Progress(TypedDict):
    """How far a computation is."""

    seconds: float
    message: str


class StreamLine(TypedDict):
    """One line of an answer that takes its time: progress, then a result or an error."""

    progress: NotRequired[Progress]
    result: NotRequired[AccountResult]
    error: NotRequired[Failure]


class Option(TypedDict):
    """One of several things to choose from."""

    value: str
    label: str


class Answer(TypedDict):
    """One of several answers, with what it means."""

    value: str
    label: str
    hint: str


class LevelDefinition(TypedDict):
    """A level at which risks are read."""

    key: str
    label: str
    words: str
    title: str
    meaning: str
    initial: str


class CriterionDefinition(TypedDict):
    """A risk by which a policy can be matched, and its level."""

    value: str
    label: str
    hint: str
    level: str


class TargetDefinition(TypedDict):
    """What a calibration or a policy can bound, how its value and level are called, and what they start with."""

    value: str
    label: str
    bound: str
    start: str
    level: str | None
    start_level: str | None


class Range(TypedDict):
    """What a number may be."""

    name: str
    low: float
    high: Real
    low_included: bool
    high_included: bool
    whole: bool


class QuestionDefinition(TypedDict):
    """A question of the guided start."""

    key: str
    text: str
    why: str
    kind: str
    initial: Annotated[str | None, "what is assumed by who does not know; None where that depends on other answers"]
    options: list[Answer]


class Definitions(TypedDict):
    """What can be chosen on the page, with its words, and what numbers may be."""

    ranges: list[Range]
    questions: list[QuestionDefinition]
    published: list[Option]
    documents: Annotated[list[Option], "the formats of a statement"]
    noise: list[Option]
    tuning: list[Option]
    clipping: list[Option]
    randomness: list[Option]

    levels: list[LevelDefinition]
    criteria: list[CriterionDefinition]
    targets: list[TargetDefinition]
    currencies: Annotated[list[TargetDefinition], "how a policy can be stated"]
    adjacency: list[Option]
    sampling: list[Option]


class Health(TypedDict):
    """That the server runs, and which version."""

    status: str
    version: str
