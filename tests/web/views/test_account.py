"""Account and calibrate: the numbers of the accounting, with what belongs to them."""

import dataclasses
from decimal import Decimal

import pytest

from gaussdp.accounting import Method
from gaussdp.errors import DomainError
from gaussdp.statements import check_claim, report_run
from gaussdp.web.schemas.requests import (
    AccountRequest,
    CalibrateRequest,
    ReleaseRequest,
    ReleasesRequest,
    TargetRequest,
)
from gaussdp.web.views.account import account, calibrate, releases
from gaussdp.web.views.training import run_of, target_of, target_text

RUN = {"dataset_size": 50_000, "batch_size": 100, "epochs": 20.0}


@pytest.fixture(scope="module")
def accounted():
    told = []
    return account(AccountRequest(noise_multiplier=0.5, **RUN), told.append), told


def test_the_reference_run(accounted):
    answer, told = accounted
    assert (answer["sample_rate"], answer["steps"]) == (0.002, 10_000)
    assert answer["mu"] == pytest.approx(1.893517, rel=1e-6)
    assert answer["mu_text"] == "1.894"
    assert answer["mu_lower"] <= answer["mu"]
    assert answer["regret"] == pytest.approx(0.107, abs=1e-3)
    assert answer["method"] == Method.LINE.words
    assert any("regret" in sentence for sentence in answer["sentences"])
    assert told[0] == "reading the tails of the privacy loss"


def test_its_curves(accounted):
    curves = accounted[0]["curves"]
    for fpr, exact, gdp, approx in zip(*(curves[key] for key in ("fpr", "exact", "gdp", "approx")), strict=True):
        if fpr >= 1e-10 and exact >= 1e-10:
            assert gdp <= exact + 1e-9  # the fit holds above its floor
        assert approx <= exact + 1e-9
    assert curves["exact_tpr"][60] == pytest.approx(1 - curves["exact"][60], rel=1e-9)


def test_texts_round_up(accounted):
    answer = accounted[0]
    for name in ("mu", "epsilon", "slack", "regret"):
        assert float(answer[f"{name}_text"]) >= answer[name]


def test_without_sampling_there_is_no_floor():
    answer = account(
        AccountRequest(noise_multiplier=10.0, dataset_size=7, batch_size=7, epochs=4.0), lambda words: None
    )
    assert answer["mu"] == pytest.approx(0.2)
    assert (answer["floor"], answer["slack"], answer["method"]) == (0.0, 0.0, "closed form")


def test_calibrate():
    request = CalibrateRequest(target=TargetRequest(kind="mu", value=0.31), **RUN)
    answer = calibrate(request, lambda words: None)
    assert answer["noise_multiplier"] == 0.9654
    assert answer["mu"] <= 0.31
    assert answer["target_text"] == "μ at most 0.31"


@pytest.mark.parametrize(
    ("changed", "field"),
    [({"epochs": 1e7}, "epochs"), ({"epochs": 1e308}, "epochs"), ({"batch_size": 50_001}, "batch_size")],
)
def test_runs_that_are_refused_before_any_work(changed, field):
    with pytest.raises(DomainError, match=f"^{field} must"):
        run_of(AccountRequest(noise_multiplier=1.0, **{**RUN, **changed}))


@pytest.mark.parametrize(
    ("target", "field"),
    [
        (TargetRequest(kind="mu", value=0.0), "target.value"),
        (TargetRequest(kind="tpr", value=0.5), "target.level"),
        (TargetRequest(kind="mu", value=0.5, level=0.1), "target.level"),
        (TargetRequest(kind="tpr", value=1.5, level=0.1), "target.value"),
        (TargetRequest(kind="precision", value=0.2, level=0.1), "target.value"),
        (TargetRequest(kind="advantage", value=1.0), "target.value"),
    ],
)
def test_targets_that_are_refused_before_any_work(target, field):
    with pytest.raises(DomainError) as caught:
        target_of(CalibrateRequest(target=target, **RUN))
    assert str(caught.value).startswith(f"{field} ")


def test_epsilon_is_bounded_at_the_delta_shown():
    request = CalibrateRequest(target=TargetRequest(kind="epsilon", value=2.0), **RUN, delta=1e-7)
    assert target_text(request) == "epsilon@1e-7=2"


def described(**changed):
    return account(AccountRequest(noise_multiplier=1.0, **{**RUN, "batch_size": 250}, **changed), lambda words: None)


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"adjacency": "replace-one"},
        {"records_per_unit": 3},
        {"records_per_unit": 3, "adjacency": "replace-one"},
        {"sampling": "shuffle"},
        {"sampling": "fixed batches", "last_batch": "dropped"},
        {"sampling": "without replacement"},
        {"sampling": "random allocation"},
        {"tuning": "counted", "tuning_runs": 3},
        {"tuning": "not counted", "tuning_runs": 3},
        {"clipping": "per-batch"},
    ],
    ids=str,
)
def test_the_number_shown_holds_for_the_run_as_described(changed):
    """Whatever is described, the number is one that the library's own check of claims lets stand; and the page and the
    report agree on whether the idealised account holds."""
    request = AccountRequest(noise_multiplier=1.0, **{**RUN, "batch_size": 250}, **changed)
    answer, run = described(**changed), run_of(request)
    report = report_run(run)
    assert answer["exact"] == (report.standing != "does not hold")
    if answer["mu"] == float("inf"):
        return
    claim = f"mu={answer['mu_text']} floor={answer['floor_text']}"
    assert check_claim(run, claim).holds
    assert answer["mu_lower"] <= answer["mu"]
    assert answer["curves"]["exact"] is not None or not answer["exact"]


def test_less_is_known_of_shuffled_batches():
    plain, shuffled = described(), described(sampling="shuffle")
    assert shuffled["mu"] > shuffled["mu_lower"] > plain["mu"]
    assert shuffled["mu_text"] in shuffled["sentences"][0]
    assert described(clipping="none")["mu"] == float("inf")


def test_calibration_is_of_the_run_as_described():
    target = TargetRequest(kind="mu", value=0.5)
    for changed in ({"adjacency": "replace-one"}, {"sampling": "shuffle"}, {"tuning": "counted", "tuning_runs": 3}):
        answer = calibrate(CalibrateRequest(target=target, **RUN, **changed), lambda words: None)
        assert 0.49 < answer["mu"] <= 0.5
        again = account(
            AccountRequest(noise_multiplier=answer["noise_multiplier"], **RUN, **changed), lambda words: None
        )
        assert again["mu"] == answer["mu"]


def test_plain_releases():
    counts = ReleaseRequest(noise="gaussian", scale=8.0, sensitivity=2.0, times=12)
    answer = releases(ReleasesRequest(releases=(counts,)), lambda words: None)
    assert answer["mu"] == pytest.approx(12**0.5 / 4)
    assert "noise_multiplier" not in answer
    both = ReleasesRequest(releases=(counts, ReleaseRequest(noise="laplace", scale=10.0, times=3)), unit="one person")
    more = releases(both, lambda words: None)
    assert more["mu"] > answer["mu"]
    pair = releases(dataclasses.replace(both, records_per_unit=2), lambda words: None)
    assert not pair["exact"]
    assert pair["mu"] == pytest.approx(2 * more["mu"], rel=1e-3)


def test_releases_are_refused_by_their_place():
    bad = ReleaseRequest(noise="discrete-laplace", scale=4.0, sensitivity=1.5)
    with pytest.raises(DomainError, match=r"^releases\.1\.sensitivity must"):
        run_of(ReleasesRequest(releases=(ReleaseRequest(noise="gaussian", scale=4.0), bad)))


SOUGHT = ReleasesRequest(
    releases=(
        ReleaseRequest(noise="gaussian", times=12),
        ReleaseRequest(noise="gaussian", sensitivity=50.0, times=3),
    ),
    target=TargetRequest(kind="mu", value=0.5066),
)


def test_the_noise_of_releases_for_a_target():
    """The closed form: each has the noise sensitivity * sqrt(15) / mu, rounded up, and all together spend no more."""
    answer = releases(SOUGHT, lambda words: None)
    least = [Decimal(15).sqrt() / Decimal("0.5066") * sensitivity for sensitivity in (1, 50)]
    for row, at_least in zip(answer["scales"], least, strict=True):
        assert at_least <= Decimal(repr(row["scale"])) <= at_least * Decimal("1.001")
    assert (
        12 / Decimal(repr(answer["scales"][0]["scale"])) ** 2
        + 3 * (50 / Decimal(repr(answer["scales"][1]["scale"]))) ** 2
        <= Decimal("0.5066") ** 2
    )
    assert answer["mu"] <= 0.5066


@pytest.mark.parametrize("changed", [{"adjacency": "replace-one"}, {"records_per_unit": 3}])
def test_the_noise_of_releases_is_for_whom_they_protect(changed):
    request = dataclasses.replace(SOUGHT, **changed)
    found = releases(request, lambda words: None)
    rows = tuple(
        dataclasses.replace(one, scale=row["scale"]) for one, row in zip(request.releases, found["scales"], strict=True)
    )
    again = releases(dataclasses.replace(request, releases=rows, target=None), lambda words: None)
    assert 0.5 < again["mu"] <= 0.5066
    assert again["mu"] == pytest.approx(found["mu"])


@pytest.mark.parametrize(
    ("row", "target", "words"),
    [
        (ReleaseRequest(noise="laplace"), SOUGHT.target, r"^releases\.0\.noise must be gaussian where"),
        (ReleaseRequest(noise="gaussian", scale=4.0), SOUGHT.target, r"^releases\.0\.scale must be left out"),
        (ReleaseRequest(noise="gaussian"), None, r"^releases\.0\.scale is missing"),
    ],
)
def test_noise_is_either_given_or_sought(row, target, words):
    with pytest.raises(DomainError, match=words):
        run_of(ReleasesRequest(releases=(row,), target=target))
