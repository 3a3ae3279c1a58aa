"""Run files written from runs: what is read again is the same run."""

import tomllib

import pytest
from jsonschema import validate

from gaussdp import (
    DPSGD,
    GDP,
    ZCDP,
    ApproxDP,
    ApproxGDP,
    BestOf,
    Composition,
    Dense,
    DiscreteGaussian,
    DiscreteLaplace,
    DomainError,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    MatrixMechanism,
    MixtureOfGaussians,
    Participation,
    PoissonSampled,
    ProfilePoints,
    PureDP,
    RandomAllocation,
    RandomizedResponse,
    Run,
    Stated,
    Toeplitz,
    Tree,
    TruncatedPoisson,
    WithoutReplacement,
    ZCDPGaussian,
)
from gaussdp.mechanisms import registered
from gaussdp.statements.machine import run_schema
from kinds_of_test import TwoLooks

UNIT = {"unit": 'one "person" \\ µ', "adjacency": "add-remove"}
DESCRIBED = {
    "clip_norm": 1.5,
    "dataset_size": 10_000,
    "drop_last": True,
    "sampling": "shuffle",
    "batches_per_pass": 100,
}
TRAININGS = [
    {},
    DESCRIBED,
    {"tuning": "counted", "tuning_runs": 3, "records_per_unit": 2, "claim": "epsilon=3.0 delta=1e-5"},
    {
        "tuning": "best of",
        "tuning_mean": 10.0,
        "tuning_shape": 0.5,
        "accesses": ["training", "tests"],
        "outputs": ["w"],
    },
    {"clipping": "per-example", "randomness": "secure", "title": "A run", "contact": "us", "data": "ours"},
]
MECHANISMS = [
    DPSGD(1.0, 0.01, 1000, records_per_unit=3),
    DPSGD(0.7, 0.02, 5, "replace-one"),
    3 * Gaussian(2.0),
    Composition([DPSGD(1.0, 0.01, 10), 2 * Laplace(10.0), DPSGD(1.1, 0.01, 10)]),
    ZCDPGaussian(0.5),
    PoissonSampled(Gaussian(1.0), 0.1),
    PoissonSampled(Laplace(3.0), 0.1),
    DiscreteGaussian(2.0, 1),
    DiscreteLaplace(2.0, 1),
    ExponentialMechanism(0.5),
    RandomizedResponse(1.0, 4),
    MixtureOfGaussians(1.0, [0.0, 1.0, 2.0], [0.25, 0.5, 0.25]),
    MatrixMechanism(1.0, Tree(4), Participation(times=1)),
    MatrixMechanism(1.0, Toeplitz((1.0, 0.5), 4), Participation(times=2, separation=2)),
    MatrixMechanism(1.0, Dense([[1.0, 0.0], [0.5, 1.0]]), Participation(times=1)),
    RandomAllocation(1.0, 10, 3),
    TruncatedPoisson(1.0, 0.01, 10, 200, 10_000),
    WithoutReplacement(1.0, 10, 1000, 5),
    BestOf(Gaussian(2.0), 5.0),
    *map(Stated, (PureDP(1.0), ApproxDP(1.0, 1e-6), ZCDP(0.5), GDP(0.5), ApproxGDP(0.5, 1e-6))),
    Stated(ProfilePoints([0.0, 1.0], [0.1, 1e-3])),
]


@pytest.mark.parametrize("ending", ["toml", "json"])
@pytest.mark.parametrize("stated", TRAININGS, ids=lambda stated: "-".join(stated) or "bare")
def test_a_training_comes_back(stated, ending, tmp_path):
    run = Run(mechanism=DPSGD(0.123456789012345, 0.01, 1000), **UNIT, **stated)
    run.write(tmp_path / f"run.{ending}")
    assert Run.read(tmp_path / f"run.{ending}") == run
    validate(run.as_mapping(), run_schema())


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: type(mechanism).__name__)
def test_releases_come_back(mechanism, tmp_path):
    run = Run(mechanism=mechanism, unit="one person", adjacency=mechanism.adjacency, clip_norm=2.0)
    run.write(tmp_path / "run.toml")
    again = Run.read(tmp_path / "run.toml")
    assert again.mechanism.releases() == mechanism.releases()
    assert again.clip_norm == 2.0
    validate(tomllib.loads((tmp_path / "run.toml").read_text()), run_schema())


def test_every_kind_is_among_them():
    written = {entry.plan_entry()["mechanism"] for mechanism in MECHANISMS for entry, _ in mechanism.releases()}
    assert written == set(registered())


def test_a_mechanism_that_files_do_not_know_is_refused():
    with pytest.raises(DomainError, match="one that run files know"):
        Run(mechanism=TwoLooks(1.0), **UNIT).as_mapping()


def test_what_is_not_stated_is_told(tmp_path):
    run = Run(mechanism=DPSGD(1.0, 0.01, 10), **UNIT, sampling="poisson", clipping="per-example")
    run.write(tmp_path / "run.toml")
    assert (tmp_path / "run.toml").read_text().splitlines()[-1] == "# Not stated: records_per_unit, tuning, randomness"
    assert tomllib.loads((tmp_path / "run.toml").read_text()) == run.as_mapping()


def test_other_endings_are_refused(tmp_path):
    with pytest.raises(DomainError, match="ending"):
        Run(mechanism=Gaussian(1.0), **UNIT).write(tmp_path / "run.yaml")
