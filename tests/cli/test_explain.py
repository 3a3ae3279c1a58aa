"""gaussdp explain."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gaussdp
from commands import refused
from gaussdp.cli import main
from gaussdp.documents import PROSE_FORMATS


@pytest.mark.parametrize("style", PROSE_FORMATS)
def test_prints_what_the_library_renders(style, capsys):
    assert main(["explain", "--mu", "0.8", "--prior", "0.01", "--format", style]) == 0
    assert capsys.readouterr().out == gaussdp.explain(0.8, prior=0.01).render(style)


def test_every_option_arrives(capsys):
    options = ["--fpr", "1e-4", "--recall", "0.2,0.3", "--delta", "1e-6", "--group", "4", "--releases", "12,52"]
    assert main(["explain", "--mu", "0.5", *options, "--format", "json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert [fact["fpr"] for fact in content["alarms"]] == [1e-4]
    assert [fact["recall"] for fact in content["searches"]] == [0.2, 0.3]
    assert [fact["count"] for fact in content["groups"]] == [4]
    assert [fact["count"] for fact in content["releases"]] == [12, 52]
    assert content["equivalents"][-1]["level"] == 1e-6


def test_draws(tmp_path, capsys):
    path = tmp_path / "icons.svg"
    assert main(["explain", "--mu", "0.8", "--plot", str(path)]) == 0
    assert path.read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "give either --mu or a FILE"),
        (["run.toml", "--mu", "1"], "give either --mu or a FILE"),
        (["nowhere.toml"], "nowhere.toml: cannot be read"),
        (["--mu", "-1"], "mu must be in [0, inf], got -1.0"),
        (["--mu", "x"], "'x' is not a number"),
        (["--mu", "1", "--prior", "0"], "prior must be in (0, 1), got 0.0; who starts at 0 or 1 knows already"),
        (["--mu", "1", "--group", "2.5"], "'2.5' is not a whole number"),
        (["--mu", "1", "--group", "0"], "group must be a whole number of at least 1, got 0"),
        (["--mu", "1", "--format", "csv"], "'csv' is not one of"),
        (["--mu", "1", "--plot", "icons.jpg"], "must end in .svg, .pdf or .png"),
    ],
)
def test_bad_input(arguments, words, capsys):
    assert words in refused(capsys, "explain", *arguments)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    st.lists(
        st.sampled_from(["--mu", "--prior", "--fpr", "--recall", "--delta", "--group", "--releases", "--format"])
        | st.floats().map(repr)
        | st.integers().map(str)
        | st.text(max_size=4),
        max_size=6,
    )
)
def test_fuzz(capsys, arguments):
    code = main(["explain", "--mu", "0.5", *arguments])
    captured = capsys.readouterr()
    assert code in (0, 2)
    assert captured.err.count("\n") == (1 if code == 2 else 0)


def test_a_terminal_without_the_symbols():
    command = [sys.executable, "-m", "gaussdp", "explain", "--mu", "0.8"]
    done = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "ascii"}, check=True)
    assert b"O O O O O O O O O O   #  16 more right with it, at most" in done.stdout


def test_files_are_explained_by_their_own_curves(tmp_path, capsys):
    run = str(Path(__file__).parents[2] / "examples" / "run.toml")
    assert main(["explain", run, "--group", "2", "--releases", "10"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("What DP-SGD with noise multiplier 1, sample rate 0.00512 and 3,907 steps means\n")
    (tmp_path / "points.csv").write_text("fpr,fnr\n0.001,0.98\n0.1,0.65\n")
    assert main(["explain", str(tmp_path / "points.csv")]) == 0
    assert "bounds of a trade-off curve" in capsys.readouterr().out
    (tmp_path / "plan.toml").write_text('[[releases]]\nmechanism = "gaussian"\nnoise_multiplier = 2.0\n')
    assert main(["explain", str(tmp_path / "plan.toml")]) == 0
    assert capsys.readouterr().out.startswith("What μ = 0.5 means\n")
