"""Sweeps: the rows are right, kept as they come, and never computed twice."""

import json
import signal
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gaussdp
from gaussdp import DPSGD, RandomAllocation, WithoutReplacement
from gaussdp.calibration import Design, grid, noise_multiplier, parse_target, sweep
from gaussdp.calibration import sweeps as sweeping
from gaussdp.calibration.sweep_designs import COLUMNS
from gaussdp.calibration.sweeps import open_store

joblib = pytest.importorskip("joblib")

GRID = grid(["advantage=0.1", "advantage=0.2"], [20_000], [200, 400], [10, 20])


def forbidden(design):
    raise AssertionError(f"{design} is computed again")


def test_rows_are_calibrations():
    for row in sweep(GRID):
        expected = noise_multiplier(parse_target(row["target"]), sample_rate=row["sample_rate"], steps=row["steps"])
        assert row["noise_multiplier"] == expected.value
        assert row["achieved"] == expected.achieved
        assert (row["status"], row["evaluations"]) == ("tight", expected.evaluations)
        assert row["sample_rate"] == row["batch_size"] / 20_000


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_resumed(ending, tmp_path, monkeypatch):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    out = tmp_path / f"rows.{ending}"
    first = sweep(GRID[:3], out)
    calls = []
    solve = Design.solve
    monkeypatch.setattr(Design, "solve", lambda design: calls.append(design) or solve(design))
    rows = sweep(GRID, out)
    assert set(calls) == set(GRID[3:])
    assert rows[:3] == first
    monkeypatch.setattr(Design, "solve", forbidden)
    assert sweep(GRID, out) == rows
    assert len(open_store(out).rows()) == len(GRID)
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_torn_line_is_cut_off(ending, tmp_path, monkeypatch):
    out = tmp_path / f"rows.{ending}"
    rows = sweep(GRID, out)
    whole = out.read_bytes()
    out.write_bytes(whole[:-20])
    assert sweep(GRID, out) == rows
    assert sorted(out.read_bytes().splitlines()) == sorted(whole.splitlines())


def test_parquet_after_an_interruption(tmp_path, monkeypatch):
    """What was known before the interruption lies in the file beside it, and moves over at the end."""
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "rows.parquet"

    def interrupted(done, total):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(GRID, out, progress=interrupted)
    assert not out.exists()
    rows = sweep(GRID, out)
    assert list(tmp_path.iterdir()) == [out]
    assert sorted(map(str, parquet.read_table(out).to_pylist())) == sorted(map(str, rows))


def test_killed(tmp_path):
    """kill -9 in the middle: every row that was reported is in the file, whole, and the next run does the rest."""
    out = tmp_path / "rows.csv"
    program = (
        "from gaussdp.calibration import grid, sweep\n"
        "designs = grid(['advantage=0.1', 'tpr@0.01=0.05'], [20_000], range(200, 400), [10])\n"
        f"sweep(designs, {str(out)!r}, progress=lambda done, total: print(done, flush=True))\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    reported = 0
    while reported < 20:
        reported = int(process.stdout.readline())
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    kept = open_store(out).rows()
    assert reported <= len(kept) < 400
    designs = grid(["advantage=0.1", "tpr@0.01=0.05"], [20_000], range(200, 230), [10])
    rows = sweep(designs, out)
    assert len(rows) == 60
    ours = {json.dumps(row, sort_keys=True) for row in rows}
    assert ours >= {json.dumps(row, sort_keys=True) for row in kept if row["batch_size"] < 230}


def test_empty_foreign_parquet_is_left_alone(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "x.parquet"
    parquet.write_table(arrow.table({"mine": arrow.array([], arrow.int64())}), out)
    before = out.read_bytes()
    with pytest.raises(gaussdp.DomainError, match="has other columns than a sweep"):
        sweep(GRID, out)
    assert out.read_bytes() == before


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode), st.sampled_from([".csv", ".jsonl", ".parquet"]))
def test_any_other_content_is_left_alone(tmp_path, content, ending):
    """Whatever is in a file: a sweep recognises it, or leaves every byte of it."""
    out = tmp_path / f"x{ending}"
    out.write_bytes(content)
    try:
        rows = open_store(out).rows()
    except gaussdp.DomainError:
        assert out.read_bytes() == content
    else:
        beginnings = (",".join(COLUMNS), '{"target": "')
        assert rows == []
        assert any(known.encode().startswith(content) for known in beginnings)


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@pytest.mark.parametrize("kept", [1, 9, 40, 120, 10**6])
def test_a_file_torn_anywhere_is_recognised(ending, kept, tmp_path):
    out = tmp_path / f"rows.{ending}"
    rows = sweep(GRID[:2], out)
    whole = out.read_bytes()
    out.write_bytes(whole[:kept])
    assert sweep(GRID[:2], out) == rows
    assert out.read_bytes() == whole


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_rows_keep_the_order_of_the_designs(ending, tmp_path, monkeypatch):
    """However they come and whatever was there; rows of other sweeps stay in front."""
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    out = tmp_path / f"rows.{ending}"
    other = sweep([Design("mu=1", 20_000, 200, 10)], out)
    sweep(GRID[5:6], out)
    backwards = sweeping.solved_rows
    monkeypatch.setattr(sweeping, "solved_rows", lambda joblib, designs, n: backwards(joblib, designs[::-1], n))
    rows = sweep(GRID, out)
    assert open_store(out).rows() == [*other, *rows]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_one_sweep_at_a_time_has_the_file(ending, tmp_path):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    out = tmp_path / f"rows.{ending}"

    def again(done, total):
        if done == 3:
            with pytest.raises(gaussdp.DomainError, match="another sweep is writing this file"):
                sweep(GRID, out)

    rows = sweep(GRID, out, progress=again)
    assert open_store(out).rows() == rows
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_three_processes_at_once(ending, tmp_path):
    """One writes; the others say why they do not. Every design has one row under one header."""
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    out = tmp_path / f"rows.{ending}"
    command = [sys.executable, "-m", "gaussdp", "sweep", "--mu", "1,2", "--dataset-size", "20000", "--epochs", "10,20"]
    command += ["--batch-size", "200,400,800", "--workers", "1", "--out", str(out)]
    runs = [subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) for _ in range(3)]
    said = [run.communicate()[1] for run in runs]
    codes = [run.returncode for run in runs]
    assert codes.count(0) >= 1
    assert all("another sweep is writing" in words for words, code in zip(said, codes, strict=True) if code)
    assert set(codes) <= {0, 2}
    rows = open_store(out).rows()
    assert len(rows) == len({json.dumps(row) for row in rows}) == 12
    assert list(tmp_path.iterdir()) == [out]


def test_two_processes(tmp_path):
    done = []
    rows = sweep(GRID, tmp_path / "rows.csv", workers=2, progress=lambda k, n: done.append((k, n)))
    assert rows == sweep(GRID)
    assert done == [(k, len(GRID)) for k in range(len(GRID) + 1)]


@pytest.mark.filterwarnings("ignore:os.fork")  # of a library that another test imported, if it is installed
def test_a_backend_that_returns_lists_only(tmp_path):
    with joblib.parallel_config(backend="multiprocessing", n_jobs=2):
        assert sweep(GRID, tmp_path / "rows.csv") == sweep(GRID)


@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster(tmp_path):
    """The user configures the backend; the call does not change."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=str(tmp_path)
        ) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        rows = sweep(GRID, tmp_path / "rows.csv", workers=-1)
    assert rows == sweep(GRID)


def test_a_design_out_of_reach_does_not_end_the_sweep(tmp_path):
    designs = [Design("advantage=1e-7", 1000, 500, 10), GRID[0]]
    lost, found = sweep(designs, tmp_path / "rows.csv")
    assert (lost["status"], lost["noise_multiplier"]) == ("out of reach", None)
    assert "still gives" in lost["message"]
    assert found["status"] == "tight"
    assert sweep(designs, tmp_path / "rows.csv") == [lost, found]


def test_other_floors_and_digits_are_other_designs(tmp_path):
    out = tmp_path / "rows.csv"
    coarse = sweep([Design("advantage=0.1", 20_000, 200, 10, digits=2)], out)
    fine = sweep([Design("advantage=0.1", 20_000, 200, 10, digits=6)], out)
    assert coarse[0]["noise_multiplier"] > fine[0]["noise_multiplier"]
    assert len(open_store(out).rows()) == 2


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        ("a,b\n1,2\n", "x.csv", "has other columns than a sweep"),
        ('{"a": 1}\n', "x.jsonl", "line 1: has other columns"),
        ("not json\n", "x.jsonl", "line 1: Expecting value"),
        ("", "x.txt", "must end in .csv, .jsonl, .parquet"),
        ("no parquet", "x.parquet", "cannot be read"),
        ("a,b\n1,2", "x.csv", "has other columns than a sweep"),
        ("one line", "x.csv", "has other columns than a sweep"),
        ("t", "x.jsonl", "ends in what is no row of a sweep"),
        ("one line", "x.jsonl", "ends in what is no row of a sweep"),
        ('{"a": 1}', "x.jsonl", "ends in what is no row of a sweep"),
        (f"{','.join(COLUMNS)}\nmu=1,many,x,y", "x.csv", "ends in what is no row of a sweep"),
        (f"{','.join(COLUMNS)}\nthese are my notes on this sweep, which I will want again", "x.csv", "ends in what"),
        (f"{','.join(COLUMNS)}\nnotes\n", "x.csv", "line 2: has 1 cells"),
        ("\ufefftarget", "x.csv", "has other columns"),
    ],
)
def test_a_file_of_something_else_is_left_alone(content, name, message, tmp_path):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    out = tmp_path / name
    out.write_text(content)
    with pytest.raises(gaussdp.DomainError, match=message):
        sweep(GRID, out)
    assert out.read_text() == content


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("luck=1", 100, 10, 1), "target must be one of"),
        (("mu=0", 100, 10, 1), "only a release that says nothing"),
        (("mu=1", 100, 1000, 1), "batch_size must be at most dataset_size"),
        (("mu=1", 100, 10, 0), "epochs must be in"),
        (("mu=1", 100, 10, 1, 0.5, 2.0), r"floor must be in \(0, 1\)"),
        (("mu=1", 100, 10, 1, 0.5, 0.1, 99), "digits must be"),
    ],
)
def test_bad_designs_are_refused_before_anything_runs(arguments, message):
    with pytest.raises(gaussdp.DomainError, match=message):
        Design(*arguments)


@pytest.mark.parametrize(
    ("rest", "mechanism"),
    [
        ({"adjacency": "replace-one"}, lambda noise: DPSGD(noise, 0.01, 100, "replace-one")),
        ({"records_per_unit": 3}, lambda noise: DPSGD(noise, 0.01, 100, records_per_unit=3)),
        ({"sampling": "random allocation"}, lambda noise: RandomAllocation(noise, 100, 1)),
        (
            {"sampling": "without replacement", "adjacency": "replace-one"},
            lambda noise: WithoutReplacement(noise, 20, 2000, 100),
        ),
    ],
)
def test_neighbours_and_samplers(rest, mechanism):
    """The noise found meets the target for the run as it is, and a hair less does not."""
    (row,) = sweep(grid(["mu=0.5"], [2000], [20], [1], digits=3, **rest))
    assert row["status"] == "tight"
    noise = row["noise_multiplier"]
    assert (
        gaussdp.account(mechanism(noise)).fit(1e-10).mu <= 0.5 < gaussdp.account(mechanism(noise * 0.99)).fit(1e-10).mu
    )
    assert (row["steps"], row["sampling"]) == (100, rest.get("sampling", "poisson"))


def test_steps_or_epochs():
    by_steps, by_epochs = grid(["mu=1"], [1000], [10], steps=[200]), grid(["mu=1"], [1000], [10], [2.0])
    assert by_steps == by_epochs
    with pytest.raises(gaussdp.DomainError, match="epochs or steps must be given"):
        Design("mu=1", 1000, 10)
    with pytest.raises(gaussdp.DomainError, match="and not both"):
        Design("mu=1", 1000, 10, 2.0, steps=200)
    (design,) = grid(["mu=1"], [1000], [10], steps=[150], sampling="random allocation")
    assert design.steps == 200  # whole passes


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ({"sampling": "shuffle"}, "sampling must be"),
        ({"sampling": "random allocation", "adjacency": "replace-one"}, "adjacency must be add-remove"),
        ({"sampling": "random allocation", "records_per_unit": 2}, "records_per_unit must be 1"),
        ({"sampling": "random allocation", "epochs": 1.5}, "epochs must be whole"),
    ],
)
def test_pipelines_that_nothing_is_known_of(rest, message):
    with pytest.raises(gaussdp.DomainError, match=message):
        Design("mu=1", 1000, 10, **{"epochs": 1.0, **rest})


def test_a_floor_that_the_accounting_does_not_reach_is_told():
    design = Design("mu=1", 1000, 10, steps=2000, digits=2, sampling="without replacement", adjacency="replace-one")
    assert "the accounting reaches down to a floor of" in design.solve()["message"]


def test_bad_input():
    with pytest.raises(gaussdp.DomainError, match="designs must not be empty"):
        sweep([])
    with pytest.raises(gaussdp.DomainError, match="workers must be a whole number"):
        sweep(GRID, workers=0)
    with pytest.raises(gaussdp.DomainError, match="workers must be a whole number from 1 to 1,024, got 1000000"):
        sweep(GRID, workers=1_000_000)
    with pytest.raises(gaussdp.DomainError, match="there is no folder"):
        sweep(GRID, "/no/such/folder/rows.csv")


@pytest.mark.parametrize(("module", "extra"), [("joblib", "sweep"), ("pyarrow", "parquet")])
def test_missing_extras(module, extra, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(gaussdp.MissingExtraError, match=rf'pip install "gaussdp\[{extra}\]"'):
        sweep(GRID, tmp_path / "rows.parquet")
