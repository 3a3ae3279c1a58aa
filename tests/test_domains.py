"""Bad input gets one clear DomainError, from every public function."""

import inspect
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gaussdp
from gaussdp.domains import LEVEL, PROBABILITY, Domain, checked, integer, number, written_number

FLAT = [getattr(gaussdp, name) for name in gaussdp.__all__ if "_from_" in name]
GOOD = {"epsilon": 1.0, "mu": 1.0, "fpr": 0.1, "recall": 0.1, "delta": 0.1, "prior": 0.5}
OUTSIDE = {
    "epsilon": [-1e-9, -math.inf],
    "mu": [-1e-9, -math.inf],
    "fpr": [-0.1, 1.2, math.inf],
    "recall": [-0.1, 0.0, 1.0, 1.2],
    "delta": [-1e-9, 1.1],
    "prior": [0.0, 1.0, -0.5],
}
WRONG_TYPE = ["0.5", None, 1j, object(), [0.1, "x"], {"a": 1}, True, np.array([True]), [[0.1], [0.1, 0.2]], b"1"]


def parameters_of(function):
    return [(function, name) for name in inspect.signature(function).parameters]


ALL_PARAMETERS = [pair for function in FLAT for pair in parameters_of(function)]


@pytest.mark.parametrize(("function", "name"), ALL_PARAMETERS)
class TestEveryParameterOfEveryFlatFunction:
    def call(self, function, name, value):
        arguments = {key: GOOD[key] for key in inspect.signature(function).parameters} | {name: value}
        return function(**arguments)

    def test_outside_its_domain(self, function, name):
        for value in OUTSIDE[name]:
            with pytest.raises(gaussdp.DomainError, match=rf"^{name} must be in [\[(]0, (1|inf)[\])], got {value!r}"):
                self.call(function, name, value)

    def test_nan(self, function, name):
        for value in (math.nan, np.nan, [0.1, math.nan]):
            with pytest.raises(gaussdp.DomainError, match=rf"^{name} must be in .*, got nan"):
                self.call(function, name, value)

    def test_wrong_type(self, function, name):
        for value in WRONG_TYPE:
            with pytest.raises(
                gaussdp.DomainError, match=rf"^{name} must be a number or an array of numbers in .*, got"
            ):
                self.call(function, name, value)

    def test_empty(self, function, name):
        for value in ([], np.array([]), np.empty((0, 3))):
            with pytest.raises(gaussdp.DomainError, match=rf"^{name} must not be empty"):
                self.call(function, name, value)

    def test_masked(self, function, name):
        with pytest.raises(gaussdp.DomainError, match=name):
            self.call(function, name, np.ma.masked_array([0.1, 0.2], mask=[False, True]))

    def test_integer_too_large_for_a_double(self, function, name):
        with pytest.raises(gaussdp.DomainError, match=rf"^{name} must be in"):
            self.call(function, name, 10**400)


def test_shapes_that_do_not_broadcast():
    with pytest.raises(gaussdp.DomainError, match=r"do not broadcast together: epsilon \(2,\), fpr \(3,\)"):
        gaussdp.mu_from_multiplicative_advantage([1, 2], [0.1, 0.2, 0.3])


def test_domain_error_is_a_value_error():
    assert issubclass(gaussdp.DomainError, ValueError)
    assert issubclass(gaussdp.DomainError, gaussdp.GaussdpError)
    assert issubclass(gaussdp.MissingExtraError, ImportError)


def test_domains_print_as_intervals():
    assert str(LEVEL) == "(0, 1)"
    assert str(PROBABILITY) == "[0, 1]"
    assert str(Domain(0.0, math.inf, closed_high=False)) == "[0, inf)"


def test_advice_is_appended():
    with pytest.raises(gaussdp.DomainError, match=r"x must be in \(0, 1\), got 2.0; try less"):
        checked("x", 2.0, Domain(0.0, 1.0, False, False, advice="try less"))


def test_one_number_means_one():
    assert number("x", np.float64(0.5), LEVEL) == 0.5
    with pytest.raises(gaussdp.DomainError, match=r"x must be one number in \(0, 1\), got an array of shape \(2,\)"):
        number("x", [0.1, 0.2], LEVEL)


def test_whole_numbers():
    assert integer("k", np.int64(3), low=1) == 3
    for value in (0, 3.0, True, "3", None, math.nan):
        with pytest.raises(gaussdp.DomainError, match="k must be a whole number of at least 1"):
            integer("k", value, low=1)


def test_whole_numbers_have_a_limit():
    assert integer("k", 10**15, low=1) == 10**15
    for value in (10**15 + 1, np.uint64(2**63), 10**5000):
        with pytest.raises(gaussdp.DomainError, match="k must be a whole number of at most 1,000,000,000,000,000, got"):
            integer("k", value, low=1)


def test_who_is_far_outside_hears_of_no_limit():
    limited = Domain(1e-3, 1e9, advice="beyond, no", meant=Domain(0.0, math.inf, False, False))
    with pytest.raises(gaussdp.DomainError, match=r"^x must be in \[0.001, 1e\+09\], got 1e-05; beyond, no$"):
        number("x", 1e-5, limited)
    with pytest.raises(gaussdp.DomainError, match=r"^x must be in \(0, inf\), got -1.0$"):
        number("x", -1.0, limited)


anything = st.none() | st.text() | st.booleans() | st.complex_numbers() | st.floats() | st.integers() | st.binary()


@given(
    st.sampled_from(FLAT),
    st.lists(anything | st.lists(anything, max_size=3), min_size=3, max_size=3),
)
def test_fuzz(function, values):
    """Whatever comes in, a result without NaN or a DomainError comes out."""
    names = list(inspect.signature(function).parameters)
    try:
        result = function(**dict(zip(names, values, strict=False)))
    except gaussdp.DomainError:
        return
    assert not np.isnan(result).any()


NO_NUMBERS = {
    "a mask": np.ma.masked_array([0.1, 0.2], mask=[False, True]),
    "text": ["0.1", "0.2"],
    "text that Python takes for a number": ["1_0", "0.2"],
    "a truth value among numbers": [0.1, True],
    "truth values": np.array([False, True]),
    "NumPy's truth value": [0.1, np.True_],
    "objects with a truth value": np.array([0.1, True], dtype=object),
    "a truth value among large integers": [2**70, True],
    "complex": [0.1 + 0j, 0.2],
    "dates": np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"),
    "durations": np.array([1, 2], dtype="timedelta64[s]"),
    "bytes": [b"1", b"2"],
    "a record": np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]),
    "ragged rows": [[0.1], [0.1, 0.2]],
    "a set": {0.1, 0.2},
    "a mapping": {"a": 0.1},
    "nothing": [None, 0.2],
}
GOOD_COLUMN = [0.1, 0.2]
ENTRIES = {
    "checked": lambda column: checked("fpr", column, PROBABILITY),
    "a curve": lambda column: gaussdp.GDP(1.0).tpr(column),
    "a flat function": lambda column: gaussdp.mu_from_profile(1.0, column),
    "points, fpr": lambda column: gaussdp.TradeoffPoints(column, [0.5, 0.4]),
    "points, fnr": lambda column: gaussdp.TradeoffPoints(GOOD_COLUMN, column),
    "points, tpr": lambda column: gaussdp.TradeoffPoints.from_tpr(GOOD_COLUMN, column),
    "profile, epsilon": lambda column: gaussdp.ProfilePoints(column, [0.2, 0.1]),
    "profile, delta": lambda column: gaussdp.ProfilePoints([0.1, 0.2], column),
    "read, fpr": lambda column: gaussdp.read_points({"fpr": column, "fnr": [0.5, 0.4]}),
    "read, tpr": lambda column: gaussdp.read_points({"fpr": GOOD_COLUMN, "tpr": column}),
    "read, delta": lambda column: gaussdp.read_points({"epsilon": GOOD_COLUMN, "delta": column}),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("column", NO_NUMBERS)
@pytest.mark.parametrize("entry", ENTRIES)
def test_no_entry_takes_what_is_no_number(entry, column):
    with pytest.raises(gaussdp.DomainError):
        ENTRIES[entry](NO_NUMBERS[column])


@pytest.mark.parametrize("side", ["members", "nonmembers"])
@pytest.mark.parametrize(
    "column", sorted(set(NO_NUMBERS) - {"truth values", "NumPy's truth value", "a truth value among numbers"})
)
def test_no_audit_takes_what_is_no_score(side, column):
    """But for truth values: whether someone was accused is a score."""
    sides = {"members": GOOD_COLUMN, "nonmembers": GOOD_COLUMN} | {side: NO_NUMBERS[column]}
    with pytest.raises(gaussdp.DomainError):
        gaussdp.audit(**sides)
    with pytest.raises(gaussdp.DomainError):
        gaussdp.audit_counts(GOOD_COLUMN, **{"members": [1, 2], "nonmembers": [1, 2]} | {side: NO_NUMBERS[column]})


@pytest.mark.parametrize("text", ["1_0", "1e400", "-1e999", "", "x", "0x10", "1,5", "١_٠"])
def test_text_that_states_no_number(text):
    with pytest.raises(ValueError):  # noqa: PT011
        written_number(text)


def test_text_that_states_a_number():
    assert [written_number(text) for text in (" 1.5 ", "1e-400", "-inf", "Infinity", "+3")] == [
        1.5,
        0,
        -math.inf,
        math.inf,
        3,
    ]


@given(st.lists(st.one_of(st.floats(0, 1), st.booleans(), st.text(max_size=3), st.none()), min_size=1, max_size=4))
def test_a_list_is_numbers_or_refused(values):
    if all(isinstance(value, float) for value in values):
        assert checked("fpr", values, PROBABILITY).tolist() == values
    else:
        with pytest.raises(gaussdp.DomainError):
            checked("fpr", values, PROBABILITY)
