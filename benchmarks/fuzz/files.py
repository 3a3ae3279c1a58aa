"""Files of every kind that is read, damaged: bytes and words changed, lines lost and doubled, values from the far ends.

What comes back is what the file says, or one error in one line; a store that is no sweep's stays as it is.
"""

import io
import random
import re
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Mapping
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fuzz import cli
from benchmarks.fuzz.library import held
from benchmarks.fuzz.trials import LONGEST, Find, TookTooLong, Trial, ending_within
from benchmarks.fuzz.values import TEXTS
from gaussdp import GaussdpError, Run, read_points
from gaussdp.advising import Answers, advise
from gaussdp.auditing.score_files import read_scores
from gaussdp.auditing.sequential import load_audit, trials_of
from gaussdp.calibration.sweep_designs import COLUMNS
from gaussdp.calibration.sweeps import CSVStore, JSONLinesStore, open_store
from gaussdp.mechanisms.composition import read_plan
from gaussdp.published import read_registry

PLAN = """# two releases
[[releases]]
mechanism = "dpsgd"
noise_multiplier = 0.5
dataset_size = 50_000
batch_size = 100
epochs = 20

[[releases]]
mechanism = "laplace"
scale = 10.0
times = 3
"""
PLAN_JSON = """{"releases": [{"mechanism": "discrete-gaussian", "sigma": 3.0, "sensitivity": 2},
 {"mechanism": "approximate-dp", "epsilon": 0.5, "delta": 1e-6, "times": 2}]}
"""
RUN = """title = "Digits"
unit = "patient"
records_per_unit = 1
adjacency = "add-remove"
sampling = "poisson"
tuning = "counted"
tuning_runs = 4
claim = "epsilon=3.0 delta=1e-5"

[training]
noise_multiplier = 1.0
dataset_size = 50_000
batch_size = 256
epochs = 20
clip_norm = 1.0
"""
AUDIT = """{"schema": "gaussdp-sequential-audit-1", "claim": {"epsilon": 1.0, "delta": 1e-5}, "confidence": 0.95,
 "direction": "higher", "attacks": {"score": {"members": [1.5, 2.0, "inf"], "nonmembers": [0.5, -1.0]}}}
"""
ENTRY = """url_slug: visits
deployment:
  basic: {name: Visits, data_curators: [{data_curator_name: Town, data_curator_type: Government}],
    publication_date: '2025-01-01'}
  dp_variant: {variant_name: Zero-concentrated DP}
  privacy_loss: {privacy_unit: Person-day, privacy_parameters: {rho: 0.1, epsilon: 1.0, delta: 1.0e-6}}
  implementation: {mechanisms: Gaussian noise}
"""
ENTRY_JSON = """{"deployment": {"name": "Words", "data_curator": "Maker", "publication_date": "2020-01-01",
 "dp_flavor": {"name": "Pure DP"}, "privacy_loss": {"privacy_parameters": {"epsilon": 2.0}}}}
"""
POLICY = """title = "Visits"
aim = "identification"
chance = "1/1000"
acceptable = 0.01
every = "month"

[[published]]
kind = "sum"
bound = 50.0

[[requirements]]
policy = "epsilon=3 delta=1e-5"
source = "the board"

[scenarios.weekly]
every = "week"
"""
POINTS = "epsilon,delta\n0.1,0.3\n0.5,0.05\n2.0,1e-5\n"
WORDS = (*TEXTS, "\x00", "\ufeff", "\r", "\n", ",", '"', "'", "{", "}", "[[", "=", "\t", "é", "[a]\n", '{"a":' * 2000)
BOMB = "a: &a [x, x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}, *{a}]\n" for a, b in pairwise("abcdefghijklmnop"))
YAML_WORDS = (
    *("&a ", "*a", "<<: *a", "? ", "!!int ", "!!timestamp ", "!!python/name:os.system ", "!x ", "\n---\n", "- " * 500),
    *("0x" + "f" * 5000, "1" + ":59" * 2000, "9" * 5000, "[" * 20_000, "{a: " * 5000, "quarter-", "fortnight-", BOMB),
)
ROW: Mapping[str, Any] = {
    "target": "mu=1.0",
    "dataset_size": 1000,
    "batch_size": 10,
    "epochs": 1.0,
    "prior": 0.5,
    "floor": 1e-10,
    "digits": 4,
    "sampling": "poisson",
    "adjacency": "add-remove",
    "records_per_unit": 1,
    "sample_rate": 0.01,
    "steps": 100,
    "noise_multiplier": 0.6307,
    "achieved": 0.99986,
    "status": "tight",
    "evaluations": 6,
    "message": None,
}


def damaged(draw: random.Random, content: bytes) -> bytes:
    """The content, changed in one to four places."""
    for _ in range(draw.choice((1, 1, 2, 4))):
        content = draw.choice((_bytes, _words, _words, _values, _values, _lines, _lines, _whole))(draw, content)
    return content


def _bytes(draw: random.Random, content: bytes) -> bytes:
    """One byte changed, one put in, or the end cut off."""
    if not content:
        return bytes([draw.randrange(256)])
    place = draw.randrange(len(content))
    return draw.choice(
        (
            content[:place] + bytes([draw.randrange(256)]) + content[place + 1 :],
            content[:place] + bytes([draw.randrange(256)]) + content[place:],
            content[:place],
            content[place:],
        )
    )


def _words(draw: random.Random, content: bytes, words: tuple[str, ...] = WORDS) -> bytes:
    """A hostile word put in somewhere."""
    place = draw.randrange(len(content) + 1)
    return content[:place] + draw.choice(words).encode("utf-8", "surrogatepass") + content[place:]


def _values(draw: random.Random, content: bytes) -> bytes:
    """One number or quoted word replaced."""
    found = list(re.finditer(rb'"[^"\n]*"|[0-9][0-9._e+-]*', content))
    if not found:
        return content
    one = draw.choice(found)
    text = draw.choice(TEXTS)
    if one[0].startswith(b'"') and draw.random() < 0.5:
        text = f'"{text}"'
    return content[: one.start()] + text.encode() + content[one.end() :]


def _lines(draw: random.Random, content: bytes) -> bytes:
    """A line lost, doubled or moved."""
    lines = content.split(b"\n")
    place = draw.randrange(len(lines))
    match draw.randrange(3):
        case 0:
            del lines[place]
        case 1:
            lines.insert(place, lines[place])
        case _:
            draw.shuffle(lines)
    return b"\n".join(lines)


def _whole(draw: random.Random, content: bytes) -> bytes:
    """Another encoding, other ends of lines, or nothing at all."""
    return draw.choice(
        (
            b"",
            b"\xef\xbb\xbf" + content,
            content.replace(b"\n", b"\r\n"),
            content.replace(b"\n", b"\r"),
            content.decode("latin-1").encode("utf-16"),
            content.rstrip(b"\n"),
            content * 2,
            content + b"\x00" * 100,
        )
    )


@cache
def _npz() -> tuple[bytes, ...]:
    """Score files: two columns, two sides, one packed, and some that are other things."""
    scores, members = np.array([0.5, 1.0, 2.0, 2.0, 3.0]), np.array([0, 0, 1, 0, 1])
    contents = []
    for arrays, save in (
        ({"score": scores, "member": members}, np.savez),
        ({"members": scores, "nonmembers": scores - 1}, np.savez_compressed),
        ({"score": scores.astype(np.float16), "member": members.astype(bool)}, np.savez),
        ({"score": scores.astype(object), "member": members.astype(str)}, partial(np.savez, allow_pickle=True)),
        ({"score": np.zeros((2, 2)), "member": np.zeros(3)}, np.savez),
        ({"score": np.array([np.nan, 1e300]), "member": np.array(["in", "out"])}, np.savez),
    ):
        buffer = io.BytesIO()
        save(buffer, **arrays)
        contents.append(buffer.getvalue())
    single = io.BytesIO()
    np.save(single, scores)
    return (*contents, single.getvalue())


def _rezipped(draw: random.Random, content: bytes) -> bytes:
    """The arrays inside changed, under names and sums that fit."""
    source, target = io.BytesIO(content), io.BytesIO()
    if not zipfile.is_zipfile(source):
        return content
    with warnings.catch_warnings(), zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        warnings.simplefilter("ignore")  # two arrays of one name
        for name in old.namelist():
            inner = old.read(name)
            new.writestr(
                draw.choice((name, name, name, "x", "../y.npy")), _bytes(draw, inner) if draw.random() < 0.7 else inner
            )
    return target.getvalue()


@cache
def _parquet() -> tuple[bytes, ...]:
    """Score files and a sweep's store."""
    import pyarrow
    from pyarrow import parquet

    contents = []
    for columns in (
        {"score": [0.5, 1.0, 2.0, 3.0], "member": [0, 0, 1, 1]},
        {"score": ["a", "b"], "member": [True, False]},
        {"score": [1, None, 3], "member": ["in", "out", "in"]},
        {"score": [[1.0], [2.0]], "member": [1, 0]},
        {name: [value] for name, value in ROW.items()},
    ):
        buffer = io.BytesIO()
        parquet.write_table(pyarrow.table(columns), buffer)
        contents.append(buffer.getvalue())
    return tuple(contents)


def read(draw: random.Random, content: bytes, ending: str, reader: Callable[[Path], Any], keep: bool = False) -> str:
    """Read a file with this content; with `keep`, a refused one must stay as it is."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / f"file.{ending}"
        path.write_bytes(content)
        shown = f"{ending} file of {content[:600]!r}"
        try:
            with warnings.catch_warnings(), ending_within(LONGEST):
                warnings.simplefilter("error")
                result = reader(path)
                held(shown, result)
                repr(result)
        except GaussdpError as error:
            if "\n" in str(error) or len(str(error)) > 700:
                raise Find(f"{shown} is refused in other than one line: {str(error)[:900]!r}") from None
            if keep and path.read_bytes() != content:
                raise Find(f"{shown} is refused and changed") from None
            return "refused"
        except Find:
            raise
        except (Exception, TookTooLong) as error:
            raise Find(f"{shown}: {type(error).__name__}: {str(error)[:200]}") from None
        if keep and not path.read_bytes().startswith(content[: content.rfind(b"\n") + 1]):
            raise Find(f"{shown} is taken for a sweep's, and loses whole lines")
    return "answered"


def _text(samples: tuple[tuple[str, str], ...], reader: Callable[[Path], Any], draw: random.Random) -> str:
    ending, sample = draw.choice(samples)
    return read(draw, damaged(draw, sample.encode()), ending, reader)


def _entry(draw: random.Random) -> str:
    """An entry of the registry, with what YAML alone can do beside the usual damage."""
    ending, sample = draw.choice((("yaml", ENTRY), ("yaml", ENTRY), ("json", ENTRY_JSON)))
    content = _words(draw, sample.encode(), YAML_WORDS) if draw.random() < 0.6 else sample.encode()
    return read(draw, damaged(draw, content) if draw.random() < 0.5 else content, ending, read_registry)


def _advised(path: Path) -> Any:
    """The advice that a policy file gives, in words."""
    return advise(Answers.read(path)).render("markdown")


def _arriving(path: Path) -> list[Any]:
    """The trials of a CSV, one by one."""
    with path.open(newline="", encoding="utf-8", errors="replace") as lines:
        return list(trials_of(lines, path.name, ("score",), "member", None))


def _scores_npz(draw: random.Random) -> str:
    content = draw.choice(_npz())
    return read(draw, draw.choice((_rezipped, _bytes, _rezipped))(draw, content), "npz", read_scores)


def _scores_parquet(draw: random.Random) -> str:
    return read(draw, _bytes(draw, draw.choice(_parquet())), "parquet", read_scores)


def _store(draw: random.Random) -> str:
    with tempfile.TemporaryDirectory() as place:
        ending = draw.choice(("csv", "jsonl"))
        path = Path(place) / f"rows.{ending}"
        store = CSVStore(path) if ending == "csv" else JSONLinesStore(path)
        store.rows()
        for steps in range(draw.randrange(4)):
            store.append({name: ROW[name] for name in COLUMNS} | {"steps": steps})
        content = path.read_bytes() if path.exists() else b""
    if draw.random() < 0.3:
        content = draw.choice((cli.SCORES, POINTS, PLAN, "one line", "a,b\n1,2", "{}\n", "[]\n")).encode()
    return read(draw, damaged(draw, content), ending, lambda file: open_store(file).rows(), keep=True)


def _store_parquet(draw: random.Random) -> str:
    content = _bytes(draw, draw.choice(_parquet()))
    return read(draw, content, "parquet", lambda file: open_store(file).rows(), keep=True)


AREAS: Mapping[str, Trial] = {
    "plan files": partial(_text, (("toml", PLAN), ("json", PLAN_JSON)), read_plan),
    "run files": partial(_text, (("toml", RUN),), Run.read),
    "scores, CSV and TSV": partial(_text, (("csv", cli.SCORES), ("tsv", cli.SCORES.replace(",", "\t"))), read_scores),
    "scores, NPZ": _scores_npz,
    "scores, Parquet": _scores_parquet,
    "points, CSV": partial(_text, (("csv", POINTS), ("csv", cli.POINTS)), read_points),
    "policy files": partial(_text, (("toml", POLICY),), _advised),
    "entries of the registry": _entry,
    "sequential audits": partial(_text, (("json", AUDIT),), load_audit),
    "trials that arrive": partial(_text, (("csv", cli.SCORES),), _arriving),
    "sweep stores, CSV and JSON": _store,
    "sweep stores, Parquet": _store_parquet,
}
