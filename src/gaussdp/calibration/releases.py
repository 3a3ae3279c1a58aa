"""Single releases: plain Gaussian and Laplace noise in closed form, and what a composition leaves for the next one."""

import math

from gaussdp.calibration.dpsgd import DEFAULT_DIGITS
from gaussdp.calibration.results import Calibration
from gaussdp.calibration.searching import SearchAxis, SignificantDigits, calibrate
from gaussdp.calibration.targets import Reader, Target
from gaussdp.domains import integer
from gaussdp.errors import DomainError
from gaussdp.guarantees import Guarantee, LaplaceDP
from gaussdp.mechanisms import Composition, Gaussian, Laplace, Mechanism
from gaussdp.risks import Advantage, AtMost

_SPAN = 1e6  # a closed form is right to rounding error; the range around it only has to hold its neighbours


def gaussian_noise_multiplier(target: Target, *, releases: int = 1, digits: int = DEFAULT_DIGITS) -> Calibration:
    r"""The least noise with which plain Gaussian releases meet a target.

    .. math:: \sigma = \sqrt{n} / \mu

    Args:
        target: a GDP or AtMost(risk, value).
        releases: how many releases with this noise share the target.
        digits: significant digits of the answer, 1 to 12; it is rounded up.
    Returns:
        Standard deviation over sensitivity, rounded up and checked.

    >>> from gaussdp import GDP
    >>> gaussian_noise_multiplier(GDP(0.31)).value
    3.226
    """
    reader = Reader(target)
    count = integer("releases", releases, low=1)
    start = math.sqrt(count) / reader.mu
    axis = SearchAxis("noise_multiplier", start / _SPAN, start * _SPAN, SignificantDigits(digits), "larger")
    return calibrate(axis, reader, lambda noise: count * Gaussian(noise) if count > 1 else Gaussian(noise), start)


def laplace_scale(target: Target, *, digits: int = DEFAULT_DIGITS) -> Calibration:
    r"""The least scale of Laplace noise with which one release meets a target.

    For a GDP target :math:`1/b = -2\log\operatorname{erfc}(\mu/\sqrt 8)`, for a bound v on the advantage
    :math:`1/b = -2\log(1 - v)`; for other risks a search on the closed-form curve.

    Args:
        target: a GDP or AtMost(risk, value).
        digits: significant digits of the answer, 1 to 12; it is rounded up.
    Returns:
        Scale over sensitivity, rounded up and checked.

    >>> from gaussdp import Advantage, AtMost
    >>> laplace_scale(AtMost(Advantage(), 0.1)).value
    4.746
    """

    def curve(mechanism: Mechanism) -> Guarantee:
        return LaplaceDP(max(part.epsilon for part, _ in mechanism.parts() if isinstance(part, Laplace)))

    reader = Reader(target, curve=curve)
    if isinstance(target, AtMost) and isinstance(target.risk, Advantage):
        epsilon = -2 * math.log1p(-target.value)
    else:
        epsilon = LaplaceDP.from_mu(reader.mu).epsilon_bound
    axis = SearchAxis("scale", 1 / epsilon / _SPAN, _SPAN / epsilon, SignificantDigits(digits), "larger")
    return calibrate(axis, reader, Laplace, 1 / epsilon)


def mu_left(
    target: Target, spent: Mechanism, *, floor: float | None = None, digits: int = DEFAULT_DIGITS
) -> Calibration:
    """The largest mu for a next release, such that what was released already and this together meet a target.

    The next release may be anything that is mu-GDP, chosen after seeing the others; it is accounted for as a Gaussian
    release, the worst of these.

    Args:
        target: a GDP or AtMost(risk, value), for everything together.
        spent: what was released already.
        floor: of the fit, for a GDP target; the accounted curve's own default if None.
        digits: significant digits of the answer, 1 to 12; it is rounded down.
    Raises:
        DomainError: if nothing is left.

    >>> from gaussdp import GDP
    >>> mu_left(GDP(0.5), 9 * Gaussian(10.0)).value
    0.4
    """
    reader = Reader(target, floor)
    if not isinstance(spent, Mechanism):
        raise DomainError("spent", "a mechanism", spent, got=type(spent).__name__)
    before = reader(spent)
    if not reader.meets(before) or before.mu >= reader.mu:
        raise DomainError(
            None, problem=f"nothing is left: what was released already gives {before.achieved:.6g}, target {target}"
        )
    start = math.sqrt((reader.mu - before.mu) * (reader.mu + before.mu))
    axis = SearchAxis("mu", reader.mu / _SPAN, reader.mu * _SPAN, SignificantDigits(digits), "smaller")
    return calibrate(axis, reader, lambda mu: Composition([spent, Gaussian(1 / mu, spent.adjacency)]), start)
