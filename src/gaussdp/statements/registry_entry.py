"""A run as an entry of OpenDP's registry of deployments."""

import math

from gaussdp.documents.rounding import Rounding, rounded, shown
from gaussdp.errors import DomainError
from gaussdp.guarantees.claim import Claim
from gaussdp.mechanisms.base import ADJACENCIES
from gaussdp.published.entry import RegistryEntry, RegistryFacts
from gaussdp.statements.report import CLOSED, Report
from gaussdp.statements.run import SAMPLINGS, TUNINGS
from gaussdp.statements.smallest import smallest_for
from gaussdp.words import ENGLISH, speaking

DEFAULT_ENTRY_DELTA = 1e-6
_DIGITS = 4


@speaking(ENGLISH)
def run_entry(report: Report, facts: RegistryFacts, delta: float = DEFAULT_ENTRY_DELTA) -> RegistryEntry:
    """The run of a report as an entry of the registry, with the (epsilon, delta) that holds for it as described.

    It is in English, as the registry is.

    Args:
        report: of the run.
        facts: what the registry asks and no run knows.
        delta: at which to state epsilon, in (0, 1).
    Raises:
        DomainError: if no finite epsilon is known to hold for the run.

    >>> from gaussdp import Gaussian, Run, report_run
    >>> run = Run(mechanism=Gaussian(2.0), unit="one person", adjacency="add-remove", tuning="none", records_per_unit=1)
    >>> facts = RegistryFacts(curator="Town", curator_type="Government", intended_use="Planning", region="Town",
    ...                       author="A. Clerk", name="Visits", published="2026-01-31")
    >>> run_entry(report_run(run), facts).as_mapping()["deployment"]["privacy_loss"]["privacy_parameters"]
    {'epsilon': 2.255, 'delta': 1e-06}
    """
    run = report.run
    found = smallest_for(run, Claim(epsilon=1.0, delta=delta))
    if not math.isfinite(found.enclosure.upper):
        raise DomainError(None, problem="no finite ε is known to hold for this run, so that it makes no entry")
    holds = report.standing == "holds"
    mu = f"Read off its trade-off curve, which is that of μ = {shown(report.mu)} or more private"
    floor = "" if report.fit.unconditional else f" for attacks with error rates of at least {shown(report.fit.floor)}"
    batches = f" Batches: {SAMPLINGS[run.sampling].meaning}." if run.sampled and run.sampling else ""
    records = "not stated" if run.records_per_unit is None else f"{run.records_per_unit:,}"
    words = run.accounted.sentence
    method = CLOSED if report.fit.unconditional else report.fit.method.words
    return RegistryEntry(
        facts=facts,
        name=run.title or words,
        description=f"{run.data}. {words}." if run.data else f"{words}.",
        product="Machine learning model" if run.trains else "Summary statistics",
        variant="Approximate DP",
        parameters={"epsilon": rounded(found.enclosure.upper, Rounding.UP, _DIGITS), "delta": delta},
        unit=run.unit,
        unit_details=f"Neighbours: {ADJACENCIES[run.adjacency].meaning}. Records of one unit, at most: {records}."
        if run.adjacency
        else "",
        parameters_details=" ".join((f"{mu}{floor}." if holds else "", *found.caveats)).strip(),
        releases=("What the run releases, once.", False),
        mechanisms=f"{words}.{batches}",
        composition=f"Accounted with gaussdp {report.version}: {method}.",
        tuning=TUNINGS[run.tuning].meaning if run.tuning else "",
    )
