"""Answers are the JSON that Python would write, with words for infinities and without NaN."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussdp.documents.machine import dumped
from gaussdp.web.replies import encoded

NUMBERS = st.floats(allow_nan=False) | st.integers(-(2**53), 2**53) | st.booleans() | st.none() | st.text(max_size=5)
CONTENT = st.recursive(
    NUMBERS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
)


@given(CONTENT)
def test_as_python_would_write_it(content):
    assert json.loads(encoded(content)) == json.loads(dumped(content, compact=True))


@pytest.mark.parametrize(
    "content", [math.nan, [1.0, math.nan], {"a": [{"b": (math.nan,)}]}, [math.inf, -math.inf, math.nan]]
)
def test_nan_does_not_occur(content):
    with pytest.raises(ValueError, match="NaN"):
        encoded(content)


def test_sums_that_overflow_or_cancel_are_no_proof():
    assert encoded([1.7e308, 1.7e308, None]) == b"[1.7e308,1.7e308,null]"
    assert encoded([math.inf, -math.inf]) == b'["inf","-inf"]'


@pytest.mark.parametrize("words", ["null", "nullnull"])
def test_nothing_and_the_word_for_it_hide_no_infinity(words):
    content = {"a": None, "b": words, "c": [None, words], "mu": math.inf}
    assert json.loads(encoded(content)) == {**content, "mu": "inf"}
    assert json.loads(encoded({**content, "mu": 1.0})) == {**content, "mu": 1.0}
    assert json.loads(encoded({"a": None, "mu": math.inf})) == {"a": None, "mu": "inf"}
