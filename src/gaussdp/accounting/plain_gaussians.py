"""Gaussian releases together, sampled ones as if they were plain: exactly mu-GDP, to the last digit of a double.

Reference: Dong, Roth & Su (2022), Corollary 3.3: the squares add up.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from gaussdp.documents.written import root_down, root_up, written
from gaussdp.errors import DomainError
from gaussdp.mechanisms import Gaussian, Mechanism, MixtureOfGaussians, PoissonSampled, SampledExchange, ZCDPGaussian

_FEW = 50
"""So many squares are added exactly; of more, each is cut to a multiple of the largest over the finest."""
_FINEST = 2**200


def mu_of_plain(parts: Iterable[tuple[Mechanism, int]]) -> tuple[float, float]:
    """The doubles next to the mu of Gaussian releases, one below and one above it; of sampled ones without sampling.

    Parameters are taken as they are written; both are mu itself where that is a double as written. Where mu is known as
    a bound, the one below is next to the least that it may be.

    >>> mu_of_plain([(Gaussian(10.0), 9)]), mu_of_plain([(Gaussian(3.0), 1)])
    ((0.3, 0.3), (0.3333333333333333, 0.33333333333333337))
    """
    squares = [(count, *_squares(part)) for part, count in parts]
    high = roots([count * most for count, _, most in squares])
    if all(least == most for _, least, most in squares):
        return high
    return roots([count * least for count, least, _ in squares])[0], high[1]


def _squares(part: Mechanism) -> tuple[Fraction, Fraction]:
    """The least and the largest that the squared mu of a release may be."""
    release = part.mechanism if isinstance(part, PoissonSampled) else part
    if isinstance(release, Gaussian | ZCDPGaussian):
        return release.least_squared_mu, release.squared_mu
    square = _square(part)
    return square, square


def _square(part: Mechanism) -> Fraction:
    if isinstance(part, MixtureOfGaussians):
        return (written(part.largest) / written(part.noise_multiplier)) ** 2
    if isinstance(part, SampledExchange):
        return (2 / written(part.noise_multiplier)) ** 2
    raise DomainError("mechanism", "Gaussian releases", part)


def roots(squares: Sequence[Fraction]) -> tuple[float, float]:
    """The doubles next to the root of a sum, one below and one above it."""
    if len(squares) > _FEW:
        return root_down(_cut(squares, math.floor)), root_up(_cut(squares, math.ceil))
    whole = sum(squares, Fraction())
    return root_down(whole), root_up(whole)


def _cut(amounts: Sequence[Fraction], rounded: Callable[[Fraction], int]) -> Fraction:
    """The sum of many, each cut to the same unit, far below the last digit of a double: exact ones grow long."""
    unit = max(amounts) / _FINEST
    return unit * sum(rounded(amount / unit) for amount in amounts)
