"""Random runs and claims: what a verdict recommends holds, what it excludes is false, its words are true as printed."""

import math
import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gaussdp import (
    DPSGD,
    ZCDP,
    ApproxDP,
    Claim,
    Composition,
    DiscreteLaplace,
    DomainError,
    Gaussian,
    Laplace,
    RandomizedResponse,
    Run,
    check_claim,
)
from gaussdp.mechanisms import PoissonSampled, Stated

NUMBER = r"([0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?)"
NEARBY = (0.5, 0.999, 1 - 1e-6, 1.0, 1 + 1e-6, 1.001, 1.03, 2.0)

noises = st.sampled_from([0.4, 0.7, 1.0, 2.5])
cuts = st.sampled_from([(10, 3), (1000, 300), (60, 7), (49, 1), (8, 4), (200, 1)])


@st.composite
def trainings(draw):
    size, batch = draw(cuts)
    return DPSGD(draw(noises), batch / size, draw(st.integers(1, 3 * size // batch)))


added = st.one_of(
    trainings(),
    trainings().map(lambda training: 2 * training),
    st.builds(lambda noise, steps: steps * PoissonSampled(Gaussian(noise), 0.3), noises, st.integers(1, 9)),
    st.builds(lambda noise: Composition([DPSGD(noise, 0.3, 4), Gaussian(2.0)]), noises),
    st.builds(lambda noise: Composition([DPSGD(noise, 0.3, 4), DPSGD(1.0, 0.25, 3)]), noises),
)
plain = st.one_of(
    noises.map(Gaussian),
    noises.map(Laplace),
    st.builds(RandomizedResponse, st.sampled_from([0.2, 1.0, 3.0]), st.integers(2, 4)),
    st.builds(DiscreteLaplace, noises, st.integers(1, 3)),
    st.sampled_from([Stated(ApproxDP(1.0, 1e-6)), Stated(ZCDP(0.5)), Stated(ApproxDP(0.5, 0.0))]),
)


@st.composite
def runs(draw):
    mechanism = draw(st.one_of(added, added, plain))
    stated = {}
    if mechanism.sampled:
        stated["sampling"] = draw(st.sampled_from(["poisson", "shuffle", "fixed batches", "without replacement", None]))
        if stated["sampling"] in ("shuffle", "fixed batches"):
            stated["drop_last"] = draw(st.sampled_from([True, False, None]))
    if mechanism.trains:
        stated["clipping"] = draw(st.sampled_from(["per-example", "per-example", "per-batch", "none", None]))
    stated |= draw(st.sampled_from([{}, {"tuning": "none"}, {"tuning": "counted", "tuning_runs": 2}]))
    if not stated.get("tuning_runs"):
        stated |= draw(st.sampled_from([{}, {"tuning": "not counted", "tuning_runs": 1}]))
    return Run(
        mechanism=mechanism,
        unit="one person",
        adjacency=draw(st.sampled_from([mechanism.adjacency, "replace-one"])),
        records_per_unit=draw(st.sampled_from([1, 1, 3, None])),
        **stated,
    )


claims = st.sampled_from(
    [
        Claim(epsilon=1.0, delta=1e-5),
        Claim(epsilon=1.0, delta=1e-3),
        Claim(epsilon=1.0),
        Claim(mu=1.0),
        Claim(mu=1.0, floor=1e-6),
        Claim(rho=1.0),
    ]
)


def verdict_on(run, claim):
    try:
        return check_claim(run, claim)
    except DomainError as error:
        if error.parameter != "floor":  # one above which no attack is left
            raise
        assume(False)


@settings(max_examples=25)
@given(runs(), claims, st.sampled_from(NEARBY), st.booleans())
def test_claims_hold_together(run, claim, factor, from_below):
    known = verdict_on(run, claim)
    assert known.lower <= known.upper
    end = known.lower if from_below else known.upper
    verdict = verdict_on(run, claim.with_value(factor * end)) if 0 < end < math.inf else known
    assert (verdict.lower, verdict.upper) == (known.lower, known.upper)
    if verdict.instead is not None:
        assert verdict_on(run, verdict.instead).holds
    if 0 < known.lower < math.inf:
        assert verdict_on(run, claim.with_value(0.999 * known.lower)).status == "false"
    if known.upper < math.inf:
        assert verdict_on(run, claim.with_value(1.001 * known.upper)).holds
    for cause in verdict.causes:
        assert math.isfinite(cause.value)
        if cause.key == "floor":
            assert str(verdict.instead) in cause.words
    the_words_are_true_as_printed(verdict)


def the_words_are_true_as_printed(verdict):
    """Every comparison in a sentence, made again with the numbers that it prints."""
    (row,) = verdict.document().tables[0].rounded_rows(2)
    if verdict.status == "false":
        assert row[2] < row[3] <= verdict.lower
    if verdict.holds and verdict.upper <= verdict.claim.value:
        assert verdict.upper <= row[4] <= row[2]
    first, *others = verdict.sentences
    claimed = float(re.search(f"= {NUMBER}", first)[1])
    assert claimed == verdict.claim.value
    if excluded := re.search(f"no accountant can go below . = {NUMBER}\\.", first):
        assert claimed < float(excluded[1]) <= verdict.lower
    if smallest := re.search(f"the smallest . (?:that does|we can prove) is at most {NUMBER}\\.", first):
        assert verdict.upper <= float(smallest[1]) <= claimed
    above = f"is at least {NUMBER} times the smallest . (?:that does|we can prove), which is at most {NUMBER}\\."
    if loose := re.search(above, first):
        assert 1 < float(loose[1]) <= claimed / float(loose[2])
    if verdict.status == "undecided":
        if enclosed := re.search(f"at least {NUMBER}", first):
            assert float(enclosed[1]) <= claimed
        if enclosed := re.search(f"at most {NUMBER}", first):
            assert claimed < float(enclosed[1])
    for words in others:
        if factor := re.search(f"too small by a factor of at least {NUMBER}\\.", words):
            assert float(factor[1]) > 1
        if delta := re.search(f"the true δ is at least {NUMBER}", words):
            assert float(delta[1]) > verdict.claim.delta
        if times := re.search(f"at least {NUMBER} times the δ claimed", words):
            assert float(times[1]) > 1
    if verdict.instead is not None and verdict.instead.floor == verdict.claim.floor:
        assert (verdict.instead.value < claimed) == (verdict.status == "loose") or verdict.status == "sound"


def test_the_recommendation_for_a_shuffled_run():
    """With a floor as without one, no amplification is known: a floor is not what the claim lacks."""
    run = Run(mechanism=DPSGD(1.0, 0.00512, 3907), unit="one image", adjacency="add-remove", sampling="shuffle")
    verdict = check_claim(run, "mu=1")
    assert verdict.status == "false"
    assert verdict.instead.floor is None
    assert "floor" not in str(verdict)


@pytest.mark.parametrize("sampling", ["shuffle", "fixed batches"])
def test_a_true_claim_about_fifteen_passes(sampling):
    training = DPSGD(1.0, 256 / 60_000, 15 * 235)
    stated = {"mechanism": training, "unit": "one image", "adjacency": "add-remove", "sampling": sampling}
    assert check_claim(Run(**stated, drop_last=False), "mu=3.874").status == "sound"
    assert check_claim(Run(**stated, batches_per_pass=235), "mu=3.872").status == "false"
    assert check_claim(Run(**stated), "mu=3.874").status == "undecided"
    assert check_claim(Run(**stated), "mu=3.872").status == "false"


@pytest.mark.parametrize(
    ("mechanism", "mu"),
    [
        (Laplace(1.0), 1.030062),
        (RandomizedResponse(1.0), 1.232035),
        (Stated(ApproxDP(1.0, 0.0)), 1.232035),
    ],
)
def test_mu_without_a_floor_in_closed_form(mechanism, mu):
    run = Run(mechanism=mechanism, unit="one person", adjacency=mechanism.adjacency)
    assert check_claim(run, f"mu={mu + 1e-5}").status == "sound"
    assert check_claim(run, f"mu={mu - 1e-5}").status == "false"
    assert check_claim(run, "mu=2").status == "loose"
    assert check_claim(run, f"mu={mu - 1e-5} floor=1e-9").status == "false"


def test_a_stated_guarantee_is_what_it_states():
    run = Run(mechanism=Stated(ApproxDP(1.0, 1e-6)), unit="one person", adjacency="add-remove")
    assert check_claim(run, "epsilon=1 delta=1e-6").status == "sound"
    assert check_claim(run, "epsilon=0.999 delta=1e-6").status == "false"
    assert check_claim(run, "epsilon=1 delta=9e-7").status == "false"
    without_floor = check_claim(run, "mu=1000")
    assert without_floor.status == "false"
    assert without_floor.instead.floor == 1e-10
    concentrated = Run(mechanism=Stated(ZCDP(0.5)), unit="one person", adjacency="add-remove")
    assert check_claim(concentrated, "epsilon=4.73 delta=1e-5").status == "sound"
    assert check_claim(concentrated, "epsilon=4.6 delta=1e-5").status == "undecided"  # Gaussian noise has 4.377
    assert check_claim(concentrated, "epsilon=4.37 delta=1e-5").status == "false"


def test_what_is_not_clipped_example_by_example():
    """A batch that is clipped as a whole moves by so much whether one of its records changes or ten."""
    stated = {"unit": "one person", "adjacency": "add-remove", "records_per_unit": 10, "clipping": "per-batch"}
    run = Run(mechanism=DPSGD(1.0, 0.1, 10), sampling="fixed batches", dataset_size=1000, **stated)
    assert check_claim(run, "mu=2.5").status == "undecided"
