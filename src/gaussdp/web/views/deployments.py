"""Known releases, for the axis of μ."""

from functools import cache

from gaussdp.documents.rounding import shown
from gaussdp.published import Deployment as Known
from gaussdp.published import deployments as catalogue
from gaussdp.web.schemas.responses import Deployment, DeploymentsResponse
from gaussdp.web.views.wording import guarantee_text


@cache
def deployments() -> DeploymentsResponse:
    """The catalogue."""
    return DeploymentsResponse(deployments=[_row(known) for known in catalogue()])


def _row(known: Known) -> Deployment:
    return Deployment(
        name=known.name,
        organisation=known.organisation,
        year=known.year,
        unit=known.unit,
        setting=known.setting,
        covers=known.covers,
        source=known.source,
        url=known.url,
        epsilon=known.epsilon,
        epsilon_text=None if known.epsilon is None else shown(known.epsilon),
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
