"""The API keeps what its own description promises, whatever is asked."""

import asyncio
import json
import re

import httpx
import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis import GenerationMode

from gaussdp.documents import PROSE_FORMATS, render
from gaussdp.web.openapi import api_document
from gaussdp.web.replies import RefusalError, encoded
from gaussdp.web.schemas.requests import STATES, AccountRequest
from gaussdp.web.views.account import account
from gaussdp.web.work.pool import Pool
from web_client import Client

CLIENT = Client()
DOCUMENT = CLIENT.get("/openapi.json").json()
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
SCHEMA.config.update(base_url="http://localhost")
SCHEMA.config.generation.update(modes=[GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
QUICK = settings(
    max_examples=25,
    derandomize=True,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def answered(case):
    """The answer of the application to a case of schemathesis."""
    asked = case.as_transport_kwargs(base_url="http://localhost")
    request = httpx.Request(
        asked["method"],
        asked["url"],
        params=asked.get("params"),
        headers={name: str(value) for name, value in asked["headers"].items()},
        content=asked["data"] if "data" in asked else json.dumps(asked["json"]).encode() if "json" in asked else None,
    )

    async def send():
        transport = httpx.ASGITransport(CLIENT.app, raise_app_exceptions=True)
        async with httpx.AsyncClient(transport=transport) as client:
            return await client.send(request)

    return asyncio.run(send())


def conforms(case, response, *excluded):
    """What the schema allows is answered as it says, what it does not allow is refused."""
    if response.status_code == 413:  # too long to be read, which is a refusal too
        excluded = (*excluded, schemathesis.checks.negative_data_rejection)
    case.validate_response(response, excluded_checks=list(excluded))


@SCHEMA.include(operation_id=["deployments", "healthz", "metrics"]).parametrize()
@QUICK
def test_closed_forms_conform(case):
    """And there is no 500."""
    conforms(case, answered(case))


@SCHEMA.include(operation_id=["understand", "mu_through", "choose"]).parametrize()
@QUICK
def test_what_only_the_library_can_judge_conforms(case):
    """Here two good fields may still make a bad pair, and a good text no policy or no line of words."""
    conforms(case, answered(case), schemathesis.checks.positive_data_acceptance)


@SCHEMA.include(
    operation_id=[
        "account",
        "calibrate",
        "releases",
        "figure",
        "statement",
        "registry_entry",
        "registry_import",
        "rules",
    ]
).parametrize()
@settings(QUICK, max_examples=10)
def test_work_that_is_refused_conforms(case, monkeypatch):
    """Bad requests never reach a worker; good ones do, and are not done here."""

    async def nothing(self, asker, job, body):
        raise RefusalError(503, "not here")

    monkeypatch.setattr(Pool, "admit", nothing)
    response = answered(case)
    assert response.status_code in (200, 400, 405, 413, 415, 422, 503)
    conforms(case, response, schemathesis.checks.positive_data_acceptance, schemathesis.checks.not_a_server_error)


def test_every_operation_is_described():
    assert DOCUMENT["openapi"] == "3.1.0"
    names = {operation["operationId"] for path in DOCUMENT["paths"].values() for operation in path.values()}
    assert names == {
        "account",
        "advise",
        "calibrate",
        "choose",
        "definitions",
        "deployments",
        "figure",
        "healthz",
        "metrics",
        "mu_through",
        "readyz",
        "registry_entry",
        "registry_import",
        "releases",
        "rules",
        "statement",
        "understand",
    }
    assert {kind.__name__ for kind in STATES.values()} <= set(DOCUMENT["components"]["schemas"])


@pytest.mark.parametrize("name", ["AccountResult", "StreamLine"])
def test_a_streamed_result_conforms(name):
    request = AccountRequest(noise_multiplier=1.0, dataset_size=50_000, batch_size=256, epochs=30.0)
    result = json.loads(encoded(account(request, lambda words: None)))
    schema = {"$ref": f"#/components/schemas/{name}", "components": DOCUMENT["components"]}
    jsonschema.validate(result if name == "AccountResult" else {"result": result}, schema)


def test_the_page_about_it_names_everything_and_runs_nothing():
    page = CLIENT.get("/docs").text
    assert "<script" not in page
    assert " style=" not in page
    for path in DOCUMENT["paths"]:
        assert path in page
    for name in DOCUMENT["components"]["schemas"]:
        assert f'id="type-{name}"' in page
    inner = re.findall(r'href="#([^"]+)"', page)
    assert set(inner) > {operation["operationId"] for way in DOCUMENT["paths"].values() for operation in way.values()}
    assert set(inner) <= set(re.findall(r'id="([^"]+)"', page))


def test_the_page_about_it_is_a_document_in_every_format():
    document = api_document(DOCUMENT)
    fields = next(table for table in document.tables if table.key == "mu_through-fields")
    assert ("fpr", "number in (0, 1)") in [row[:2] for row in fields.rows]
    for style in PROSE_FORMATS:
        assert ("mu_through-fields" if style == "json" else "mu-through") in render(document, style)
