"""Units of several records, and records that are exchanged: exact accounts of mixtures of Gaussians."""

import math

import mpmath
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import special

from gaussdp import DomainError, account
from gaussdp.accounting.distribution.pld import LossDistribution
from gaussdp.accounting.loss.mixtures import ExchangedLoss, MixtureLoss
from gaussdp.mechanisms import DPSGD, Composition, Gaussian, MixtureOfGaussians, PoissonSampled, SampledExchange

SETTING = (1.0, 0.00512, 3907)


def bracket(law, steps, epsilons, interval=1e-3):
    """dp_accounting's bounds on the profile from both sides."""
    sides = []
    for pessimistic in (False, True):
        options = {"pessimistic_estimate": pessimistic, "use_connect_dots": pessimistic}
        options["value_discretization_interval"] = interval
        sides.append(np.array(law(**options).self_compose(steps).get_delta_for_epsilon(epsilons)))
    return sides


@pytest.mark.parametrize(("noise", "rate", "steps"), [SETTING, (3.0, 0.3, 50)])
def test_replaced_records_lie_in_the_bracket(noise, rate, steps):
    epsilons = np.array([0.2, 0.5, 1.0, 2.0])
    read = account(DPSGD(noise, rate, steps, adjacency="replace-one")).reading.delta(epsilons)
    low, high = bracket(
        lambda **options: pld.from_gaussian_mechanism(
            noise, sampling_prob=rate, neighboring_relation=pld.NeighborRel.REPLACE_ONE, **options
        ),
        steps,
        epsilons.tolist(),
    )
    assert read.error.max() < 1e-9
    assert np.all((low <= read.value) & (read.value <= high * (1 + 1e-9) + 1e-12))


@pytest.mark.parametrize(("noise", "rate", "steps", "records"), [(3.0, 0.3, 50, 3)])
def test_units_lie_in_the_bracket(noise, rate, steps, records):
    epsilons = np.array([0.5, 1.0, 4.0, 8.0])
    read = account(DPSGD(noise, rate, steps, records_per_unit=records)).reading.delta(epsilons)
    mixture = MixtureOfGaussians.of_records(noise, rate, records)
    low, high = bracket(
        lambda **options: pld.from_mixture_gaussian_mechanism(
            noise, list(mixture.sensitivities), list(mixture.weights), **options
        ),
        steps,
        epsilons.tolist(),
        interval=1e-2,  # that library takes long for each point of its grid
    )
    assert read.error.max() < 1e-9
    assert np.all((low <= read.value) & (read.value <= high * (1 + 1e-9) + 1e-12))


def test_the_reference_setting():
    """epsilon(1e-5): 1.744 for one record, where twice and four times the fitted mu gave 4.07 and 9.25."""
    replaced = account(DPSGD(*SETTING, adjacency="replace-one"))
    unit = account(DPSGD(*SETTING, records_per_unit=4))
    assert replaced.epsilon(1e-5) == pytest.approx(2.870227, abs=2e-6)
    assert unit.epsilon(1e-5) == pytest.approx(8.564163, abs=2e-6)


def transform(loss, log_density, tilt):
    """E_Q[e^(tilt L)] in 30 digits."""
    with mpmath.workdps(30):
        return mpmath.log(
            mpmath.quad(lambda x: mpmath.exp(tilt * loss(x) + log_density(x)), mpmath.linspace(-30, 60, 46))
        )


def normal(x, sigma):
    return -((x / sigma) ** 2) / 2 - mpmath.log(sigma * mpmath.sqrt(2 * mpmath.pi))


@pytest.mark.parametrize("tilt", [-4.0, -0.5, 0.5, 2.0, 5.0])
def test_transforms_of_mixtures(tilt):
    sigma, sizes, weights = 1.3, (0.0, 0.7, 2.0), (0.9, 0.08, 0.02)

    def loss(x):
        return mpmath.log(
            sum(
                w * mpmath.exp((s * x - s * s / 2) / mpmath.mpf(sigma) ** 2)
                for s, w in zip(sizes, weights, strict=True)
            )
        )

    expected = transform(loss, lambda x: normal(x, sigma), tilt)
    assert MixtureLoss(sigma, sizes, weights).tilted(tilt).log_mgf == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize("tilt", [-4.0, -0.5, 0.5, 2.0, 5.0])
def test_transforms_of_exchanges(tilt):
    sigma, rate = 0.9, 0.05

    def one(x):
        return mpmath.log(1 - rate + rate * mpmath.exp((x - 0.5) / mpmath.mpf(sigma) ** 2))

    expected = transform(lambda x: one(x) - one(-x), lambda x: normal(x, sigma) + one(-x), tilt)
    assert ExchangedLoss(sigma, rate).tilted(tilt).log_mgf == pytest.approx(float(expected), rel=1e-12)


def test_two_steps_of_a_mixture_by_a_direct_integral():
    sizes, weights, epsilon = np.array([0.0, 1.0, 2.0]), np.array([0.81, 0.18, 0.01]), 1.0
    curve = account(2 * MixtureOfGaussians(1.0, sizes, weights))

    def loss(x):
        return np.log(np.exp(np.multiply.outer(x, sizes) - sizes**2 / 2) @ weights)

    def tail(level):
        """delta of one step at a level, from the output at which the loss has it."""
        low, high = np.full_like(level, -40.0), np.full_like(level, 40.0)
        for _ in range(80):
            middle = 0.5 * (low + high)
            above = loss(middle) > level
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        under_p = special.ndtr(np.subtract.outer(-low, -sizes)) @ weights
        return np.where(level <= math.log(weights[0]), -np.expm1(level), under_p - np.exp(level) * special.ndtr(-low))

    # The second step at the level that the first leaves, under P of the first, panel by panel.
    nodes, shares = np.polynomial.legendre.leggauss(24)
    edges = np.linspace(-12.0, 16.0, 1001)
    half = 0.5 * np.diff(edges)[:, np.newaxis]
    x = (edges[:-1, np.newaxis] + half * (nodes + 1)).ravel()
    density = np.exp(-(x**2) / 2 + loss(x)) / math.sqrt(2 * math.pi)
    expected = (half * shares).ravel() @ (density * tail(epsilon - loss(x)))
    assert curve.remove.delta(epsilon) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("steps", [3, 500])
def test_one_record_is_a_mixture_of_two(steps):
    epsilons = np.array([0.1, 0.5, 1.0])
    one = account(DPSGD(1.0, 0.05, steps))
    two = account(steps * MixtureOfGaussians(1.0, [0, 1], [0.95, 0.05]))
    assert two.delta(epsilons) == pytest.approx(one.delta(epsilons), rel=1e-10)
    assert two.add.delta(0.1) == pytest.approx(one.add.delta(0.1), rel=1e-10)


def test_an_exchange_looks_the_same_from_both_sides():
    curve = account(DPSGD(1.0, 0.02, 1000, adjacency="replace-one"))
    epsilons, fprs = np.array([0.1, 1.0, 3.0]), np.array([1e-6, 0.01, 0.4, 0.9])
    assert curve.remove.delta(epsilons) == pytest.approx(curve.add.delta(epsilons), rel=1e-12)
    assert curve.remove.tpr(fprs) == pytest.approx(curve.add.tpr(fprs), rel=1e-9)
    assert curve.fpr(curve.tpr(fprs)) == pytest.approx(fprs, rel=1e-7)


def test_without_sampling_they_are_plain_releases():
    assert account(DPSGD(2.0, 1.0, 9, records_per_unit=3)).fit().mu == pytest.approx(4.5)
    assert account(DPSGD(2.0, 1.0, 9, adjacency="replace-one")).fit().mu == pytest.approx(3.0)


@settings(max_examples=15, deadline=None)
@given(
    noise=st.floats(0.8, 4.0),
    rate=st.floats(0.004, 0.05),
    steps=st.integers(100, 3000),
    records=st.integers(1, 4),
    epsilon=st.floats(0.1, 2.0),
)
def test_more_records_and_exchanges_are_less_private(noise, rate, steps, records, epsilon):
    replaced = account(DPSGD(noise, rate, steps, adjacency="replace-one")).reading
    readings = [account(DPSGD(noise, rate, steps, records_per_unit=k)).reading for k in (1, records, records + 1)]
    one, some, more = (reading.delta(epsilon) for reading in readings)
    exchanged, twice = replaced.delta(epsilon), replaced.delta(2 * epsilon)
    assume(all(reading.method.exact for reading in (one, some, more, exchanged, twice)))
    assert one.value * (1 - 1e-9) <= some.value <= more.value * (1 + 1e-9)
    assert exchanged.value >= one.value * (1 - 1e-9)
    # An exchange is a removal and an addition: delta(2e) <= (1 + e^e) delta_one(e).
    assert twice.value <= (1 + math.exp(epsilon)) * one.value * (1 + 1e-9)


def test_compositions_with_plain_releases():
    run = DPSGD(1.0, 0.01, 500, adjacency="replace-one")
    together = account(Composition([run, Gaussian(5.0, adjacency="replace-one")]))
    assert together.epsilon(1e-6) > account(run).epsilon(1e-6)
    assert together.reading.epsilon(1e-6).method.exact


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: DPSGD(1.0, 0.1, 10, adjacency="replace-one", records_per_unit=2), "records_per_unit must be 1"),
        (lambda: DPSGD(1.0, 0.1, 10, records_per_unit=0), "records_per_unit"),
        (lambda: DPSGD(1.0, 0.1, 10, records_per_unit=1001), "from 1 to 1,000"),
        (lambda: DPSGD(1.0, 0.1, 10, adjacency="both"), "adjacency"),
        (lambda: MixtureOfGaussians(1.0, [0, 1], [0.5, 0.4]), "sum to 1"),
        (lambda: MixtureOfGaussians(1.0, [0, 1], [1.0]), "as many"),
        (lambda: MixtureOfGaussians(1.0, [0, 0], [0.5, 0.5]), "different"),
        (lambda: MixtureOfGaussians(1.0, [0, 1], [1.0, 0.0]), "above 0"),
        (lambda: MixtureOfGaussians(1.0, [-1, 1], [0.5, 0.5]), "sensitivities"),
        (lambda: MixtureOfGaussians(1.0, "ab", [0.5, 0.5]), "sequence"),
        (lambda: SampledExchange(1.0, 1.5), "sample_rate"),
        (lambda: PoissonSampled(Gaussian(1.0, "replace-one"), 0.1), "add-remove"),
    ],
)
def test_bad_input(make, words):
    with pytest.raises(DomainError, match=words):
        make()


@pytest.mark.parametrize(
    ("noise", "rate", "records"), [(0.25, 0.5, 10), (0.106, 0.104, 4), (0.5, 0.9, 30), (1.0, 1e-5, 8)]
)
@pytest.mark.parametrize("tilt", [0.0, 1.0])
def test_both_laws_have_mass_one(noise, rate, records, tilt):
    """Also where an output of all records is so far out that its density alone is no normal double."""
    mixture = MixtureOfGaussians.of_records(noise, rate, records)
    step = MixtureLoss(noise, mixture.sensitivities, mixture.weights)
    assert step.tilted(tilt).log_mgf == pytest.approx(0.0, abs=1e-12)


def in_many_digits(under_p, under_q, sigma, x):
    """Of one step, with components by their means: the loss at an output, FPR, FNR, delta to remove and to add."""
    with mpmath.workdps(50):

        def mixed(law, of_component):
            return mpmath.fsum(weight * of_component((x - mean) / mpmath.mpf(sigma)) for mean, weight in law.items())

        p, q = (mixed(law, lambda z: mpmath.exp(-z * z / 2)) for law in (under_p, under_q))
        above_p, above_q = (mixed(law, lambda z: mpmath.ncdf(-z)) for law in (under_p, under_q))
        below_p, below_q = (mixed(law, mpmath.ncdf) for law in (under_p, under_q))
        return mpmath.log(p / q), above_q, below_p, above_p - p / q * above_q, below_q - q / p * below_p


def one_step(kind, sigma, rate):
    """The mechanism, and its laws with and without the record in rational weights."""
    q = mpmath.mpf(rate)
    if kind == "exchange":
        return SampledExchange(sigma, rate), {0: 1 - q, 1: q}, {0: 1 - q, -1: q}
    mixture = MixtureOfGaussians.of_records(sigma, rate, 4)
    law = {size: mpmath.mpf(weight) for size, weight in zip(mixture.sensitivities, mixture.weights, strict=True)}
    with mpmath.workdps(50):
        law[0.0] = 1 - mpmath.fsum(weight for size, weight in law.items() if size > 0)
    return mixture, law, {0: mpmath.mpf(1)}


@pytest.mark.parametrize(("sigma", "rate"), [(0.15, 0.01), (0.8, 1e-5), (1.0, 0.3), (1.3, 4.48e-4), (30.0, 0.02)])
@pytest.mark.parametrize("kind", ["exchange", "unit"])
def test_one_step_is_a_closed_form(kind, sigma, rate):
    mechanism, under_p, under_q = one_step(kind, sigma, rate)
    curve = account(mechanism)
    for z in (-5.0, 0.02, 0.7, 3.0, 9.0):
        x = mpmath.mpf(sigma) * z + 0.5
        # The output is moved to where the loss is a double.
        tau = float(in_many_digits(under_p, under_q, sigma, x)[0])
        with mpmath.workdps(50):
            x = mpmath.findroot(lambda y, t=tau: in_many_digits(under_p, under_q, sigma, y)[0] - t, x)
        _, fpr, fnr, remove, add = in_many_digits(under_p, under_q, sigma, x)
        read = curve.remove.reading.delta(tau) if tau >= 0 else curve.add.reading.delta(-tau)
        assert str(read.method) == "closed form"
        assert read.error < 1e-10
        assert read.value == pytest.approx(float(remove if tau >= 0 else add), rel=read.error)
        assert curve.remove.fnr(float(fpr)) == pytest.approx(float(fnr), rel=1e-10)


def profile_of_one_exchange(level, sigma, rate):
    """delta of one step at any level, from the output at which the loss has it."""

    def log_ratio(x):
        return np.logaddexp(math.log1p(-rate), math.log(rate) + (x - 0.5) / sigma**2)

    low, high = np.full_like(level, -60.0 * sigma - 60), np.full_like(level, 60.0 * sigma + 60)
    for _ in range(120):
        middle = 0.5 * (low + high)
        above = log_ratio(middle) - log_ratio(-middle) > level
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    tails = [(1 - rate) * special.ndtr(-low / sigma) + rate * special.ndtr((m - low) / sigma) for m in (1.0, -1.0)]
    return tails[0] - np.exp(level) * tails[1]


@pytest.mark.parametrize(("sigma", "rate", "epsilon"), [(1.0, 0.02, 0.1), (1.3, 1e-3, 0.01), (0.7, 0.3, 2.0)])
def test_two_exchanges_by_a_direct_integral(sigma, rate, epsilon):
    nodes, shares = np.polynomial.legendre.leggauss(24)
    edges = np.linspace(-12.0 * sigma - 1, 12.0 * sigma + 1, 1001)
    half = 0.5 * np.diff(edges)[:, np.newaxis]
    x = (edges[:-1, np.newaxis] + half * (nodes + 1)).ravel()
    normal_density = np.exp(-((x / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi))
    p, q = (normal_density * (1 - rate + rate * np.exp((m * x - 0.5) / sigma**2)) for m in (1, -1))
    expected = (half * shares).ravel() @ (p * profile_of_one_exchange(epsilon - np.log(p / q), sigma, rate))
    read = account(2 * SampledExchange(sigma, rate)).reading.delta(epsilon)
    assert read.error < 1e-9
    assert read.value == pytest.approx(expected, rel=1e-9)


def test_rarely_sampled_units():
    """Nearly as one record at the rate with which any is on a sample; that two are at once is all that comes on top."""
    noise, rate, steps, delta = 1.6030959306649706, 1.5282755337575398e-06, 11205, 1.081e-4
    read = account(DPSGD(noise, rate, steps, records_per_unit=8)).reading.epsilon(delta)
    any_of_them = account(DPSGD(noise, -math.expm1(8 * math.log1p(-rate)), steps))
    two_at_once = steps * 28 * rate**2
    assert read.error < 1e-9
    assert any_of_them.epsilon(delta) * (1 - 1e-9) <= read.value <= any_of_them.epsilon(delta - two_at_once)


@pytest.mark.parametrize(("noise", "rate", "steps"), [(1.319, 4.48e-4, 7), (1.0, 1e-4, 1000), (0.2, 0.01, 3)])
def test_rare_exchanges_lie_in_the_bracket(noise, rate, steps):
    """Few or rarely sampled steps, which no line reads: exact too, where a grid of losses would be far too coarse."""
    curve = account(DPSGD(noise, rate, steps, adjacency="replace-one"))
    read = curve.reading.epsilon(1e-6)
    assert str(read.method) == "density"
    assert read.error < 1e-9
    interval = float(read.value) / 500
    low, high = bracket(
        lambda **options: pld.from_gaussian_mechanism(
            noise, sampling_prob=rate, neighboring_relation=pld.NeighborRel.REPLACE_ONE, **options
        ),
        steps,
        [float(read.value)],
        interval,
    )
    assert low[0] * (1 - 1e-9) <= 1e-6 <= high[0] * (1 + 1e-9) + 1e-13
    assert curve.fit(1e-6).mu == pytest.approx(curve.fit(1e-6).mu_lower, rel=1e-6)


class TestAllSensitivitiesPositive:
    """The loss of such a step has no least value: one step is a closed form all the same."""

    @pytest.mark.parametrize(
        ("sigma", "law"),
        [
            (2.284, {1.0: 0.5, 2.0: 0.5}),
            (0.3, {0.02: 0.7, 1.1: 0.3}),
            (1000.0, {0.5: 0.25, 1.0: 0.25, 3.0: 0.5}),
            (0.04, {0.0176: 0.366, 0.0446: 0.634}),
        ],
    )
    @pytest.mark.parametrize("distance", [0.01, 1.0, 4.0])
    def test_one_step_against_mpmath(self, sigma, law, distance):
        mechanism = MixtureOfGaussians(sigma, list(law), list(law.values()))
        epsilon = distance * mechanism.unsampled_mu
        curve = account(mechanism)
        with mpmath.workdps(60):
            s = mpmath.mpf(sigma)
            parts = [
                (mpmath.mpf(w), mpmath.mpf(m)) for m, w in zip(mechanism.sensitivities, mechanism.weights, strict=True)
            ]

            def loss(x):
                return mpmath.log(sum(w * mpmath.exp((x - m / 2) * m / s**2) for w, m in parts))

            for removed, read in ((True, curve.remove.reading.delta), (False, curve.add.reading.delta)):
                tau = mpmath.mpf(epsilon) * (1 if removed else -1)
                low, high = -200 * s - 200, 200 * s + 200
                for _ in range(220):
                    middle = (low + high) / 2
                    low, high = (middle, high) if loss(middle) < tau else (low, middle)
                sign = -1 if removed else 1
                moved = sum(w * mpmath.ncdf(sign * (low - m) / s) for w, m in parts)
                plain = mpmath.ncdf(sign * low / s)
                expected = moved - mpmath.exp(tau) * plain if removed else plain - mpmath.exp(-tau) * moved
                found = read(epsilon)
                assert str(found.method) == "closed form"
                assert found.error < 1e-9
                assert abs(mpmath.mpf(found.value) - expected) <= found.error * expected + mpmath.mpf("1e-307")

    def test_its_fit_is_a_closed_form(self):
        fit = account(MixtureOfGaussians(2.284, [1.0, 2.0], (0.5, 0.5))).fit(1e-5)
        assert str(fit.method) == "closed form"
        assert fit.mu == pytest.approx(fit.mu_lower, rel=1e-9)
        beside = account(MixtureOfGaussians(2.284, [0.0, 1.0, 2.0], (1e-12, 0.5, 0.5 - 1e-12))).fit(1e-5)
        assert fit.mu == pytest.approx(beside.mu, rel=1e-9)

    @pytest.mark.parametrize(
        ("sigma", "law", "other"),
        [(0.35, {0.65: 0.4, 2.6: 0.2, 3.5: 0.4}, (0.3, 0.01)), (0.12, {0.07: 0.3, 1.4: 0.7}, (0.3, 0.01))],
    )
    def test_off_a_density_by_a_direct_integral(self, sigma, law, other):
        """A sampled step beside it: the profile of the one at the levels that the other's loss leaves."""
        mixture = account(MixtureOfGaussians(sigma, list(law), list(law.values())))
        noise, rate = other
        nodes, shares = np.polynomial.legendre.leggauss(24)
        edges = np.linspace(-12.0 * noise, 1 + 12.0 * noise, 1001)
        half = 0.5 * np.diff(edges)[:, np.newaxis]
        x = (edges[:-1, np.newaxis] + half * (nodes + 1)).ravel()
        ratio = 1 - rate + rate * np.exp((x - 0.5) / noise**2)
        density = np.exp(-((x / noise) ** 2) / 2) / (noise * math.sqrt(2 * math.pi)) * ratio
        epsilon = 1.0
        levels = epsilon - np.log(ratio)
        sizes = np.abs(levels)
        profile = np.where(
            levels >= 0, mixture.remove.delta(sizes), 1 - np.exp(levels) * (1 - mixture.add.delta(sizes))
        )
        expected = (half * shares).ravel() @ (density * profile)
        read = account(Composition([MixtureOfGaussians(sigma, list(law), list(law.values())), DPSGD(noise, rate, 1)]))
        found = read.remove.reading.delta(epsilon)
        assert str(found.method) == "density"
        assert found.error < 1e-9
        assert found.value == pytest.approx(expected, rel=1e-9)

    @pytest.mark.parametrize(
        "mechanisms", [[(0.35, [0.65, 2.6, 3.5], [0.4, 0.2, 0.4])], [(0.48, [0.02, 3.5], [0.74, 0.26])]]
    )
    def test_fits_beside_other_steps_do_not_search_for_each_loss(self, mechanisms):
        """Their bounds from below came from a library that looks for the output of each of 100,000 losses by itself."""
        parts = [MixtureOfGaussians(*mechanism) for mechanism in mechanisms]
        fit = account(Composition([*parts, DPSGD(0.3, 0.01, 1)])).fit(1e-5)
        assert fit.mu_lower <= fit.mu <= fit.mu_lower * (1 + 1e-3)

    @pytest.mark.parametrize("mechanism", [(2.284, [1.0, 2.0], [0.5, 0.5]), (1.0, [0, 1.0, 2.0], [0.9, 0.09, 0.01])])
    def test_distributions_bound_the_closed_form_from_both_sides(self, mechanism):
        part, epsilons = MixtureOfGaussians(*mechanism), np.array([0.0, 0.1, 0.5, 1.0, 2.0])
        curve = account(part)
        low, high = (LossDistribution([(part, 1)], pessimistic=pessimistic) for pessimistic in (False, True))
        for direction, exact in ((0, curve.remove.delta(epsilons)), (-1, curve.add.delta(epsilons))):
            least, most = low.only(direction).delta(epsilons), high.only(direction).delta(epsilons)
            assert (least <= exact).all()
            assert (exact <= most).all()
            assert least == pytest.approx(exact, rel=5e-3, abs=1e-5)

    def test_the_unit_of_sensitivities_does_not_matter(self):
        """Noise 0.038 for sensitivities of 0.018 and 0.045 was taken as next to none, and bounded."""
        small = account(10 * MixtureOfGaussians(0.038, [0.0176, 0.0446], [0.366, 0.634])).reading.epsilon(1e-5)
        usual = account(10 * MixtureOfGaussians(3.8, [1.76, 4.46], [0.366, 0.634])).reading.epsilon(1e-5)
        assert small.error < 1e-9
        assert small.value == pytest.approx(usual.value, rel=1e-9)

    def test_a_sensitivity_that_is_sure_is_a_plain_release(self):
        sure, plain = 3 * MixtureOfGaussians(0.1, [0.0, 0.16], [0.0, 1.0]), 3 * Gaussian(0.625)
        assert account(sure).fit().mu == account(plain).fit().mu
        assert account(Composition([sure, DPSGD(0.7, 0.01, 1)])).epsilon(1e-5) == pytest.approx(
            account(Composition([plain, DPSGD(0.7, 0.01, 1)])).epsilon(1e-5), rel=1e-12
        )

    @pytest.mark.parametrize("sensitivity", [1e-11, 1e-100, 1e-170])
    def test_next_to_nothing_is_refused(self, sensitivity):
        with pytest.raises(DomainError, match="sensitivities must be 1e-10 of the noise multiplier at least"):
            MixtureOfGaussians(1.0, [0.0, sensitivity], [0.5, 0.5])
