import json
from pathlib import Path

import jsonschema
import pytest

import gaussdp
from commands import refused
from gaussdp import Run, account, read_points
from gaussdp.cli import main
from gaussdp.documents import ENDINGS, PROSE_FORMATS
from gaussdp.statements import schema

EXAMPLES = Path(__file__).parents[2] / "examples"
RUN = str(EXAMPLES / "run.toml")


@pytest.mark.parametrize("style", ["text", "markdown", "latex", "json"])
def test_what_is_printed_is_the_rendering(style, capsys):
    assert main(["report", RUN, "--format", style]) == 0
    captured = capsys.readouterr()
    assert captured.out == gaussdp.report_run(gaussdp.Run.read(RUN)).render(style)
    assert captured.err == ""


def test_text_by_default_and_the_options(capsys):
    assert main(["report", RUN, "--floor", "1e-6", "--delta", "1e-7", "--fpr", "0.01", "--recall", "0.2"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Digit classifier, release 1\n")
    assert "rates are at least 1e-6" in out
    assert main(["report", RUN, "--format", "json", "--digits", "8", "--prior", "0.01", "--delta", "1e-7,1e-9"]) == 0
    content = json.loads(capsys.readouterr().out)
    jsonschema.validate(content, schema())
    assert content["risks"]["overall"]["prior"] == 0.01
    assert [row["delta"] for row in content["epsilon"]] == [1e-7, 1e-9]


def test_the_curve_is_told_where_it_is_to_be_reported(capsys):
    assert main(["report", RUN, "--format", "json"]) == 0
    content = json.loads(capsys.readouterr().out)
    jsonschema.validate(content, schema())
    assert content["guarantee"]["report_the_curve"]
    curve = account(Run.read(RUN).protected)
    for point in content["curve"][::20]:
        assert point["fnr"] <= curve.fnr(point["fpr"]) <= point["fnr"] * (1 + 1e-8) + 1e-13
    told = gaussdp.report_run(Run(mechanism=gaussdp.Gaussian(2.0), unit="one person", adjacency="add-remove"))
    assert not told.curve_matters
    assert "curve" not in json.loads(told.render("json"))


def test_everything_into_a_folder(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    assert main(["report", RUN, "--out", str(tmp_path / "out")]) == 0
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == sorted(
        [f"statement.{ENDINGS[name]}" for name in PROSE_FORMATS]
        + [f"tradeoff.{ending}" for ending in ("pdf", "png", "svg")]
        + [f"curve.{ending}" for ending in ("csv", "json", "parquet")]  # its regret is above 0.01
    )
    points = read_points(tmp_path / "out" / "curve.csv")
    curve = account(Run.read(RUN).protected)
    assert curve.tpr(1e-3) <= points.tpr(1e-3) <= 1.1 * curve.tpr(1e-3)
    assert f"11 files in {tmp_path / 'out'}" in capsys.readouterr().out


def test_no_points_of_a_curve_that_does_not_hold(tmp_path):
    """A figure or a file of points may be read without the statement beside it."""
    pytest.importorskip("matplotlib")
    (tmp_path / "run.toml").write_text(Path(RUN).read_text().replace('"poisson"', '"shuffle"', 1))
    assert main(["report", str(tmp_path / "run.toml"), "--out", str(tmp_path / "out")]) == 0
    assert not list((tmp_path / "out").glob("curve.*"))
    plot = gaussdp.report_run(Run.read(tmp_path / "run.toml")).plot
    assert list(plot.fnr) == ["μ = 0.4693 (does not hold)", "the run, were the assumptions met"]


def test_the_other_example_states_a_claim():
    run = gaussdp.Run.read(EXAMPLES / "clt_claim.toml")
    assert run.claim == gaussdp.Claim(epsilon=3.0, delta=1e-5)
    assert run.mechanism == gaussdp.DPSGD(0.4, 0.001, 1000)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('unit = "one image"\n', ""), "run.toml: unit is missing: a guarantee says nothing until it says whom"),
        (('adjacency = "add-remove"\n', ""), "run.toml: adjacency is missing"),
        (
            ("batch_size = 256", "batch_size = 60_000"),
            "run.toml, line 21: batch_size must be at most dataset_size 50000",
        ),
        (("sampling", "samplin"), "run.toml, line 12: unknown key 'samplin'; did you mean 'sampling'?"),
    ],
)
def test_bad_files(change, message, tmp_path, capsys):
    text = Path(RUN).read_text()
    assert change[0] in text
    (tmp_path / "run.toml").write_text(text.replace(*change, 1))
    assert message in refused(capsys, "report", str(tmp_path / "run.toml"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.toml"], "nothing.toml: cannot be read: No such file or directory"),
        (["/dev/zero"], "/dev/zero: is too large: more than 33,554,432 characters"),
        ([RUN, "--out", "x", "--format", "html"], "--out writes every format; leave --format out"),
        ([RUN, "--floor", "0"], "floor must be in (0, 1), got 0.0"),
        ([RUN, "--delta", "1"], "delta must be in (0, 1), got 1.0"),
        ([RUN, "--prior", "2"], "prior must be in (0, 1), got 2.0"),
        ([RUN, "--format", "pdf"], "'pdf' is not one of"),
    ],
)
def test_bad_input(arguments, message, capsys):
    assert message in refused(capsys, "report", *arguments)
