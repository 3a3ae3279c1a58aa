"""Random runs from the documented ranges, by kind; each depends on its seed and its number alone."""

from collections.abc import Callable

import numpy as np

from gaussdp.mechanisms import DPSGD, Composition, Gaussian, Mechanism

GAUSSIAN_SHARE = 0.2  # of mixtures that hold a plain release as well

Draw = np.random.Generator


def _step(draw: Draw, noise: tuple[float, float], rate: tuple[float, float], steps: tuple[float, float]) -> DPSGD:
    """One kind of step; all ranges are powers of ten."""
    count = round(10 ** draw.uniform(*steps))
    return DPSGD(float(10 ** draw.uniform(*noise)), min(float(10 ** draw.uniform(*rate)), 1.0), count)


def _mixed(draw: Draw, noise: tuple[float, float], rate: tuple[float, float], steps: tuple[float, float]) -> Mechanism:
    count = int(2 + 48.99 * draw.random() ** 3)
    parts: list[Mechanism] = [_step(draw, noise, rate, steps) for _ in range(count)]
    if draw.random() < GAUSSIAN_SHARE:
        parts.append(Gaussian(float(10 ** draw.uniform(-0.5, 2))))
    return Composition(parts)


def _anything(draw: Draw) -> Mechanism:
    if draw.random() < 0.7:
        return _step(draw, (-1, 2), (-6, 0), (0, 7))
    return _mixed(draw, (-1, 2), (-6, 0), (0, 4))


def _plain(draw: Draw) -> Mechanism:
    return Composition([Gaussian(float(10 ** draw.uniform(-1, 2))) for _ in range(draw.integers(1, 4))])


KINDS: dict[str, Callable[[Draw], Mechanism]] = {
    "typical": lambda draw: _step(draw, (-0.4, 1.5), (-3, -0.1), (2, 6)),
    "one": lambda draw: _step(draw, (-1, 2), (-6, 0), (0, 0)),
    "plain": _plain,
    "few": lambda draw: _step(draw, (-0.7, 0.7), (-6, -1), (0.301, 1.5)),
    "rare": lambda draw: _step(draw, (-0.7, 0.3), (-6, -3), (1, 4)),
    "two": lambda draw: _step(draw, (-1, 1.5), (-6, 0), (0.301, 0.301)),
    "mixtures": lambda draw: _mixed(draw, (-0.3, 1.3), (-2.5, -0.1), (0.5, 3.5)),
    "many": lambda draw: _step(draw, (-0.3, 2), (-4, 0), (4, 7)),
    "all": _anything,
    "split": lambda draw: _step(draw, (-0.3, 0.5), (-5, -3), (3, 6)),
    "split mixtures": lambda draw: Composition([_step(draw, (-0.2, 0.4), (-5, -2.5), (2.5, 4.5)) for _ in range(3)]),
}
"""What is typical of training; one step; plain releases; few steps; rarely sampled ones; two; mixtures of up to 50
parts; many steps; anything in the documented ranges; and many rarely sampled steps, of one kind or three."""


def random_run(kind: str, seed: int, number: int) -> tuple[Mechanism, Draw]:
    """The run of a number, and what else it draws."""
    draw = np.random.default_rng([seed, number, list(KINDS).index(kind)])
    return KINDS[kind](draw), draw
