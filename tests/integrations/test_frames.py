"""Columns in, columns out, with the numbers of the NumPy functions and errors that name the row."""

import inspect
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gaussdp

ROUNDING = 4e-15  # in which the wide and the narrow instructions of one processor may differ
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

FLAT = [getattr(gaussdp, name) for name in gaussdp.__all__ if "_from_" in name]
GOOD = {
    "epsilon": [0.5, 1.0, 4.0],
    "mu": [0.1, 1.0, 3.0],
    "fpr": [1e-6, 0.1, 0.9],
    "recall": [1e-6, 0.1, 0.9],
    "delta": [1e-9, 1e-5, 0.1],
    "prior": [0.1, 0.5, 0.6],
}


def names_of(function):
    return list(inspect.signature(function).parameters)


@pytest.mark.parametrize("function", FLAT)
class TestEveryFlatFunction:
    def test_pandas(self, function):
        frame = pd.DataFrame({name: GOOD[name] for name in names_of(function)}, index=["x", "y", "z"])
        result = function(**{name: frame[name] for name in frame})
        assert isinstance(result, pd.Series)
        assert list(result.index) == ["x", "y", "z"]
        np.testing.assert_allclose(result.to_numpy(), function(**frame.to_dict("list")), rtol=ROUNDING)

    def test_polars(self, function):
        frame = pl.DataFrame({name: GOOD[name] for name in names_of(function)})
        expected = function(**frame.to_dict(as_series=False))
        result = function(**{name: frame[name] for name in frame.columns})
        assert isinstance(result, pl.Series)
        assert result.name == names_of(function)[0]
        np.testing.assert_allclose(result.to_numpy(), expected, rtol=ROUNDING)
        expression = function(**{name: pl.col(name) for name in frame.columns})
        assert frame.lazy().select(out=expression).collect()["out"].to_list() == pytest.approx(
            expected.tolist(), rel=ROUNDING
        )

    def test_rows_outside_the_domain_are_named(self, function):
        for name in names_of(function):
            arguments = {key: pd.Series(GOOD[key], index=["x", "y", "z"]) for key in names_of(function)}
            arguments[name] = pd.Series([*GOOD[name][:2], -1.0], index=["x", "y", "z"])
            with pytest.raises(gaussdp.DomainError, match=rf"^{name} must be in .*, got -1.0 in row 'z'$"):
                function(**arguments)
            arguments = {key: pl.Series(GOOD[key]) for key in names_of(function)} | {
                name: pl.Series([GOOD[name][0], None, GOOD[name][2]])
            }
            with pytest.raises(gaussdp.DomainError, match=rf"^{name} must be in .*, got a missing value in row 1;"):
                function(**arguments)


class TestPandas:
    def test_name_as_in_pandas_arithmetic(self):
        column = pd.Series([1.0, 2.0], name="mu")
        assert gaussdp.advantage_from_mu(column).name == "mu"
        assert gaussdp.delta_from_mu(column, 1.0).name == "mu"
        assert gaussdp.delta_from_mu(column, column).name == "mu"
        assert gaussdp.delta_from_mu(column, column.rename("epsilon")).name is None

    def test_labels_are_matched(self):
        mu = pd.Series([1.0, 2.0, 3.0], index=["a", "b", "c"])
        epsilon = pd.Series([0.1, 0.2, 0.3], index=["c", "a", "b"])
        result = gaussdp.delta_from_mu(mu, epsilon)
        assert list(result.index) == ["a", "b", "c"]
        assert result["b"] == pytest.approx(gaussdp.delta_from_mu(2.0, 0.3), rel=ROUNDING)
        with pytest.raises(gaussdp.DomainError, match="epsilon has no row 'b', which mu has"):
            gaussdp.delta_from_mu(mu, epsilon.drop("b"))
        with pytest.raises(gaussdp.DomainError, match="mu has no row 'b', which epsilon has"):
            gaussdp.delta_from_mu(mu.drop("b"), epsilon)

    def test_repeated_labels(self):
        mu = pd.Series([1.0, 2.0], index=["a", "a"])
        assert list(gaussdp.delta_from_mu(mu, mu)) == list(gaussdp.delta_from_mu([1.0, 2.0], [1.0, 2.0]))
        with pytest.raises(gaussdp.DomainError, match="mu and epsilon have different indexes with repeated labels"):
            gaussdp.delta_from_mu(mu, pd.Series([1.0, 2.0], index=["a", "b"]))

    @pytest.mark.parametrize(
        ("given", "returned"),
        [
            ("int64", "float64"),
            ("float32", "float64"),
            ("Int32", "Float64"),
            ("Float64", "Float64"),
            ("double[pyarrow]", "double[pyarrow]"),
            ("uint8[pyarrow]", "double[pyarrow]"),
            ("Sparse[float64]", "float64"),
        ],
    )
    def test_dtypes(self, given, returned):
        if "pyarrow" in given:
            pytest.importorskip("pyarrow")
        result = gaussdp.advantage_from_mu(pd.Series([1, 2]).astype(given))
        assert result.dtype == returned
        assert list(result) == [gaussdp.advantage_from_mu(1.0), gaussdp.advantage_from_mu(2.0)]

    @pytest.mark.parametrize("dtype", ["Float64", "Int64", "double[pyarrow]", "float64"])
    def test_missing(self, dtype):
        with pytest.raises(gaussdp.DomainError, match="got a missing value in row 7; drop or fill"):
            gaussdp.advantage_from_mu(pd.Series([1, None], index=[5, 7]).astype(dtype))

    @pytest.mark.parametrize("column", [["a", "b"], [True, False], [1.0, "b"], pd.to_datetime(["2020-01-01"] * 2)])
    def test_no_numbers(self, column):
        for series in (pd.Series(column), pd.Series(column).astype("category")):
            with pytest.raises(gaussdp.DomainError, match=r"^mu must hold numbers in .* convert it to floats first"):
                gaussdp.advantage_from_mu(series)

    def test_other_objects_of_pandas(self):
        expected = gaussdp.advantage_from_mu([1.0, 2.0])
        for value in (pd.Index([1, 2]), pd.array([1, 2]), pd.array([1.0, 2.0], dtype="Float64")):
            result = gaussdp.advantage_from_mu(value)
            assert type(result) is np.ndarray
            np.testing.assert_allclose(result, expected, rtol=ROUNDING)
        for value in (pd.NA, pd.NaT, pd.Timestamp(0)):
            with pytest.raises(gaussdp.DomainError, match=r"^mu must be a number or an array of numbers"):
                gaussdp.advantage_from_mu(value)

    def test_frames_are_refused_but_can_be_applied_to(self):
        frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
        with pytest.raises(gaussdp.DomainError, match=r"mu must be one column, got a DataFrame.*frame\['mu'\]"):
            gaussdp.advantage_from_mu(frame)
        np.testing.assert_allclose(
            frame.apply(gaussdp.advantage_from_mu), gaussdp.advantage_from_mu(frame.values), rtol=ROUNDING
        )

    def test_curves_take_columns(self):
        fpr = pd.Series([0.1, 0.2], index=["a", "b"])
        for guarantee in (gaussdp.GDP(1.0), gaussdp.PureDP(1.0), gaussdp.ApproxDP(1.0, 1e-5), gaussdp.LaplaceDP(1.0)):
            for curve in (guarantee.tpr, guarantee.fnr, guarantee.multiplicative_advantage, guarantee.precision):
                result = curve(fpr)
                assert list(result.index) == ["a", "b"]
                np.testing.assert_allclose(result, curve(fpr.to_numpy()), rtol=ROUNDING)


class TestPolars:
    def test_dtypes(self):
        for dtype in (pl.Int8, pl.UInt64, pl.Float32, pl.Float64):
            result = gaussdp.advantage_from_mu(pl.Series("m", [1, 2], dtype=dtype))
            assert result.dtype == pl.Float64
            assert result.to_list() == [gaussdp.advantage_from_mu(1.0), gaussdp.advantage_from_mu(2.0)]

    @pytest.mark.parametrize("column", [["a"], [True], [[1.0]], [None]])
    def test_no_numbers(self, column):
        with pytest.raises(gaussdp.DomainError, match=r"^mu must hold numbers in .* convert it to floats first"):
            gaussdp.advantage_from_mu(pl.Series(column))

    def test_length_one_serves_every_row(self):
        result = gaussdp.delta_from_mu(pl.Series("m", [1.0]), pl.Series("e", [1.0, 2.0]))
        assert result.name == "m"
        assert result.to_list() == list(gaussdp.delta_from_mu(1.0, [1.0, 2.0]))

    def test_expressions(self):
        frame = pl.DataFrame({"mu": [1.0, 2.0, 3.0]})
        expected = list(gaussdp.delta_from_mu([1.0, 2.0, 3.0], [0.5, 1.0, 1.5]))
        for epsilon in (pl.col("mu") / 2, pl.Series([0.5, 1.0, 1.5]), [0.5, 1.0, 1.5], np.array([0.5, 1.0, 1.5])):
            assert frame.select(gaussdp.delta_from_mu(pl.col("mu"), epsilon)).to_series().to_list() == expected
        assert frame.clear().select(gaussdp.advantage_from_mu(pl.col("mu"))).shape == (0, 1)
        with pytest.raises(gaussdp.DomainError, match=r"^mu must be in \[0, inf\], got -1.0 in row 0"):
            frame.select(gaussdp.advantage_from_mu(pl.col("mu") - 2))
        with pytest.raises(gaussdp.DomainError, match=r"^delta must be in \(0, 1\), got 2.0"):
            gaussdp.mu_from_profile(pl.col("mu"), 2.0)  # known before the query runs
        with pytest.raises(gaussdp.DomainError, match="one number or one column"):
            gaussdp.mu_from_profile(pl.col("mu"), [[0.1], [0.2]])

    def test_frames_are_refused(self):
        frame = pl.DataFrame({"mu": [1.0]})
        for value in (frame, frame.lazy()):
            with pytest.raises(gaussdp.DomainError, match=r"mu must be one column.*polars.col\('mu'\)"):
                gaussdp.advantage_from_mu(value)
        with pytest.raises(gaussdp.DomainError, match="mu must be a number or an array of numbers"):
            gaussdp.advantage_from_mu(pl.Float64())


@pytest.mark.parametrize("series", [pd.Series, pl.Series])
class TestBoth:
    def test_lengths(self, series):
        for other in ([1.0, 2.0, 3.0], np.array([1.0, 2.0, 3.0]), [[1.0, 2.0]], np.ones((2, 1))):
            with pytest.raises(gaussdp.DomainError, match="epsilon must be one number or have 2 rows like the other"):
                gaussdp.delta_from_mu(series([1.0, 2.0]), other)

    def test_plain_values_beside_a_column(self, series):
        for epsilon in (1, 1.0, np.float64(1), np.array(1.0), [1.0, 1.0], np.array([1.0, 1.0])):
            result = gaussdp.delta_from_mu(series([1.0, 2.0]), epsilon)
            assert isinstance(result, series)
            assert list(result) == list(gaussdp.delta_from_mu([1.0, 2.0], 1.0))
        for epsilon in ("x", None, [[1.0], [1.0, 2.0]], object(), True):
            with pytest.raises(gaussdp.DomainError, match=r"^epsilon must be a number or an array of numbers"):
                gaussdp.delta_from_mu(series([1.0, 2.0]), epsilon)

    def test_no_rows(self, series):
        result = gaussdp.delta_from_mu(series([], dtype=pl.Float64 if series is pl.Series else float), 1.0)
        assert isinstance(result, series)
        assert len(result) == 0


def test_two_libraries():
    with pytest.raises(gaussdp.DomainError, match="mu belongs to pandas and epsilon to polars; give both in the same"):
        gaussdp.delta_from_mu(pd.Series([1.0]), pl.Series([1.0]))


@given(st.lists(st.floats() | st.none(), max_size=4), st.sampled_from([pd.Series, pl.Series]))
def test_no_nan_comes_out(values, series):
    try:
        result = gaussdp.advantage_from_mu(series(values))
    except gaussdp.DomainError:
        return
    assert not np.isnan(np.asarray(result, dtype=float)).any()


def test_neither_library_is_imported_without_a_column():
    code = (
        "import sys, gaussdp; gaussdp.delta_from_mu([1.0, 2.0], 1.0); "
        "print(sorted({'pandas', 'polars', 'gaussdp.integrations.frames'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
