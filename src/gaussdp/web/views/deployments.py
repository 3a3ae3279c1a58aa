"""Known releases, for the axis of μ."""

from functools import cache

from gaussdp.documents.rounding import shown
from gaussdp.published import Deployment as Known
from gaussdp.published import deployments as catalogue
from gaussdp.published.opendp_registry import parse_registry
from gaussdp.web.schemas.requests import ImportRequest
from gaussdp.web.schemas.responses import Deployment, DeploymentsResponse
from gaussdp.web.views.showing import guarantee_text
from gaussdp.words import numeral, say, spoken


def deployments() -> DeploymentsResponse:
    """The catalogue, in the language that is spoken."""
    return _told(spoken())


@cache
def _told(language: str) -> DeploymentsResponse:
    return DeploymentsResponse(deployments=[_row(known) for known in catalogue()])


def imported(request: ImportRequest) -> DeploymentsResponse:
    """What a file of OpenDP's registry says, as the catalogue would have it."""
    return DeploymentsResponse(deployments=[_row(parse_registry(request.text, request.name))])


def _row(known: Known) -> Deployment:
    return Deployment(
        name=known.name,
        organisation=known.organisation,
        year=known.year,
        unit=say(known.unit),
        setting=known.setting,
        covers=say(known.covers),
        source=known.source,
        url=known.url,
        epsilon=known.epsilon,
        epsilon_text=None if known.epsilon is None else numeral(shown(known.epsilon)),
        delta=known.delta,
        rho=known.rho,
        published=known.stated,
        mu=known.mu,
        mu_text=None if known.mu is None else guarantee_text(known.mu),
        period=known.period,
        mu_per_year=known.mu_per_year,
        mu_per_year_text=None if known.mu_per_year is None else guarantee_text(known.mu_per_year),
        basis=known.basis,
    )
