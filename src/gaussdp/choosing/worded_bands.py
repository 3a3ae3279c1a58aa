"""The words that judge a mu, for all outputs: this project's own, and never told without the number they stand for."""

import math
from dataclasses import dataclass

from gaussdp.documents.rounding import shown_up
from gaussdp.guarantees import GDP
from gaussdp.words import Phrase, say


@dataclass(frozen=True)
class WordedBand:
    """A word for a mu.

    Attributes:
        high: the largest mu that it is for.
        word: this project's own; no law or standard knows it.
    """

    high: float
    word: str


BANDS = (
    WordedBand(0.25, Phrase("very cautious")),
    WordedBand(0.5, Phrase("cautious")),
    WordedBand(1.0, Phrase("moderate")),
    WordedBand(2.0, Phrase("weak")),
    WordedBand(math.inf, Phrase("very weak")),
)


def band_words(mu: float) -> str:
    """The band with its number: "cautious: at most 58.5 of 100 guesses right, 50 by a coin"."""
    word = next(band.word for band in BANDS if mu <= band.high)
    right = shown_up(100 * GDP(mu).accuracy(), 3)
    return say("{word}: at most {right} of 100 guesses right, 50 by a coin", word=word, right=right)
