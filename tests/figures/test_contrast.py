"""Lines of our own figures can be seen: a contrast of at least 3 to 1 to white, as WCAG asks of graphics."""

import pytest

from gaussdp.documents import blocks
from gaussdp.figures import style, tradeoffs


def contrast(colour: str) -> float:
    """To white, by the formula of WCAG 2.1."""
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


@pytest.mark.parametrize(
    "colour",
    [*tradeoffs.COLOURS, style.OWN, style.OWN_SECOND, style.BASELINE, blocks.BEFORE, blocks.ADDED, blocks.REST],
)
def test_lines_are_dark_enough(colour):
    assert contrast(colour) >= 3
