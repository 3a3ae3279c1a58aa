"""Every public object can be pickled, copied, compared and looked at."""

import copy
import inspect
import pickle
from importlib.util import find_spec

import numpy as np
import pytest

import gaussdp
from audits_of_test import audited
from gaussdp import auditing, calibration, risks
from gaussdp.figures import figure
from gaussdp.mechanisms import CyclicPoisson, Dense, Participation, Stated, Toeplitz, Tree

CURVE = gaussdp.account(gaussdp.DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=100))
RUN = gaussdp.Run(
    mechanism=gaussdp.DPSGD(1.0, 0.01, 100), unit="one image", adjacency="add-remove", claim="epsilon=3 delta=1e-5"
)
SCORES = np.random.default_rng(3).normal([[1.0], [0.0]], size=(2, 200))


def objects():
    """Something of every public kind."""
    yield from (gaussdp.GDP(0.5), gaussdp.PureDP(1.0), gaussdp.ApproxDP(1.0, 1e-6), gaussdp.LaplaceDP(1.0))
    yield from (
        gaussdp.ApproxGDP(0.5, 1e-6),
        Stated(gaussdp.GDP(0.5)),
        gaussdp.BoundedRange(1.0),
        gaussdp.ExponentialMechanism(1.0),
    )
    yield from (Participation(4, 2), CyclicPoisson(2, 0.1), Toeplitz([1.0, 0.5], 8), Tree(8), Dense([[1.0]]))
    yield from (gaussdp.WithoutReplacement(1.0, 10, 100, 5), gaussdp.RandomAllocation(1.0, 20, 3))
    yield from (gaussdp.TruncatedPoisson(1.0, 0.1, 5, 20, 100), gaussdp.PoissonSampled(gaussdp.Laplace(2.0), 0.1))
    yield gaussdp.BestOf(gaussdp.Gaussian(2.0), 10.0)
    yield gaussdp.MatrixMechanism(1.0, Toeplitz([1.0, 0.5], 8), Participation(4, 2))
    yield from (gaussdp.ZCDP(0.5), gaussdp.ProfilePoints([0.5, 1.0], [1e-3, 1e-6]))
    yield gaussdp.TradeoffPoints([0.001, 0.01, 0.1], [0.98, 0.92, 0.65])
    yield gaussdp.Claim(mu=0.8, floor=1e-10)
    yield from (gaussdp.MultiplicativeAdvantage(1e-3), gaussdp.Precision(0.01, 0.1), gaussdp.Profile(1e-6))
    yield from (gaussdp.TruePositiveRate(0.01), gaussdp.Advantage(), gaussdp.Accuracy(0.1), gaussdp.RuleOfThumb(5))
    yield from (gaussdp.Gaussian(2.0), gaussdp.ZCDPGaussian(0.5), gaussdp.PoissonSampled(gaussdp.Gaussian(1.0), 0.1))
    yield from (gaussdp.Laplace(2.0), gaussdp.DiscreteLaplace(2.0), gaussdp.DiscreteGaussian(2.0))
    yield from (gaussdp.RandomizedResponse(1.0), RUN.mechanism, Stated(gaussdp.PureDP(0.1)), 3 * gaussdp.Gaussian(1.0))
    yield gaussdp.Composition([gaussdp.Gaussian(1.0), 2 * gaussdp.Laplace(10.0)])
    yield from (CURVE, CURVE.remove, CURVE.add, CURVE.fit(), gaussdp.account(gaussdp.Gaussian(2.0)))
    yield gaussdp.account(gaussdp.Composition([gaussdp.Gaussian(1.0), gaussdp.Laplace(3.0)]))
    yield gaussdp.account(gaussdp.ApproxDP(1.0, 1e-6))
    yield from (RUN, gaussdp.report_run(RUN), gaussdp.check_claim(RUN, "mu=1"), gaussdp.explain(0.8))
    yield gaussdp.Training(noise_multiplier=1.0, dataset_size=50_000, batch_size=256, epochs=20)
    yield from (gaussdp.AtMost(gaussdp.Advantage(), 0.1), gaussdp.deployments()[0])
    yield calibration.noise_multiplier(gaussdp.GDP(1.0), sample_rate=0.1, steps=100)
    yield calibration.gaussian_noise_multiplier(gaussdp.GDP(1.0))
    for method in (gaussdp.EqualLocalLevel(), gaussdp.DKW(), gaussdp.AUC(), gaussdp.Split(1)):
        yield audited(SCORES, method=method)
    yield gaussdp.audit_one_run(canaries=1000, guesses=100, correct=90)
    yield gaussdp.plan_audit(mu=2.0, claim_mu=0.5)
    yield gaussdp.tradeoff_figure(gaussdp.GDP(0.5))
    yield from (gaussdp.AUC(), gaussdp.DKW(), gaussdp.EqualLocalLevel(), gaussdp.Split(1), gaussdp.FixedThreshold(0.5))
    yield from (gaussdp.Credible(0.5), growing_audit(), auditing.ScoreCounts.from_scores(*SCORES))
    yield from (audited(SCORES, design="one-model"), audited(SCORES).band)
    yield from (gaussdp.MixtureOfGaussians.of_records(1.0, 0.1, 3), gaussdp.Identification(1e-3), risks.FPR)
    yield from (gaussdp.choose(gaussdp.PureDP(1.0)), gaussdp.match(gaussdp.PureDP(1.0), gaussdp.Profile(1e-6)))
    yield from (gaussdp.Requirement(gaussdp.PureDP(1.0)), CURVE.reading, CURVE.reading.delta(1.0))
    yield from (gaussdp.report_run(RUN).document(), gaussdp.report_run(RUN).assumptions[0], cause(), figure("fig4a"))
    yield from accountants()


def growing_audit():
    audit = gaussdp.SequentialAudit(0.5)
    members, nonmembers = ({"attack": side[:5]} for side in SCORES)
    audit.update(members=members, nonmembers=nonmembers)
    return audit


def cause():
    """Of a claim that leaves out its floor."""
    return gaussdp.check_claim(RUN, "mu=1").causes[0]


def accountants():
    """Of other libraries, where they are installed."""
    if find_spec("opacus"):
        from gaussdp.integrations.opacus import GaussdpAccountant

        accountant = GaussdpAccountant()
        accountant.step(noise_multiplier=1.0, sample_rate=0.01)
        assert accountant.get_epsilon(1e-5) > 0
        yield accountant
    if find_spec("dp_accounting"):
        import dp_accounting

        from gaussdp.integrations.dp_accounting import GdpAccountant

        yield GdpAccountant().compose(dp_accounting.GaussianDpEvent(2.0), 3)


OBJECTS = list(objects())


def name(thing):
    return type(thing).__name__


@pytest.mark.parametrize("thing", OBJECTS, ids=name)
@pytest.mark.parametrize(
    "again", [lambda thing: pickle.loads(pickle.dumps(thing)), copy.copy, copy.deepcopy], ids=["pickle", "copy", "deep"]
)
def test_copies_are_equal(thing, again):
    other = again(thing)
    assert type(other) is type(thing)
    assert other == thing
    assert repr(other) == repr(thing)


@pytest.mark.parametrize("thing", OBJECTS, ids=name)
def test_they_are_not_equal_to_anything_else(thing):
    assert thing != 1
    assert sum(thing == other for other in OBJECTS) == 1


@pytest.mark.parametrize("thing", OBJECTS, ids=name)
@pytest.mark.parametrize("show", [repr, str])
def test_they_say_in_short_what_they_are(thing, show):
    shown = show(thing)
    assert 3 <= len(shown) <= (240 if show is repr else 1000)
    assert " object at 0x" not in shown
    assert "\n" not in shown


def test_a_used_curve_is_the_same_curve():
    fresh = gaussdp.account(RUN.mechanism)
    fresh.epsilon(1e-6)
    fresh.fit(1e-4)
    assert pickle.loads(pickle.dumps(fresh)) == CURVE
    assert pickle.loads(pickle.dumps(fresh)).epsilon(1e-5) == CURVE.epsilon(1e-5)


def test_there_is_one_of_every_public_kind():
    """All but bases, errors, and a book, which is a connection."""
    public = {name: getattr(gaussdp, name) for name in gaussdp.__all__}
    kinds = {name for name, kind in public.items() if inspect.isclass(kind) and not issubclass(kind, Exception)}
    assert kinds - set(map(name, OBJECTS)) == {"Guarantee", "Mechanism", "Risk", "Ledger"}
