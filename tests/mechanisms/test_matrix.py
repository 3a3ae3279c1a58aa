"""Matrix mechanisms: sensitivities against brute force over all patterns and signs, and what is made of them."""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from scipy import special

import gaussdp
from gaussdp import DPSGD, Composition, DomainError, Gaussian, MatrixMechanism, account
from gaussdp.mechanisms import CyclicPoisson, Dense, Participation, Toeplitz, Tree
from gaussdp.mechanisms.composition import read_plan
from gaussdp.mechanisms.gaussian import GDPGaussian


def patterns(steps, participation):
    """All sets of steps at which a record may contribute."""
    for size in range(1, participation.most(steps) + 1):
        for steps_of in combinations(range(steps), size):
            gaps, gap = np.diff(steps_of), participation.separation
            near = gaps % gap == 0 if participation.order == "cyclic" else gaps >= gap
            if np.all(near):
                yield list(steps_of)


def brute_force(matrix, participation):
    """The largest move over patterns, with contributions of 1 or -1, which are the extreme ones of one dimension."""
    products, best = matrix.T @ matrix, 0.0
    for pattern in patterns(len(products), participation):
        inner = products[np.ix_(pattern, pattern)]
        if (inner >= 0).all():
            best = max(best, inner.sum())
            continue
        for signs in product((1, -1), repeat=len(pattern) - 1):
            g = np.array((1, *signs))
            best = max(best, g @ inner @ g)
    return math.sqrt(best)


def lower_triangular(draw, steps, bands):
    matrix = np.tril(draw.uniform(0, 1, (steps, steps)))
    return np.where(np.subtract.outer(np.arange(steps), np.arange(steps)) < bands, matrix, 0.0)


@pytest.mark.parametrize("seed", range(10))
class TestAgainstBruteForce:
    def setting(self, seed):
        draw = np.random.default_rng(seed)
        return draw, int(draw.integers(2, 11)), int(draw.integers(1, 5))

    def test_falling_coefficients(self, seed):
        draw, steps, gap = self.setting(seed)
        strategy = Toeplitz(np.sort(draw.uniform(0, 1, int(draw.integers(1, steps + 1))))[::-1], steps)
        for times in (None, 1, 2):
            for order in ("any", "cyclic"):
                participation = Participation(gap, times, order)
                exact = brute_force(strategy.matrix(), participation)
                assert strategy.sensitivity(participation) == pytest.approx(exact, rel=1e-12)

    def test_cyclic_order(self, seed):
        draw, steps, gap = self.setting(seed)
        matrix = lower_triangular(draw, steps, steps)
        participation = Participation(gap, None, "cyclic")
        assert Dense(matrix).sensitivity(participation) == pytest.approx(brute_force(matrix, participation), rel=1e-12)
        few = Participation(gap, 2, "cyclic")
        assert Dense(matrix).sensitivity(few) >= brute_force(matrix, few)

    def test_bands_up_to_the_separation(self, seed):
        draw, steps, gap = self.setting(seed)
        matrix = lower_triangular(draw, steps, gap)
        for times in (None, 2):
            participation = Participation(gap, times)
            exact = brute_force(matrix, participation)
            assert Dense(matrix).sensitivity(participation) == pytest.approx(exact, rel=1e-12)
            largest = max(np.linalg.norm(matrix, axis=0))
            assert exact <= math.sqrt(participation.most(steps)) * largest * (1 + 1e-12)

    def test_any_matrix_is_bounded(self, seed):
        draw, steps, gap = self.setting(seed)
        for matrix in (lower_triangular(draw, steps, steps), draw.normal(size=(steps + 2, steps))):
            for participation in (Participation(gap), Participation(gap, 2), Participation(gap, None, "cyclic")):
                bound = Dense(matrix).sensitivity(participation)
                assert brute_force(matrix, participation) <= bound
                assert bound <= np.sqrt(np.abs(matrix.T @ matrix).sum()) * (1 + 1e-12)

    def test_coefficients_of_any_sign_are_bounded(self, seed):
        draw, steps, gap = self.setting(seed)
        strategy = Toeplitz(draw.normal(size=min(3, steps)), steps)
        for participation in (Participation(gap), Participation(gap, 2)):
            assert brute_force(strategy.matrix(), participation) <= strategy.sensitivity(participation)

    def test_trees(self, seed):
        _, steps, gap = self.setting(seed)
        nodes = [
            [start <= leaf < start + width for leaf in range(steps)]
            for width in (1, 2, 4, 8)
            for start in range(0, steps - width + 1, width)
        ]
        matrix = np.array(nodes, float)
        once = Participation(gap, 1)
        assert Tree(steps).sensitivity(once) == pytest.approx(brute_force(matrix, once), rel=1e-12)
        for participation in (Participation(gap), Participation(gap, 2)):
            assert brute_force(matrix, participation) <= Tree(steps).sensitivity(participation)


def test_noise_that_takes_back_some_of_the_last():
    """z_t - 0.9 z_(t-1): the noising matrix is the inverse of the strategy."""
    strategy = Toeplitz.correlated(0.9, 12)
    noising = np.eye(12) - 0.9 * np.eye(12, k=-1)
    np.testing.assert_allclose(noising @ strategy.matrix(), np.eye(12), atol=1e-12)


def test_buffered_coefficients():
    strategy = Toeplitz.buffered([0.2, 0.1], [0.9, 0.5], 5)
    assert strategy.coefficients == pytest.approx((1, 0.3, 0.23, 0.187, 0.1583))


def test_long_strategies_are_quick():
    strategy = Toeplitz.correlated(0.99, 200_000)
    assert strategy.sensitivity(Participation(1000, 20)) == pytest.approx(math.sqrt(20 / (1 - 0.99**2)), rel=1e-3)


class TestMechanism:
    strategy = Toeplitz([1.0, 0.5, 0.25], 12)

    def test_without_sampling_it_is_gaussian(self):
        mechanism = MatrixMechanism(2.0, self.strategy, Participation(4))
        fit = account(mechanism).fit()
        assert fit.unconditional
        assert fit.mu == pytest.approx(math.sqrt(3 * 1.3125) / 2, rel=1e-12)
        assert mechanism.trains
        assert not mechanism.sampled

    def test_a_matrix(self):
        written = MatrixMechanism(2.0, self.strategy.matrix(), Participation(4))
        assert written.mu == pytest.approx(MatrixMechanism(2.0, self.strategy, Participation(4)).mu, rel=1e-12)

    def test_one_band_and_cyclic_sampling_is_dpsgd(self):
        mechanism = MatrixMechanism(1.5, Toeplitz([1.0], 200), CyclicPoisson(1, 0.02))
        exact = account(DPSGD(1.5, 0.02, 200))
        for delta in (1e-3, 1e-8):
            assert account(mechanism).epsilon(delta) == pytest.approx(exact.epsilon(delta), rel=1e-9)

    def test_bands_and_cyclic_sampling(self):
        """(sigma, b B / N, ceil(n / b)), the noise over the norm of a column."""
        mechanism = MatrixMechanism(2.0, self.strategy, CyclicPoisson(5, 0.1))
        ((part, count),) = mechanism.parts()
        assert count == 3
        assert part.sample_rate == 0.1
        assert part.mechanism.noise_multiplier == pytest.approx(2 / math.sqrt(1.3125), rel=1e-12)
        assert mechanism.sampled

    def test_the_noise_of_one_cycle(self):
        """Direct integrals for one turn of two bands: the release is a sampled Gaussian one along its column."""
        from scipy import integrate, stats

        mechanism = MatrixMechanism(1.0, Toeplitz([0.8, 0.6], 2), CyclicPoisson(2, 0.3))
        p = lambda x: 0.7 * stats.norm.pdf(x) + 0.3 * stats.norm.pdf(x, 1.0)  # noqa: E731
        delta = integrate.quad(lambda x: max(p(x) - math.exp(0.2) * stats.norm.pdf(x), 0), -20, 20, limit=200)[0]
        assert account(mechanism).remove.delta(0.2) == pytest.approx(delta, rel=1e-6)

    def test_plans(self, tmp_path):
        file = tmp_path / "plan.toml"
        file.write_text(
            '[[releases]]\nmechanism = "matrix"\nnoise_multiplier = 2.0\ncoefficients = [1.0, 0.5, 0.25]\nsteps = 12\n'
            'separation = 4\n[[releases]]\nmechanism = "matrix"\nnoise_multiplier = 3.0\ntree = true\nsteps = 100\n'
            'times_each = 1\n[[releases]]\nmechanism = "matrix"\nnoise_multiplier = 3.0\ndecay = 0.5\nsteps = 50\n'
            'separation = 10\norder = "cyclic"\n[[releases]]\nmechanism = "matrix"\nnoise_multiplier = 3.0\n'
            "matrix = [[1.0, 0.0], [0.5, 1.0]]\ncycle = 2\nsample_rate = 0.1\n"
        )
        read = read_plan(file)
        assert read == Composition(
            [
                MatrixMechanism(2.0, self.strategy, Participation(4)),
                MatrixMechanism(3.0, Tree(100), Participation(times=1)),
                MatrixMechanism(3.0, Toeplitz.correlated(0.5, 50), Participation(10, order="cyclic")),
                MatrixMechanism(3.0, [[1.0, 0.0], [0.5, 1.0]], CyclicPoisson(2, 0.1)),
            ]
        )
        for mechanism in read.mechanisms:
            entry = mechanism.plan_entry()
            assert entry.pop("mechanism") == "matrix"
            assert MatrixMechanism.from_plan(**entry) == mechanism

    def test_calibrated(self):
        found = gaussdp.calibration.parameter(
            gaussdp.GDP(1.0), lambda noise: MatrixMechanism(noise, Tree(1000), Participation(times=1)), 0.1, 100
        )
        assert found.value == 3.163

    @pytest.mark.parametrize(
        ("build", "words"),
        [
            (lambda: MatrixMechanism(0.0, Tree(3)), "noise_multiplier must be"),
            (lambda: MatrixMechanism(1.0, [1.0, 0.5]), "strategy must be a matrix or a strategy"),
            (lambda: MatrixMechanism(1.0, np.zeros((2, 2))), "strategy must be a matrix, not 0"),
            (lambda: MatrixMechanism(1.0, [[math.nan]]), "strategy must be"),
            (lambda: MatrixMechanism(1.0, [[1e200]]), "strategy must be"),
            (lambda: MatrixMechanism(1.0, [[1e-200]]), "mu must be"),
            (lambda: MatrixMechanism(1.0, Tree(3), 7), "participation must be"),
            (lambda: MatrixMechanism(1.0, Toeplitz([1, 0.5], 9), CyclicPoisson(1, 0.1)), "cycle must be at least 2"),
            (lambda: Participation(0), "separation must be"),
            (lambda: Participation(times=0), "times must be"),
            (lambda: Participation(order="random"), "order must be"),
            (lambda: CyclicPoisson(2, 0.0), "sample_rate must be"),
            (lambda: Toeplitz([0.0], 4), "coefficients must not all be 0"),
            (lambda: Toeplitz.correlated(1.0, 4), "decay must be"),
            (lambda: Toeplitz.correlated(range(3), 4), "decay must be one number"),
            (lambda: Toeplitz.correlated(0.5, 10**14), "length must be"),
            (lambda: Toeplitz.buffered([1.0], [0.5], 10**14), "length must be"),
            (lambda: Toeplitz.buffered([1.0], [0.5, 0.5], 4), "equally many"),
            (lambda: MatrixMechanism(1.0, Toeplitz([0.1, 1.0], 10**6)), "length must be at most"),
            (lambda: MatrixMechanism.from_plan(noise_multiplier=1.0, steps=3), "matrix takes one of"),
            (
                lambda: MatrixMechanism.from_plan(noise_multiplier=1.0, tree=True, steps=3, cycle=2),
                "matrix takes either cycle",
            ),
        ],
    )
    def test_refusals(self, build, words):
        with pytest.raises(DomainError, match=words):
            build()


@pytest.mark.parametrize("seed", range(10))
def test_what_is_called_exact_is(seed):
    draw = np.random.default_rng(seed)
    steps, gap = int(draw.integers(2, 9)), int(draw.integers(1, 4))
    strategies = (
        Toeplitz(draw.uniform(-1, 1, 2), steps),
        Toeplitz(np.sort(draw.uniform(0, 1, 3))[::-1], steps),
        Dense(lower_triangular(draw, steps, gap)),
        Dense(draw.normal(size=(steps, steps))),
    )
    for strategy in strategies:
        matrix = strategy.matrix() if isinstance(strategy, Toeplitz) else np.asarray(strategy.rows)
        for order in ("any", "cyclic"):
            for times in (None, 1, 2):
                participation = Participation(gap, times, order)
                if strategy.is_exact(participation):
                    exact = brute_force(matrix, participation)
                    assert strategy.sensitivity(participation) == pytest.approx(exact, rel=1e-12)


def test_the_lower_end_of_a_bound_is_that_of_one_contribution():
    tree = MatrixMechanism(4.0, Tree(64), Participation(8))
    assert tree.bounded
    assert Composition([3 * tree, Gaussian(2.0)]).bounded
    fit = account(tree).fit()
    assert fit.mu == tree.mu == pytest.approx(3.0, rel=1e-14)
    assert fit.mu_lower == pytest.approx(math.sqrt(7) / 4, rel=1e-13)
    assert fit.mu_lower < math.sqrt(7) / 4
    run = gaussdp.Run(mechanism=tree, unit="one person", adjacency="add-remove", tuning="none", records_per_unit=1)
    for claim in (f"mu={tree.mu / 2}", "epsilon=4 delta=1e-6", "rho=1"):
        assert gaussdp.check_claim(run, claim).status == "undecided"
    for claim in ("mu=0.66", "epsilon=0.1 delta=1e-6", "epsilon=3", "rho=0.01"):
        assert gaussdp.check_claim(run, claim).status == "false"
    assert not MatrixMechanism(4.0, Tree(64), Participation(8, 1)).bounded


def test_against_jax_privacy():
    """Sensitivities of Toeplitz strategies, to 1e-9."""
    toeplitz = pytest.importorskip(
        "jax_privacy.matrix_factorization.toeplitz", reason="jax-privacy is not installed: nothing is compared with it"
    )
    import jax

    coefficients = special.binom(-0.5, np.arange(64)) * (-1.0) ** np.arange(64)  # of the root of the prefix sums
    for gap, times in ((8, 8), (16, 2), (5, 3)):
        with jax.enable_x64(True):
            theirs = float(
                toeplitz.minsep_sensitivity_squared(
                    np.asarray(coefficients), min_sep=gap, max_participations=times, n=64
                )
            )
        ours = Toeplitz(coefficients, 64).sensitivity(Participation(gap, times)) ** 2
        assert ours == pytest.approx(theirs, rel=1e-9)


def test_matrices_against_jax_privacy():
    """Banded matrices and fixed epochs, to 1e-9."""
    theirs = pytest.importorskip(
        "jax_privacy.matrix_factorization.sensitivity",
        reason="jax-privacy is not installed: nothing is compared with it",
    )
    import jax

    draw = np.random.default_rng(4)
    banded, full = lower_triangular(draw, 24, 4), lower_triangular(draw, 24, 24)
    with jax.enable_x64(True):
        by_bands = float(theirs.get_sensitivity_banded(banded, min_sep=4, max_participations=3))
        by_epochs = float(theirs.fixed_epoch_sensitivity(full, epochs=4))
    assert Dense(banded).sensitivity(Participation(4, 3)) == pytest.approx(by_bands, rel=1e-9)
    assert Dense(full).sensitivity(Participation(6, None, "cyclic")) == pytest.approx(by_epochs, rel=1e-9)


def test_arrays_of_jax():
    jnp = pytest.importorskip("jax.numpy", reason="jax is not installed")
    assert Toeplitz(jnp.asarray([1.0, 0.5]), 4) == Toeplitz([1.0, 0.5], 4)
    assert MatrixMechanism(1.0, jnp.eye(2)) == MatrixMechanism(1.0, np.eye(2))


def test_a_plain_release():
    [(release, count)] = MatrixMechanism(2.0, Toeplitz([1.0], 1)).parts()
    assert isinstance(release, GDPGaussian)
    assert (count, release.mu) == (1, 0.5 * (1 + 1e-15))
    assert 0.5 * (1 - 1e-14) < release.least_mu < 0.5


@pytest.mark.parametrize("seed", range(10))
def test_least_sensitivities_are_no_larger_than_the_true_ones(seed):
    draw = np.random.default_rng(seed)
    steps = int(draw.integers(2, 7))
    for strategy in (
        Toeplitz(np.sort(draw.uniform(0, 1, 3))[::-1], steps),
        Toeplitz(draw.uniform(-1, 1, 2), steps),
        Dense(draw.normal(size=(steps, steps))),
        Dense(draw.uniform(0, 1, size=(9, steps))),
        Tree(steps),
    ):
        if isinstance(strategy, Tree):
            blocks = [(start, size) for size in (1, 2, 4) for start in range(0, steps - size + 1, size)]
            matrix = np.array([[start <= step < start + size for step in range(steps)] for start, size in blocks])
        else:
            matrix = strategy.matrix() if isinstance(strategy, Toeplitz) else np.asarray(strategy.rows)
        for order in ("any", "cyclic"):
            for times in (None, 1, 2):
                participation = Participation(int(draw.integers(1, 4)), times, order)
                truth = brute_force(matrix.astype(float), participation)
                least, most = strategy.least_sensitivity(participation), strategy.sensitivity(participation)
                assert least <= truth * (1 + 1e-15)
                assert truth <= most * (1 + 1e-15)
                if strategy.is_exact(participation):
                    assert most - least <= 1e-13 * truth


def exact_square(matrix, pattern):
    """The squared move of a pattern, for contributions that add up, in exact fractions."""
    return sum(sum(Fraction(row[step]) for step in pattern) ** 2 for row in matrix.tolist())


@pytest.mark.parametrize("scale", [1.0, 2.6e-162, 3e-170, 1e-200, 1e99])
@pytest.mark.parametrize("order", ["any", "cyclic"])
def test_no_square_underflows_and_none_is_rounded_down(scale, order):
    """The square of 2.6e-162 has no digits as a double: as a sensitivity its root is 15 % too small."""
    draw = np.random.default_rng(5)
    once = Participation(times=1)
    for steps in (1, 2, 6):
        falling = np.sort(draw.uniform(0, scale, steps))[::-1]
        toeplitz = Toeplitz(falling, steps)
        for strategy, matrix in (
            (toeplitz, toeplitz.matrix()),
            (Dense(toeplitz.matrix()), toeplitz.matrix()),
            (Dense(full := draw.uniform(0, scale, (9, steps))), full),
        ):
            largest = max(exact_square(matrix, [step]) for step in range(steps))
            for found in (strategy.largest_column, strategy.sensitivity(once)):
                assert largest <= Fraction(found) ** 2 <= largest * Fraction(1 + 1e-13)
            every = exact_square(matrix, range(steps))
            found = strategy.sensitivity(Participation(order=order))
            assert every <= Fraction(found) ** 2 <= every * Fraction(1 + 1e-13)
    assert MatrixMechanism(1e-100, [[2.6e-162]]).mu == pytest.approx(2.6e-62, rel=1e-14)


def test_long_sums_are_rounded_up():
    """Rounding moves sums of so many terms by more than their root is rounded up."""
    once, every, steps = Participation(times=1), Participation(), 10_000
    for coefficient in (0.1, 0.3, 0.7, 0.9):
        exact = sum((k * Fraction(coefficient)) ** 2 for k in range(1, steps + 1))
        found = Fraction(Toeplitz([coefficient] * steps, steps).sensitivity(every)) ** 2
        assert exact <= found <= exact * Fraction(1 + 1e-11)
    for entry in (0.1, 1 / 3, 0.7):
        found = Fraction(Dense(np.full((200_000, 1), entry)).sensitivity(once)) ** 2
        assert 1 <= found / (200_000 * Fraction(entry) ** 2) <= 1 + 1e-14


def test_small_entries_have_bands_too():
    assert Dense([[1e-170, 0.0], [1e-170, 1e-170]]).bands == 2
    assert Dense([[1.0, 0.0], [0.0, 1e-170]]).bands == 1
    assert Dense([[0.0, 0.0], [0.0, 1.0]]).bands == 1
