"""gaussdp plot."""

import sys

import pytest

import gaussdp
from commands import refused
from gaussdp.cli import main
from gaussdp.documents.rounding import shown_up
from gaussdp.figures import FIGURES

STARTS = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG", "dat": b"fpr cA cB"}


@pytest.mark.parametrize("key", FIGURES)
def test_any_figure(key, tmp_path, capsys):
    out = tmp_path / "figure.svg"
    assert main(["plot", key, "--out", str(out)]) == 0
    assert out.read_bytes().startswith(b"<?xml")
    assert str(out) in capsys.readouterr().out


def test_every_format(tmp_path):
    files = {ending: tmp_path / f"risk.{ending}" for ending in STARTS}
    outs = [word for path in files.values() for word in ("--out", str(path))]
    assert main(["plot", "fig4a", "--mu", "0.3,0.6", *outs]) == 0
    for ending, path in files.items():
        assert path.read_bytes().startswith(STARTS[ending])


def test_the_default_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["plot", "fig2a"]) == 0
    assert (tmp_path / "fig2a.svg").is_file()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fig9z"], "'fig9z' is not one of"),
        ([], "Missing argument 'FIGURE'"),
        (["fig2b", "--mu", "1"], "fig2b takes --recall and --epsilon, not --mu"),
        (["fig1a", "--mu", "1,2"], "fig1a takes one value of --mu, got 2"),
        (["fig1b", "--fpr", "2"], "fpr must be in (0, 1), got 2.0"),
        (["tradeoff"], "tradeoff takes --mu or --guarantee"),
        (["tradeoff", "--mu", "1,2"], "tradeoff takes one guarantee, got 2; comparison takes several"),
        (["tradeoff", "--mu", "1", "--recall", "0.1"], "tradeoff takes --mu and --guarantee and --fpr, not --recall"),
        (["tradeoff", "--guarantee", "mu=0.8 floor=1e-10"], "has no curve: it says nothing below its floor"),
        (["comparison", "--guarantee", "epsilom=1"], "claim has no 'epsilom'; did you mean 'epsilon'?"),
        (["comparison", "--guarantee", "no-such-plan.toml"], "no-such-plan.toml"),
        (["comparison", "--mu", "1", "--point", "0.1,0.2"], "a point needs a name"),
        (["comparison", "--mu", "1", "--point", "a: 0.1"], "a point is NAME: FPR,TPR"),
        (["comparison", "--mu", "1,1"], "two curves are named 'GDP, μ = 1'"),
        (["fig1a", "--guarantee", "mu=1"], "fig1a takes --mu and --fpr, not --guarantee"),
        (["fig4a", "--mu", "0"], "mu must be in [1e-06, 1e+06], got 0.0"),
        (["fig4a", "--out", "figure.jpg"], "must end in .svg, .pdf or .png, got 'figure.jpg'"),
        (["fig4a", "--out", "no/such/place.svg"], "no/such/place.svg: No such file or directory"),
    ],
)
def test_bad_input(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert words in refused(capsys, "plot", *arguments)
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["plot", "fig1a", "--out", str(tmp_path / "a.svg")]) == 2
    assert capsys.readouterr().err == 'gaussdp: figures need matplotlib: pip install "gaussdp[plot]"\n'
    assert main(["plot", "fig1a", "--out", str(tmp_path / "a.dat")]) == 0


def test_trade_off_curves(tmp_path, capsys):
    plan = tmp_path / "plan.toml"
    plan.write_text('[[releases]]\nmechanism = "gaussian"\nnoise_multiplier = 2.0\n')
    files = {ending: tmp_path / f"curve.{ending}" for ending in ("svg", "dat")}
    outs = [word for path in files.values() for word in ("--out", str(path))]
    assert main(["plot", "tradeoff", "--mu", "0.8", "--fpr", "1e-3", *outs]) == 0
    assert files["dat"].read_text().startswith("fpr tpr1\n")
    assert files["svg"].read_bytes().startswith(STARTS["svg"])
    curves = ["mu=1", "epsilon=1", "epsilon=1 delta=1e-5", "rho=0.5", f"ours: {plan}"]
    options = [word for curve in curves for word in ("--guarantee", curve)]
    assert main(["plot", "comparison", *options, "--point", "an attack: 0.01,0.02", *outs[2:]]) == 0
    assert files["dat"].read_text().startswith("fpr tpr1 tpr2 tpr3 tpr4 tpr5\n")
    assert "Trade-off curves:" in capsys.readouterr().out


RUN = """unit = "one person"
adjacency = "add-remove"
records_per_unit = 1
[training]
noise_multiplier = 1.0
sample_rate = 0.01
steps = 100
"""


def test_a_run_file_is_a_guarantee_as_for_account(tmp_path, capsys):
    run, out = tmp_path / "run.toml", tmp_path / "curve.dat"
    run.write_text(RUN)
    assert main(["plot", "tradeoff", "--guarantee", str(run), "--out", str(out)]) == 0
    curve = gaussdp.account(gaussdp.DPSGD(1.0, 0.01, 100))
    fpr, tpr = (float(number) for number in out.read_text().splitlines()[100].split())
    assert tpr == pytest.approx(curve.tpr(fpr), rel=1e-9)
    capsys.readouterr()
    run.write_text(f'sampling = "shuffle"\n{RUN}')
    words = refused(capsys, "plot", "tradeoff", "--guarantee", str(run), "--out", str(tmp_path / "other.dat"))
    assert "run.toml: These numbers do not hold for the run as described" in words
    assert not (tmp_path / "other.dat").exists()


def test_the_figure_rounds_as_the_tables_do():
    """TPR 0.5563 in the table of a risk was 0.557 in the figure."""
    risks = gaussdp.GDP(0.8)
    words = {attack.words for attack in gaussdp.tradeoff_figure(risks, fpr=[1e-2, 1e-3]).attacks}
    for fpr, name in ((1e-2, "1 in 100"), (1e-3, "1 in 1,000")):
        assert f"{name}: TPR {shown_up(risks.tpr(fpr))}" in words
    mu = gaussdp.account(gaussdp.DPSGD(1.0, 0.00512, 3907)).fit().mu
    plot = gaussdp.report_run(gaussdp.Run(mechanism=gaussdp.Gaussian(1 / mu), unit="a", adjacency="add-remove")).plot
    assert all(attack.words.endswith(f"TPR {shown_up(attack.tpr)}") for attack in plot.attacks)
