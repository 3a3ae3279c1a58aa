"""Run files: both formats, every way to get one wrong, and nothing but a DomainError for anything else."""

import contextlib
import datetime
import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gaussdp
from gaussdp import DPSGD, Claim, Composition, DomainError, Laplace, Run, Training
from gaussdp.statements.machine import schema
from gaussdp.statements.run_files import TRAINING_KEYS

TOP_KEYS = ("training", "releases", *(key for key in Run.file_keys() if key != "clip_norm"))
FILE = """
title = "Digits"
unit = "one image"
records_per_unit = 1
adjacency = "add-remove"
sampling = "poisson"
tuning = "counted"
tuning_runs = 4
accesses = ["training"]
outputs = "weights"
claim = "epsilon=3.0 delta=1e-5"

[training]
noise_multiplier = 1.0
dataset_size = 50_000
batch_size = 256
epochs = 20
"""
MAPPING = {
    "title": "Digits",
    "unit": "one image",
    "records_per_unit": 1,
    "adjacency": "add-remove",
    "sampling": "poisson",
    "tuning": "counted",
    "tuning_runs": 4,
    "accesses": ["training"],
    "outputs": ["weights"],
    "claim": "epsilon=3.0 delta=1e-5",
    "training": {"noise_multiplier": 1.0, "dataset_size": 50_000, "batch_size": 256, "epochs": 20},
}


def test_toml_json_and_the_constructor_say_the_same():
    run = Run.parse(FILE, "run.toml")
    assert run == Run.parse(json.dumps(MAPPING), "run.json") == Run.from_mapping(MAPPING)
    assert run == Run(
        mechanism=DPSGD.from_training(50_000, 256, 20, 1.0),
        dataset_size=50_000,
        epochs=20,
        unit="one image",
        records_per_unit=1,
        adjacency="add-remove",
        sampling="poisson",
        tuning="counted",
        tuning_runs=4,
        accesses=("training",),
        outputs=("weights",),
        title="Digits",
        claim=Claim(epsilon=3.0, delta=1e-5),
    )
    assert dict(run.accounted.parts()) == dict((5 * run.mechanism).parts())


def test_passes_of_a_loader():
    """60,000 records in batches of 256: 234 full ones, and one of 96 that is dropped or kept."""
    for stated, batches, steps in (
        ({"drop_last": True}, None, 15 * 234),
        ({"drop_last": False}, None, 15 * 235),
        ({"batches_per_pass": 235}, 235, 15 * 235),
        ({"batches_per_pass": 235, "drop_last": False, "steps": 3525}, 235, 3525),
        ({}, None, 3516),
    ):
        training = {"noise_multiplier": 1.0, "dataset_size": 60_000, "batch_size": 256, "epochs": 15, **stated}
        mapping = {"unit": "a", "adjacency": "add-remove", "sampling": "shuffle", "training": training}
        run = Run.from_mapping(mapping)
        assert run.mechanism.steps == steps
        assert (run.batches_per_pass, run.drop_last) == (batches, stated.get("drop_last"))
    step = {"mechanism": "dpsgd", "noise_multiplier": 1.0, "sample_rate": 0.3, "steps": 3}
    beside = {"unit": "a", "adjacency": "add-remove", "sampling": "fixed batches", "releases": [step]}
    assert Run.from_mapping({**beside, "batches_per_pass": 4}).batches_per_pass == 4
    with pytest.raises(
        DomainError, match=r"batches_per_pass must agree with sample rate 0.3, which makes 3 to 4, got 5"
    ):
        Run.from_mapping({**beside, "batches_per_pass": 5})
    plain = {**beside, "sampling": "full batch", "releases": [{"mechanism": "laplace", "scale": 1.0}]}
    with pytest.raises(DomainError, match="drop_last is about batches cut from the data"):
        Run.from_mapping({**plain, "drop_last": True})


def test_releases():
    releases = '[[releases]]\nmechanism = "laplace"\nscale = 10.0\ntimes = 3\n'
    run = Run.parse(f'unit = "a"\nadjacency = "add-remove"\n{releases}', "run.toml")
    assert run.mechanism == Composition([3 * Laplace(10.0)])
    with pytest.raises(DomainError, match=r"^run.toml, line 4: laplace has no parameter 'scales'"):
        Run.parse(f'unit = "a"\nadjacency = "add-remove"\n{releases.replace("scale", "scales")}', "run.toml")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("epochs = 20", "epochs = 20\ndrop_last = 1", "line 18: drop_last must be true or false, got 1"),
        (
            "epochs = 20",
            "epochs = 20\ndrop_last = true",
            "drop_last is about batches cut from the data, and those with sa",
        ),
        (
            "epochs = 20",
            "epochs = 20\nbatches_per_pass = 194",
            "line 18: batches_per_pass must agree with sample rate 0.00512, which makes 195 to 196, got 194; lea",
        ),
        (
            "epochs = 20",
            "epochs = 20\nbatches_per_pass = 195\ndrop_last = false",
            "line 18: batches_per_pass must agree .* makes 196 if the last is kept, got 195",
        ),
        (
            "epochs = 20",
            "epochs = 20\nsteps = 3907\nbatches_per_pass = 196",
            "line 18: steps must agree with epochs: 20 epochs at sample rate 0.00512 are 3920 steps",
        ),
        (
            'tuning = "counted"',
            'tuning = "counted"\ndrop_last = true',
            "line 8: drop_last belongs under .training., besid",
        ),
        ('unit = "one image"\n', "", r'^run.toml: unit is missing: .* write, for example, unit = "one person"'),
        ('unit = "one image"', 'unit = ""', "^run.toml, line 3: unit must not be empty"),
        (
            'adjacency = "add-remove"\n',
            "",
            '^run.toml: adjacency is missing: .* write adjacency = "add-remove" or "rep',
        ),
        (
            "add-remove",
            "add/remove",
            "line 5: adjacency must be one of 'add-remove', 'replace-one', got 'add/remove'; did",
        ),
        ("adjacency", "adjacancy", "line 5: unknown key 'adjacancy'; did you mean 'adjacency'"),
        ("sampling", "clipp", "line 6: unknown key 'clipp'; did you mean 'clipping'"),
        ("poisson", "Poisson", "line 6: sampling must be one of 'poisson', .* did you mean 'poisson'"),
        ("poisson", "full batch", 'line 6: sampling is "full batch", but .*batch_size = dataset_size'),
        ('"counted"', '"none"', 'line 7: tuning is "none", but tuning_runs is 4; write tuning = "counted"'),
        ('tuning = "counted"\n', "", 'tuning is missing beside tuning_runs; write tuning = "counted"'),
        ("tuning_runs = 4", "tuning_runs = 0", "line 8: tuning_runs must be a whole number of at least 1, got 0"),
        ('["training"]', "[1]", r"line 9: accesses must be text, got 1; write, for example, accesses = \["),
        ('"weights"', '"a\\u001bb"', r"line 10: outputs must be printable text, got the control character U\+001B"),
        ("epsilon=3.0", "epsilon=-3", "line 11: claim must state a guarantee: epsilon must be in"),
        ("epsilon=3.0", "epsilom=3", "line 11: claim must state a guarantee: claim has no 'epsilom'; did you mean"),
        ("noise_multiplier = 1.0\n", "", "^run.toml, line 13: noise_multiplier is missing; write the noise's standard"),
        ("noise_multiplier = 1.0", "noise_multiplier = 0", r"line 14: noise_multiplier must be in \(0, inf\), got 0"),
        (
            "noise_multiplier",
            "noise_multipler",
            r"line 14: unknown key 'noise_multipler' in \[training\]; did you mean",
        ),
        (
            "batch_size = 256",
            "batch_size = 50_001",
            "line 16: batch_size must be at most dataset_size 50000, got 50001; w",
        ),
        ("batch_size = 256\n", "", "line 13: batch_size is missing: .* write batch_size"),
        (
            "epochs = 20",
            "steps = 3907\nsample_rate = 0.01",
            "line 18: sample_rate must agree with batch_size / dataset_si",
        ),
        (
            "epochs = 20",
            "epochs = 20\nsteps = 20",
            "line 18: steps must agree with epochs: 20 epochs .* are 3907 steps",
        ),
        ("epochs = 20", "", "line 13: steps is missing: .* write steps or epochs"),
        ("epochs = 20", "epochs = nan", r"line 17: epochs must be in \(0, inf\), got nan"),
        ("epochs = 20", "epochs = 1e300", r"line 17: epochs must be in \[1e-15, 1e\+15\], got 1e\+300"),
        ("epochs = 20", "epochs = 1e14", r"line 17: epochs must make at most 1e\+15 steps"),
        ("dataset_size = 50_000", "dataset_size = 1e4", "line 15: dataset_size must be a whole number of at least 1"),
        ("epochs = 20", 'epochs = 20\nunit = "x"', r"line 18: unknown key 'unit' in \[training\]; it belongs above"),
        ('title = "Digits"', "epochs = 3", r"line 2: epochs belongs under \[training\], beside batch_size"),
        ('title = "Digits"', "dataset_size = 3", r"line 2: dataset_size belongs under \[training\]"),
        ("records_per_unit = 1", "records_per_unit = 50_001", "line 4: records_per_unit must be at most dataset_size"),
        ("[training]", "[trainin]", "line 13: unknown key 'trainin'; did you mean 'training'"),
        ("[training]", "[[training]]", "training must be a table with noise_multiplier"),
        ("[training]", "[training", "^run.toml: .*line 13"),
    ],
)
def test_what_is_wrong_where_and_what_to_write(old, new, message):
    assert old in FILE
    with pytest.raises(DomainError, match=message):
        Run.parse(FILE.replace(old, new, 1), "run.toml")


def test_a_mechanism_and_only_one():
    with pytest.raises(DomainError, match=r"either a table \[training\] or a list \[\[releases\]\], got neither"):
        Run.from_mapping({"unit": "a", "adjacency": "add-remove"})
    with pytest.raises(DomainError, match="got both"):
        Run.from_mapping({**MAPPING, "releases": [{"mechanism": "laplace", "scale": 1}]})
    with pytest.raises(DomainError, match="releases must be a list with at least one entry"):
        Run.from_mapping({"unit": "a", "adjacency": "add-remove", "releases": []})


def test_steps_and_epochs_that_agree():
    for steps in (3900, 3907, 3920):  # a loader that drops its last batch, exact, one that keeps it
        numbers = Training(noise_multiplier=1.0, dataset_size=50_000, batch_size=256, epochs=20, steps=steps)
        assert numbers.mechanism.steps == steps
    assert Training(noise_multiplier=1.0, sample_rate=0.00512, epochs=20).mechanism.steps == 3907
    assert Training(noise_multiplier=1.0, dataset_size=50_000, batch_size=256, sample_rate=0.0051, steps=9)


@pytest.mark.parametrize("name", ["run.toml", "run.json"])
@pytest.mark.parametrize(
    "text", ["", "[" * 100_000, "x = " + "9" * 5000, '{"a": ' + "9" * 5000 + "}", "\ud800", "null", "3"]
)
def test_no_text_makes_another_error(text, name):
    with pytest.raises(DomainError):
        Run.parse(text, name)


@pytest.mark.parametrize("name", ["run.toml", "run.json"])
def test_a_mark_in_front_of_the_text_is_no_part_of_it(name, tmp_path):
    text = FILE if name.endswith("toml") else json.dumps(MAPPING)
    assert Run.parse("\ufeff" + text, name) == Run.parse(text, name)
    (tmp_path / name).write_text(text, encoding="utf-8-sig")
    assert Run.read(tmp_path / name) == Run.parse(text, name)


def test_a_key_that_stands_twice_is_refused():
    with pytest.raises(DomainError, match=r"run.json: states the key 'adjacency' twice"):
        Run.parse('{"adjacency": "add-remove", "adjacency": "replace-one"}', "run.json")
    with pytest.raises(DomainError, match=r"run.toml: Cannot overwrite a value"):
        Run.parse('adjacency = "add-remove"\nadjacency = "replace-one"', "run.toml")


def test_an_enormous_number_is_refused_not_printed():
    for key in ("dataset_size", "batch_size", "steps"):
        with pytest.raises(DomainError, match=f"{key} must be a whole number of at most"):
            Run.from_mapping({**MAPPING, "training": {**MAPPING["training"], key: 10**5000}})


scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(10**20, 10**400)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["poisson", "shuffle", "counted", "none", "secure", "add-remove", "replace-one", "rho=1", "mu=1"])
    | st.just(datetime.date(2026, 1, 1))
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner), max_leaves=6
)
positive = st.integers(1, 10**6) | st.floats(1e-6, 10)
tables = st.dictionaries(st.sampled_from(TRAINING_KEYS) | st.text(max_size=5), positive | values, max_size=5)
entries = st.fixed_dictionaries(
    {"mechanism": st.sampled_from(["dpsgd", "gaussian", "laplace", "pure-dp", "discrete-laplace"]) | values},
    optional=dict.fromkeys(
        ("noise_multiplier", "scale", "epsilon", "steps", "sample_rate", "times"), positive | values
    ),
)


@given(
    st.dictionaries(st.sampled_from(TOP_KEYS) | st.text(max_size=5) | st.integers(), values, max_size=6)
    | st.fixed_dictionaries(
        {"unit": st.just("one") | values, "adjacency": st.sampled_from(["add-remove", "replace-one"]) | values},
        optional={
            "training": tables,
            "releases": st.lists(entries, max_size=2) | values,
            **dict.fromkeys(TOP_KEYS[4:], values),
        },
    )
    | values
)
def test_any_mapping_is_a_run_or_a_domain_error(content):
    with contextlib.suppress(DomainError):
        assert isinstance(Run.from_mapping(content), Run)


@given(st.dictionaries(st.sampled_from(TRAINING_KEYS), positive | scalars))
def test_any_training_is_a_run_or_a_domain_error(numbers):
    try:
        run = Run.from_mapping({"unit": "one", "adjacency": "add-remove", "training": numbers})
    except DomainError:
        return
    assert 0 < run.mechanism.sample_rate <= 1
    assert run.mechanism.steps >= 1


class TestBestOf:
    text = (
        'unit = "one person"\nadjacency = "add-remove"\nrecords_per_unit = 1\ntuning = "best of"\ntuning_mean = 10\n'
        '[[releases]]\nmechanism = "gaussian"\nnoise_multiplier = 2.127659574468085\n'
    )

    def test_the_number_is_of_the_best_run(self):
        run = Run.parse(self.text)
        assert run.accounted == gaussdp.BestOf(run.mechanism, 10, 1.0)
        report = gaussdp.report_run(run, deltas=[1e-5])
        assert report.epsilon.rows[0][1] == pytest.approx(3.53, abs=5e-3)
        assert "best of 10 runs" in report.render("text")
        jsonschema.validate(json.loads(report.render("json")), schema())
        assert gaussdp.check_claim(run, "epsilon=3.6 delta=1e-5").holds
        assert gaussdp.check_claim(run, "epsilon=1.87 delta=1e-5").status == "undecided"

    @pytest.mark.parametrize(
        ("old", "new", "words"),
        [
            ("tuning_mean = 10\n", "", "tuning_mean is missing"),
            ("tuning_mean = 10", "tuning_mean = 1", "tuning_mean must be in"),
            ("tuning_mean = 10", "tuning_mean = 10\ntuning_shape = -1", "tuning_shape must be in"),
            ("tuning_mean = 10", "tuning_mean = 10\ntuning_runs = 3", "tuning_runs is a fixed number"),
            ('"best of"', '"counted"', "tuning_mean is of a random number of runs"),
        ],
    )
    def test_contradictions(self, old, new, words):
        with pytest.raises(gaussdp.DomainError, match=words):
            Run.parse(self.text.replace(old, new))
