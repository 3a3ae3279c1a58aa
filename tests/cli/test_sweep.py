import csv

import pytest

from commands import refused
from gaussdp.cli import main
from gaussdp.cli.sweep import values

pytest.importorskip("joblib")

SMALL = ["--dataset-size", "20000", "--batch-size", "200,400", "--epochs", "10:20:10", "--workers", "1"]


def test_ranges():
    assert values("10:100:10") == tuple(range(10, 101, 10))
    assert values("0.1:0.3:0.1,5") == (0.1, 0.2, 0.3, 5.0)


def test_a_sweep_and_its_figure(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    out, figure = tmp_path / "sweep.csv", tmp_path / "sweep.png"
    arguments = ["sweep", "--at-most", "advantage=0.1", "--mu", "2", *SMALL, "--out", str(out)]
    assert main([*arguments, "--figure", str(figure)]) == 0
    assert capsys.readouterr().out == f"8 designs (8 tight): 8 computed, 0 kept; {out}\n"
    with out.open() as file:
        rows = list(csv.DictReader(file))
    assert {row["target"] for row in rows} == {"mu=2", "advantage=0.1"}
    assert {(row["batch_size"], row["steps"]) for row in rows} == {
        ("200", "1000"), ("200", "2000"), ("400", "500"), ("400", "1000"),
    }  # fmt: skip
    assert figure.exists()
    assert main(arguments) == 0
    assert capsys.readouterr().out == f"8 designs (8 tight): 0 computed, 8 kept; {out}\n"


def test_targets_stand_in_the_order_given(tmp_path):
    out = tmp_path / "sweep.csv"
    targets = ["--at-most", "advantage=0.2", "--policy-epsilon", "3,1", "--fpr", "1e-3", "--mu", "2,1"]
    targets += ["--target-epsilon", "2", "--target-delta", "1e-5"]
    sizes = ["--dataset-size", "20000", "--batch-size", "200", "--steps", "100,50", "--records-per-unit", "2"]
    assert main(["sweep", *targets, *sizes, "--workers", "1", "--out", str(out)]) == 0
    with out.open() as file:
        rows = list(csv.DictReader(file))
    assert [row["target"] for row in rows[::2]] == [
        "advantage=0.2", "mu=1.03824682915", "mu=0.310272556994", "mu=2", "mu=1", "epsilon@1e-05=2",
    ]  # fmt: skip
    assert [row["steps"] for row in rows] == ["100", "50"] * 6
    assert {row["records_per_unit"] for row in rows} == {"2"}


class TestRunFiles:
    """A run file stands for the options that describe the run; what is given beside it varies."""

    RUN = 'unit = "one image"\nadjacency = "add-remove"\nrecords_per_unit = 2\n\n[training]\nnoise_multiplier = 1.0\n'

    def rows(self, tmp_path, numbers, *options):
        (tmp_path / "run.toml").write_text(self.RUN + numbers)
        out = tmp_path / f"{len(options)}.csv"
        assert main(["sweep", str(tmp_path / "run.toml"), *options, "--workers", "1", "--out", str(out)]) == 0
        with out.open() as file:
            return [(row["dataset_size"], row["batch_size"], row["steps"]) for row in csv.DictReader(file)]

    def test_what_it_tells_and_what_varies(self, tmp_path):
        numbers = "dataset_size = 20_000\nbatch_size = 200\nepochs = 10\n"
        assert self.rows(tmp_path, numbers, "--mu", "2,1") == [("20000", "200", "1000")] * 2
        rows = self.rows(tmp_path, numbers, "--mu", "1", "--steps", "300,100")
        assert rows == [("20000", "200", "300"), ("20000", "200", "100")]
        sizes = ["--dataset-size", "20000", "--batch-size", "400", "--epochs", "1"]
        assert self.rows(tmp_path, numbers, "--mu", "1", *sizes) == [("20000", "400", "50")]

    @pytest.mark.parametrize(("rate", "sizes"), [("0.01", ("100", "1")), (repr(3 / 7), ("7", "3"))])
    def test_a_sample_rate_alone(self, rate, sizes, tmp_path):
        assert self.rows(tmp_path, f"sample_rate = {rate}\nsteps = 20\n", "--mu", "1") == [(*sizes, "20")]

    def test_what_it_tells_is_not_told_again(self, tmp_path, capsys):
        (tmp_path / "run.toml").write_text(self.RUN + "sample_rate = 0.01\nsteps = 20\n")
        again = ["--records-per-unit", "3", "--out", str(tmp_path / "x.csv")]
        assert main(["sweep", str(tmp_path / "run.toml"), "--mu", "1", *again]) == 2
        assert "FILE tells the run: leave --records-per-unit out" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*SMALL, "--out", "x.csv"], "give at least one of --mu, --at-most, --target-epsilon"),
        (["--policy-epsilon", "1", *SMALL, "--out", "x.csv"], "--policy-epsilon goes with one of --fpr"),
        (["--mu", "1", "--fpr", "0.1", *SMALL, "--out", "x.csv"], "--policy-epsilon goes with one of --fpr"),
        (["--target-epsilon", "1", *SMALL, "--out", "x.csv"], "--target-epsilon and --target-delta go together"),
        (["--mu", "1", *SMALL, "--steps", "5", "--out", "x.csv"], "give --epochs or --steps, and not both"),
        (["--mu", "1", *SMALL, "--sampling", "without replacement", "--out", "x.csv"], "adjacency must be replace-one"),
        (["--mu", "1", *SMALL], "Missing option '--out'"),
        (["--mu", "1", *SMALL, "--out", "x.txt"], "must end in .csv, .jsonl, .parquet"),
        (["--mu", "1:2", *SMALL, "--out", "x.csv"], "'1:2' is not a range first:last:step"),
        (["--mu", "2:1:1", *SMALL, "--out", "x.csv"], "is not a range"),
        (["--mu", "0:1:1e-9", *SMALL, "--out", "x.csv"], "has more than 100,000 values"),
        (["--mu", "one", *SMALL, "--out", "x.csv"], "'one' is not a number"),
        (["--mu", "0", *SMALL, "--out", "x.csv"], "only a release that says nothing meets it"),
        (["--mu", "1", *SMALL, "--batch-size", "2.5", "--out", "x.csv"], "must hold whole numbers only"),
        (["--mu", "1", *SMALL, "--workers", "0", "--out", "x.csv"], "workers must be a whole number"),
        (["--mu", "1", *SMALL, "--figure", "x.gif", "--out", "x.csv"], "the name of the figure must end in"),
    ],
)
def test_bad_input(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert message in refused(capsys, "sweep", *arguments)
    assert list(tmp_path.iterdir()) == []


def test_sample_rates_instead_of_sizes(tmp_path, capsys):
    rates = ["--sample-rate", "0.02,0.00512", "--steps", "40", "--workers", "1"]
    assert main(["sweep", "--mu", "1,2", *rates, "--out", str(tmp_path / "rates.csv")]) == 0
    with (tmp_path / "rates.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["target"], float(row["sample_rate"])) for row in rows] == [
        ("mu=1", 0.02),
        ("mu=1", 0.00512),
        ("mu=2", 0.02),
        ("mu=2", 0.00512),
    ]
    capsys.readouterr()
    for arguments in (
        [*rates, "--dataset-size", "100"],
        rates[2:],
        [*rates, "--sampling", "random allocation"],
        ["--sample-rate", "1.5", *rates[2:]],
    ):
        assert main(["sweep", "--mu", "1", *arguments, "--out", str(tmp_path / "other.csv")]) == 2
        assert "--dataset-size" in (said := capsys.readouterr().err) or "sample_rate must be" in said
