"""Requests are read strictly."""

import pytest

from gaussdp.web.replies import RefusalError
from gaussdp.web.schemas.kinds import parse, read
from gaussdp.web.schemas.requests import AccountRequest, CalibrateRequest, FigureRequest, UnderstandRequest, state_of

RUN = {"dataset_size": 100, "batch_size": 10, "epochs": 1}


def refusal(request, value):
    with pytest.raises(RefusalError) as caught:
        read(request, value)
    return caught.value


def test_defaults():
    assert read(UnderstandRequest, {"mu": 1}) == UnderstandRequest(mu=1.0, prior=0.5, recall=0.01, delta=1e-6, fpr=None)


def test_a_float_that_is_whole():
    request = read(AccountRequest, {**RUN, "noise_multiplier": 1, "dataset_size": 100.0})
    assert request.dataset_size == 100
    assert isinstance(request.dataset_size, int)


@pytest.mark.parametrize("size", [1e300, 1.5, 0, -3, 10**16, "5", None, True, 1e16])
def test_sizes(size):
    error = refusal(AccountRequest, {**RUN, "noise_multiplier": 1, "dataset_size": size})
    assert (error.status, error.field) == (422, "dataset_size")
    assert "from 1 to 1,000,000,000,000,000" in str(error)


def test_a_nested_field_by_its_path():
    error = refusal(CalibrateRequest, {**RUN, "target": {"kind": "mu", "value": -1}})
    assert (error.field, str(error)) == ("target.value", "target.value must be in [0, inf), got -1.0")
    assert refusal(CalibrateRequest, {**RUN, "target": {"kind": "mu"}}).field == "target.value"
    assert refusal(CalibrateRequest, {**RUN, "target": 3}).field == "target"


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ("tpr", "a list of some of tables, fnr, tpr, python, cli, latex, json"),
        (["advice"], "a list of some of tables, fnr"),
        ([["tpr"]], "a list of some of tables, fnr"),
        (None, "a list of some of tables, fnr"),
        (["tpr", "tpr"], "nothing stands twice"),
    ],
)
def test_parts_are_some_of_those_that_there_are(parts, words):
    error = refusal(UnderstandRequest, {"mu": 1, "parts": parts})
    assert (error.status, error.field) == (422, "parts")
    assert words in str(error)
    assert read(UnderstandRequest, {"mu": 1, "parts": []}).parts == frozenset()


def test_an_unknown_field_is_named():
    assert "'dataset'" in str(refusal(AccountRequest, {**RUN, "noise_multiplier": 1, "dataset": 5}))


def test_what_comes_back_is_short_and_plain():
    message = str(refusal(UnderstandRequest, {"mu": "<script>" * 1000}))
    assert len(message) < 200
    message = str(refusal(UnderstandRequest, {"mu": "\ud800\u202e"}))
    assert message.isascii()


def test_a_state_is_read_as_its_view():
    request = read(FigureRequest, {"view": "understand", "format": "svg", "state": {"mu": 1}})
    assert state_of(request) == UnderstandRequest(mu=1.0)
    with pytest.raises(RefusalError, match=r"state\.dataset_size is missing"):
        state_of(read(FigureRequest, {"view": "account", "format": "svg", "state": {}}))


def test_json_only():
    assert parse(b'{"a": [1, 2.5, "x", null]}') == {"a": [1, 2.5, "x", None]}
    for body in (b"NaN", b"-Infinity", b"{'a': 1}", b'{"a": 1,}', b"\xef\xbb\xbf{}", "{}".encode("utf-16")):
        with pytest.raises(RefusalError) as caught:
            parse(body)
        assert caught.value.status == 400
