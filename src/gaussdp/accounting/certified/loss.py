"""The loss of a composition in balls: its parts, and the tails that are closed form."""

import math
from dataclasses import dataclass
from fractions import Fraction

from gaussdp.accounting.certified.balls import arb, between, tail
from gaussdp.accounting.certified.lines import Tails
from gaussdp.accounting.certified.steps import Part
from gaussdp.errors import DomainError
from gaussdp.mechanisms import Gaussian, Mechanism, PoissonSampled, ZCDPGaussian


@dataclass(frozen=True)
class ComposedLoss:
    """Plain Gaussian releases and counted sampled steps, with parameters as they are written.

    A parameter that was computed lies between two numbers: every proof is then of all that lie between.

    Attributes:
        plain: between which the squared mu of plain releases lie, with counts.
        parts: the sampled steps.
    """

    plain: tuple[tuple[tuple[Fraction, Fraction], int], ...]
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, mechanism: Mechanism) -> "ComposedLoss":
        """The loss of a mechanism.

        Raises:
            DomainError: if a part of it is neither Gaussian nor Poisson-sampled Gaussian, or if it is only known to
                lose no more.
        """
        if mechanism.bounded:
            raise DomainError(
                "mechanism",
                problem=f"cannot be certified: of {mechanism.sentence} only an upper bound is known, and no lower one",
            )
        plain, parts = [], []
        for part, count in mechanism.parts():
            if isinstance(part, PoissonSampled) and part.adjacency == "add-remove":
                noise = part.mechanism
                parts.append(Part(noise.noise_multiplier, part.sample_rate, count, noise.noises))
            elif isinstance(part, Gaussian | ZCDPGaussian):
                plain.append(((part.least_squared_mu, part.squared_mu), count))
            else:
                raise DomainError(
                    "mechanism",
                    problem=f"cannot be certified: {part.sentence} is neither Gaussian nor Poisson-sampled Gaussian",
                )
        return cls(tuple(plain), tuple(parts))

    @property
    def closed(self) -> bool:
        """Whether the tails are closed form."""
        return not self.parts or (not self.plain and self._count == 1)

    @property
    def _count(self) -> int:
        return sum(part.count for part in self.parts)

    def squared_mu(self) -> arb:
        """Of the plain releases together."""
        return sum((count * between(squares) for squares, count in self.plain), arb(0))

    @property
    def lowest(self) -> float:
        """The least loss, nearly; minus infinity beside plain Gaussian releases."""
        if self.plain:
            return -math.inf
        return math.fsum(part.count * math.log1p(-part.sample_rate) for part in self.parts)

    def below(self, threshold: float) -> Tails | None:
        """The tails at a threshold that no loss falls below; None if losses may."""
        if self.plain:
            return None
        lowest = arb(0)
        for part in self.parts:
            lowest += part.count * (1 - part.rate()).log()
        tau = arb(threshold)
        if not tau <= lowest:
            return None
        one, none = arb(1), arb(0)
        return Tails(threshold, one, none, none, one, 1 - tau.exp(), none)

    def closed_tails(self, threshold: float) -> Tails:
        """The tails at a threshold, where they are normal CDFs (lemma 8)."""
        tau = arb(threshold)
        if not self.parts:
            mu = self.squared_mu().sqrt()
            z = tau / mu + mu / 2
            fpr, tnr, fnr, tpr = tail(z), tail(-z), tail(mu - z), tail(z - mu)
        else:
            part = self.parts[0]
            sigma, rate = part.sigma(), part.rate()
            known = self.below(threshold)
            if known:
                return known
            odds = (tau.exp() - 1 + rate) / rate
            x = (sigma**2 * odds.log() + arb(0.5)) if odds > 0 else arb(0, math.inf)
            z, shifted = x / sigma, (x - 1) / sigma
            fpr, tnr = tail(z), tail(-z)
            fnr = (1 - rate) * tail(-z) + rate * tail(-shifted)
            tpr = (1 - rate) * tail(z) + rate * tail(shifted)
        return Tails(threshold, fpr, tnr, fnr, tpr, tpr - tau.exp() * fpr, tnr - (-tau).exp() * fnr)
