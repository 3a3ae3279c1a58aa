import json

import pytest

from commands import refused
from gaussdp import read_points
from gaussdp.accounting import account
from gaussdp.cli import main
from gaussdp.mechanisms import DPSGD

PLAN = """
[[releases]]
mechanism = "gaussian"
noise_multiplier = 4.0
times = 4

[[releases]]
mechanism = "gaussian"
noise_multiplier = 2.0
"""
TRAINING = ["--dataset-size", "50000", "--batch-size", "100", "--epochs", "20"]


def test_dpsgd_by_its_training(capsys):
    assert (
        main(
            [
                "account",
                "dpsgd",
                "--noise-multiplier",
                "0.5",
                *TRAINING,
                "--delta",
                "1e-5",
                "--format",
                "json",
                "--digits",
                "10",
            ]
        )
        == 0
    )
    document = json.loads(capsys.readouterr().out)
    (row,) = document["tables"]["guarantee"]["rows"]
    curve = account(DPSGD(0.5, 0.002, 10_000))
    assert row["mu"] == pytest.approx(1.893517, abs=1e-6)
    assert row["mu"] >= curve.fit().mu
    assert row["mu_lower"] <= curve.fit().mu_lower
    (at_delta,) = document["tables"]["epsilon"]["rows"]
    assert at_delta["epsilon"] == pytest.approx(curve.epsilon(1e-5), rel=1e-9)
    assert at_delta["epsilon"] >= curve.epsilon(1e-5)


def test_words(capsys):
    assert main(["account", "dpsgd", "--noise-multiplier", "0.5", "--sample-rate", "0.002", "--steps", "10000"]) == 0
    out = capsys.readouterr().out
    assert "DP-SGD with noise multiplier 0.5, sample rate 0.002 and 10,000 steps, add-remove adjacency" in out
    assert "μ = 1.894 holds for every attack whose FPR and FNR are at least 1e-10." in out
    assert "report the curve" in out
    assert "Assumes Poisson sampling" in out


def test_a_plan(tmp_path, capsys):
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    assert main(["account", str(path)]) == 0
    out = capsys.readouterr().out
    assert "0.7072" in out
    assert "exactly 0.7072-GDP: no floor and no slack are needed" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["dpsgd", "--noise-multiplier", "1"], "give --sample-rate"),
        (["dpsgd", "--noise-multiplier", "1", "--sample-rate", "0.1", *TRAINING], "give --sample-rate"),
        (["dpsgd", "--noise-multiplier", "0", *TRAINING], "noise_multiplier must be in (0, inf), got 0.0"),
        (["dpsgd", "--noise-multiplier", "1", "--sample-rate", "2", "--steps", "3"], "sample_rate must be in (0, 1]"),
        (["dpsgd", "--noise-multiplier", "1", "--sample-rate", "1", "--steps", "2.5"], "'2.5' is not a whole number"),
        (["dpsgd", "--noise-multiplier", "1", *TRAINING, "--floor", "0"], "floor must be in (0, 1), got 0.0"),
        (["dpsgd", "--noise-multiplier", "1", *TRAINING, "--delta", "0"], "delta must be in (0, 1), got 0.0"),
        (["nothing.toml"], "nothing.toml: cannot be read: No such file or directory"),
    ],
)
def test_bad_input(arguments, message, capsys):
    assert message in refused(capsys, "account", *arguments)


def test_plot(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    path = tmp_path / "curve.svg"
    assert main(["account", "dpsgd", "--noise-multiplier", "1", *TRAINING, "--plot", str(path)]) == 0
    assert path.read_bytes().startswith(b"<?xml")
    assert main(["account", "dpsgd", "--noise-multiplier", "1", *TRAINING, "--plot", str(tmp_path / "x.bmp")]) == 2
    assert "must end in .svg, .pdf or .png" in capsys.readouterr().err
    assert (
        main(["account", "dpsgd", "--noise-multiplier", "1", *TRAINING, "--plot", str(tmp_path / "no" / "x.png")]) == 2
    )
    assert capsys.readouterr().err.count("\n") == 1


def test_help_without_arguments(capsys):
    assert main(["account"]) == 0
    assert "gaussdp account plan.toml" in capsys.readouterr().out


class TestPoints:
    POINTS = "alpha,beta\n0.001,0.98\n0.01,0.92\n0.1,0.65\n0.3,0.35\n"

    def test_a_csv_file_is_taken_for_points(self, tmp_path, capsys):
        file = tmp_path / "points.csv"
        file.write_text(self.POINTS)
        assert main(["account", str(file), "--format", "json", "--digits", "10"]) == 0
        shown = json.loads(capsys.readouterr().out)
        fit = account(read_points(file)).fit()
        assert shown["title"] == "points.csv: 4 bounds"
        assert shown["tables"]["guarantee"]["rows"][0]["mu"] == pytest.approx(fit.mu, rel=1e-9)
        assert "the curve passes below the points" in shown["notes"][0]

    def test_options_and_plot(self, tmp_path, capsys):
        file, picture = tmp_path / "points.csv", tmp_path / "curve.svg"
        file.write_text(self.POINTS)
        given = ["--meaning", "vertices", "--directions", "one", "--floor", "1e-3", "--plot", str(picture)]
        assert main(["account", "points", str(file), *given]) == 0
        assert "4 vertices" in capsys.readouterr().out
        assert picture.read_text().startswith("<?xml")

    @pytest.mark.parametrize("meaning", ["bounds", "vertices"])
    def test_points_of_one_direction_are_worth_less(self, meaning, tmp_path, capsys):
        """What was shown for one order of the datasets alone must not be read as if it held for both."""
        file, found = tmp_path / "points.csv", {}
        file.write_text(self.POINTS)
        for directions in ("one", "both"):
            given = ["--meaning", meaning, "--directions", directions, "--floor", "1e-2", "--format", "json"]
            assert main(["account", "points", str(file), *given, "--digits", "12"]) == 0
            row = json.loads(capsys.readouterr().out)["tables"]["guarantee"]["rows"][0]
            fit = account(read_points(file, meaning=meaning, directions=directions)).fit(1e-2)
            assert row["mu"] == pytest.approx(fit.mu, rel=1e-9)
            found[directions] = row["mu"]
        assert found["one"] > 1.05 * found["both"]

    def test_a_file_that_a_spreadsheet_wrote(self, tmp_path, capsys):
        """It begins with a mark of its order of bytes, which is no part of the first name."""
        file = tmp_path / "points.csv"
        file.write_text(self.POINTS, encoding="utf-8-sig")
        assert main(["account", str(file), "--table", "guarantee"]) == 0
        assert "4 bounds" in capsys.readouterr().out

    def test_statements(self, tmp_path, capsys):
        file = tmp_path / "profile.TSV"
        file.write_text("epsilon\tdelta\n0.5\t1e-2\n1\t1e-4\n")
        assert main(["account", str(file), "--table", "guarantee"]) == 0
        assert "2 (ε, δ) statements" in capsys.readouterr().out

    def test_bad_points(self, tmp_path, capsys):
        file = tmp_path / "points.csv"
        file.write_text(self.POINTS + "0.4,0.5\n")
        assert main(["account", str(file)]) == 2
        message = capsys.readouterr().err
        assert message.startswith("gaussdp: points.csv, line 6: fnr 0.5 is above")
        assert message.count("\n") == 1
        assert main(["account", str(tmp_path / "absent.csv")]) == 2
        assert "cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize("stated", ['sampling = "shuffle"', 'clipping = "per-batch"', 'tuning = "not counted"'])
def test_a_run_whose_numbers_do_not_hold_says_so_before_them(stated, tmp_path, capsys):
    file = tmp_path / "run.toml"
    training = "[training]\nnoise_multiplier = 1.0\nsample_rate = 0.01\nsteps = 100\n"
    file.write_text(f'unit = "one person"\nadjacency = "add-remove"\n{stated}\n{training}')
    assert main(["account", str(file)]) == 0
    head = " ".join(capsys.readouterr().out.split("The guarantee as one number")[0].split())
    assert "These numbers do not hold for the run as described." in head
    assert main(["account", str(file), "--format", "json"]) == 0
    assert "do not hold" in json.loads(capsys.readouterr().out)["title"]
    assert main(["account", str(file), "--format", "csv", "--table", "guarantee"]) == 0
    assert "do not hold" in capsys.readouterr().err
    assert "do not hold" in refused(capsys, "account", str(file), "--curve", str(tmp_path / "curve.csv"))
    assert not (tmp_path / "curve.csv").exists()
