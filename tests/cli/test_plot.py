"""gaussdp plot."""

import sys

import pytest

from commands import refused
from gaussdp.cli import main
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
