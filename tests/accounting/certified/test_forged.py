"""Forged certificates: what a forger may change is refused, or proves nothing that is false.

Whoever forges one can make the digest fit, and computes the numbers that the witness would give if no check were made.
"""

import csv
import json
import math
import random
import re
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from gaussdp.accounting.certified import derived, lines, witnesses
from gaussdp.accounting.certified.balls import exactly, precision
from gaussdp.accounting.certified.certificate import Certificate, ProvedEpsilon, ProvedMu, digest_of
from gaussdp.accounting.certified.checking import line_of
from gaussdp.accounting.certified.lines import ProvedLine
from gaussdp.accounting.certified.loss import ComposedLoss
from gaussdp.accounting.certified.proved import RATES, Patience, ProvedNumber, ProvedPoint, silent
from gaussdp.accounting.certified.prover import stated
from gaussdp.accounting.certified.proving import certify
from gaussdp.accounting.certified.steering import Steering
from gaussdp.accounting.certified.steps import Part
from gaussdp.accounting.certified.witnesses import (
    BentWitness,
    Beside,
    BracketWitness,
    LineWitness,
    StepWitness,
    Window,
    witness_of,
)
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.mechanisms import DPSGD, MatrixMechanism, Participation, Tree

RUN = DPSGD(1.0, 0.01, 1000)
TRUTH = "0.0026124205786"  # delta at epsilon = 1, from its own certificate and from dp_accounting


@cache
def honest():
    return certify(RUN, 1e-3, [1.0], [1e-6], [0.01])


def content_of(certificate):
    return json.loads(certificate.to_json())


def sealed(content):
    """The certificate of a content whose digest is made to fit."""
    content.pop("digest", None)
    return Certificate.from_json(json.dumps({**content, "digest": digest_of(content)}))


def changed(path, value):
    content = content_of(honest())
    place = content
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return content


def line_across_a_pole(run, tilt, beside, period):
    """A line whose images are bounded at any tilts beside it."""
    loss = ComposedLoss.of(run)
    steering, depth = Steering(0.0, loss.parts, 14.0), 40.0
    spacing = 2 * math.pi / period
    shapes, frequency = steering.grids(tilt, spacing, depth)
    last = math.ceil(frequency / spacing) + 1
    steps = tuple(StepWitness(shape.table, (shape.grid(spacing * (last - 1)),)) for shape in shapes)
    below, above = (
        Beside(at, tuple(StepWitness(shape.table, (shape.grid(0.0),)) for shape in steering.shapes(at, depth)))
        for at in beside
    )
    return LineWitness(tilt, spacing, (last,), steps, below, above, 200)


ACROSS = [(1.05, (0.0, 6.0)), (1.05, (0.5, 6.0)), (-0.05, (-6.0, 1.0)), (-0.05, (-6.0, 0.5)), (0.5, (-0.1, 0.9))]


@pytest.fixture
def unchecked(monkeypatch):
    """As if tilts beside a line might lie anywhere."""
    everywhere = dict.fromkeys((-1, 0, 1), (-math.inf, math.inf))
    with monkeypatch.context() as changed_for_now:
        for module in (witnesses, lines):
            changed_for_now.setattr(module, "POLES", everywhere, raising=False)
        yield changed_for_now


def test_a_pole_between_a_line_and_a_tilt_beside_it(unchecked):
    """With a pole between, the sum is that of another tail: delta at epsilon = 1 comes out as 0.055, not as 0.0026."""
    witness = line_across_a_pole(RUN, *ACROSS[0], 60.0)
    loss = ComposedLoss.of(RUN)
    with precision(witness.bits):
        found = stated(ProvedLine(loss.squared_mu(), loss.parts, witness).read(1.0), 1)
    assert float(found.remove.low) > 10 * float(TRUTH)
    content = content_of(honest())
    content["lines"] = [content["lines"][honest().points[honest().deltas[0].add].line], asdict(witness)]
    told = {name: [getattr(found, name).low, getattr(found, name).high] for name in RATES}
    content["points"] = [content["points"][honest().deltas[0].add] | {"line": 0}, {"threshold": 1.0, "line": 1} | told]
    content |= {"mu": [], "epsilon": [], "rates": []}
    content["delta"] = [{"epsilon": 1.0, "delta": told["remove"], "remove": 1, "add": 0}]
    unchecked.undo()
    with pytest.raises(DomainError, match="tilt must have no pole between it and those beside it"):
        sealed(content)


@pytest.mark.parametrize(("tilt", "beside"), ACROSS, ids=str)
def test_every_pole_is_seen_by_the_witness_and_by_the_line(tilt, beside, unchecked):
    witness = line_across_a_pole(RUN, tilt, beside, 60.0)
    told, loss = json.loads(json.dumps(asdict(witness))), ComposedLoss.of(RUN)
    unchecked.undo()
    with pytest.raises(DomainError, match="no pole between"):
        witness_of(told)
    with precision(witness.bits), pytest.raises(ConvergenceError, match="a pole lies between"):
        ProvedLine(loss.squared_mu(), loss.parts, witness)


def test_a_pole_may_be_a_tilt_beside_a_line_that_ends_there():
    for tilt, beside in ((1.05, (1.0, 6.0)), (-0.05, (-6.0, 0.0)), (0.5, (0.0, 1.0))):
        assert witness_of(asdict(line_across_a_pole(RUN, tilt, beside, 60.0))).tilt == tilt


def line_of_delta(content, name="remove"):
    return content["points"][content["delta"][0][name]]["line"]


def with_line(**fields):
    def alter(content):
        content["lines"][line_of_delta(content)] |= fields

    return alter


def swapped_sides(content):
    line = content["lines"][line_of_delta(content)]
    line["below"], line["above"] = line["above"], line["below"]


def another_cut(content):
    content["lines"][line_of_delta(content)]["below"]["steps"][0]["table"]["cut"] += 1.0


def on_a_pole(content):
    line = content["lines"][line_of_delta(content)]
    line["tilt"], line["below"]["tilt"] = 1.0, 0.5


def no_steps(content):
    line = content["lines"][line_of_delta(content)]
    for one in (line, line["below"], line["above"]):
        one["steps"] = []


def many_nodes(content):
    line = content["lines"][line_of_delta(content)]
    line["steps"][0]["grids"][-1] |= {"first": -(10**6), "last": 10**6}
    line["blocks"][-1] = 2 * 10**6


def in_a_claim(name, **fields):
    def alter(content):
        content[name][0] |= fields

    return alter


def in_a_point(**fields):
    def alter(content):
        content["points"][content["delta"][0]["remove"]] |= fields

    return alter


def exchanged(content):
    one = content["delta"][0]
    one["remove"], one["add"] = one["add"], one["remove"]


def sides_of_epsilon(content):
    one = content["epsilon"][0]
    one["remove"], one["add"] = one["add"], one["remove"]


def reversed_points(name, key):
    def alter(content):
        content[name][0][key].reverse()

    return alter


def nothing_stated(content):
    content |= {"mu": [], "delta": [], "epsilon": [], "rates": [], "points": [], "lines": []}


def other_lines(content):
    content["lines"].reverse()


def no_line(content):
    content["points"][content["delta"][0]["remove"]]["line"] = None


def said_beside(content):
    content["mu"][0]["unit"] = "one person"


def released(**entry):
    def alter(content):
        content["releases"].append(entry)

    return alter


def another_run(content):
    tree = MatrixMechanism(1e3, Tree(7), Participation(times=3))
    content["releases"].append({**tree.plan_entry(), "times": 1})


FORGERIES = [
    # of a line
    (with_line(tilt=0.5), "rising numbers"),
    (with_line(tilt=math.nan), "rising numbers"),
    (on_a_pole, "must not be a pole"),
    (with_line(blocks=[]), "must hold one number of nodes"),
    (with_line(blocks=[3]), "one for each block"),
    (with_line(spacing=0.0), "must be a positive number"),
    (with_line(spacing=-1.0), "must be a positive number"),
    (with_line(spacing=math.nan), "must be a positive number"),
    (with_line(spacing=math.inf), "must be a positive number"),
    (with_line(bits=0), "rising whole numbers"),
    (with_line(bits=10**6), "rising whole numbers"),
    (with_line(steps=[]), "cut must be the same"),
    (no_steps, "one for each block|cannot be computed"),
    (swapped_sides, "rising numbers"),
    (another_cut, "cut must be the same"),
    (many_nodes, "so many nodes"),
    (other_lines, "not proved to lie|cannot be computed"),
    # of a point
    (no_line, "needs a line"),
    (in_a_point(threshold=1.1), "not proved to lie"),
    (in_a_point(threshold=math.inf), "is no number"),
    (in_a_point(line=10**3), "there is no line"),
    (in_a_point(line=True), "there is no line"),
    (in_a_point(remove=["0.055", "0.056"]), "not proved to lie"),
    (in_a_point(remove=["0.0027", "0.0026"]), "low must be at most high"),
    (in_a_point(remove=["0.00261242", " 0.00261243"]), "must be a decimal"),
    (in_a_point(remove=["0.0_026", "0.0027"]), "must be a decimal"),
    (in_a_point(remove=["0.002\u0661", "0.0027"]), "must be a decimal"),
    (in_a_point(remove=["-inf", "inf"]), "must be a decimal"),
    # of what is stated
    (nothing_stated, "states no number"),
    (said_beside, "more or less than what is proved again"),
    (in_a_claim("mu", floor=0.0), "floor must be"),
    (in_a_claim("mu", floor=-1.0), "floor must be"),
    (in_a_claim("mu", floor=1.0), "floor must be"),
    (in_a_claim("mu", floor=1e-4), "do not span"),
    (in_a_claim("mu", points=[]), "do not span"),
    (in_a_claim("mu", points=[0, 0]), "do not span"),
    (reversed_points("mu", "points"), "do not span"),
    (in_a_claim("mu", mu=["2.4", "6.4"]), "mu is not proved to lie"),
    (in_a_claim("delta", epsilon=-1.0), "epsilon must be"),
    (in_a_claim("delta", epsilon=0.9), "delta at 0.9 does not follow"),
    (exchanged, "delta at 1.0 does not follow"),
    (in_a_claim("delta", delta=["0.055", "0.056"]), "delta at 1.0 does not follow"),
    (in_a_claim("epsilon", delta=0.0), "delta must be"),
    (in_a_claim("epsilon", delta=-0.5), "delta must be"),
    (in_a_claim("epsilon", delta=1.0), "delta must be"),
    (in_a_claim("epsilon", delta=1e-7), "do not enclose epsilon"),
    (in_a_claim("epsilon", epsilon=[2.0, 1.0]), "two rising numbers"),
    (in_a_claim("epsilon", epsilon=[-1.0, 9.0]), "two rising numbers"),
    (in_a_claim("epsilon", epsilon=[3.0, 9.0]), "epsilon at 1e-06 does not follow"),
    (in_a_claim("epsilon", remove=[]), "do not enclose epsilon"),
    (in_a_claim("epsilon", add=[]), "do not enclose epsilon"),
    (sides_of_epsilon, "do not enclose epsilon"),
    (reversed_points("epsilon", "remove"), "do not enclose epsilon"),
    (in_a_claim("rates", fpr=0.0), "fpr must be"),
    (in_a_claim("rates", fpr=1.5), "fpr must be"),
    (in_a_claim("rates", fpr=0.02), "the FNR at FPR 0.02 does not follow"),
    (in_a_claim("rates", remove_points=[0]), "the FNR at FPR 0.01 does not follow"),
    (in_a_claim("rates", remove_points=[0, 1, 2]), "the FNR at FPR 0.01 does not follow"),
    (reversed_points("rates", "remove_points"), "the FNR at FPR 0.01 does not follow"),
    (in_a_claim("rates", add=["0.1", "0.2"]), "the FNR at FPR 0.01 does not follow"),
    # of the run
    (released(mechanism="gaussian", noise_multiplier=100.0, adjacency="add-remove", times=1), "not proved to lie"),
    (
        released(mechanism="laplace", scale=10.0, adjacency="add-remove", times=1),
        "neither Gaussian nor Poisson-sampled",
    ),
    (another_run, "only an upper bound is known"),
]


@pytest.mark.parametrize(("alter", "words"), FORGERIES, ids=[f"{k}" for k in range(len(FORGERIES))])
def test_what_a_forger_may_change_is_refused_in_a_sentence(alter, words):
    content = content_of(honest())
    alter(content)
    try:
        found = sealed(content).verify()
    except DomainError as error:
        found = (str(error),)
    assert found
    assert any(re.search(words, sentence) for sentence in found), found
    assert all("\n" not in sentence for sentence in found)


with (Path(__file__).parents[2] / "reference" / "dpsgd_points.csv").open() as file:
    MANY = next(row for row in csv.DictReader(file) if row["noise_multiplier"] == "9.4" and float(row["tau"]) > 0)
with (Path(__file__).parents[1] / "reference" / "two_steps.csv").open() as file:
    FEW = next(row for row in csv.DictReader(file) if float(row["tau"]) > 0 and row["sample_rate"] == "0.01")
"""Tails that were computed elsewhere, by sums and integrals of many digits."""

BENT = BentWitness(9.41, 8.604, 2.487, 0.33, 0.28, 0.045, 120, (9.0, 10.0, 9.0), 35.0, 100)
LATTICE = BracketWitness(
    4.0, mirrored=False, windows=(Window(8, -40, (-3, 2), 800, 4, (8, 32)),), length=2**12, fine=2**9, bits=160
)


LONGEST = 60.0  # seconds after which a check is given up
FARTHEST = 20.0  # y up to which nodes lie: far beyond, moments take minutes


def run_of(row):
    return DPSGD(float(row["noise_multiplier"]), float(row["sample_rate"]), int(row.get("steps", 2)))


@cache
def honest_line():
    certificate = certify(run_of(MANY), epsilons=[float(MANY["tau"])])
    return certificate.lines[certificate.points[certificate.deltas[0].remove].line]


def places(content, path=()):
    """The places of all numbers of a witness."""
    for key, value in content.items() if isinstance(content, dict) else enumerate(content):
        if isinstance(value, dict | list | tuple):
            yield from places(value, (*path, key))
        else:
            yield (*path, key)


def altered(witness, draw):
    """The witness as a file states it, with one to three numbers that a forger chose."""
    content = json.loads(json.dumps(asdict(witness)))
    known = list(places(content))
    for path in draw.sample(known, draw.choice([1, 1, 2, 3])):
        *above, last = path
        place = content
        for key in above:
            place = place[key]
        old = place[last]
        if isinstance(old, bool):
            place[last] = not old
        elif isinstance(old, int):
            place[last] = draw.choice([old - 1, old + 1, old // 2, -old, 0, 1, round(1.5 * old)])
        else:
            place[last] = draw.choice([0.0, 1.0, -old, 0.01 * old, 0.5 * old, 0.9 * old, 1.1 * old, 2 * old, 1 - old])
    return content


@dataclass(frozen=True)
class Binary(Part):
    """A step whose noise and rate are doubles, not what is written: that is what others computed with."""

    def sigma(self):
        return exactly(Fraction(self.noise_multiplier))

    def rate(self):
        return exactly(Fraction(self.sample_rate))


def holds(row, witness):
    """Whether what the witness gives holds all that is known; None where it is refused."""
    run = run_of(row)
    loss = ComposedLoss((), (Binary(run.noise_multiplier, run.sample_rate, run.steps),))
    if "angle" in witness and witness["nodes"] * witness["spacing"] > FARTHEST:
        return None
    try:
        made = witness_of(witness)
        with precision(made.bits), np.errstate(all="ignore"):
            found = stated(line_of(loss, made, Patience(silent, LONGEST)).read(float(row["tau"])), 0)
    except (ConvergenceError, ValueError, ArithmeticError):
        return None
    known = {name: Decimal(row[name]) for name in ("fpr", "fnr")}
    if "delta" in row:
        known["remove"] = Decimal(row["delta"])
    units = {name: Decimal(1).scaleb(value.as_tuple().exponent) for name, value in known.items()}
    return all(
        Decimal(getattr(found, name).low) - units[name] <= value <= Decimal(getattr(found, name).high) + units[name]
        for name, value in known.items()
    )


@pytest.mark.parametrize("seed", range(60))
def test_no_change_of_a_line_proves_what_is_false(seed):
    assert holds(MANY, altered(honest_line(), random.Random(seed))) is not False


@pytest.mark.parametrize("seed", range(8))
def test_no_change_of_a_bent_line_proves_what_is_false(seed):
    assert holds(FEW, altered(BENT, random.Random(seed))) is not False


@pytest.mark.parametrize("seed", range(60))
def test_no_change_of_a_lattice_proves_what_is_false(seed):
    assert holds(FEW, altered(LATTICE, random.Random(seed))) is not False


def test_witnesses_that_are_not_changed_prove_something():
    for row, witness in ((MANY, honest_line()), (FEW, BENT), (FEW, LATTICE)):
        assert holds(row, asdict(witness))


def point(threshold, fpr, fnr):
    """A point of these rates, whatever is proved of it."""
    fpr, fnr, rests = Decimal(fpr), Decimal(fnr), {}
    for name, rate in (("fpr", fpr), ("fnr", fnr)):
        rests[name] = ProvedNumber(str(rate), str(rate)), ProvedNumber(str(1 - rate), str(1 - rate))
    nothing = ProvedNumber("0.99", "0.99")
    return ProvedPoint(threshold, None, *rests["fpr"], *rests["fnr"], nothing, nothing)


RATES_OF_POINTS = [("0.45", "0.04"), ("0.4", "0.5"), ("0.1", "0.1"), ("0.45", "0.4"), ("0.04", "0.5")]
CONTRADICTING = [point(0.5 * place - 1, fpr, fnr) for place, (fpr, fnr) in enumerate(RATES_OF_POINTS)]


def test_bounds_that_contradict_each_other_are_no_proof():
    """One point has a mu of 2.56; between its neighbours it can only be 1.4."""
    with pytest.raises(ConvergenceError, match="contradict each other"):
        derived.mu_between(CONTRADICTING[1:4], 0.05)
    certificate = replace(
        honest(),
        points=(*honest().points, *CONTRADICTING),
        mus=(ProvedMu(0.05, ProvedNumber("1", "3"), tuple(range(len(honest().points), len(honest().points) + 5))),),
    )
    assert any("mu above 0.05 contradict each other" in words for words in certificate.verify())


def test_an_epsilon_whose_lower_end_exceeds_the_upper_one_is_none():
    larger, smaller = (
        replace(point(at, "0.1", "0.1"), remove=told, add=told)
        for at, told in ((2.0, ProvedNumber("0.1", "0.1")), (1.0, ProvedNumber("1e-9", "1e-9")))
    )
    mirrored = [replace(one, threshold=-one.threshold) for one in (larger, smaller)]
    with pytest.raises(ConvergenceError, match="contradict each other"):
        derived.epsilon_between(1e-6, [larger, smaller], mirrored)
    with pytest.raises(DomainError, match="two rising numbers"):
        ProvedEpsilon(1e-6, 2.0, 1.0, (0, 1), (2, 3))
    with pytest.raises(DomainError, match="low must be at most high"):
        ProvedNumber("2", "1")
