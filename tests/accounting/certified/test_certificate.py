"""Certificates are checked from the run and the witness alone, and every change of a number shows."""

import json
import pickle
import sys
from dataclasses import asdict, replace
from decimal import Decimal

import numpy as np
import pytest

from gaussdp.accounting import account
from gaussdp.accounting.certified.balls import arb
from gaussdp.accounting.certified.certificate import Certificate, digest_of
from gaussdp.accounting.certified.proved import RATES, ProvedNumber
from gaussdp.accounting.certified.proving import certify
from gaussdp.accounting.certified.witnesses import LineWitness, NodeGrid, StepWitness
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.mechanisms import DPSGD, Composition, Gaussian

RUN = Composition([DPSGD(4.0, 0.2, 400), Gaussian(3.0)])
PROVED = certify(RUN, 1e-3, [0.5], [1e-6], [0.01])
EXACT = PROVED.points[PROVED.deltas[0].remove]


def test_it_survives_json_and_pickling():
    assert Certificate.from_json(PROVED.to_json()) == PROVED
    assert pickle.loads(pickle.dumps(PROVED)) == PROVED
    assert PROVED.digest == Certificate.from_json(PROVED.to_json()).digest
    assert len(repr(PROVED)) < 200


def test_it_holds_and_says_what_it_proves():
    assert PROVED.verify() == ()
    tables = {table.key for table in PROVED.document().tables}
    assert tables == {"mu", "delta", "epsilon", "fnr_remove", "fnr_add"}


def changed(content, path, value):
    place = content
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return content


def numbers(content, path=()):
    """The places of all numbers of a document."""
    if isinstance(content, dict):
        for key, value in content.items():
            yield from numbers(value, (*path, key))
    elif isinstance(content, list):
        for key, value in enumerate(content):
            yield from numbers(value, (*path, key))
    elif isinstance(content, int | float) or (isinstance(content, str) and content.replace("e-", "").isdigit()):
        yield path


PLACES = [
    path for path in numbers(json.loads(PROVED.to_json())) if path[0] not in ("certificate", "digest", "versions")
]


def test_any_changed_number_breaks_the_digest():
    for path in PLACES[:: max(1, len(PLACES) // 150)]:
        content = json.loads(PROVED.to_json())
        place = content
        for key in path[:-1]:
            place = place[key]
        old = place[path[-1]]
        new = old[:-1] + str((int(old[-1]) + 1) % 10) if isinstance(old, str) else old + 1
        with pytest.raises(DomainError, match="changed after it was made"):
            Certificate.from_json(json.dumps(changed(content, path, new)))


def forged(path, value):
    """A certificate with one number changed by someone who knows how to make the digest fit."""
    content = changed(json.loads(PROVED.to_json()), path, value)
    del content["digest"]
    return Certificate.from_json(json.dumps({**content, "digest": digest_of(content)}))


def moved(stated: list[str]) -> list[str]:
    """The same enclosure, moved by twice its width."""
    low, high = (Decimal(end) for end in stated)
    return [str(high), str(high + (high - low))]


@pytest.mark.parametrize("name", ["fpr", "tnr", "fnr", "tpr", "remove", "add"])
def test_a_forged_point_is_found(name):
    point = PROVED.deltas[0].remove
    stated = json.loads(PROVED.to_json())["points"][point][name]
    assert any(name in words for words in forged(("points", point, name), moved(stated)).verify())


@pytest.mark.parametrize(
    "path",
    [("mu", 0, "mu"), ("delta", 0, "delta"), ("rates", 0, "remove"), ("rates", 0, "add")],
    ids=lambda path: ".".join(map(str, path)),
)
def test_a_forged_conclusion_is_found(path):
    place = json.loads(PROVED.to_json())
    for key in path:
        place = place[key]
    assert forged(path, moved(place)).verify()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("epsilon", 0, "epsilon"), [1.0, 1.1]),
        (("epsilon", 0, "delta"), 1e-7),
        (("delta", 0, "epsilon"), 0.4),
        (("mu", 0, "floor"), 1e-4),
        (("mu", 0, "points"), [1, 2]),
        (("rates", 0, "fpr"), 0.02),
        (("releases", 0, "steps"), 399),
        (("releases", 0, "noise_multiplier"), 4.1),
        (("releases", 1, "noise_multiplier"), 3.1),
        (("points", 0, "threshold"), 0.3),
        (("lines", 0, "blocks"), [3]),
        (("lines", 0, "spacing"), 40.0),
    ],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else None,
)
def test_a_forged_run_or_witness_is_found(path, value):
    try:
        failures = forged(path, value).verify()
    except DomainError:
        return
    assert failures


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("points", 0, "line"), 99),
        (("delta", 0, "remove"), -1),
        (("mu", 0, "mu"), ["nan", "1"]),
        (("mu", 0, "mu"), ["2", "1"]),
        (("mu", 0, "mu"), ["1", "1e999999999"]),
        (("lines", 0, "bits"), 10**8),
        (("lines", 0, "tilt"), "x"),
        (("lines", 0, "below", "tilt"), -3.0),
        (("lines", 0, "bits"), -5),
        (("certificate",), 1),  # of parameters that were taken as doubles
        (("points",), None),
    ],
)
def test_what_is_no_certificate_is_refused(path, value):
    with pytest.raises(DomainError):
        forged(path, value)


FINER = 512


def flat(grid: NodeGrid, low: float, high: float, finer: int = FINER) -> NodeGrid:
    """A finer grid from low to high on a flat rectangle, whose short sides hide nothing of what lies outside."""
    spacing = grid.spacing / finer
    return NodeGrid(int(low / spacing), int(high / spacing), spacing, grid.height / finer)


def coarser(line: LineWitness, how: str) -> LineWitness:
    """A witness that is worse in one respect, so that one of its errors becomes visible."""
    step = line.steps[0]
    if how == "fewer nodes":
        count = line.blocks[0] // 4
        return replace(line, blocks=(count,), steps=tuple(replace(one, grids=one.grids[:1]) for one in line.steps))
    if how == "wider spacing":
        return replace(line, spacing=line.spacing * 2.0)
    if how == "coarser grid":
        grids = [NodeGrid(one.first * 4 // 5, one.last * 4 // 5, 1.25 * one.spacing, one.height) for one in step.grids]
        return replace(line, steps=(replace(step, grids=tuple(grids)),))
    if how == "shorter grid":
        grids = [flat(one, one.first * one.spacing / 2, one.last * one.spacing / 2) for one in step.grids]
        return replace(line, steps=(replace(step, grids=tuple(grids)),))
    assert how == "earlier cut"
    fine = flat(step.grids[-1], -45.0, 5 * RUN.mechanisms[0].noise_multiplier, 4 * FINER)
    cut = fine.last * fine.spacing

    def cut_off(one: StepWitness) -> StepWitness:
        table = replace(one.table, cut=cut, cells=round((cut + 50) / one.table.width))
        return StepWitness(table, (fine,) * len(one.grids))

    below, above = (replace(beside, steps=tuple(map(cut_off, beside.steps))) for beside in (line.below, line.above))
    return replace(line, steps=tuple(map(cut_off, line.steps)), below=below, above=above)


@pytest.mark.parametrize("how", ["fewer nodes", "wider spacing", "coarser grid", "shorter grid", "earlier cut"])
def test_every_error_is_counted(how):
    """A bad witness gives wide enclosures, never wrong ones; and wide they must be, since their middles are wrong."""
    from gaussdp.accounting.certified.balls import precision
    from gaussdp.accounting.certified.lines import ProvedLine
    from gaussdp.accounting.certified.loss import ComposedLoss
    from gaussdp.accounting.certified.prover import stated

    loss = ComposedLoss.of(RUN)
    witness = coarser(PROVED.lines[EXACT.line], how)
    with precision(witness.bits):
        found = stated(ProvedLine(loss.squared_mu(), loss.parts, witness).read(EXACT.threshold), 0)
    for name in ("fpr", "tpr", "remove"):
        rough, exact = getattr(found, name), getattr(EXACT, name)
        assert Decimal(rough.low) <= Decimal(exact.high)
        assert Decimal(exact.low) <= Decimal(rough.high)
        width = Decimal(exact.high) - Decimal(exact.low)
        assert Decimal(rough.high) - Decimal(rough.low) > 100 * width
        if how != "coarser grid":  # whose sum is far better than can be proved
            middle = (Decimal(rough.low) + Decimal(rough.high)) / 2
            assert abs(middle - Decimal(exact.low)) > 100 * width


def shaken(line: LineWitness, draw: np.random.Generator) -> LineWitness:
    """A witness with everything moved at random."""

    def step(one: StepWitness) -> StepWitness:
        table = replace(one.table, width=one.table.width * draw.uniform(0.5, 4), cells=one.table.cells)
        grids = tuple(
            NodeGrid(
                round(grid.first * draw.uniform(0.3, 1.1)),
                round(grid.last * draw.uniform(0.3, 1.1)),
                grid.spacing * draw.uniform(0.5, 1.5),
                grid.height * draw.uniform(0.2, 1.03),
            )
            for grid in one.grids
        )
        return StepWitness(table, grids)

    below, above = (replace(beside, steps=tuple(map(step, beside.steps))) for beside in (line.below, line.above))
    tilt = line.tilt * draw.uniform(0.95, 1.05)
    spacing = line.spacing * draw.uniform(0.6, 2.0)
    return replace(line, tilt=tilt, spacing=spacing, steps=tuple(map(step, line.steps)), below=below, above=above)


@pytest.mark.parametrize("seed", range(12))
def test_no_witness_gives_a_false_enclosure(seed):
    from gaussdp.accounting.certified.balls import precision
    from gaussdp.accounting.certified.lines import ProvedLine
    from gaussdp.accounting.certified.loss import ComposedLoss

    loss, draw = ComposedLoss.of(RUN), np.random.default_rng(seed)
    for point in (EXACT, PROVED.points[PROVED.deltas[0].add], PROVED.points[-1]):
        witness = shaken(PROVED.lines[point.line], draw)
        with precision(witness.bits):
            try:
                found = ProvedLine(loss.squared_mu(), loss.parts, witness).read(point.threshold)
            except ConvergenceError:
                continue
            for name, value in zip(RATES, found.rates(), strict=True):
                exact = getattr(point, name)
                assert not value > arb(exact.high), (name, witness)
                assert not value < arb(exact.low), (name, witness)


def test_numbers_round_outwards():
    third = ProvedNumber("0.333333333333333333333", "0.333333333333333333334")
    assert third.lower < third.upper
    assert third.lower <= 1 / 3 <= third.upper
    assert third.digits == 20
    assert ProvedNumber("79e-9", "1.000000011").digits == 0
    assert third.at_least(0.3)
    assert not third.at_most(0.3)
    assert ProvedNumber("0.25", "0.25").lower == ProvedNumber("0.25", "0.25").upper == 0.25


def test_a_certificate_can_be_read_without_the_extra(monkeypatch):
    from gaussdp.errors import MissingExtraError

    for name in [name for name in sys.modules if name.split(".")[0] == "flint" or ".certified" in name]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "flint", None)
    from gaussdp.accounting.certified.certificate import Certificate as WithoutFlint

    certificate = WithoutFlint.from_json(PROVED.to_json())
    assert certificate.document().tables
    with pytest.raises(MissingExtraError, match=r"gaussdp\[certified\]"):
        certificate.verify()
    with pytest.raises(MissingExtraError, match=r"gaussdp\[certified\]"):
        account(RUN).certify(1e-3)


def test_the_witness_is_small():
    assert len(PROVED.to_json()) < 300_000
    assert all(isinstance(value, float) for value in (asdict(PROVED.lines[0])["tilt"], PROVED.lines[0].spacing))
