import json

import pytest

import gaussdp
from gaussdp.accounting import account
from gaussdp.accounting.document import account_document, curve_points, write_curve
from gaussdp.mechanisms import DPSGD, Composition, Gaussian, Laplace

RUN = DPSGD(noise_multiplier=1.0, sample_rate=0.00512, steps=20_000)


def rows(document):
    return {
        table.key: [
            dict(zip((column.key for column in table.columns), row, strict=True)) for row in table.rounded_rows(4)
        ]
        for table in document.tables
    }


def test_every_number_is_on_the_side_of_less_privacy():
    curve = account(RUN)
    fit = curve.fit(1e-8)
    found = rows(account_document(RUN, curve, 1e-8, [1e-6], [1e-3]))
    (guarantee,), (at_delta,), (at_fpr,) = (found[key] for key in ("guarantee", "epsilon", "attacker"))
    for shown, exact in (
        (guarantee["mu"], fit.mu),
        (guarantee["slack"], fit.slack),
        (guarantee["regret"], fit.regret),
        (at_delta["epsilon"], curve.epsilon(1e-6)),
        (at_fpr["tpr"], curve.tpr(1e-3)),
        (at_fpr["tpr_by_mu"], fit.guarantee.tpr(1e-3)),
    ):
        assert exact <= shown <= exact * (1 + 2e-3)
    assert fit.mu_lower * (1 - 1e-3) <= guarantee["mu_lower"] <= fit.mu_lower
    assert guarantee["floor"] == 1e-8


def test_advice_only_where_it_is_due():
    close = DPSGD(noise_multiplier=21.1, sample_rate=0.5, steps=1000)
    assert not any("report the curve" in note for note in account_document(close, account(close)).notes)
    assert any("report the curve" in note for note in account_document(RUN, account(RUN)).notes) == (
        account(RUN).fit().regret > 0.01
    )
    gaussian = Gaussian(2.0)
    notes = account_document(gaussian, account(gaussian)).notes
    assert notes == ("The mechanism is exactly 0.5-GDP: no floor and no slack are needed.",)


def test_descriptions():
    assert Composition([RUN, 3 * Laplace(10.0)]).sentence == (
        "DP-SGD with noise multiplier 1, sample rate 0.00512 and 20,000 steps; 3 times Laplace(scale=10.0)"
    )


def test_bad_levels():
    with pytest.raises(gaussdp.DomainError, match=r"^delta must be in \(0, 1\), got 0.0"):
        account_document(RUN, account(RUN), None, [0.0], [0.1])


CURVES = {
    "gaussian": gaussdp.account(gaussdp.Gaussian(2.0)),
    "dpsgd": gaussdp.account(gaussdp.DPSGD(1.0, 0.01, 100)),
    "laplace": gaussdp.account(gaussdp.Laplace(1.0)),
}


@pytest.mark.parametrize("name", CURVES)
def test_points_lie_on_the_safe_side_of_the_curve(name):
    curve = CURVES[name]
    points = curve_points(curve)
    assert len(points) > 100
    for point in points[::20]:
        assert point["fnr"] <= curve.fnr(point["fpr"])
        # The last digits of an FPR next to 1 do not tell its FNR: claims of error grow there.
        assert point["fnr"] == pytest.approx(curve.fnr(point["fpr"]), rel=1e-3, abs=1e-13)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_what_is_written_is_a_guarantee_that_holds(ending, tmp_path):
    file = tmp_path / f"curve{ending}"
    write_curve(CURVES["dpsgd"], file)
    if ending == ".parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        read = gaussdp.read_points(parquet.read_table(file).to_pydict())
    else:
        read = gaussdp.read_points(file)
    for delta in (1e-3, 1e-6):
        assert CURVES["dpsgd"].epsilon(delta) <= read.epsilon(delta) <= 1.25 * CURVES["dpsgd"].epsilon(delta)


def test_json_has_the_profile_too(tmp_path):
    write_curve(CURVES["dpsgd"], tmp_path / "curve.json", "a run")
    content = json.loads((tmp_path / "curve.json").read_text())
    assert (content["schema"], content["title"]) == ("gaussdp-curve", "a run")
    for point in content["profile"]:
        assert point["epsilon"] >= CURVES["dpsgd"].epsilon(point["delta"])


def test_another_ending_is_refused(tmp_path):
    with pytest.raises(gaussdp.DomainError, match=r"\.csv"):
        write_curve(CURVES["gaussian"], tmp_path / "curve.xls")
