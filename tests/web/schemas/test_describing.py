"""The schemas say what the reader takes."""

import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussdp.domains import FINITE_NON_NEGATIVE, LEVEL, POSITIVE
from gaussdp.errors import DomainError
from gaussdp.web.schemas.describing import components
from gaussdp.web.schemas.kinds import Number, OneOf, Text, Whole
from gaussdp.web.schemas.requests import AccountRequest, CalibrateRequest
from gaussdp.web.schemas.responses import ChooseResponse

KINDS = [
    Number(FINITE_NON_NEGATIVE, "", 1.0),
    Number(LEVEL, "", 0.1),
    Number(POSITIVE, "", 0.1),
    Whole(1, 10**15, "", 5),
    OneOf(("a", "b"), ""),
    Text(5, "", "word"),
]
VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-(10**16), 10**16)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.floats(0, 1)
    | st.text(st.characters(codec="ascii", categories=["L", "N"]), max_size=7)
    | st.sampled_from(["a", "b", 0, 1, 1.0, 0.0, -0.0, 5e-324, 10**15, 1e15, 10**400, [], {}])
)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
@given(value=VALUES)
def test_reading_and_schema_agree(kind, value):
    if jsonschema.Draft202012Validator(kind.schema()).is_valid(value):
        kind.read("field", value)
    else:
        with pytest.raises(DomainError, match=r"^field must be "):
            kind.read("field", value)


def test_the_example_is_good():
    for kind in KINDS:
        assert kind.read("field", kind.schema()["examples"][0]) is not None


def test_nested_requests_are_described_once():
    made = components([CalibrateRequest, AccountRequest])
    assert set(made) == {"AccountRequest", "CalibrateRequest", "TargetRequest"}
    assert made["CalibrateRequest"]["properties"]["target"] == {"$ref": "#/components/schemas/TargetRequest"}
    assert made["CalibrateRequest"]["required"] == ["dataset_size", "batch_size", "epochs", "target"]
    assert made["AccountRequest"]["properties"]["floor"]["default"] == 1e-10


def test_infinity_is_a_word_in_responses():
    mu = components([ChooseResponse])["ChooseResponse"]["properties"]["mu"]
    assert jsonschema.Draft202012Validator(mu).is_valid("inf")
    assert not jsonschema.Draft202012Validator(mu).is_valid("infinite")


def test_schemas_are_json():
    assert json.dumps(components([AccountRequest, ChooseResponse]), allow_nan=False)
