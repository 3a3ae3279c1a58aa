"""One of every public class, found through the lists of public names, and all that can be called or read off it.

What cannot be made or called here stands in a table with its reason; a test holds the tables against the lists.
"""

import atexit
import dataclasses
import inspect
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from typing import Any

import gaussdp
from gaussdp import calibration, mechanisms, risks

RUN = gaussdp.Run(mechanism=gaussdp.DPSGD(1.0, 0.01, 50), unit="person", adjacency="add-remove", sampling="poisson")
SCORES = ([3.0, 1.0, 2.0, 5.0], [0.0, 1.0, 0.5, 0.0])


def _book() -> Any:
    """A budget book of its own, in a folder that is gone with this process."""
    folder = tempfile.mkdtemp(prefix="fuzz-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    book = gaussdp.Ledger.create(f"sqlite:///{folder}/book.db", unit="person", adjacency="add-remove")
    book.open_budget("health", gaussdp.GDP(5.0))
    return book


MADE: Mapping[str, Callable[[], Any]] = {
    "AccountedCurve": lambda: gaussdp.account(gaussdp.DPSGD(1.0, 0.1, 20)),
    "Assumption": lambda: gaussdp.report_run(RUN).assumptions[0],
    "Audit": lambda: gaussdp.audit(members=SCORES[0], nonmembers=SCORES[1], design="trials"),
    "AuditPlan": lambda: gaussdp.plan_audit(2.0, 0.5),
    "Calibration": lambda: calibration.noise_multiplier(gaussdp.GDP(1.0), sample_rate=0.01, steps=100),
    "Cause": lambda: gaussdp.Cause("one step", 1.0, "the steps were not composed"),
    "Choice": lambda: gaussdp.choose(gaussdp.PureDP(1.0)),
    "DistributionCurve": lambda: gaussdp.account(gaussdp.RandomAllocation(1.0, 20, 1)),
    "Document": lambda: gaussdp.plan_audit(2.0, 0.5).document(),
    "Explanation": lambda: gaussdp.explain(1.0),
    "Fit": lambda: gaussdp.account(gaussdp.DPSGD(1.0, 0.1, 20)).fit(1e-6),
    "Ledger": _book,
    "Level": lambda: risks.FPR,
    "Match": lambda: gaussdp.match(gaussdp.PureDP(1.0), gaussdp.Profile(1e-5)),
    "OneRunAudit": lambda: gaussdp.audit_one_run(100, 20, 15),
    "PointsCurve": lambda: gaussdp.account(gaussdp.ProfilePoints([1.0, 5.0], [0.01, 1e-8])),
    "Reading": lambda: gaussdp.account(gaussdp.DPSGD(1.0, 0.1, 20)).reading.delta(1.0),
    "Report": lambda: gaussdp.report_run(RUN),
    "SequentialAudit": lambda: gaussdp.SequentialAudit(0.5),
    "Status": lambda: next(iter(calibration.Status)),
    "TradeoffPlot": lambda: gaussdp.tradeoff_figure(gaussdp.GDP(1.0)),
    "Unit": lambda: risks.Unit.SHARE,
    "Verdict": lambda: gaussdp.check_claim(RUN, "mu=1"),
}
"""Results, and what nobody makes by hand."""
MORE: tuple[Callable[[], Any], ...] = (
    lambda: gaussdp.GDP(0.0),
    lambda: gaussdp.GDP(float("inf")),
    lambda: gaussdp.PureDP(float("inf")),
    lambda: gaussdp.LaplaceDP(1e300),
    lambda: gaussdp.account(gaussdp.Gaussian(2.0)),
    lambda: gaussdp.account(gaussdp.DPSGD(1.0, 0.1, 20)).reading,
)
"""Others of the same classes, at the ends of their range."""
NOT_MADE: Mapping[str, str] = {
    "Guarantee": "abstract; its methods are those of every guarantee",
    "Mechanism": "abstract; its methods are those of every mechanism",
    "Risk": "abstract; its methods are those of every risk",
    "SampledNoise": "abstract; its methods are those of discrete and Laplace noise",
}
NOT_TRIED: Mapping[str, str] = {
    "progress": "a function that is called",
    "announce": "a function that is called",
    "read": "a function that is called",
    "certificate": "made by `certify` alone, which takes seconds",
}
"""Parameters that are given no hostile values, with the reason."""
NOT_CALLED: Mapping[str, str] = {
    "AccountedCurve.certify": "takes seconds; fuzzed as `gaussdp certify`",
    "Design.solve": "takes seconds; fuzzed as `calibration.sweep`",
    "DistributionCurve.read": "takes what another library made; `account` is fuzzed with it",
    "Fit.beside": "takes a function",
    "Fit.proved": "takes what `certify` made",
    "AccountedCurve.values": "for `reading`, which is tried",
    "PointsCurve.values": "for `reading`, which is tried",
    "Ledger.close": "nothing is left to try after it",
    "Mechanism.from_plan": "takes what was checked as a plan; fuzzed as plan files",
}
"""Methods that are not called, with the reason."""


def rooms() -> Iterator[tuple[str, Any]]:
    """Every public name of the package and of its rooms, with what it stands for."""
    for room in (risks, mechanisms, calibration, gaussdp):
        yield from ((name, getattr(room, name)) for name in room.__all__)


def classes() -> dict[str, type]:
    """The public classes but errors."""
    return {name: value for name, value in rooms() if isinstance(value, type) and not issubclass(value, BaseException)}


@cache
def things() -> list[tuple[str, Any]]:
    """One of each public class, and some more, with their words; made by hand where the constructor is for people."""
    from benchmarks.fuzz.library import good

    made = [
        MADE[name]() if name in MADE else kind(**good(kind, name))
        for name, kind in sorted(classes().items())
        if name not in NOT_MADE
    ]
    return [(repr(thing), thing) for thing in (*made, *(make() for make in MORE))]


def names_of(thing: Any) -> Iterator[tuple[str, Any]]:
    """The public names of a thing, each with what its class holds there; none of Python's own classes."""
    fields = [one.name for one in dataclasses.fields(thing)] if dataclasses.is_dataclass(thing) else []
    own = [kind for kind in type(thing).__mro__ if kind.__module__.partition(".")[0] == "gaussdp"]
    for name in sorted({name for kind in own for name in vars(kind)}):
        if not name.startswith("_") and name not in fields:
            yield name, inspect.getattr_static(thing, name)


@cache
def methods() -> list[tuple[str, str, Callable[..., Any]]]:
    """The words for a thing, the name of each of its methods, and the method; class methods too."""
    return [
        (shown, name, getattr(thing, name))
        for shown, thing in things()
        for name, held in names_of(thing)
        if (inspect.isfunction(held) or isinstance(held, classmethod | staticmethod))
        and not any(f"{kind.__name__}.{name}" in NOT_CALLED for kind in type(thing).__mro__)
    ]


@cache
def properties() -> list[tuple[str, str, Any]]:
    """The words for a thing, the name of each of its properties, and the thing."""
    return [
        (shown, name, thing)
        for shown, thing in things()
        for name, held in names_of(thing)
        if isinstance(held, property | cached_property)
    ]
