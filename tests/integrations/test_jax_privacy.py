"""Run files of trainings with JAX Privacy: from stand-ins of what its versions have, and from the library itself."""

from dataclasses import dataclass
from enum import Enum
from types import SimpleNamespace
from typing import Any

import pytest
from dp_accounting import dp_event as ev

from gaussdp import DPSGD, Composition, DomainError, Run, WithoutReplacement, account, report_run
from gaussdp.integrations.jax_privacy import write_run

UNIT = {"unit": "one image", "adjacency": "add-remove"}
EVENT = ev.SelfComposedDpEvent(ev.PoissonSampledDpEvent(0.01, ev.GaussianDpEvent(1.2)), 500)
Sampling = Enum("Sampling", "POISSON FIXED_BATCH_SIZE")


@dataclass
class CyclicPoissonSampling:
    sampling_prob: float = 0.01


@dataclass
class FixedBatchSampling:
    replace: bool = False


def plan(batches=None, event=EVENT):
    return SimpleNamespace(dp_event=event, batch_selection_strategy=batches or CyclicPoissonSampling())


@dataclass
class Configuration:
    """As of the newest version: calibrated first, then made into a plan."""

    noise_multiplier: float | None = 1.2
    l2_clip_norm: float = 0.5
    num_examples: int | None = None

    def calibrate(self, **_: Any) -> None: ...

    def make(self):
        return plan()


def keras(**changes):
    numbers = {
        "noise_multiplier": 1.0,
        "clipping_norm": 2.0,
        "effective_batch_size": 100,
        "train_size": 10_000,
        "train_steps": 300,
        "gradient_accumulation_steps": 1,
        "poisson_sampling_in_fit": True,
    }
    return SimpleNamespace(**{**numbers, **changes})


def parameters(**changes):
    numbers = {
        "noise_multipliers": 1.0,
        "batch_sizes": 100,
        "num_samples": 10_000,
        "is_finite_guarantee": True,
        "examples_per_user": None,
        "sampling_method": Sampling.POISSON,
        "truncated_batch_size": None,
        "cycle_length": None,
    }
    return SimpleNamespace(**{**numbers, **changes})


def written(tmp_path, training, **options):
    """The run that the file describes, which is the one that is returned."""
    run = write_run(tmp_path / "run.toml", training, **{**UNIT, **options})
    assert Run.read(tmp_path / "run.toml").mechanism.releases() == run.mechanism.releases()
    return run


def test_events(tmp_path):
    run = written(tmp_path, EVENT)
    assert run.mechanism == DPSGD(1.2, 0.01, 500)
    assert run.not_stated == ("records_per_unit", "tuning", "sampling", "clipping", "randomness")
    assert written(tmp_path, EVENT, adjacency="replace-one").mechanism == DPSGD(1.2, 0.01, 500)
    fixed = ev.SelfComposedDpEvent(ev.SampledWithoutReplacementDpEvent(1000, 50, ev.GaussianDpEvent(1.0)), 10)
    assert written(tmp_path, fixed, adjacency="replace-one", tuning="none").tuning == "none"


def test_plans(tmp_path):
    run = written(tmp_path, plan())
    assert (run.mechanism, run.sampling, run.clipping) == (DPSGD(1.2, 0.01, 500), "poisson", "per-example")
    assert written(tmp_path, plan(FixedBatchSampling())).sampling == "without replacement"
    assert report_run(Run.read(tmp_path / "run.toml")).standing == "does not hold"
    assert written(tmp_path, plan(FixedBatchSampling(replace=True))).sampling is None
    with pytest.raises(DomainError, match="sampling must be left out or 'poisson', as the training says"):
        written(tmp_path, plan(), sampling="shuffle")


def test_configurations(tmp_path):
    run = written(tmp_path, Configuration(num_examples=10_000))
    assert (run.clip_norm, run.dataset_size, run.sampling) == (0.5, 10_000, "poisson")
    with pytest.raises(DomainError, match="calibrate the configuration first"):
        written(tmp_path, Configuration(noise_multiplier=None))


def test_keras(tmp_path):
    run = written(tmp_path, keras())
    assert run.mechanism == DPSGD(1.0, 0.01, 300)
    assert (run.sampling, run.clip_norm, run.dataset_size) == ("poisson", 2.0, 10_000)
    assert written(tmp_path, keras(poisson_sampling_in_fit=False)).sampling is None
    assert written(tmp_path, keras(gradient_accumulation_steps=4)).sampling is None
    with pytest.raises(DomainError, match="noise_multiplier is not set"):
        written(tmp_path, keras(noise_multiplier=None))


def test_parameters(tmp_path):
    assert written(tmp_path, parameters(), steps=70).mechanism == DPSGD(1.0, 0.01, 70)
    run = written(tmp_path, parameters(examples_per_user=4), steps=70)
    assert (run.records_per_unit, run.sampling) == (4, "poisson")
    run = written(tmp_path, parameters(sampling_method=Sampling.FIXED_BATCH_SIZE), steps=7, adjacency="replace-one")
    assert run.mechanism == WithoutReplacement(1.0, 100, 10_000, 7)
    changing = parameters(noise_multipliers=[(0, 2.0), (30, 1.0), (90, 0.5)], batch_sizes=[(0, 100), (50, 200)])
    stretches = [DPSGD(2.0, 0.01, 30), DPSGD(1.0, 0.01, 20), DPSGD(1.0, 0.02, 20)]
    assert written(tmp_path, changing, steps=70).mechanism == Composition(stretches)


@pytest.mark.parametrize(
    ("training", "options", "message"),
    [
        (parameters(), {}, "steps is missing"),
        (parameters(), {"steps": 0}, "steps must be"),
        (parameters(noise_multipliers=None), {"steps": 3}, "are missing"),
        (parameters(is_finite_guarantee=False), {"steps": 3}, "not finite"),
        (parameters(cycle_length=4), {"steps": 3}, "cycle_length is not taken"),
        (parameters(truncated_batch_size=120), {"steps": 3}, "truncated_batch_size is not taken"),
        (plan(), {"steps": 3}, "told by the training itself"),
        (ev.NonPrivateDpEvent(), {}, "no privacy"),
        ("a training", {}, "an execution plan, a configuration"),
        (3, {}, "an execution plan, a configuration"),
    ],
    ids=str,
)
def test_what_is_refused(tmp_path, training, options, message):
    with pytest.raises(DomainError, match=message):
        written(tmp_path, training, **options)
    assert not (tmp_path / "run.toml").exists()


class TestTheLibraryItself:
    """Wherever its version keeps its accounting."""

    library = staticmethod(
        lambda name: pytest.importorskip(f"jax_privacy.{name}", reason="no jax-privacy: its own objects were not read")
    )

    def test_events(self, tmp_path):
        accounting = self.library("accounting")
        if not hasattr(accounting, "dpsgd_event"):  # up to 2.0
            accounting = self.library("experimental.accounting")
        event = accounting.dpsgd_event(noise_multiplier=3.0, iterations=512, sampling_prob=0.1)
        assert written(tmp_path, event).mechanism == DPSGD(3.0, 0.1, 512)

    def test_parameters(self, tmp_path):
        analysis = self.library("accounting.analysis")
        numbers = {"noise_multipliers": [(0, 1.0), (50, 2.0)], "num_samples": 10_000, "delta": 1e-5, "batch_size": 100}
        run = written(tmp_path, analysis.DpParams(**numbers), steps=70)
        configuration = self.library("accounting.accountants").PldAccountantConfig()
        accountant = analysis.DpsgdTrainingAccountant(dp_accountant_config=configuration)
        theirs = accountant.compute_epsilon(70, analysis.DpParams(**numbers))
        assert account(run.protected).epsilon(1e-5) == pytest.approx(theirs, rel=1e-3)
        # Of a schedule their epsilon is computed in single precision, so only the steps are compared.
        scaled = analysis.DpParams(**numbers, batch_size_scale_schedule={20: 2, 40: 3})
        stretches = [(1.0, 0.01, 20), (1.0, 0.02, 20), (1.0, 0.06, 10), (2.0, 0.06, 20)]
        assert written(tmp_path, scaled, steps=70).mechanism == Composition([DPSGD(*one) for one in stretches])

    def test_plan(self, tmp_path):
        plans = self.library("experimental.execution_plan")
        if not hasattr(plans, "BandMFExecutionPlanConfig"):
            pytest.skip("a version whose plans stand elsewhere")
        numbers = {"iterations": 40, "sampling_prob": 0.1, "epsilon": None, "delta": None, "noise_multiplier": 1.5}
        run = written(tmp_path, plans.BandMFExecutionPlanConfig(strategy=[1.0], l2_clip_norm=0.7, **numbers))
        assert run.mechanism == DPSGD(1.5, 0.1, 40)
        assert (run.sampling, run.clipping, run.clip_norm) == ("poisson", "per-example", 0.7)
