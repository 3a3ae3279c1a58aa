"""What was run and what it protects: everything a privacy statement needs to know."""

import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import Field, dataclass, fields
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from gaussdp.accounting.bounds.batches import Loader, stretches
from gaussdp.documents.files import toml, write_file
from gaussdp.documents.machine import dumped
from gaussdp.domains import EPOCHS, POSITIVE, WordChoice, instance, number, one_of, yes_or_no
from gaussdp.errors import DomainError
from gaussdp.guarantees.claim import Claim, as_claim
from gaussdp.mechanisms import DPSGD, Adjacency, BestOf, Mechanism
from gaussdp.mechanisms.base import ADJACENCIES
from gaussdp.mechanisms.selection import MEAN_RUNS, SHAPE
from gaussdp.statements.run_files import described, parse_text, read_file, run_from
from gaussdp.statements.training import (
    TOLD,
    Training,
    allocated,
    count,
    hold_batches_together,
    hold_epochs_together,
)
from gaussdp.words import Phrase

Sampling = Literal["poisson", "random allocation", "shuffle", "fixed batches", "without replacement", "full batch"]
SAMPLINGS: Mapping[Sampling, WordChoice] = {
    "poisson": WordChoice(
        Phrase("each record independently"), Phrase("Poisson: each record enters each batch independently")
    ),
    "random allocation": WordChoice(
        Phrase("each record in one batch a pass, at random"),
        Phrase("random allocation: in each pass each record is in a random batch"),
    ),
    "shuffle": WordChoice(Phrase("shuffled, then cut"), Phrase("shuffled, then cut into batches")),
    "fixed batches": WordChoice(Phrase("the same batches each time"), Phrase("the same batches in every pass")),
    "without replacement": WordChoice(
        Phrase("drawn without replacement"), Phrase("batches of a fixed size, drawn afresh")
    ),
    "full batch": WordChoice(Phrase("all records in each"), Phrase("all records in every step")),
}
Tuning = Literal["none", "counted", "not counted", "best of"]
TUNINGS: Mapping[Tuning, WordChoice] = {
    "none": WordChoice(Phrase("none on these data"), "Hyper-parameters were not tuned on these data."),
    "counted": WordChoice(
        Phrase("runs that are counted in"), "Hyper-parameters were tuned on these data, and the runs are counted in."
    ),
    "not counted": WordChoice(
        Phrase("runs that are not counted"),
        "Hyper-parameters were tuned on these data, and the runs are not counted in.",
    ),
    "best of": WordChoice(
        Phrase("the best of a random number of runs"),
        "The best of a random number of runs was released, and that is counted in.",
    ),
}
Clipping = Literal["per-example", "per-batch", "none"]
CLIPPINGS: Mapping[Clipping, str] = {
    "per-example": Phrase("each record’s gradient by itself"),
    "per-batch": Phrase("the batch’s gradient as a whole"),
    "none": Phrase("nothing is clipped"),
}
Randomness = Literal["secure", "ordinary"]
GENERATORS: Mapping[Randomness, str] = {
    "secure": Phrase("unpredictable, safe in floating point"),
    "ordinary": Phrase("an ordinary generator, floating point"),
}

_EXAMPLES = {
    "unit": 'unit = "one person"',
    "title": 'title = "Digit classifier"',
    "contact": 'contact = "privacy@example.org"',
    "data": 'data = "60,000 images of digits"',
    "accesses": 'accesses = ["training"]',
    "outputs": 'outputs = ["final weights"]',
}
_CHOICES: dict[str, tuple[str, ...]] = {
    "adjacency": tuple(ADJACENCIES),
    "sampling": tuple(SAMPLINGS),
    "tuning": tuple(TUNINGS),
    "clipping": tuple(CLIPPINGS),
    "randomness": tuple(GENERATORS),
}


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run of a mechanism on data, and what it is to protect.

    A run without a unit of privacy or an adjacency is refused: no number means anything without them. What else is left
    out is reported as not stated.

    Args:
        mechanism: what is released; an accounted number assumes its adjacency and, for DP-SGD, Poisson sampling.
        unit: whom or what the guarantee protects, such as "one person".
        adjacency: "add-remove" or "replace-one": what the data of one unit may do.
        sampling: how the pipeline really makes its batches: "poisson", "random allocation", "shuffle",
            "fixed batches", "without replacement" or "full batch". With random allocation DPSGD, which is described as
            if it sampled, becomes the RandomAllocation that it is.
        batches_per_pass: of batches that part the data ("random allocation", "shuffle", "fixed batches"): how many make
            one pass.
        drop_last: whether these drop a last, incomplete batch.
        records_per_unit: the most records that one unit has.
        dataset_size: number of records.
        epochs: of one run of DP-SGD: passes over the data, in steps that agree with those of the mechanism.
        accesses: everything that is done with the data; the mechanism must cover all of it.
        outputs: what becomes known that the mechanism covers.
        tuning: of hyper-parameters on the same data: "none", "counted", "not counted", or "best of" a random number of
            runs of which only the best became known.
        tuning_runs: runs of the same mechanism on the same data besides the final one; counted ones are added to it.
        tuning_mean: mean of that random number of runs, above 1.
        tuning_shape: shape of its truncated negative binomial distribution, above -1; 1 (geometric) if None.
        clipping: "per-example", "per-batch" or "none".
        clip_norm: for information; positive.
        randomness: of the noise: "secure" (unpredictable, safe in floating point) or "ordinary".
        title: of the statement.
        contact: whom to ask.
        data: a description of the data.
        claim: a published number to hold against the run, such as "epsilon=3.0 delta=1e-5".

    >>> from gaussdp import DPSGD
    >>> run = Run(mechanism=DPSGD(1.0, 0.00512, 3907), unit="one image", adjacency="add-remove", sampling="shuffle")
    >>> run.sampled
    True
    >>> Run(mechanism=DPSGD(1.0, 0.00512, 3907), adjacency="add-remove")
    Traceback (most recent call last):
        ...
    gaussdp.errors.DomainError: unit is missing: a guarantee says nothing until it says whom it protects; ...
    """

    mechanism: Mechanism
    unit: str = ""
    adjacency: Adjacency | None = None
    sampling: Sampling | None = None
    batches_per_pass: int | None = None
    drop_last: bool | None = None
    records_per_unit: int | None = None
    dataset_size: int | None = None
    epochs: float | None = None
    accesses: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    tuning: Tuning | None = None
    tuning_runs: int | None = None
    tuning_mean: float | None = None
    tuning_shape: float | None = None
    clipping: Clipping | None = None
    clip_norm: float | None = None
    randomness: Randomness | None = None
    title: str = ""
    contact: str = ""
    data: str = ""
    claim: Claim | None = None

    def __repr__(self) -> str:
        stated = (f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if self._states(field))
        return f"Run({', '.join(stated)})"

    def _states(self, field: "Field[Any]") -> bool:
        return bool(getattr(self, field.name) != field.default)

    def __post_init__(self) -> None:
        if not isinstance(self.mechanism, Mechanism):
            raise DomainError(
                "mechanism",
                "a mechanism",
                self.mechanism,
                "give, for example, DPSGD(noise_multiplier=1.0, sample_rate=0.005, steps=4000)",
            )
        if self.unit is None or (isinstance(self.unit, str) and not self.unit):
            raise DomainError(
                "unit",
                problem="is missing: a guarantee says nothing until it says whom it protects",
                advice='write, for example, unit = "one person"',
            )
        stated: object = self.adjacency
        if stated is None or stated == "":
            raise DomainError(
                "adjacency",
                problem="is missing: the same noise gives twice the mu for replacing a record as for adding or "
                "removing one",
                advice='write adjacency = "add-remove" or "replace-one"',
            )
        for key in ("unit", "title", "contact", "data"):
            if not isinstance(getattr(self, key), str) or getattr(self, key):
                self._set(key, line_of_words(key, getattr(self, key), _EXAMPLES[key]))
        for key in ("accesses", "outputs"):
            self._set(key, lines_of_words(key, getattr(self, key), _EXAMPLES[key]))
        for key, known in _CHOICES.items():
            if getattr(self, key) is not None:
                self._set(key, one_of(key, getattr(self, key), known))
        for key in ("records_per_unit", "dataset_size", "tuning_runs", "batches_per_pass"):
            if getattr(self, key) is not None:
                self._set(key, count(key, getattr(self, key)))
        if self.drop_last is not None:
            self._set("drop_last", yes_or_no("drop_last", self.drop_last))
        if self.clip_norm is not None:
            self._set("clip_norm", number("clip_norm", self.clip_norm, POSITIVE))
        self._hold_epochs()
        self._refuse_numbers_of_tuning()
        if self.claim is not None:
            try:
                self._set("claim", as_claim(self.claim))
            except DomainError as error:
                raise DomainError("claim", problem=f"must state a guarantee: {error}") from None
        if self.sampling == "random allocation":
            self._set("mechanism", allocated(self.mechanism, self.loader))
        self._refuse_contradictions()

    @classmethod
    def read(cls, path: str | Path) -> "Run":
        """The run that a file describes.

        Args:
            path: a .toml or .json file; docs/report.md lists its keys.
        Raises:
            DomainError: naming the file, the key, the line where there is one, and what to write.
        """
        return read_file(cls, path)

    @classmethod
    def parse(cls, text: str, name: str = "run.toml") -> "Run":
        """The run that a text describes; its name ends in .toml or .json and stands in the messages."""
        return parse_text(cls, text, name)

    @classmethod
    def from_mapping(cls, content: object) -> "Run":
        """The run that a mapping describes, as a run file would hold it.

        >>> training = {"noise_multiplier": 1.0, "sample_rate": 0.00512, "steps": 3907}
        >>> Run.from_mapping({"unit": "one image", "adjacency": "add-remove", "training": training}).unit
        'one image'
        """
        return run_from(cls, content)

    def as_mapping(self) -> dict[str, Any]:
        """The run as a run file holds it; `from_mapping` is its inverse.

        Raises:
            DomainError: if the mechanism is one that files do not know.

        >>> from gaussdp import DPSGD
        >>> Run(mechanism=DPSGD(1.0, 0.01, 1000), unit="one image", adjacency="add-remove").as_mapping()["training"]
        {'noise_multiplier': 1.0, 'sample_rate': 0.01, 'steps': 1000}
        """
        stated = {field.name: getattr(self, field.name) for field in fields(self) if self._states(field)}
        mechanism, claim = stated.pop("mechanism"), stated.pop("claim", None)
        told = {key: stated.pop(key) for key in TOLD if key in stated}
        words = {key: list(value) if isinstance(value, tuple) else value for key, value in stated.items()}
        return {**words, **({"claim": claim.text} if claim else {}), **described(mechanism, told)}

    def write(self, path: str | Path) -> None:
        """Write the run file, .toml or .json, that every command takes; TOML ends with what the run does not state.

        Raises:
            DomainError: if the name ends otherwise, or the mechanism is one that files do not know.

        >>> import tempfile
        >>> from gaussdp import DPSGD
        >>> run = Run(mechanism=DPSGD(1.0, 0.01, 1000), unit="one image", adjacency="add-remove", sampling="poisson")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run.write(f"{folder}/run.toml")
        ...     Run.read(f"{folder}/run.toml") == run
        True
        """
        instance("path", path, (str, PathLike), "a path")
        ending = one_of("the ending of the file", Path(path).suffix.lower(), (".toml", ".json"))
        if ending == ".json":
            text = dumped(self.as_mapping())
        else:
            missing = f"\n# Not stated: {', '.join(self.not_stated)}\n" if self.not_stated else ""
            text = toml(self.as_mapping()) + missing
        write_file(path, text.encode())

    @property
    def not_stated(self) -> tuple[str, ...]:
        """The keys on which a statement would rest and of which the run says nothing."""
        keys = ["records_per_unit", "tuning", *(["sampling"] if self.sampled else [])]
        keys += ["clipping"] if self.trains else []
        return tuple(key for key in (*keys, "randomness") if getattr(self, key) is None)

    @classmethod
    def file_keys(cls) -> tuple[str, ...]:
        """What a run file may hold besides its mechanism."""
        return tuple(field.name for field in fields(cls) if field.name != "mechanism")

    @classmethod
    def from_training(cls, training: Training, **rest: Any) -> "Run":
        """The run of a training script's numbers; the rest are the other arguments of a run.

        >>> numbers = Training(noise_multiplier=1.0, dataset_size=50_000, batch_size=256, epochs=20)
        >>> Run.from_training(numbers, unit="one image", adjacency="add-remove").mechanism.steps
        3907
        """
        instance("training", training, Training, "a Training")
        known = {key: getattr(training, key) for key in TOLD}
        stated = {key: value for key, value in known.items() if value is not None}
        return cls(mechanism=training.mechanism, **stated, **rest)

    @property
    def accounted(self) -> Mechanism:
        """What the accounting speaks about: the mechanism, with the tuning runs that are counted."""
        if self.tuning == "best of" and self.tuning_mean is not None:
            return BestOf(self.mechanism, self.tuning_mean, 1.0 if self.tuning_shape is None else self.tuning_shape)
        return self.with_tuning if self.tuning == "counted" else self.mechanism

    @property
    def with_tuning(self) -> Mechanism:
        """The mechanism and all its tuning runs, as far as their number is known."""
        return (1 + self.tuning_runs) * self.mechanism if self.tuning_runs else self.mechanism

    @property
    def protected(self) -> Mechanism:
        """What is accounted for, described for the neighbours and the unit of the run where that is exactly known."""
        return self.protecting(self.accounted) or self.accounted

    def protecting(self, mechanism: Mechanism) -> Mechanism | None:
        """A mechanism described for the neighbours and the unit of the run; None if no exact account is known."""
        described = instance("mechanism", mechanism, Mechanism, "a mechanism")
        return described.protecting(self.adjacency or described.adjacency, self.records_per_unit or 1)

    @property
    def sampled(self) -> bool:
        """Whether the accounting relies on random batches."""
        return self.mechanism.sampled

    @property
    def trains(self) -> bool:
        """Whether the mechanism is, or holds, DP-SGD, where gradients are clipped."""
        return self.mechanism.trains

    @property
    def loader(self) -> Loader:
        """How batches are cut from the data, as far as it is stated."""
        return Loader(self.batches_per_pass, self.drop_last)

    def _set(self, key: str, value: object) -> None:
        object.__setattr__(self, key, value)

    def _hold_epochs(self) -> None:
        """Passes that agree with the steps; of random allocation the mechanism itself has them."""
        if self.epochs is None:
            return
        if not isinstance(self.mechanism, DPSGD):
            raise DomainError(
                "epochs", problem="is of one run of DP-SGD, and this mechanism is not", advice="leave it out"
            )
        epochs = number("epochs", self.epochs, EPOCHS)
        hold_epochs_together(epochs, self.mechanism.steps, self.mechanism.sample_rate, self.loader)
        self._set("epochs", None if self.sampling == "random allocation" else epochs)

    def _refuse_numbers_of_tuning(self) -> None:
        for key, domain in (("tuning_mean", MEAN_RUNS), ("tuning_shape", SHAPE)):
            if getattr(self, key) is None:
                continue
            if self.tuning != "best of":
                raise DomainError(key, problem="is of a random number of runs", advice='write tuning = "best of"')
            self._set(key, number(key, getattr(self, key), domain))
        if self.tuning == "best of" and self.tuning_mean is None:
            raise DomainError(
                "tuning_mean",
                problem='is missing: tuning is "best of" a random number of runs',
                advice="write, for example, tuning_mean = 10",
            )
        if self.tuning == "best of" and self.tuning_runs:
            raise DomainError(
                "tuning_runs",
                problem='is a fixed number, and tuning is "best of" a random one',
                advice='write tuning_mean instead, or tuning = "counted"',
            )

    def _refuse_contradictions(self) -> None:
        if self.sampling == "full batch" and self.sampled:
            raise DomainError(
                "sampling",
                problem='is "full batch", but the mechanism takes batches at a sample rate below 1',
                advice="write sample_rate = 1 (batch_size = dataset_size), or the sampling that was done",
            )
        if self.tuning == "none" and self.tuning_runs:
            raise DomainError(
                "tuning",
                problem=f'is "none", but tuning_runs is {self.tuning_runs}',
                advice='write tuning = "counted" or "not counted", or leave tuning_runs out',
            )
        if self.tuning is None and self.tuning_runs:
            raise DomainError(
                "tuning", problem="is missing beside tuning_runs", advice='write tuning = "counted" or "not counted"'
            )
        if self.records_per_unit and self.dataset_size and self.records_per_unit > self.dataset_size:
            raise DomainError("records_per_unit", f"at most dataset_size {self.dataset_size}", self.records_per_unit)
        self._refuse_other_batches()

    def _refuse_other_batches(self) -> None:
        stated = [key for key in ("batches_per_pass", "drop_last") if getattr(self, key) is not None]
        if stated and (
            not self.sampled or self.sampling not in ("random allocation", "shuffle", "fixed batches", None)
        ):
            batches = f'with sampling "{self.sampling}"' if self.sampling else "of this mechanism"
            problem = f"is about batches cut from the data, and those {batches} are not"
            raise DomainError(stated[0], problem=problem, advice="leave it out")
        for one in stretches(self.mechanism):
            hold_batches_together(one.part.sample_rate, self.batches_per_pass, self.drop_last)


@contextmanager
def within_doubles() -> Iterator[None]:
    """Turn losses beyond the range of a double into a refusal that says why."""
    try:
        yield
    except OverflowError:
        raise DomainError(
            "noise",
            "large enough for its privacy loss to be a number",
            got="a mechanism whose loss is beyond the range of a double",
            advice="it gives no privacy to speak of",
        ) from None


LONGEST = 2000
MOST_ENTRIES = 100

_BIDIRECTIONAL = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # they reorder what follows


def line_of_words(key: str, value: object, example: str) -> str:
    """The value as one line without control characters; white space is folded.

    Args:
        key: its name in messages.
        value: what was given.
        example: what one could write instead.
    """
    if not isinstance(value, str):
        raise DomainError(key, "text", value, f"write, for example, {example}")
    words = " ".join(value.split())
    if not words:
        raise DomainError(key, problem="must not be empty", advice=f"write, for example, {example}")
    if len(words) > LONGEST:
        raise DomainError(
            key, problem=f"must have at most {LONGEST} characters", got=f"{len(words)}", advice="shorten it"
        )
    for character in words:
        if unicodedata.category(character) in ("Cc", "Cs") or character in _BIDIRECTIONAL:
            raise DomainError(
                key, "printable text", got=f"the control character U+{ord(character):04X}", advice="leave it out"
            )
    return words


def lines_of_words(key: str, value: object, example: str) -> tuple[str, ...]:
    """The value as a tuple of such lines; one text stands for a list of one."""
    if isinstance(value, str):
        return (line_of_words(key, value, example),)
    if not isinstance(value, list | tuple):
        raise DomainError(key, "a list of texts", value, f"write, for example, {example}")
    if len(value) > MOST_ENTRIES:
        raise DomainError(key, problem=f"must have at most {MOST_ENTRIES} entries", got=f"{len(value)}")
    return tuple(line_of_words(key, entry, example) for entry in value)
