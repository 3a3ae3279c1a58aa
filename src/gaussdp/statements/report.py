"""One report of a run: every number computed once, rendered many ways."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from gaussdp.accounting import DistributionCurve, Fit, account
from gaussdp.accounting.document import DEFAULT_DELTAS, DEFAULT_FPRS, ENDINGS, curve_files
from gaussdp.accounting.fitted import DEFAULT_FLOOR
from gaussdp.documents import PROSE_FORMATS, Block, Document, Format, document_files, render
from gaussdp.documents.files import check_folder, write_files
from gaussdp.documents.html import fragment
from gaussdp.documents.rounding import Rounding, rounded, shown
from gaussdp.domains import LEVEL, checked, instance, number, one_of, yes_or_no
from gaussdp.errors import DomainError
from gaussdp.figures import FORMATS as FIGURE_FORMATS
from gaussdp.figures.tradeoffs import TradeoffPlot, render_tradeoffs
from gaussdp.guarantees.claim import Claim
from gaussdp.mechanisms.base import ADJACENCIES
from gaussdp.published.opendp_registry import RegistryEntry, RegistryFacts
from gaussdp.statements.assumptions import assumptions, unmet
from gaussdp.statements.content import headline, sections, title
from gaussdp.statements.findings import (
    Curve,
    Findings,
    attacker_table,
    epsilon_table,
    overall_table,
    precision_table,
    statement_plot,
)
from gaussdp.statements.machine import content
from gaussdp.statements.run import SAMPLINGS, TUNINGS, Run, within_doubles
from gaussdp.statements.smallest import Found, smallest_for
from gaussdp.statements.verdict import check_claim
from gaussdp.words import ENGLISH, Phrase, say, speaking

Announce = Callable[[int, int, str], None]

DEFAULT_RECALLS = (1e-3, 1e-2, 0.1, 0.5)

CLOSED = Phrase("closed form: a composition of Gaussian releases is exactly Gaussian DP")
"""How the number of Gaussian releases alone is found."""


@dataclass(frozen=True)
class Report(Findings):
    """The privacy statement of a run; made by `report_run`.

    >>> from gaussdp import DPSGD
    >>> run = Run(mechanism=DPSGD(1.0, 0.00512, 3907), unit="one image", adjacency="add-remove", sampling="shuffle")
    >>> report = report_run(run)
    >>> report.mu, report.standing
    (0.4693, 'does not hold')
    >>> report
    <Report of DP-SGD with noise multiplier 1, sample rate 0.00512 and 3,907 steps: μ = 0.4693, does not hold>
    """

    def __repr__(self) -> str:
        return f"<Report of {self.run.accounted.sentence}: μ = {shown(self.mu)}, {self.standing}>"

    def document(self) -> Document:
        """The statement as blocks, which every format renders."""
        blocks: list[Block] = [headline(self), *sections(self, self.figure)]
        return Document(title(self), tuple(blocks), content(self), f"gaussdp {self.version}")

    def render(self, format: Format = "text") -> str:
        """The report as "text", "markdown", "html", "latex" or "json".

        HTML is one page that needs nothing else; LaTeX compiles by itself and can be \\input; the schema of JSON is in
        docs/report.md.
        """
        return render(self.document(), format, self.digits)

    def figure(self, format: str = "svg") -> bytes:
        """The trade-off curve beside that of mu, with attacks named, as "svg", "pdf" or "png".

        Raises:
            MissingExtraError: if Matplotlib is not installed.
        """
        return self._pictures(one_of("format", format, FIGURE_FORMATS))[format]

    def _pictures(self, *formats: str) -> dict[str, bytes]:
        """The figure in these formats, each drawn once."""
        missing = [ending for ending in formats if ending not in self._drawn]
        if missing:
            self._drawn.update(render_tradeoffs(self.plot, *missing))
        return {ending: self._drawn[ending] for ending in formats}

    @cached_property
    def _drawn(self) -> dict[str, bytes]:
        return {}

    @cached_property
    def plot(self) -> TradeoffPlot:
        """The numbers behind the figure."""
        fprs = [float(row[0]) for row in self.attacker.rows]
        return statement_plot(self.curve, self.fit, fprs, self.digits, holds=self.standing != "does not hold")

    def write(
        self,
        folder: str | Path,
        announce: Announce = lambda done, total, name: None,
        *,
        overwrite: bool = False,
    ) -> list[Path]:
        """All renderings and the figure in all formats, as files.

        Args:
            folder: where to; made if need be.
            announce: called with the steps done, the steps in all and the name of the next.
            overwrite: whether files that exist are replaced.
        Returns:
            The files written: statement.md, .html, .tex, .json, .txt, tradeoff.svg, .pdf, .png; curve.csv, .json and,
            if pyarrow is there, .parquet if the statement says to report the curve and holds; certificate.json if mu is
            proved.
        Raises:
            MissingExtraError: if Matplotlib is not installed; nothing is written then.
            FileExistsError: if one of the files is there, and is not to be replaced.
            OSError: if the folder cannot be written.
        """
        instance("folder", folder, (str, PathLike), "a path")
        check_folder(Path(folder), ["statement.html"], overwrite)
        total = 2 + len(PROSE_FORMATS)
        announce(0, total, "figure")
        files = {f"tradeoff.{ending}": picture for ending, picture in self._pictures(*FIGURE_FORMATS).items()}
        document = self.document()
        for done, name in enumerate(PROSE_FORMATS, start=1):
            announce(done, total, name)
            files |= document_files("statement", document, self.digits, name)
        announce(total - 1, total, "writing")
        if self.curve_matters and self.standing != "does not hold":  # files of points have no words beside them
            endings = [ending for ending in ENDINGS if ending != ".parquet" or find_spec("pyarrow")]
            made = curve_files(self.curve, endings, title(self))
            files |= {f"curve{ending}": points for ending, points in made.items()}
        if self.fit.certificate:
            files["certificate.json"] = self.fit.certificate.to_json().encode()
        write_files(Path(folder), files, overwrite=overwrite)
        announce(total, total, "done")
        return [Path(folder) / name for name in sorted(files)]

    def _repr_html_(self) -> str:
        return fragment(self.document(), self.digits)


def report_run(
    run: Run,
    *,
    floor: float = DEFAULT_FLOOR,
    deltas: Sequence[float] | None = None,
    fprs: Sequence[float] = DEFAULT_FPRS,
    recalls: Sequence[float] = DEFAULT_RECALLS,
    prior: float = 0.5,
    digits: int = 4,
    certified: bool = False,
) -> Report:
    """The privacy statement of a run.

    Args:
        run: what was run and what it protects.
        floor: smallest error rate of the attacks that mu speaks about, in (0, 1); where the accounting is through a
            distribution it is raised to the noise floor of that, which the report says.
        deltas: where to read epsilon, each in (0, 1); 1e-5, 1e-6, 1e-8 and one over the size of the data set if None.
        fprs: where to read the attacker's TPR, each in (0, 1).
        recalls: where to read the attacker's precision, each in (0, 1).
        prior: probability of membership before the attack, in (0, 1).
        digits: significant digits shown.
        certified: whether mu is to be proved, for Gaussian and Poisson-sampled Gaussian releases; the certificate is
            then written beside the statement.
    Returns:
        The report, to be rendered.

    >>> from gaussdp import Gaussian
    >>> run = Run(mechanism=4 * Gaussian(4.0), unit="one person", adjacency="add-remove")
    >>> report_run(run).mu
    0.5
    """
    if not isinstance(run, Run):
        raise DomainError("run", "a Run", run, "make one with gaussdp.Run or Run.read")
    readings = _Readings(
        floor=number("floor", floor, LEVEL),
        deltas=None if deltas is None else _levels("delta", deltas),
        fprs=_levels("fpr", fprs),
        recalls=_levels("recall", recalls),
        prior=number("prior", prior, LEVEL),
        digits=digits,
        certified=yes_or_no("certified", certified),
    )
    rounded(1.0, Rounding.UP, digits)  # refuses digits out of range before the work starts
    with within_doubles():
        return _report(run, readings)


@dataclass(frozen=True)
class _Readings:
    """Where to read the curve."""

    floor: float
    deltas: list[float] | None
    fprs: list[float]
    recalls: list[float]
    prior: float
    digits: int
    certified: bool


def _levels(name: str, values: Sequence[float]) -> list[float]:
    found: list[float] = checked(name, values, LEVEL).ravel().tolist()
    return found


def _report(run: Run, at: _Readings) -> Report:
    from importlib.metadata import version  # reads files, so only when asked

    curve = account(run.protected)
    fit, notes = _proved(curve, at.floor) if at.certified else _fit(curve, at.floor)
    deltas = _usual_deltas(run.dataset_size) if at.deltas is None else at.deltas
    epsilon, beyond = epsilon_table(curve, deltas, strict=at.deltas is not None)
    judged = assumptions(run, curve, at.digits)
    return Report(
        run=run,
        fit=fit,
        assumptions=judged,
        guarantee=fit.table(),
        epsilon=epsilon,
        attacker=attacker_table(curve, fit, at.fprs),
        precision=precision_table(curve, at.recalls, at.prior),
        overall=overall_table(curve, at.prior),
        method=_method(curve, fit, [row[0] for row in epsilon.rows], at),
        version=version("gaussdp"),
        digits=at.digits,
        notes=(*notes, *beyond),
        verdict=check_claim(run, run.claim) if run.claim else None,
        holding=_holding(run, fit) if unmet(judged) else None,
        curve=curve,
    )


def _holding(run: Run, fit: Fit) -> Found | None:
    """What holds where the fit does not; None where attacks above the floor are too good to speak about."""
    try:
        return smallest_for(run, Claim(mu=1.0, floor=fit.floor or None))
    except DomainError:
        return None


def _proved(curve: Curve, floor: float) -> tuple[Fit, tuple[str, ...]]:
    """The fit with its proof, and the sentence that says so."""
    if isinstance(curve, DistributionCurve):
        raise DomainError("certified", problem="needs Gaussian and Poisson-sampled Gaussian releases only")
    fit = curve.fit(floor, certified=True)
    return fit, (fit.certificate.words,) if fit.certificate else ()


def _fit(curve: Curve, floor: float) -> tuple[Fit, tuple[str, ...]]:
    """The fit at the floor, or at the noise floor where the accounting does not reach below."""
    try:
        return curve.fit(floor), ()
    except DomainError:
        if not isinstance(curve, DistributionCurve) or floor >= curve.noise_floor:
            raise
        level = rounded(curve.noise_floor, Rounding.UP, 2)
        words = say(
            "The floor asked for, {floor}, lies below the noise floor of the accounting; {level} is used.",
            floor=f"{floor:g}",
            level=f"{level:g}",
        )
        return curve.fit(level), (words,)


def _usual_deltas(dataset_size: int | None) -> tuple[float, ...]:
    own = {1 / dataset_size} if dataset_size and dataset_size > 1 else set()
    return tuple(sorted({*DEFAULT_DELTAS, *own}, reverse=True))


def _method(curve: Curve, fit: Fit, deltas: Sequence[Any], at: _Readings) -> str:
    """The least tight of the methods behind the numbers, in words."""
    if fit.unconditional:
        return say(CLOSED)
    reading = curve.reading
    read = [reading.tpr(np.array(at.fprs)), reading.fpr(np.array(at.recalls))]
    if deltas:
        read.append(reading.epsilon(np.array(deltas, dtype=np.float64)))
    return max(fit.method, *(values.weakest for values in read)).words


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
