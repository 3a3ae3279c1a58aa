import json

import pytest

from commands import refused
from gaussdp import GDP, Advantage, AtMost, MultiplicativeAdvantage, PureDP, calibration, choose
from gaussdp.cli import main

TRAINING = ["--dataset-size", "50000", "--batch-size", "256", "--epochs", "30"]
RUN = ["--sample-rate", "0.01", "--steps", "1000"]


def tables(capsys, *arguments):
    assert main(["calibrate", *arguments, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    return document["tables"]["calibration"]["rows"][0], document["tables"]["run"]["rows"][0]


def test_a_policy(capsys):
    answer, run = tables(capsys, "--epsilon", "1", "--fpr", "1e-3", *TRAINING)
    target = choose(PureDP(1.0), MultiplicativeAdvantage(fpr=1e-3))
    expected = calibration.noise_multiplier(target, sample_rate=0.00512, steps=5860)
    assert answer["value"] == expected.value == run["noise_multiplier"]
    assert expected.achieved <= answer["achieved"] <= answer["target"] < answer["next_achieved"]
    assert (answer["status"], run["sample_rate"], run["steps"]) == ("tight", 0.00512, 5860)


def test_a_pair_is_of_the_run_itself(capsys):
    pair, _ = tables(capsys, "--target-epsilon", "1", "--target-delta", "1e-5", *RUN)
    bound, _ = tables(capsys, "--at-most", "epsilon@1e-5=1", *RUN)
    assert pair == bound
    matched, _ = tables(capsys, "--policy-epsilon", "1", "--delta", "1e-5", *RUN)
    assert matched["value"] > pair["value"]


def test_a_saturated_policy_says_so(capsys):
    assert main(["calibrate", "--policy-epsilon", "8", "--fpr", "1e-3", *RUN]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Saturated: the policy hardly limits the attack at FPR 1e-3" in out
    assert "Use multiplicative advantage at FPR 1e-5 instead" in out


def test_words(capsys):
    assert main(["calibrate", "--epsilon", "1", "--fpr", "1e-3", *TRAINING]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "matched on multiplicative advantage at FPR 1e-3, is a budget of μ = 0.3102." in out
    assert "noise_multiplier=1.474, poisson_sampling=True), for 5860 steps." in out
    assert "It samples at 1/len(data_loader)" in out
    assert "196 batches or more" in out
    assert "Assumes Poisson sampling" in out
    assert "at least 1e-10" in out


@pytest.mark.parametrize(
    ("option", "measure"),
    [
        ("advantage=0.1", "TPR − FPR"),
        ("tpr@1e-2=0.03", "TPR at FPR 1e-2"),
        ("multiplicative-advantage@1e-2=3", "TPR/FPR at FPR 1e-2"),
        ("precision@0.1=0.7", "precision at recall 0.1 with prior 0.5"),
        ("accuracy=0.55", "share of right guesses with prior 0.5"),
        ("epsilon@1e-5=1", "ε at δ = 1e-5"),
        ("identification@1/1000=1%", "chance of a right guess at chance 1 in 1,000"),
        ("mu=0.3", "μ"),
    ],
)
def test_bounds(option, measure, capsys):
    assert main(["calibrate", "--at-most", option, *RUN]) == 0
    out = capsys.readouterr().out
    bound = option.split("=")[1].replace("1%", "0.01")
    assert out.startswith(f"{measure} at most {bound}: DP-SGD with noise multiplier ")
    assert "tight" in out


def test_the_steps_and_the_sample_rate(capsys):
    target = AtMost(Advantage(), 0.1)
    options = ["--at-most", "advantage=0.1", "--noise-multiplier", "1"]
    answer, run = tables(capsys, *options, "--dataset-size", "50000", "--batch-size", "100")
    expected = calibration.steps(target, noise_multiplier=1.0, sample_rate=0.002).value
    assert answer["value"] == run["steps"] == expected
    answer, run = tables(capsys, *options, "--steps", "10000")
    assert answer["value"] == calibration.sample_rate(target, noise_multiplier=1.0, steps=10_000).value


def test_the_end_of_the_range(capsys):
    answer, _ = tables(capsys, "--mu", "1", "--noise-multiplier", "100", "--steps", "1000")
    assert (answer["value"], answer["status"], answer["next_value"]) == (1.0, "range end", "–")


@pytest.mark.parametrize("style", ["text", "markdown", "csv", "latex"])
def test_every_format(style, capsys):
    assert main(["calibrate", "--mu", "0.5", *RUN, "--format", style, "--digits", "6"]) == 0
    assert "tight" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give one of --target-epsilon"),
        (["--epsilon", "1", *RUN], "--policy-epsilon (with one of --fpr, --recall, --delta, --chance)"),
        (
            ["--epsilon", "1", "--delta", "1e-5", *RUN],
            "--target-epsilon 1 --target-delta 1e-5 for (ε, δ)-DP",
        ),
        (["--policy-epsilon", "1", "--fpr", "0.1", "--delta", "0.1", *RUN], "give one of --target-epsilon"),
        (["--policy-epsilon", "1", "--epsilon", "1", "--fpr", "0.1", *RUN], "are the same: give one"),
        (["--target-epsilon", "1", *RUN], "--target-epsilon and --target-delta go together"),
        (["--target-epsilon", "1", "--target-delta", "1e-5", "--mu", "1", *RUN], "give one of --target-epsilon"),
        (["--mu", "1", "--fpr", "0.1", *RUN], "give one of --target-epsilon"),
        (["--mu", "1", "--at-most", "mu=1", *RUN], "give one of --target-epsilon"),
        (["--mu", "1"], "give two of the noise"),
        (["--mu", "1", "--noise-multiplier", "1", *RUN], "give two of the noise"),
        (["--mu", "1", "--epochs", "1", *RUN], "either --steps or --epochs"),
        (["--mu", "1", "--epochs", "1"], "--epochs needs them or --sample-rate"),
        (["--mu", "1", "--steps", "10", *TRAINING], "give the sample rate once"),
        (["--mu", "1", "--sample-rate", "2", "--steps", "3"], "sample_rate must be in (0, 1], got 2.0"),
        (["--mu", "0", *RUN], "only a release that says nothing meets it"),
        (["--mu", "-1", *RUN], "mu must be in [0, inf], got -1.0"),
        (["--at-most", "luck=0.1", *RUN], "target must be one of mu=VALUE"),
        (["--at-most", "tpr=0.1", *RUN], "target must be one of"),
        (["--at-most", "advantage=much", *RUN], "target must hold numbers, got 'much'"),
        (["--at-most", "advantage=nan", *RUN], "value must be in (-inf, inf), got nan"),
        (["--at-most", "advantage=1e-7", *RUN], "is out of reach: noise_multiplier = 10000 still gives"),
        (["--mu", "1", "--digits", "17", *RUN], "digits must be a whole number from 1 to 12"),
    ],
)
def test_bad_input(arguments, message, capsys):
    assert message in refused(capsys, "calibrate", *arguments)


SIZES = ["--dataset-size", "5000", "--batch-size", "250"]


def test_other_batches(capsys):
    arguments = ["calibrate", "--mu", "1", "--sampling", "random allocation", *SIZES, "--epochs", "2", "--digits", "3"]
    assert main([*arguments, "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)["tables"]["calibration"]["rows"][0]
    expected = calibration.training_noise(
        GDP(1.0), calibration.Pipeline(5000, 250, epochs=2, sampling="random allocation"), digits=3
    )
    assert answer["value"] == expected.value
    assert main(arguments) == 0
    assert "put into batches at random" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("sampling", ["random allocation", "without replacement"])
def test_the_run_of_any_sampling_is_a_table(capsys, sampling):
    neighbours = ["--adjacency", "replace-one"] if sampling == "without replacement" else []
    arguments = ["--mu", "1", "--sampling", sampling, *neighbours, *SIZES, "--epochs", "2", "--digits", "3"]
    assert main(["calibrate", *arguments, "--table", "run", "--format", "csv"]) == 0
    names, numbers = (line.split(",") for line in capsys.readouterr().out.splitlines()[-2:])
    run = dict(zip(names, map(float, numbers), strict=True))
    answer, again = tables(capsys, *arguments)
    assert run["noise_multiplier"] == answer["value"] == again["noise_multiplier"]
    assert run.get("batches") == (20 if sampling == "random allocation" else None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sample-rate", "0.1", "--steps", "5"], "solves for the noise, from --dataset-size"),
        ([*SIZES, "--epochs", "2", "--noise-multiplier", "1"], "solves for the noise"),
        ([*SIZES], "epochs or steps must be given"),
        ([*SIZES, "--epochs", "2", "--adjacency", "replace-one"], "adjacency must be add-remove for random allocation"),
    ],
)
def test_bad_other_batches(arguments, message, capsys):
    assert message in refused(capsys, "calibrate", "--mu", "1", "--sampling", "random allocation", *arguments)


class TestRunFiles:
    """The run file of a training tells everything but the noise."""

    HEAD = 'unit = "one image"\nadjacency = "add-remove"\n'
    TRAINED = "\n[training]\nnoise_multiplier = 1.0\nsample_rate = 0.01\nsteps = 1000\n"

    def test_the_noise_of_its_run(self, tmp_path, capsys):
        (tmp_path / "run.toml").write_text(self.HEAD + 'sampling = "poisson"\n' + self.TRAINED)
        assert tables(capsys, str(tmp_path / "run.toml"), "--mu", "0.5") == tables(capsys, "--mu", "0.5", *RUN)
        (tmp_path / "run.toml").write_text(self.HEAD + "records_per_unit = 2\n" + self.TRAINED)
        found = tables(capsys, str(tmp_path / "run.toml"), "--mu", "0.5")
        assert found == tables(capsys, "--mu", "0.5", *RUN, "--records-per-unit", "2")

    @pytest.mark.parametrize(
        ("sampling", "adjacency"), [("random allocation", "add-remove"), ("without replacement", "replace-one")]
    )
    def test_however_its_batches_are_made(self, sampling, adjacency, tmp_path, capsys):
        sizes = {"dataset-size": "2000", "batch-size": "100", "steps": "40"}
        lines = [f'unit = "one image"\nadjacency = "{adjacency}"\nsampling = "{sampling}"']
        lines += ["[training]\nnoise_multiplier = 1.0", *(f"{key.replace('-', '_')} = {n}" for key, n in sizes.items())]
        (tmp_path / "run.toml").write_text("\n".join(lines))
        options = [word for key, n in sizes.items() for word in (f"--{key}", n)]
        answers = []
        for run in ([str(tmp_path / "run.toml")], ["--sampling", sampling, "--adjacency", adjacency, *options]):
            assert main(["calibrate", *run, "--mu", "1", "--format", "json"]) == 0
            answers.append(json.loads(capsys.readouterr().out)["tables"]["calibration"])
        assert answers[0] == answers[1]

    @pytest.mark.parametrize(
        ("lines", "message"),
        [
            ('sampling = "shuffle"\n', "sampling must be"),
            ('tuning = "not counted"\n', "tuning must be"),
            ('clipping = "per-batch"\n', "clipping must be"),
        ],
    )
    def test_runs_whose_noise_is_not_known(self, lines, message, tmp_path, capsys):
        (tmp_path / "run.toml").write_text(self.HEAD + lines + self.TRAINED)
        assert main(["calibrate", str(tmp_path / "run.toml"), "--mu", "1"]) == 2
        assert f"run.toml: {message}" in capsys.readouterr().err
        assert main(["calibrate", str(tmp_path / "run.toml"), "--mu", "1", "--steps", "5"]) == 2
        assert "FILE tells the run: leave --steps out" in capsys.readouterr().err
        assert main(["calibrate", str(tmp_path / "run.toml"), "--mu", "1", "--adjacency", "replace-one"]) == 2
        assert "leave --adjacency out" in capsys.readouterr().err


def test_a_sample_rate_and_epochs(capsys):
    assert tables(capsys, "--mu", "1", "--sample-rate", "0.01", "--epochs", "10") == tables(capsys, "--mu", "1", *RUN)


def test_the_noise_of_counts_sums_and_tables(capsys):
    """sensitivity * sqrt(12) / mu, rounded up; by any target."""
    told = ["calibrate", "--mu", "0.5066", "--releases", "12", "--sensitivity", "50", "--format", "json"]
    assert main(told) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    (row,) = tables["run"]["rows"]
    assert row == {"releases": 12, "sensitivity": 50.0, "standard_deviation": 341.9}
    assert 50 * 12**0.5 / 0.5066 <= row["standard_deviation"] <= 50 * 12**0.5 / 0.5066 * 1.001
    assert (
        main(["calibrate", "--target-epsilon", "1", "--target-delta", "1e-5", "--releases", "3", "--table", "run"]) == 0
    )
    assert "standard deviation" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--sensitivity", "3"], "--sensitivity goes with --releases"),
        (["--releases", "0"], "releases must be a whole number of at least 1"),
        (["--releases", "3", "--sensitivity", "-1"], "sensitivity must be in"),
        (["--releases", "3", "--steps", "9"], "leave --steps out"),
        (["--releases", "3", "--records-per-unit", "2"], "leave --records-per-unit out"),
        (["run.toml", "--releases", "3"], "leave FILE out"),
    ],
)
def test_what_is_wrong_about_releases(options, message, capsys):
    assert message in refused(capsys, "calibrate", "--mu", "1", *options)
