"""Known releases, for the axis of μ."""

from gaussdp.web.schemas.responses import DeploymentsResponse


def deployments() -> DeploymentsResponse:
    """The catalogue."""
    return DeploymentsResponse(deployments=[])
