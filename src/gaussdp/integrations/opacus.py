"""Opacus: an accountant named "gaussdp" whose epsilon is exact and which also tells mu, the curve and a report.

Importing this module registers it, so that `PrivacyEngine(accountant="gaussdp")` finds it.
"""

import inspect
import math
import warnings
from collections.abc import Callable, Mapping, MutableMapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gaussdp.accounting import AccountedCurve, DistributionCurve, Fit, account
from gaussdp.accounting.fitted import DEFAULT_FLOOR
from gaussdp.calibration import AtMost
from gaussdp.calibration import noise_multiplier as least_noise_multiplier
from gaussdp.calibration.free_numbers import DEFAULT_DIGITS
from gaussdp.domains import FINITE_NON_NEGATIVE, LEVEL, POSITIVE, SAMPLE_RATE, integer, number
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP
from gaussdp.integrations.versions import require
from gaussdp.mechanisms import DPSGD, Adjacency, Composition, Mechanism
from gaussdp.objects import Compared
from gaussdp.risks import Profile
from gaussdp.statements import Report, report_run
from gaussdp.statements.run import SAMPLINGS, Run

NAME = "gaussdp"
SUPPORTED = ">=1.6,<1.7"
"""Before 1.6, adaptive clipping told its accountant more noise than there was."""

Step = tuple[float, float, int]
"""Noise multiplier, sample rate, and how many steps in a row had them: an entry of Opacus's history."""

_accountants = require("opacus", extra="opacus", supported=SUPPORTED, module="opacus.accountants")

if TYPE_CHECKING:

    class IAccountant:
        """What this file uses of Opacus's base class, which has no types."""

        history: list[Step]

        def __init__(self) -> None: ...
        def state_dict(self, destination: MutableMapping[str, Any] | None = None) -> MutableMapping[str, Any]: ...
        def load_state_dict(self, state_dict: Mapping[str, Any]) -> None: ...

else:
    IAccountant = _accountants.IAccountant

_UNSEEN = "not seen"


class GaussdpAccountant(IAccountant, Compared):
    """Opacus's history of noise and batches, accounted exactly.

    Works wherever Opacus takes an accountant by name, keeps what it needs in checkpoints, and lets noise and batch size
    change during training. The guarantee is for adding or removing one record.

    >>> accountant = GaussdpAccountant()
    >>> for _ in range(1000):
    ...     accountant.step(noise_multiplier=1.0, sample_rate=0.01)
    >>> accountant.history, len(accountant)
    ([(1.0, 0.01, 1000)], 1000)
    >>> round(accountant.get_epsilon(delta=1e-5), 6), round(accountant.mu(), 6)
    (1.828237, 0.522201)
    """

    def __init__(self) -> None:
        super().__init__()
        self._samplings: set[str] = set()
        self._randomness: set[str] = set()
        self._accounted: tuple[tuple[Step, ...], AccountedCurve | DistributionCurve] | None = None
        self.limit: Callable[[float, float, str], None] | None = None
        """Called with noise multiplier, sample rate and sampling before a step counts; may refuse it."""

    @classmethod
    def mechanism(cls) -> str:
        """The name under which Opacus knows this accountant."""
        return NAME

    def __repr__(self) -> str:
        kinds = f", of {len(self.history)} kinds" if len(self.history) > 1 else ""
        return f"<GaussdpAccountant after {len(self):,} {'step' if len(self) == 1 else 'steps'}{kinds}>"

    def _told(self) -> object:
        return self.history, self._samplings, self._randomness

    def __len__(self) -> int:
        """The number of steps so far."""
        return sum(count for _, _, count in self.history)

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """Count one step.

        Args:
            noise_multiplier: standard deviation of the noise over the clipping norm, in [0, inf); 0 is remembered as no
                privacy at all.
            sample_rate: probability with which a record was in the batch, in (0, 1].
        """
        self._count(noise_multiplier, sample_rate, sampling=_UNSEEN, randomness=_UNSEEN)

    def get_epsilon(self, delta: float, **_: Any) -> float:
        """The least epsilon with which all steps so far are (epsilon, delta)-DP.

        Args:
            delta: in (0, 1).
        Returns:
            0 before the first step, inf after a step without noise.
        Warns:
            UserWarning: if a step's batch was not Poisson-sampled, since then epsilon is too small.
        """
        level = number("delta", delta, LEVEL)
        self._warn_unless_poisson()
        if not self.history:
            return 0.0
        return self.curve().epsilon(level) if self._noisy else math.inf

    def get_optimizer_hook_fn(self, sample_rate: float) -> Callable[[Any], None]:
        """What the engine attaches to the optimizer, which calls it at each step."""
        sampling = "full batch" if sample_rate == 1 else _sampling_in_caller()

        def count_step(optimizer: Any) -> None:
            _refuse_adaptive(optimizer)
            rate = sample_rate * optimizer.accumulated_iterations
            self._count(optimizer.noise_multiplier, rate, sampling, "secure" if optimizer.secure_mode else "ordinary")

        return count_step

    def state_dict(self, destination: MutableMapping[str, Any] | None = None) -> MutableMapping[str, Any]:
        """The history and what was seen of the batches and the noise, for a checkpoint."""
        state = super().state_dict(destination)
        state["samplings"], state["randomness"] = sorted(self._samplings), sorted(self._randomness)
        return state

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from a checkpoint of this accountant, or of Opacus's own ones, whose history is the same.

        Raises:
            ValueError: if there is no history in it.
            DomainError: if an entry of the history is not one.
        """
        state = dict(state_dict or {})
        if state.get("mechanism") in ("rdp", "prv", "gdp"):
            state["mechanism"] = NAME
        if "history" in state:
            state["history"] = _checked_history(state["history"])
        super().load_state_dict(state)
        self._samplings = set(state.get("samplings", [_UNSEEN]))
        self._randomness = set(state.get("randomness", [_UNSEEN]))

    def composition(self) -> Mechanism:
        """The steps so far as a mechanism, with which all of gaussdp can work.

        Raises:
            DomainError: if there is no step yet, or one without noise.
        """
        if not self.history:
            raise DomainError("history", problem="must hold at least one step", advice="train first")
        if not self._noisy:
            raise DomainError("noise_multiplier", "positive in every step", got="0: without noise is no guarantee")
        runs = [DPSGD(noise, rate, count) for noise, rate, count in self.history]
        return runs[0] if len(runs) == 1 else Composition(runs)

    def curve(self) -> AccountedCurve | DistributionCurve:
        """The guarantee of all steps so far as a trade-off curve; computed once for a history."""
        steps = tuple(self.history)
        if self._accounted is None or self._accounted[0] != steps:
            self._accounted = steps, account(self.composition())
        return self._accounted[1]

    def fit(self, floor: float | None = None) -> Fit:
        """The tightest mu of all steps so far, with its floor, slack and regret.

        Args:
            floor: smallest error rate of the attacks that the fit speaks about, in (0, 1); the curve's own default,
                1e-10 unless it is read off a distribution, if None.
        """
        self._warn_unless_poisson()
        return self.curve().fit() if floor is None else self.curve().fit(floor)

    def mu(self, floor: float | None = None) -> float:
        """The mu of all steps so far, for attacks whose FPR and FNR are at least the floor.

        Numerical error is included, so the true mu is no larger.

        Args:
            floor: in (0, 1); the default of `fit` if None.
        Returns:
            0 before the first step, inf after a step without noise.
        """
        if floor is not None:
            number("floor", floor, LEVEL)
        if not self.history:
            return 0.0
        return self.fit(floor).mu if self._noisy else math.inf

    def report(self, *, unit: str, adjacency: Adjacency, floor: float = DEFAULT_FLOOR, **details: Any) -> Report:
        """The privacy statement of all steps so far; it says so if the batches were not Poisson samples.

        Args:
            unit: whom or what the guarantee protects, such as "one person".
            adjacency: "add-remove" or "replace-one": what the data of one unit may do.
            floor: smallest error rate of the attacks that mu speaks about, in (0, 1).
            details: other arguments of `gaussdp.Run`, such as records_per_unit and tuning. How batches are made and
                noise is drawn is filled in as far as it was seen, and must not be stated otherwise.
        Returns:
            The report, to be rendered or written.

        >>> accountant = GaussdpAccountant()
        >>> accountant.history = [(1.0, 0.01, 1000)]
        >>> report = accountant.report(unit="one image", adjacency="add-remove", records_per_unit=1, tuning="none")
        >>> report.mu, report.standing  # nobody saw the batches
        (0.5223, 'depends')
        """
        return report_run(self.run(unit=unit, adjacency=adjacency, **details), floor=floor)

    def run(self, *, unit: str, adjacency: Adjacency, **details: Any) -> Run:
        """All steps so far as a run, for `check_claim`, `explain`, `Run.write`; the arguments are those of `report`.

        >>> accountant = GaussdpAccountant()
        >>> accountant.history = [(1.0, 0.01, 1000)]
        >>> accountant.run(unit="one image", adjacency="add-remove").not_stated
        ('records_per_unit', 'tuning', 'sampling', 'randomness')
        """
        found = _stated(details, self._seen())
        if self._not_poisson():  # by a sampler that is not known here; only who wrote it can say what it does
            found.setdefault("sampling", "without replacement")
        return Run(mechanism=self.composition(), unit=unit, adjacency=adjacency, **found)

    def _seen(self) -> dict[str, str]:
        """What was seen of all steps, in the words of a run; of several kinds the one that decides."""
        seen = {"clipping": "per-example"}  # all that Opacus does
        known = [sampling for sampling in self._not_poisson() if sampling in SAMPLINGS]
        if known:
            seen["sampling"] = known[0]
        elif self._samplings and self._samplings <= {"poisson", "full batch"}:
            seen["sampling"] = "poisson" if "poisson" in self._samplings else "full batch"
        if "ordinary" in self._randomness:
            seen["randomness"] = "ordinary"
        elif self._randomness == {"secure"}:
            seen["randomness"] = "secure"
        return seen

    def _not_poisson(self) -> list[str]:
        return sorted(self._samplings.difference(("poisson", "full batch", _UNSEEN)))

    @property
    def _noisy(self) -> bool:
        return all(noise > 0 for noise, _, _ in self.history)

    def _count(self, noise_multiplier: float, sample_rate: float, sampling: str, randomness: str) -> None:
        noise, rate, _ = _checked(noise_multiplier, sample_rate, 1)
        if self.limit is not None:
            self.limit(noise, rate, sampling)
        self._samplings.add(sampling)
        self._randomness.add(randomness)
        count = self.history.pop()[2] if self.history and self.history[-1][:2] == (noise, rate) else 0
        self.history.append((noise, rate, count + 1))

    def _warn_unless_poisson(self) -> None:
        others = self._not_poisson()
        if others:
            warnings.warn(
                f"the numbers assume Poisson-sampled batches, but these were made by {', '.join(others)}: the privacy"
                " loss can be larger; use make_private(poisson_sampling=True)",
                stacklevel=3,
            )


def noise_multiplier(
    *,
    sample_rate: float,
    steps: int | None = None,
    epochs: float | None = None,
    target_mu: float | None = None,
    target_epsilon: float | None = None,
    target_delta: float | None = None,
    floor: float = DEFAULT_FLOOR,
    digits: int = DEFAULT_DIGITS,
) -> float:
    """The least noise for a budget, to give to `make_private`: as Opacus's get_noise_multiplier, and also for mu.

    Unlike that function's answer, this one is checked to meet the budget and to miss it with one unit less in the last
    digit; a last, partial pass over the data counts as a step.

    Args:
        sample_rate: probability with which a record enters a batch, in (0, 1]; 1 / len(data_loader) in Opacus.
        steps: number of steps, or
        epochs: number of passes over the data.
        target_mu: budget for the fitted mu, or
        target_epsilon: budget for epsilon at
        target_delta: this delta, in (0, 1).
        floor: smallest error rate of the attacks that the fitted mu speaks about, in (0, 1).
        digits: significant digits of the answer, which is rounded up.

    >>> noise_multiplier(target_epsilon=3.0, target_delta=1e-5, sample_rate=0.01, epochs=10)
    0.8136
    >>> noise_multiplier(target_mu=0.5, sample_rate=0.01, steps=1000)
    1.021
    """
    if (steps is None) == (epochs is None):
        raise DomainError(None, problem="give either steps or epochs")
    rate = number("sample_rate", sample_rate, SAMPLE_RATE)
    if epochs is not None:
        steps = max(1, math.ceil(number("epochs", epochs, POSITIVE) / rate * (1 - 1e-12)))
    target: GDP | AtMost
    if target_mu is not None and target_epsilon is None and target_delta is None:
        target = GDP(number("target_mu", target_mu, POSITIVE))
    elif target_mu is None and target_epsilon is not None and target_delta is not None:
        delta = number("target_delta", target_delta, LEVEL)
        target = AtMost(Profile(delta), number("target_epsilon", target_epsilon, POSITIVE))
    else:
        raise DomainError(None, problem="give either target_mu, or target_epsilon and target_delta")
    count = integer("steps", steps, low=1)
    return least_noise_multiplier(target, sample_rate=rate, steps=count, floor=floor, digits=digits).value


def write_run(
    path: str | Path,
    engine: Any,
    *,
    unit: str,
    adjacency: Adjacency,
    optimizer: Any = None,
    loader: Any = None,
    **details: Any,
) -> Run:
    """Write the run file of a training with Opacus, from what its engine counted; every command takes it.

    The noise multipliers, the sample rates and the steps are those of the accountant, whichever it is. What nobody saw
    or said is left out, and the file ends with a line that lists it.

    Args:
        path: a .toml or .json file.
        engine: the PrivacyEngine after training, or its accountant.
        unit: whom or what the guarantee protects, such as "one person".
        adjacency: "add-remove" or "replace-one": what the data of one unit may do.
        optimizer: of the training, which knows the clipping norm and whether its noise is secure.
        loader: from which the batches came, which knows the number of records and how batches are made.
        details: other arguments of `gaussdp.Run`, which must not contradict what was seen.
    Returns:
        The run; its `not_stated` lists what the file does not say.

    >>> import tempfile
    >>> accountant = GaussdpAccountant()
    >>> accountant.history = [(1.0, 0.01, 1000)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_run(f"{folder}/run.toml", accountant, unit="one image", adjacency="add-remove").not_stated
    ('records_per_unit', 'tuning', 'sampling', 'randomness')
    """
    accountant = getattr(engine, "accountant", engine)
    if not isinstance(accountant, IAccountant):
        raise DomainError("engine", "a PrivacyEngine or an accountant of Opacus", got=type(engine).__name__)
    if not isinstance(accountant, GaussdpAccountant):
        other, accountant = accountant, GaussdpAccountant()
        accountant.load_state_dict(other.state_dict())
    seen: dict[str, Any] = {}
    if optimizer is not None:
        _refuse_adaptive(optimizer)
        norm = optimizer.max_grad_norm
        seen |= {"clip_norm": float(norm)} if isinstance(norm, int | float) else {}  # one a layer says nothing in all
        seen["randomness"] = "secure" if optimizer.secure_mode else "ordinary"
    if loader is not None:
        sampling = _sampling_of(loader)
        seen["dataset_size"] = len(loader.dataset)
        seen |= {"sampling": sampling} if sampling in SAMPLINGS else {}
        seen |= {"batches_per_pass": len(loader)} if sampling in ("shuffle", "fixed batches") else {}
    run = accountant.run(unit=unit, adjacency=adjacency, **_stated(details, seen))
    run.write(path)
    return run


def _stated(details: Mapping[str, Any], seen: Mapping[str, Any]) -> dict[str, Any]:
    """What was said together with what was seen, which must agree."""
    for key, value in seen.items():
        if details.get(key, value) != value:
            raise DomainError(key, f"left out or {value!r}, as was seen", details[key])
    return {**seen, **details}


def _refuse_adaptive(optimizer: Any) -> None:
    if hasattr(optimizer, "unclipped_num_std"):
        raise DomainError(
            "clipping",
            '"flat" or "per_layer"',
            got='"adaptive": Opacus divides its noisy count of unclipped gradients by the exact size of the '
            "batch, which no accounting covers",
        )


def register() -> None:
    """Make the accountant known to Opacus by its name; importing this module has done so already."""
    _accountants.register_accountant(NAME, GaussdpAccountant, force=True)


def _checked_history(history: object) -> list[Step]:
    entries = history if isinstance(history, list) else [history]
    checked = [_checked(*entry) for entry in entries if isinstance(entry, tuple | list) and len(entry) == 3]
    if len(checked) < len(entries):
        raise DomainError("history", problem="must hold entries of noise multiplier, sample rate and number of steps")
    return checked


def _checked(noise: object, rate: object, count: object) -> Step:
    return (
        number("noise_multiplier", noise, FINITE_NON_NEGATIVE),
        number("sample_rate", rate, SAMPLE_RATE),
        integer("steps", count, low=1),
    )


def _sampling_in_caller() -> str:
    """How the data loader of the engine that asks for a hook makes its batches.

    The engine tells its accountant the sample rate alone. Whether the batches are Poisson samples decides whether any
    number holds, so the loader is looked up where the engine keeps it; whoever else asks leaves it not seen.
    """
    frame = inspect.currentframe()
    for _ in range(2):
        frame = frame.f_back if frame else None
    return _sampling_of(frame.f_locals.get("data_loader") if frame else None)


def _sampling_of(loader: Any) -> str:
    """How a loader makes its batches: as a run says it, or the name of a sampler that is not known here."""
    poisson, torch = import_module("opacus.utils.uniform_sampler"), import_module("torch.utils.data")
    if not isinstance(loader, torch.DataLoader):
        return _UNSEEN
    batches = loader.batch_sampler
    if isinstance(batches, poisson.UniformWithReplacementSampler | poisson.DistributedUniformWithReplacementSampler):
        return "poisson"
    if type(batches) is not torch.BatchSampler:
        return type(batches).__name__
    records = batches.sampler  # the loader's own sampler is not used where batches come from elsewhere
    if type(records) is torch.RandomSampler and not records.replacement:
        return "shuffle"
    return "fixed batches" if type(records) is torch.SequentialSampler else type(records).__name__


register()
