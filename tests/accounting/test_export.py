"""Points of a curve for other programs: none promises more than the curve, and they can be read again."""

import json

import pytest

import gaussdp
from gaussdp.accounting.export import curve_points, write_curve

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
