import csv
import io
import json
import sys

import numpy as np
import pytest

import gaussdp
from commands import refused
from gaussdp.cli import main
from gaussdp.documents import FORMATS


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    random = np.random.default_rng(0)
    members, nonmembers = random.normal(1.5, 1, 600).round(3), random.normal(0, 1, 500).round(3)
    path = tmp_path_factory.mktemp("audit") / "scores.csv"
    rows = [f"{s!r},1" for s in members.tolist()] + [f"{s!r},0" for s in nonmembers.tolist()]
    path.write_text("\n".join(["score,member", *rows]))
    return path, members, nonmembers


def run(capsys, *arguments):
    assert main(["audit", *map(str, arguments)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def complaint(capsys, *arguments):
    return refused(capsys, "audit", *arguments)


def test_the_main_job(capsys, scores):
    path, members, nonmembers = scores
    text = run(capsys, path, "--design", "trials", "--claim", "mu=0.5")
    assert "The claim μ = 0.5 is contradicted at 95 % confidence." in text
    shown = f"{np.floor(gaussdp.audit(members=members, nonmembers=nonmembers).mu_lower * 1000) / 1000:g}"
    assert shown in text


def test_the_exit_code_does_not_tell_the_verdict(capsys, scores):
    text = run(capsys, scores[0], "--design", "trials", "--claim", "mu=3")
    assert "consistent with the claim μ = 3" in text


def test_json_holds_the_library_numbers_rounded_down(capsys, scores):
    path, members, nonmembers = scores
    claims = ["--claim-mu", "1", "--claim-epsilon", "9"]
    out = run(capsys, path, "--design", "trials", *claims, "--format", "json")
    tables = json.loads(out)["tables"]
    found = gaussdp.audit(members=members, nonmembers=nonmembers)
    bound = tables["bound"]["rows"][0]
    assert bound["mu_lower"] <= found.mu_lower
    assert bound["mu_lower"] == pytest.approx(found.mu_lower, rel=1e-3)
    assert (bound["confidence"], bound["kind"]) == (0.95, "confidence")
    attack = tables["attack"]["rows"][0]
    assert attack["fpr_upper"] >= found.fpr_upper
    assert attack["false_positives"] == found.false_positives
    assert [row["verdict"] for row in tables["claims"]["rows"]] == ["contradicted", "consistent"]


@pytest.mark.parametrize("style", FORMATS)
@pytest.mark.parametrize("what", ["scores", "one-run", "plan"])
def test_every_format(capsys, scores, style, what):
    arguments = {
        "scores": [scores[0], "--claim", "mu=1"],
        "one-run": ["one-run", "--canaries", "100", "--guesses", "50", "--correct", "45", "--claim-mu", "1"],
        "plan": ["plan", "--mu", "3"],
    }[what]
    assert "μ" in run(capsys, *arguments, "--format", style) or style in ("csv", "latex")


@pytest.mark.parametrize(
    ("options", "method"),
    [
        (["--method", "dkw"], gaussdp.DKW()),
        (["--method", "auc"], gaussdp.AUC()),
        (["--method", "split", "--seed", "4"], gaussdp.Split(4)),
        (["--method", "fixed-threshold", "--threshold", "0.7"], gaussdp.FixedThreshold(0.7)),
        (["--method", "credible", "--threshold", "0.7"], gaussdp.Credible(0.7)),
    ],
)
def test_methods(capsys, scores, options, method):
    path, members, nonmembers = scores
    out = run(capsys, path, *options, "--confidence", "0.9", "--digits", "12", "--format", "csv", "--table", "bound")
    [row] = csv.DictReader(io.StringIO(out))
    expected = gaussdp.audit(members=members, nonmembers=nonmembers, confidence=0.9, method=method)
    assert float(row["mu_lower"]) == pytest.approx(expected.mu_lower, rel=1e-10)
    assert row["kind"] == expected.kind
    assert row["method"] == str(method)


def test_a_credible_bound_says_so(capsys, scores):
    assert "credible bound" in run(capsys, scores[0], "--method", "credible", "--threshold", "0.7")


def test_options_before_the_file_and_the_long_name(capsys, scores):
    expected = run(capsys, scores[0], "--claim", "mu=1")
    assert run(capsys, "--claim-mu", "1", scores[0]) == expected
    assert run(capsys, "scores", scores[0], "--claim", "mu=1") == expected


def test_names_of_columns(capsys, tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("gap,role\n" + "3,canary\n" * 200 + "1,other\n" * 200)
    arguments = [path, "--score-column", "gap", "--member-column", "role"]
    assert "μ at least" in run(capsys, *arguments, "--member-value", "canary")
    assert "unclear" in complaint(capsys, *arguments)


def test_one_run(capsys):
    out = run(capsys, "one-run", "--canaries", "1000", "--guesses", "100", "--correct", "90", "--format", "json")
    tables = json.loads(out)["tables"]
    assert tables["bound"]["rows"][0]["mu_lower"] == 0.6025
    expected = gaussdp.audit_one_run(1000, 100, 90).epsilon_lower(1e-5)
    assert tables["epsilon"]["rows"][0]["epsilon_lower"] == pytest.approx(expected, rel=1e-3)


def test_a_stated_set_of_guesses(capsys):
    pairs = ["--guesses", "50", "--correct", "49", "--guesses", "100", "--correct", "90"]
    out = run(capsys, "one-run", "--canaries", "1000", *pairs, "--claim", "mu=0.3")
    assert "50, 100" in out
    assert "contradicted" in out


def test_plan(capsys):
    rows = json.loads(run(capsys, "plan", "--mu", "1", "--format", "json"))["tables"]["plan"]["rows"]
    plan = gaussdp.plan_audit(1.0)
    assert rows[0]["with_record"] == plan.fixed_threshold.trials
    assert rows[2]["canaries"] == plan.one_run.canaries


@pytest.mark.parametrize(
    ("ending", "method"),
    [("png", []), ("pdf", ["--method", "auc"]), ("svg", ["--method", "fixed-threshold", "--threshold", "1"])],
)
def test_figure(capsys, scores, tmp_path, ending, method):
    target = tmp_path / f"audit.{ending}"
    claims = ["--claim-mu", "1", "--claim-epsilon", "2", "--claim-delta", "1e-5"]
    run(capsys, scores[0], *claims, *method, "--plot", target)
    assert target.stat().st_size > 5000


def test_a_claim_by_accounting(capsys, scores, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('[[releases]]\nmechanism = "gaussian"\nnoise_multiplier = 5.0\n')
    text = run(capsys, scores[0], "--design", "trials", "--claim", plan)
    assert "contradicted at 95 % confidence" in text
    one_run = ["one-run", "--canaries", "1000", "--guesses", "100", "--correct", "99", "--claim", plan]
    assert "contradicted at 95 % confidence" in run(capsys, *one_run)


def test_a_run_file_is_a_claim_as_for_account(capsys, scores, tmp_path):
    file = tmp_path / "run.toml"
    described = 'unit = "one person"\nadjacency = "add-remove"\nrecords_per_unit = 1\n'
    training = "[training]\nnoise_multiplier = 5.0\nsample_rate = 1.0\nsteps = 1\n"
    file.write_text(described + training)
    assert "contradicted at 95 % confidence" in run(capsys, scores[0], "--design", "trials", "--claim", file)
    file.write_text(f'clipping = "none"\n{described}{training}')
    assert "do not hold for the run as described" in complaint(capsys, scores[0], "--claim", str(file))


def test_figure_of_scores_that_prove_nothing(capsys, tmp_path):
    path = tmp_path / "flat.csv"
    path.write_text("score,member\n" + "1,1\n1,0\n" * 30)
    run(capsys, path, "--plot", tmp_path / "flat.png")
    assert (tmp_path / "flat.png").exists()


def test_without_matplotlib(capsys, scores, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    error = complaint(capsys, scores[0], "--plot", tmp_path / "audit.png")
    assert error == 'gaussdp: figures need matplotlib: pip install "gaussdp[plot]"\n'


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--confidence", "1"], "confidence must be in (0, 1), got 1.0"),
        (["--method", "luck"], "luck"),
        (["--method", "credible"], "needs --threshold"),
        (["--threshold", "1"], "takes no --threshold"),
        (["--claim-mu", "-1"], "mu must be in [0, inf]"),
        (["--claim-delta", "0.1"], "--claim-delta needs --claim-epsilon"),
        (["--score-column", "loss"], "has no column 'loss'; it has 'score', 'member'"),
        (["--plot", "audit.gif"], "a figure's file must end in"),
        (["--plot", "no/such/folder/audit.png"], "No such file"),
        (["--delta", "2"], "delta must be in [0, 1]"),
        (["--seed", "-1", "--method", "split"], "seed must be"),
    ],
)
def test_complaints(capsys, scores, arguments, words):
    assert words in complaint(capsys, scores[0], *arguments)


def test_the_older_forms_of_a_claim_still_work(capsys, scores, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('[[releases]]\nmechanism = "gaussian"\nnoise_multiplier = 2.0\n')
    for older, newer in (
        (["--claim-mu", "1"], ["--claim", "mu=1"]),
        (["--claim-epsilon", "2"], ["--claim", "epsilon=2"]),
        (["--claim-epsilon", "2", "--claim-delta", "1e-5"], ["--claim", "ε=2, δ=1e-5"]),
        (["--claim-plan", str(plan)], ["--claim", str(plan)]),
    ):
        assert run(capsys, scores[0], *older) == run(capsys, scores[0], *newer)
    assert run(capsys, "plan", "--mu", "2", "--claim-mu", "1") == run(capsys, "plan", "--mu", "2", "--claim", "mu=1")


def test_the_design_is_part_of_the_question(capsys, scores):
    unstated = run(capsys, scores[0], "--claim", "mu=0.5")
    assert unstated.startswith("Assuming that each score has its own run (no design was stated)")
    assert "is contradicted" not in unstated
    rows = json.loads(run(capsys, scores[0], "--claim", "mu=0.5", "--format", "json"))["tables"]["claims"]["rows"]
    assert [row["verdict"] for row in rows] == ["no verdict without a design"]
    described = run(capsys, scores[0], "--design", "one-model", "--claim", "mu=0.5")
    assert "No verdict on the claim μ = 0.5" in described
    assert "μ at least" not in described
    assert run(capsys, scores[0], "--design", "one-model", "--by-coin", "--claim", "mu=0.1") == run(
        capsys, scores[0], "--design", "one-run", "--claim", "mu=0.1"
    )


def test_one_run_from_scores(capsys, scores):
    path, members, nonmembers = scores
    expected = gaussdp.audit(members=members, nonmembers=nonmembers, design="one-run", guesses=[100, 50], guessed="in")
    arguments = ["one-run", path, "--guesses", "100", "--guesses", "50", "--guess", "in", "--claim", "mu=0.1"]
    out = run(capsys, *arguments, "--digits", "12", "--format", "json")
    row = json.loads(out)["tables"]["bound"]["rows"][0]
    assert row["mu_lower"] == pytest.approx(expected.mu_lower, rel=1e-10)
    assert "each is tested at 1/2 of the error" in out
    assert run(capsys, "one-run", path) == run(capsys, path, "--design", "one-run")


def test_low_scores_that_mean_member(capsys, scores, tmp_path):
    path, members, nonmembers = scores
    rows = [f"{-score},{label}" for label, side in ((1, members), (0, nonmembers)) for score in side]
    losses = tmp_path / "losses.csv"
    losses.write_text("\n".join(["score,member", *rows]))
    assert "point the wrong way" in run(capsys, losses)
    bound = ["--format", "csv", "--table", "bound"]
    assert run(capsys, losses, "--lower-is-member", *bound) == run(capsys, path, *bound)
    assert "Both directions" in run(capsys, losses, "--either-direction")
    assert "exclude each other" in complaint(capsys, losses, "--either-direction", "--lower-is-member")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["one-run"], "give a file of scores, or --canaries"),
        (["one-run", "--canaries", "10", "--guesses", "5"], "give a file of scores, or --canaries"),
        (["one-run", "FILE", "--canaries", "10"], "says itself how many canaries"),
        (["FILE", "--design", "one-run", "--plot", "run.png"], "not one run"),
        (["FILE", "--design", "coins"], "coins"),
        (["FILE", "--design", "one-run", "--method", "dkw"], "method belongs to the design trials"),
    ],
)
def test_complaints_about_designs(capsys, scores, arguments, words):
    assert words in complaint(capsys, *(scores[0] if word == "FILE" else word for word in arguments))
