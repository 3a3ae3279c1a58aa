"""A run or a decision of the page as an entry of OpenDP's registry of deployments."""

from dataclasses import fields

from gaussdp.advising import advise, record
from gaussdp.advising.registering import decision_entry
from gaussdp.published.entry import RegistryEntry, RegistryFacts
from gaussdp.statements.registering import run_entry
from gaussdp.web.schemas.requests import AdviseRequest, CalibrateRequest, Described, EntryRequest, State
from gaussdp.web.views.account import Tell, calibrated
from gaussdp.web.views.advise import answers_of
from gaussdp.web.views.statements import reported
from gaussdp.web.views.training import run_of
from gaussdp.words import say

TYPE = "application/yaml"


def registry_entry(request: EntryRequest, state: State, tell: Tell) -> tuple[str, str, bytes]:
    """The entry: the name of the file, its type and its content."""
    tell(say("writing the document"))
    told = {one.name: getattr(request, one.name, None) for one in fields(RegistryFacts)}
    facts = RegistryFacts(**{key: words for key, words in told.items() if words})
    entry = _entry(state, facts, tell)
    return f"{entry.as_mapping()['url_slug']}.yaml", TYPE, entry.as_yaml().encode()


def _entry(state: State, facts: RegistryFacts, tell: Tell) -> RegistryEntry:
    match state:
        case AdviseRequest():
            return decision_entry(record(advise(answers_of(state))), facts)
        case CalibrateRequest():
            return run_entry(reported(state, calibrated(state, tell)), facts, state.delta)
        case Described():
            return run_entry(reported(state, run_of(state)), facts, state.delta)
    raise TypeError(f"{type(state).__name__} makes no entry")
