"""The GDP curve through an operating point, for dragging the curve itself."""

from gaussdp import numerics
from gaussdp.domains import LEVEL, evaluate
from gaussdp.errors import DomainError
from gaussdp.web.schemas.requests import PointRequest
from gaussdp.web.schemas.responses import Mu
from gaussdp.web.views.wording import guarantee_text


def mu_through(request: PointRequest) -> Mu:
    """The μ whose curve passes through the point."""
    fpr, fnr = request.fpr, request.fnr
    if fpr + fnr > 1:
        raise DomainError(
            "fnr", f"at most 1 − fpr = {1 - fpr:g}", fnr, "above the diagonal lies no attack worth the name"
        )
    mu: float = evaluate(lambda a, b: numerics.mu_through_point(a, b, 1 - b), fpr=(fpr, LEVEL), fnr=(fnr, LEVEL))
    return Mu(mu=mu, mu_text=guarantee_text(mu))
