import json

import pytest

from commands import refused
from gaussdp.cli import main

FILE = """
unit = "one image"
records_per_unit = 1
adjacency = "add-remove"
sampling = "poisson"
tuning = "none"
clipping = "per-example"

[training]
noise_multiplier = 1.0
dataset_size = 50_000
batch_size = 256
epochs = 20
"""


@pytest.fixture
def path(tmp_path):
    (tmp_path / "run.toml").write_text(FILE)
    return str(tmp_path / "run.toml")


@pytest.mark.parametrize(
    ("claim", "code", "words"),
    [
        ("epsilon=1.75 delta=1e-5", 0, "Sound: ε = 1.75 at δ = 1e-5 holds"),
        ("epsilon=2.5 delta=1e-5", 0, "One could claim ε = 1.75 at δ = 1e-5"),
        ("epsilon=1.7 delta=1e-5", 1, "no accountant can go below ε = 1.74"),
        ("mu=0.47", 1, "It has no floor"),
        ("rho=1", 1, "no accountant can go below ρ = 1950"),
    ],
)
def test_verdicts_and_exit_codes(path, claim, code, words, capsys):
    assert main(["check", path, "--claim", claim]) == code
    captured = capsys.readouterr()
    assert words in captured.out
    assert captured.err == ""


def test_undecided_has_a_code_of_its_own(tmp_path, capsys):
    (tmp_path / "run.toml").write_text(FILE.replace("poisson", "without replacement"))
    assert main(["check", str(tmp_path / "run.toml"), "--claim", "epsilon=1.75 delta=1e-5"]) == 3
    assert "Undecided" in capsys.readouterr().out


def test_the_claim_of_the_file(path, tmp_path, capsys):
    (tmp_path / "with.toml").write_text('claim = "epsilon=1.75 delta=1e-5"\n' + FILE)
    assert main(["check", str(tmp_path / "with.toml"), "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["tables"]["verdict"]["rows"]
    assert row["status"] == "sound"
    assert row["lower"] <= 1.7439721832162 <= row["upper"]
    assert main(["check", path]) == 2
    assert "run.toml holds no claim; give --claim" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--claim", "epsilom=1"], "claim has no 'epsilom'; did you mean 'epsilon'?"),
        (["--claim", ""], "exactly one of epsilon, mu and rho"),
    ],
)
def test_bad_input(path, arguments, message, capsys):
    assert message in refused(capsys, "check", path, *arguments)
