"""Plans: every kind of release, and every way to get one wrong with its line."""

import json

import pytest

from gaussdp import ZCDP, ApproxDP, DomainError, PureDP
from gaussdp.mechanisms import (
    DPSGD,
    Composition,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    PoissonSampled,
    RandomizedResponse,
    Stated,
    ZCDPGaussian,
    registered,
)
from gaussdp.mechanisms.composition import parse_plan, read_plan
from gaussdp.statements.training import Training

PLAN = """
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


def test_toml_and_json_say_the_same():
    expected = Composition([DPSGD(0.5, 0.002, 10_000), 3 * Laplace(10.0)])
    assert parse_plan(PLAN, "plan.toml") == expected
    releases = [
        {"mechanism": "dpsgd", "noise_multiplier": 0.5, "sample_rate": 0.002, "steps": 10_000},
        {"mechanism": "laplace", "scale": 10.0, "times": 3},
    ]
    assert parse_plan(json.dumps({"releases": releases}), "plan.json") == expected


@pytest.mark.parametrize(
    ("entry", "mechanism"),
    [
        ({"mechanism": "gaussian", "noise_multiplier": 2}, Gaussian(2.0)),
        ({"mechanism": "gaussian", "noise_multiplier": 2, "adjacency": "replace-one"}, Gaussian(2.0, "replace-one")),
        ({"mechanism": "gaussian-zcdp", "rho": 0.5}, ZCDPGaussian(0.5)),
        (
            {"mechanism": "poisson-sampled-gaussian", "noise_multiplier": 2, "sample_rate": 0.1},
            PoissonSampled(Gaussian(2.0), 0.1),
        ),
        ({"mechanism": "dpsgd", "noise_multiplier": 1, "sample_rate": 0.1, "steps": 7}, DPSGD(1.0, 0.1, 7)),
        ({"mechanism": "laplace", "scale": 3}, Laplace(3.0)),
        ({"mechanism": "discrete-laplace", "scale": 3, "sensitivity": 2}, DiscreteLaplace(3.0, 2)),
        ({"mechanism": "discrete-gaussian", "sigma": 3, "sensitivity": 2}, DiscreteGaussian(3.0, 2)),
        ({"mechanism": "randomized-response", "epsilon": 1, "categories": 3}, RandomizedResponse(1.0, 3)),
        ({"mechanism": "pure-dp", "epsilon": 1}, Stated(PureDP(1.0))),
        ({"mechanism": "approximate-dp", "epsilon": 1, "delta": 1e-6}, Stated(ApproxDP(1.0, 1e-6))),
        ({"mechanism": "zcdp", "rho": 0.5, "xi": 0.1}, Stated(ZCDP(0.5, 0.1))),
    ],
    ids=lambda value: value["mechanism"] if isinstance(value, dict) else "",
)
def test_every_kind(entry, mechanism):
    assert parse_plan(json.dumps({"releases": [entry]}), "p.json") == Composition([mechanism])
    assert entry["mechanism"] in registered()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"laplace"', '"laplce"', r"plan.toml, line 10: unknown mechanism 'laplce'; known are gaussian, "),
        ("scale = 10.0", "scale = -1", r"plan.toml, line 10: scale must be in \(0, inf\), got -1.0"),
        ("scale = 10.0", "sale = 10.0", r"line 10: laplace has no parameter 'sale'; it has scale"),
        ("scale = 10.0\n", "", "line 10: laplace needs scale"),
        ("times = 3", "times = 2.5", "line 10: times must be a whole number of at least 1, got float 2.5"),
        ("times = 3", "times = true", "line 10: times must be a whole number of at least 1, got bool True"),
        (
            "times = 3",
            f"times = 1{'0' * 400}",
            "line 10: times must be a whole number of at most 1,000",
        ),
        ("epochs = 20\n", "", "line 3: dpsgd takes sample_rate, or dataset_size and batch_size"),
        ("batch_size = 100", "batch_size = 100_000", "line 3: batch_size must be at most dataset_size 50000"),
        ('mechanism = "laplace"\n', "", "plan.toml: release 2 must name its `mechanism`"),
        ("scale = 10.0", "scale = ", r"plan.toml: Invalid value \(at line 11"),
        ("[[releases]]", "[[release]]", "plan.toml: must hold a list `releases`"),
        (
            '\n[[releases]]\nmechanism = "dpsgd"',
            '\nextra = 1\n[[releases]]\nmechanism = "dpsgd"',
            "line 2: unknown key 'extra'",
        ),
        ("noise_multiplier = 0.5", 'noise_multiplier = "half"', "line 3: noise_multiplier must be a number"),
    ],
)
def test_what_is_wrong_and_where(old, new, message):
    assert old in PLAN
    with pytest.raises(DomainError, match=message):
        parse_plan(PLAN.replace(old, new), "plan.toml")


def test_files(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    assert read_plan(path) == parse_plan(PLAN, "plan.toml")
    with pytest.raises(DomainError, match="cannot be read: No such file"):
        read_plan(tmp_path / "none.toml")
    (tmp_path / "plan.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(DomainError, match="it is not UTF-8 text"):
        read_plan(path)
    (tmp_path / "plan.yaml").write_text("releases: []")
    with pytest.raises(DomainError, match=r"must end in .toml or .json"):
        read_plan(tmp_path / "plan.yaml")
    (tmp_path / "plan.json").write_text("{")
    with pytest.raises(DomainError, match=r"plan.json: Expecting property name"):
        read_plan(tmp_path / "plan.json")
    (tmp_path / "plan.json").write_text("[1]")
    with pytest.raises(DomainError, match="must hold a list"):
        read_plan(tmp_path / "plan.json")


def test_mixed_adjacency_is_refused():
    text = PLAN + '\n[[releases]]\nmechanism = "randomized-response"\nepsilon = 1.0\n'
    with pytest.raises(DomainError, match="adjacency must be the same"):
        parse_plan(text, "plan.toml")


@pytest.mark.parametrize(
    "numbers",
    [
        {"sample_rate": 0.01, "steps": 500},
        {"sample_rate": 0.01, "epochs": 5},
        {"dataset_size": 20_000, "batch_size": 200, "steps": 500},
        {"dataset_size": 20_000, "batch_size": 200, "epochs": 5},
    ],
    ids=lambda numbers: "-".join(numbers),
)
def test_a_training_is_told_in_one_grammar(numbers):
    """In a plan as in a run file, where [training] is read by `Training`."""
    entry = "".join(f"{key} = {value}\n" for key, value in numbers.items())
    plan = parse_plan(f'[[releases]]\nmechanism = "dpsgd"\nnoise_multiplier = 1.0\n{entry}', "plan.toml")
    assert list(plan.mechanisms) == [DPSGD(1.0, 0.01, 500)]
    assert Training(noise_multiplier=1.0, **numbers).mechanism == DPSGD(1.0, 0.01, 500)


@pytest.mark.parametrize("numbers", ["sample_rate = 0.1", "steps = 3", "batch_size = 3\nsteps = 3", "epochs = 3"])
def test_a_training_that_is_not_told_in_full(numbers):
    with pytest.raises(DomainError, match="dpsgd takes sample_rate, or dataset_size and batch_size"):
        parse_plan(f'[[releases]]\nmechanism = "dpsgd"\nnoise_multiplier = 1.0\n{numbers}\n', "plan.toml")
