import io
import zipfile
from contextlib import suppress

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gaussdp
from gaussdp.auditing.score_files import read_scores
from gaussdp.auditing.trials import audit_score_counts
from gaussdp.errors import DomainError

MEMBERS, NONMEMBERS = [0.5, 1.25, 1.25, 3.0], [-0.5, 0.5, 0.0]
ROWS = [(s, 1) for s in MEMBERS] + [(s, 0) for s in NONMEMBERS]


def same(counts):
    return gaussdp.audit_counts(counts.scores, members=counts.members, nonmembers=counts.nonmembers) == gaussdp.audit(
        members=MEMBERS, nonmembers=NONMEMBERS
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain.csv", "score,member\n{rows}"),
        ("order.csv", "id,member,score\n{swapped}"),
        ("spaces.csv", "\ufeffscore , member\n{rows}\n\n"),
    ],
)
def test_csv(tmp_path, name, text):
    path = tmp_path / name
    rows = "\n".join(f"{s},{m}" for s, m in ROWS)
    swapped = "\n".join(f"x,{'TRUE' if m else 'False'},{s}" for s, m in ROWS)
    path.write_text(text.format(rows=rows, swapped=swapped), encoding="utf-8")
    assert same(read_scores(path))


def test_tsv_with_own_names(tmp_path):
    path = tmp_path / "scores.tsv"
    path.write_text("gap\trole\n" + "\n".join(f"{s}\t{'canary' if m else 'holdout'}" for s, m in ROWS))
    assert same(read_scores(path, "gap", "role", "canary"))
    with pytest.raises(DomainError, match="unclear among 'canary', 'holdout'"):
        read_scores(path, "gap", "role")
    with pytest.raises(DomainError, match="no row has the member label 'dog'"):
        read_scores(path, "gap", "role", "dog")


@pytest.mark.parametrize("labels", [[1, 0], [1.0, 0.0], [True, False], ["in", "out"], ["Member", "nonmember"]])
def test_npz(tmp_path, labels):
    path = tmp_path / "scores.npz"
    np.savez(path, score=[s for s, _ in ROWS], member=np.array([labels[1 - m] for _, m in ROWS]))
    assert same(read_scores(path))


def test_npz_by_side(tmp_path):
    np.savez(tmp_path / "sides.npz", members=MEMBERS, nonmembers=NONMEMBERS)
    assert same(read_scores(tmp_path / "sides.npz"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no column 'score'; it has none"),
        ("score,member\n", "holds no scores"),
        ("value,member\n1,1", "no column 'score'; it has 'value', 'member'"),
        ("score,label\n1,1", "no column 'member'"),
        ("score,member\n1,1\n2,2\n0,0", "two-valued, got '0', '1', '2'|two-valued"),
        ("score,member\n1,1\nx,0", "line 3: a row needs a number"),
        ("score,member\n1,1\n2", "line 3: a row needs"),
        ("score,member\n1,1\nnan,0", "nonmembers must not hold NaN"),
        ("score,member\n1,1\n2,1", "no nonmember"),
        ("score,member\n1,0\n2,0", "no member"),
        ("score,member\n1,1\n2,yes", "unclear"),
        ("score,member\n1,a\n2,b", "unclear among 'a', 'b'"),
    ],
)
def test_bad_csv(tmp_path, text, words):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(DomainError, match=words):
        read_scores(path)


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"score": [1.0]}, "no column 'member'"),
        ({"score": [1.0, 2.0], "member": [1]}, "equal length"),
        ({"score": [1.0, 2.0, 3.0], "member": [1, 2, 3]}, "two-valued"),
        ({"score": [], "member": []}, "holds no scores"),
        ({"members": [1.0], "nonmembers": []}, "nonmembers must hold at least one"),
        ({"score": np.array([1, None]), "member": [0, 1]}, "cannot read"),
    ],
)
def test_bad_npz(tmp_path, arrays, words):
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(DomainError, match=words):
        read_scores(tmp_path / "bad.npz")


@pytest.mark.parametrize("name", ["bad.npz", "bad.parquet", "bad.csv"])
def test_files_that_are_something_else(tmp_path, name):
    (tmp_path / name).write_bytes(b"\xff\xfe\x00 not what it says" * 9)
    with pytest.raises(DomainError, match=r"cannot read|no column"):
        read_scores(tmp_path / name)


def test_no_such_file_or_kind(tmp_path):
    with pytest.raises(DomainError, match="there is no file"):
        read_scores(tmp_path / "absent.csv")
    with pytest.raises(DomainError, match="must end in"):
        read_scores(tmp_path / "scores.xlsx")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DomainError, match="there is no file"):
        read_scores(tmp_path / "folder.csv")


def npz_of(path, **members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)


def array_bytes(array):
    """An array as NumPy writes it."""
    stream = io.BytesIO()
    np.save(stream, np.asarray(array))
    return stream.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x93NUMPY",
        b"not an array",
        array_bytes([1.0, 2.0, 3.0])[:-8],
        array_bytes([1.0, 2.0, 3.0]).replace(b"(3,), }          ", b"(99999999999,), }"),
        array_bytes([1.0, 2.0, 3.0]).replace(b"(3,), }", b"(-3,),}"),
        array_bytes([1.0, 2.0, 3.0]).replace(b"'<f8'", b"'|O8'"),
    ],
)
def test_an_npz_whose_array_is_none(tmp_path, content):
    npz_of(tmp_path / "bad.npz", score=content, member=array_bytes([1, 0, 1]))
    with pytest.raises(DomainError, match=r"cannot read bad.npz: 'score' is no array"):
        read_scores(tmp_path / "bad.npz")


def test_an_array_under_the_wrong_name(tmp_path):
    np.save(tmp_path / "scores.npy", [1.0, 2.0])
    (tmp_path / "scores.npy").rename(tmp_path / "scores.npz")
    with pytest.raises(DomainError, match=r"cannot read scores.npz"):
        read_scores(tmp_path / "scores.npz")
    (tmp_path / "empty.npz").write_bytes(b"")
    with pytest.raises(DomainError, match=r"cannot read empty.npz"):
        read_scores(tmp_path / "empty.npz")


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**30), st.integers(0, 255), st.sampled_from([".npz", ".parquet", ".csv"]))
def test_a_damaged_file_is_read_or_refused(tmp_path, place, byte, ending):
    """One byte replaced anywhere."""
    path = tmp_path / f"scores{ending}"
    if not path.exists():
        if ending == ".npz":
            np.savez(path, score=[s for s, _ in ROWS], member=[m for _, m in ROWS])
        elif ending == ".csv":
            path.write_text("score,member\n" + "\n".join(f"{s},{m}" for s, m in ROWS))
        else:
            values = ", ".join(map(str, ROWS))
            duckdb.execute(f"COPY (SELECT * FROM (VALUES {values}) t(score, member)) TO '{path}' (FORMAT parquet)")
    content = bytearray(path.read_bytes())
    content[place % len(content)] = byte
    damaged = tmp_path / f"damaged{ending}"
    damaged.write_bytes(content)
    with suppress(DomainError):
        assert read_scores(damaged).member_total > 0


@pytest.mark.parametrize("score", ["1e400", "-1e999", "1_0", "1,5", "0x1p3"])
def test_scores_that_are_no_doubles(tmp_path, score):
    (tmp_path / "bad.csv").write_text(f"score,member\n1.0,1\n{score},0\n")
    with pytest.raises(DomainError, match=r"line 3: a row needs a number in column 'score'|unclear|two-valued"):
        read_scores(tmp_path / "bad.csv")


def test_columns_that_stand_twice(tmp_path):
    (tmp_path / "twice.csv").write_text("score,member,score\n1.0,1,2.0\n0.0,0,1.0\n")
    with pytest.raises(DomainError, match=r"twice.csv has 2 columns 'score'"):
        read_scores(tmp_path / "twice.csv")


def test_a_split_of_a_file_is_the_split_of_its_rows(tmp_path):
    random = np.random.default_rng(0)
    members, nonmembers = random.normal(2, 1, 31), random.normal(0, 1, 40)
    np.savez(tmp_path / "sides.npz", members=members, nonmembers=nonmembers)
    expected = gaussdp.audit(members=members, nonmembers=nonmembers, method=gaussdp.Split(3))
    assert audit_score_counts(read_scores(tmp_path / "sides.npz"), method=gaussdp.Split(3)) == expected


def test_labels_of_characters_that_do_not_exist(tmp_path):
    file = tmp_path / "scores.npz"
    labels = np.frombuffer(np.array([0x01B30069, 0x6E, 0x69, 0x6E], np.uint32).tobytes(), dtype="<U2")
    np.savez(file, score=np.array([0.1, 0.2]), member=labels)
    with pytest.raises(gaussdp.DomainError, match=r"cannot read scores\.npz"):
        read_scores(file)
