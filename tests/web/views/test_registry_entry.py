"""Runs and decisions of the page as entries of OpenDP's registry, and files of it as deployments."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from gaussdp.errors import DomainError
from gaussdp.web.schemas.requests import (
    AccountRequest,
    AdviseRequest,
    CalibrateRequest,
    EntryRequest,
    ImportRequest,
    ReleaseRequest,
    ReleasesRequest,
    TargetRequest,
)
from gaussdp.web.views.deployments import imported
from gaussdp.web.views.statements import registry_entry
from gaussdp.words import speaking

HERE = Path(__file__).parents[2] / "published"
SCHEMA = json.loads((HERE / "registry-entry.schema.json").read_text(encoding="utf-8"))
FACTS = {
    "curator": "Town",
    "curator_type": "Government",
    "intended_use": "Planning",
    "region": "Town",
    "author": "A. Clerk",
}
RUN = {"dataset_size": 6000, "batch_size": 60, "epochs": 2.0, "unit": "one patient"}
STATES = {
    "account": AccountRequest(noise_multiplier=1.0, **RUN),
    "calibrate": CalibrateRequest(target=TargetRequest(kind="mu", value=0.5), **RUN),
    "releases": ReleasesRequest(releases=(ReleaseRequest(noise="gaussian", scale=4.0),), unit="one person", delta=1e-5),
    "advise": AdviseRequest(every="month", title="Visits & trips"),
}


def entry_of(view):
    asked = EntryRequest(view=view, state={}, **FACTS)
    return registry_entry(asked, STATES[view], lambda words: None)


@pytest.mark.parametrize("view", list(STATES))
def test_an_entry_is_what_the_schema_accepts_in_every_language(view):
    name, kind, content = entry_of(view)
    assert name.endswith("-town-" + name[-9:-5] + ".yaml")
    assert kind == "application/yaml"
    jsonschema.Draft7Validator(SCHEMA).validate(yaml.safe_load(content))
    with speaking("de"):
        assert entry_of(view) == (name, kind, content)


def test_what_is_written_can_be_read():
    name, _, content = entry_of("releases")
    [row] = imported(ImportRequest(name=name, text=content.decode()))["deployments"]
    assert (row["organisation"], row["unit"], row["delta"]) == ("Town", "one person", 1e-5)
    assert row["epsilon"] == pytest.approx(1.0, rel=0.1)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("entry.txt", "x", "must end in"),
        ("entry.yaml", "a: [", "is no YAML"),
        ("entry.json", "{", "entry.json: "),
        ("entry.yaml", "a: 1", "it has no deployment"),
        ("entry.json", "[]", "it has no deployment"),
    ],
)
def test_other_files_are_refused(name, text, said):
    with pytest.raises(DomainError, match=said):
        imported(ImportRequest(name=name, text=text))
