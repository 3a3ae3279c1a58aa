"""What can be asked, field by field."""

from dataclasses import dataclass
from typing import Annotated

from gaussdp.domains import FINITE_NON_NEGATIVE, LEVEL, POSITIVE, SAMPLED_NOISE
from gaussdp.explaining.facts import RATE
from gaussdp.mechanisms.base import ADJACENCIES, Adjacency
from gaussdp.risks import Risk, criteria, registered
from gaussdp.risks.registry import RISKS
from gaussdp.statements.run import SAMPLINGS, Sampling
from gaussdp.web.schemas.kinds import Anything, Number, OneOf, Text, Whole
from gaussdp.web.schemas.reading import read

CRITERION = OneOf(lambda: [risk.key for risk in criteria()], "The risk that is matched.")
TARGET = OneOf(lambda: ["mu", *(risk.value_key for risk in registered())], "What is bounded.")

VIEWS = ("choose", "understand", "account", "calibrate")
FIGURE_FORMATS = ("svg", "png", "pdf")
STATEMENT_FORMATS = ("markdown", "html", "latex", "json", "text")

MOST_RECORDS = 10**15

_LEVEL = Number(LEVEL, "Where it is matched: the level of the criterion, such as an FPR, a recall or a δ.", 1e-3)
_DELTA = Number(LEVEL, "δ at which to read ε.", 1e-5)
_DATASET_SIZE = Whole(1, MOST_RECORDS, "Number of records.", 50_000)
_BATCH_SIZE = Whole(1, MOST_RECORDS, "Expected size of a batch, at most dataset_size.", 256)
_EPOCHS = Number(POSITIVE, "Expected number of times that a record is seen.", 30.0)
_FLOOR = Number(LEVEL, "Smallest error rate of the attacks that the fitted μ speaks about.", 1e-10)


@dataclass(frozen=True, kw_only=True)
class ChooseRequest:
    """A policy of pure ε-DP, and the criterion by which to match it."""

    epsilon: Annotated[float, Number(FINITE_NON_NEGATIVE, "The policy: the ε of pure differential privacy.", 1.0)]
    criterion: Annotated[str, CRITERION]
    level: Annotated[float, _LEVEL]

    @property
    def risk(self) -> Risk:
        """The criterion at its level."""
        return RISKS[self.criterion].at(self.level)


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
class UnderstandRequest:
    """A GDP guarantee, and the attacker for whom to read it."""

    mu: Annotated[float, Number(FINITE_NON_NEGATIVE, "The GDP parameter.", 0.31)]
    prior: Annotated[float, Number(LEVEL, "Probability of membership before the attack.", 0.5)] = 0.5
    recall: Annotated[float, Number(RATE, "Share of the members that the attack finds, for precision.", 1e-2)] = 1e-2
    delta: Annotated[float, _DELTA] = 1e-5
    fpr: Annotated[float | None, Number(RATE, "One more false-positive rate at which to read the TPR.", 1e-4)] = None


@dataclass(frozen=True, kw_only=True)
class PointRequest:
    """An operating point of an attack."""

    fpr: Annotated[float, Number(LEVEL, "False-positive rate.", 0.1)]
    fnr: Annotated[float, Number(LEVEL, "False-negative rate; at most 1 − fpr.", 0.5)]


@dataclass(frozen=True, kw_only=True)
class AccountRequest:
    """A run of DP-SGD with Poisson sampling."""

    noise_multiplier: Annotated[
        float, Number(SAMPLED_NOISE, "Standard deviation of the noise over the clipping norm.", 1.0)
    ]
    dataset_size: Annotated[int, _DATASET_SIZE]
    batch_size: Annotated[int, _BATCH_SIZE]
    epochs: Annotated[float, _EPOCHS]
    delta: Annotated[float, _DELTA] = 1e-5
    floor: Annotated[float, _FLOOR] = 1e-10


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
class CalibrateRequest:
    """A run of DP-SGD whose noise is sought."""

    target: TargetRequest
    dataset_size: Annotated[int, _DATASET_SIZE]
    batch_size: Annotated[int, _BATCH_SIZE]
    epochs: Annotated[float, _EPOCHS]
    delta: Annotated[float, _DELTA] = 1e-5
    floor: Annotated[float, _FLOOR] = 1e-10


State = ChooseRequest | UnderstandRequest | AccountRequest | CalibrateRequest
STATES: dict[str, type[State]] = {
    "choose": ChooseRequest,
    "understand": UnderstandRequest,
    "account": AccountRequest,
    "calibrate": CalibrateRequest,
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
    """A view of the page as a document. For account and calibrate, unit, adjacency and sampling must be said."""

    view: Annotated[str, OneOf(VIEWS, "Which view.")]
    format: Annotated[str, OneOf(STATEMENT_FORMATS, "The document's format.")]
    state: Annotated[dict[str, object], _STATE]
    unit: Annotated[str | None, Text(120, "What one record is: whom or what the guarantee protects.", "person")] = None
    adjacency: Annotated[Adjacency | None, OneOf(tuple(ADJACENCIES), "Which data sets are neighbours.")] = None
    sampling: Annotated[Sampling | None, OneOf(tuple(SAMPLINGS), "How batches are really made.")] = None


def state_of(request: FigureRequest | StatementRequest) -> State:
    """The state that the view's own request would hold."""
    return read(STATES[request.view], request.state, "state.")
