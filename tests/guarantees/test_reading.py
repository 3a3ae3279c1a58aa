import math

import numpy as np
import pytest

import gaussdp
from gaussdp import ProfilePoints, TradeoffPoints, read_points

FPR, FNR = [0.001, 0.01, 0.1], [0.98, 0.92, 0.65]
EXPECTED = TradeoffPoints(FPR, FNR)


def same(curve, expected=EXPECTED):
    return type(curve) is type(expected) and curve.deltas.tolist() == expected.deltas.tolist()


@pytest.mark.parametrize(
    "header",
    ["fpr,fnr", "alpha,beta", "α,β", " FPR , False Negative Rate ", "false-positive-rate,Type 2 error"],
)
def test_names_of_columns_in_a_file(tmp_path, header):
    file = tmp_path / "points.csv"
    rows = "\n".join(f"{a},{b}" for a, b in zip(FPR, FNR, strict=True))
    file.write_text(f"{header}\n{rows}\n", encoding="utf-8")
    assert same(read_points(file))
    assert same(read_points(str(file)))


def test_other_columns_blank_lines_any_order_and_tabs(tmp_path):
    file = tmp_path / "points.tsv"
    file.write_text("\ufeffnote\tfnr\tfpr\n\nx\t0.65\t1e-1\n\t0.98\t0.001\n\n \ty\n"[:-5] + "z\t0.92\t0.01\n")
    assert same(read_points(file))


def test_profiles(tmp_path):
    file = tmp_path / "profile.csv"
    file.write_text("eps,delta\n2,1e-6\n0.5,1e-2\n")
    assert same(read_points(file), ProfilePoints([0.5, 2.0], [1e-2, 1e-6]))
    assert read_points(file).epsilon(1e-6) == 2.0


def test_mappings_frames_and_tprs():
    assert same(read_points({"fpr": FPR, "fnr": np.array(FNR)}))
    tpr = [0.02, 0.08, 0.35]
    assert same(read_points({"fpr": FPR, "tpr": tpr}), TradeoffPoints.from_tpr(FPR, tpr))
    vertices = read_points({"fpr": FPR, "fnr": FNR}, meaning="vertices", directions="one")
    assert same(vertices, TradeoffPoints(FPR, FNR, meaning="vertices", directions="one"))


def test_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"alpha": FPR, "beta": FNR, "threshold": [3, 2, 1]}, index=[7, 7, 8])
    assert same(read_points(frame))
    frame.loc[8, "beta"] = None
    with pytest.raises(gaussdp.DomainError, match=r"^row 3: fnr must be in \[0, 1\], got nan"):
        read_points(frame)
    with pytest.raises(gaussdp.DomainError, match="fpr must be a column of numbers"):
        read_points(pandas.DataFrame({"fpr": ["a"], "fnr": [0.5]}))


def test_polars():
    polars = pytest.importorskip("polars")
    assert same(read_points(polars.DataFrame({"fpr": FPR, "fnr": FNR})))
    with pytest.raises(gaussdp.DomainError, match=r"^row 1: delta must be in"):
        read_points(polars.DataFrame({"epsilon": [1.0, 2.0], "delta": [None, 0.1]}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fpr,fnr\n0.1,0.5\n0.2,x\n", "^points.csv, line 3: fnr must be a number, got 'x'"),
        ("fpr,fnr\n0.1,0.5\n0.2\n", "^points.csv, line 3: fnr must be a number, got nothing"),
        ("fpr,fnr\n\n0.1,0.5\n\n0.2,nan\n", r"^points.csv, line 5: fnr must be in \[0, 1\], got nan"),
        ("fpr,fnr\n0.1,0.5\n0.1,0.4\n", "^points.csv, line 3: fpr 0.1 stands in row 1 already"),
        ("fpr,fnr\n0.1,0.5\n0.2,0.55\n", "^points.csv, line 3: fnr 0.55 is above that at the smaller fpr"),
        ("fpr,tpr\n0.2,0.1\n", "^points.csv, line 2: fnr 0.9 is above 1 - fpr = 0.8, which guessing achieves"),
        ("fpr,tpr\n0.2,1.1\n", r"^points.csv, line 2: tpr must be in \[0, 1\]"),
        ("epsilon,delta\n1,0.1\n2,0.2\n", "^points.csv, line 3: delta 0.2 is above that at the smaller epsilon"),
        ("epsilon,delta\n1,0.1\n1,0.1\n", "^points.csv, line 3: epsilon 1 stands in row 1 already"),
        ("epsilon,delta\n-1,0.1\n", r"^points.csv, line 2: epsilon must be in \[0, 700\], got -1.0"),
        ("epsilon,delta\ninf,0.1\n", "^points.csv, line 2: epsilon must be in"),
        ("fpr,delta\n0.1,0.5\n", "^points.csv: must hold a pair of columns, .*; it has 'fpr', 'delta'"),
        ("fpr,fnr,tpr\n0.1,0.5,0.5\n", "^points.csv: must hold one pair of columns"),
        ("fpr,alpha,fnr\n0.1,0.1,0.5\n", "^points.csv: 'fpr' and 'alpha' both name the column fpr"),
        ("", "^points.csv: must hold a pair of columns, .*; it has none"),
        ("fpr,fnr\n\n", "^points.csv: holds no points"),
    ],
)
def test_bad_files(tmp_path, text, message):
    file = tmp_path / "points.csv"
    file.write_text(text)
    with pytest.raises(gaussdp.DomainError, match=message):
        read_points(file)


def test_bad_sources(tmp_path):
    (tmp_path / "points.csv").write_bytes(b"\xff\xfe\x00")
    for source, message in (
        (tmp_path / "points.xlsx", "must end in .csv or .tsv, got 'points.xlsx'"),
        (tmp_path / "absent.csv", "absent.csv: cannot be read: No such file"),
        (tmp_path / "points.csv", "points.csv: cannot be read"),
        (3, "points must be a path, a data frame or a mapping of columns with .*, got int"),
        ([(0.1, 0.5)], "got list"),
        ({"x": [1]}, "points: must hold a pair of columns"),
        ({"fpr": [0.1], "fnr": [None]}, "^row 1: fnr must be in"),
        ({"fpr": [0.1, 0.2], "fnr": [0.5]}, "equally many"),
        ({"epsilon": [0.1, 0.2], "delta": [0.5]}, "equally many"),
        ({"epsilon": [], "delta": []}, "must not be empty"),
        ({"epsilon": [[1.0]], "delta": [[0.1]]}, "equally many|one column"),
        ({"epsilon": [True], "delta": [0.1]}, "epsilon must be a column of numbers"),
        ({"epsilon": [10**400], "delta": [0.1]}, "epsilon must be a column of numbers"),
    ):
        with pytest.raises(gaussdp.DomainError, match=message):
            read_points(source)


def test_what_another_tool_wrote_is_covered(tmp_path):
    """A curve written with few digits, rounded down, is covered by what is read."""
    true = gaussdp.GDP(0.8)
    rates = np.geomspace(1e-4, 0.9, 40)
    file = tmp_path / "curve.csv"
    rows = (f"{float(f'{a:.4g}')},{math.floor(1e4 * true.fnr(float(f'{a:.4g}'))) / 1e4}" for a in rates)
    file.write_text("fpr,fnr\n" + "\n".join(rows))
    curve = read_points(file)
    at = np.linspace(0, 1, 1001)
    assert (curve.fnr(at) <= true.fnr(at) + 1e-15).all()
    assert true.fnr(0.05) - curve.fnr(0.05) < 0.02
