"""A certificate: what is proved about a run, with what anyone needs to prove it again."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from gaussdp.accounting.certified.proved import RATES, Patience, Progress, ProvedNumber, ProvedPoint, silent
from gaussdp.accounting.certified.witnesses import Witness, witness_of
from gaussdp.documents import Column, Displayed, Document, Rounding, Table
from gaussdp.documents.files import file_text, parsed, write_file
from gaussdp.documents.rounding import shown
from gaussdp.domains import LEVEL, NON_NEGATIVE, number
from gaussdp.errors import DomainError
from gaussdp.mechanisms import Composition, Mechanism
from gaussdp.mechanisms.composition import composed

FORMAT = 2
"""Of the file; a change of its meaning makes it another one."""


@dataclass(frozen=True)
class ProvedMu:
    """mu for all attacks whose error rates are at least the floor, with the numbers of the points it follows from."""

    floor: float
    mu: ProvedNumber
    points: tuple[int, ...]

    def __post_init__(self) -> None:
        number("floor", self.floor, LEVEL)


@dataclass(frozen=True)
class ProvedDelta:
    """delta at an epsilon: the larger of removing a record and adding one, each read off one point."""

    epsilon: float
    delta: ProvedNumber
    remove: int
    add: int

    def __post_init__(self) -> None:
        number("epsilon", self.epsilon, NON_NEGATIVE)


@dataclass(frozen=True)
class ProvedEpsilon:
    """epsilon at a delta, with the numbers of the points of either direction, below and above, that prove its ends."""

    delta: float
    low: float
    high: float
    remove: tuple[int, ...]
    add: tuple[int, ...]

    def __post_init__(self) -> None:
        number("delta", self.delta, LEVEL)
        if not 0 <= self.low <= self.high < math.inf:
            raise DomainError("epsilon", "two rising numbers", got=f"{self.low!r} and {self.high!r}")


@dataclass(frozen=True)
class ProvedRates:
    """The FNR at an FPR in either direction, with the numbers of the two points around each."""

    fpr: float
    remove: ProvedNumber
    add: ProvedNumber
    remove_points: tuple[int, ...]
    add_points: tuple[int, ...]

    def __post_init__(self) -> None:
        number("fpr", self.fpr, LEVEL)


@dataclass(frozen=True, repr=False)
class Certificate(Displayed):
    """Proved enclosures of what a run guarantees, and the witness from which they can be proved again.

    Attributes:
        mechanism: the run.
        mus: proved mu, by floor.
        deltas: proved delta, by epsilon.
        epsilons: proved epsilon, by delta.
        rates: proved FNR, by FPR, of either direction.
        points: the operating points that everything follows from.
        lines: how the points were computed.
        versions: of what computed them.
    """

    mechanism: Mechanism
    mus: tuple[ProvedMu, ...]
    deltas: tuple[ProvedDelta, ...]
    epsilons: tuple[ProvedEpsilon, ...]
    rates: tuple[ProvedRates, ...]
    points: tuple[ProvedPoint, ...]
    lines: tuple[Witness, ...]
    versions: tuple[tuple[str, str], ...]

    @property
    def mu(self) -> ProvedNumber | None:
        """The first proved mu."""
        return self.mus[0].mu if self.mus else None

    @property
    def words(self) -> str:
        """What is proved about the first mu, in one sentence."""
        digits = f"μ is proved to {_in_digits(self.mu)}" if self.mu else "No μ is proved"
        return f"{digits} in ball arithmetic, by the certificate {self.digest[:16]}."

    def bounds(self) -> tuple[float, float]:
        """Doubles between which the first mu is proved to lie.

        Raises:
            DomainError: if the certificate is of no mu.
        """
        if self.mu is None:
            raise DomainError("floor", problem="is missing: the certificate proves no mu", advice="certify a floor")
        return self.mu.lower, self.mu.upper

    def _content(self) -> dict[str, Any]:
        return {
            "certificate": FORMAT,
            "releases": [
                {**part.plan_entry(), "times": count} for part, count in Composition([self.mechanism]).releases()
            ],
            "mu": [{"floor": one.floor, "mu": _pair(one.mu), "points": one.points} for one in self.mus],
            "delta": [
                {"epsilon": one.epsilon, "delta": _pair(one.delta), "remove": one.remove, "add": one.add}
                for one in self.deltas
            ],
            "epsilon": [
                {"delta": one.delta, "epsilon": [one.low, one.high], "remove": one.remove, "add": one.add}
                for one in self.epsilons
            ],
            "rates": [
                {
                    "fpr": one.fpr,
                    "remove": _pair(one.remove),
                    "add": _pair(one.add),
                    "remove_points": one.remove_points,
                    "add_points": one.add_points,
                }
                for one in self.rates
            ],
            "points": [
                {"threshold": point.threshold, "line": point.line}
                | {name: _pair(getattr(point, name)) for name in RATES}
                for point in self.points
            ],
            "lines": [asdict(line) for line in self.lines],
            "versions": dict(self.versions),
        }

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that the certificate says."""
        return digest_of(self._content())

    def to_json(self) -> str:
        """The certificate as a JSON text, from which it can be checked."""
        return json.dumps({**self._content(), "digest": self.digest}, indent=1, allow_nan=False) + "\n"

    def write(self, path: str | Path) -> None:
        """Write the JSON text into a file."""
        write_file(path, self.to_json().encode())

    @classmethod
    def read(cls, path: str | Path) -> "Certificate":
        """The certificate in a file."""
        return cls.from_json(*file_text(path))

    @classmethod
    def from_json(cls, text: str, name: str = "certificate.json") -> "Certificate":
        """The certificate in a JSON text, whose name stands in messages.

        Raises:
            DomainError: if the text is no certificate, or was changed after it was made.
        """
        content = parsed(text, name if name.endswith(".json") else f"{name}.json")
        if not isinstance(content, dict) or content.get("certificate") != FORMAT:
            raise DomainError(None, place=name, problem=f"is no certificate of format {FORMAT}")
        stated = content.pop("digest", None)
        if stated != digest_of(content):
            raise DomainError(None, place=name, problem="was changed after it was made: its digest does not fit")
        try:
            found = cls(
                mechanism=composed(content["releases"], text, name),
                mus=tuple(
                    ProvedMu(_number(one["floor"]), ProvedNumber(*one["mu"]), _places(one["points"], content))
                    for one in content["mu"]
                ),
                deltas=tuple(
                    ProvedDelta(
                        _number(one["epsilon"]),
                        ProvedNumber(*one["delta"]),
                        *_places([one["remove"], one["add"]], content),
                    )
                    for one in content["delta"]
                ),
                epsilons=tuple(
                    ProvedEpsilon(
                        _number(one["delta"]),
                        _number(one["epsilon"][0]),
                        _number(one["epsilon"][1]),
                        _places(one["remove"], content),
                        _places(one["add"], content),
                    )
                    for one in content["epsilon"]
                ),
                rates=tuple(
                    ProvedRates(
                        _number(one["fpr"]),
                        ProvedNumber(*one["remove"]),
                        ProvedNumber(*one["add"]),
                        _places(one["remove_points"], content),
                        _places(one["add_points"], content),
                    )
                    for one in content["rates"]
                ),
                points=tuple(_point(one, len(content["lines"])) for one in content["points"]),
                lines=tuple(map(witness_of, content["lines"])),
                versions=tuple((str(key), str(value)) for key, value in content["versions"].items()),
            )
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
            if isinstance(error, DomainError) and error.place:
                raise
            raise DomainError(None, place=name, problem=f"is no certificate: {error}") from None
        if found.digest != stated:
            raise DomainError(None, place=name, problem="holds more or less than what is proved again")
        return found

    def verify(self, progress: Progress | None = None, seconds: float = math.inf) -> tuple[str, ...]:
        """Prove everything again, from the run and the witness alone.

        Args:
            progress: told what is being done.
            seconds: after which lines that were not proved again count as such that do not hold.
        Returns:
            What does not hold, in words; nothing if everything holds.
        Raises:
            MissingExtraError: if python-flint is not installed.
        """
        from gaussdp.accounting.certified.checking import failures

        return tuple(failures(self, Patience(progress or silent, seconds)))

    def __repr__(self) -> str:
        mu = f"mu to {_in_digits(self.mu)}, " if self.mu else ""
        return (
            f"<Certificate {self.digest[:12]}: {mu}{len(self.deltas)} delta, {len(self.epsilons)} epsilon; "
            f"{len(self.points)} points on {len(self.lines)} lines>"
        )

    def tables(self) -> tuple[Table, ...]:
        """The enclosures by what they enclose."""
        ends = (Column("low", "at least", Rounding.DOWN), Column("high", "at most", Rounding.UP))
        digits = Column("digits", "digits proved")

        def row(level: float, found: ProvedNumber) -> tuple[float | str, ...]:
            return (level, found.lower, found.upper, found.digits)

        rows: tuple[tuple[str, str, str, list[tuple[float | str, ...]]], ...] = (
            ("mu", "μ for attacks above a floor", "floor", [row(one.floor, one.mu) for one in self.mus]),
            ("delta", "δ at an ε", "epsilon", [row(one.epsilon, one.delta) for one in self.deltas]),
            (
                "epsilon",
                "ε at a δ",
                "delta",
                [row(one.delta, ProvedNumber(repr(one.low), repr(one.high))) for one in self.epsilons],
            ),
        )
        rows += tuple(
            (f"fnr_{name}", f"FNR at an FPR, {words}", "fpr", [row(one.fpr, getattr(one, name)) for one in self.rates])
            for name, words in (("remove", "removing a record"), ("add", "adding a record"))
        )
        names = {"floor": "floor", "epsilon": "ε", "delta": "δ", "fpr": "FPR"}
        return tuple(
            Table(key, title, (Column(level, names[level]), *ends, digits), tuple(found))
            for key, title, level, found in rows
            if found
        )

    def notes(self) -> tuple[str, ...]:
        """What was proved, in words."""
        found = [self.mechanism.sentence + "."]
        found += [
            f"μ is proved to {_in_digits(one.mu)}, for attacks with FPR and FNR of at least {shown(one.floor)}."
            for one in self.mus
        ]
        return (*found, "Every number was computed in ball arithmetic, with every error bounded: docs/certified.md.")

    def document(self) -> Document:
        """What is proved, as tables."""
        return Document.tabular("Certificate", self.tables(), self.notes())


def _pair(stated: ProvedNumber) -> list[str]:
    return [stated.low, stated.high]


def digest_of(content: Mapping[str, Any]) -> str:
    """SHA-256 of a document, however its keys are ordered."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise DomainError(None, problem=f"{value!r} is no number")
    return float(value)


def _places(numbers: Any, content: Mapping[str, Any]) -> tuple[int, ...]:
    for one in numbers:
        if isinstance(one, bool) or not isinstance(one, int) or not 0 <= one < len(content["points"]):
            raise DomainError(None, problem=f"there is no point {one!r}")
    return tuple(numbers)


def _point(one: Mapping[str, Any], lines: int) -> ProvedPoint:
    line = one["line"]
    if line is not None and (isinstance(line, bool) or not isinstance(line, int) or not 0 <= line < lines):
        raise DomainError(None, problem=f"there is no line {line!r}")
    return ProvedPoint(_number(one["threshold"]), line, *(ProvedNumber(*one[name]) for name in RATES))


def _in_digits(proved: ProvedNumber) -> str:
    return f"{proved.digits} digit{'' if proved.digits == 1 else 's'}"
