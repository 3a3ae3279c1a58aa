"""Words in the language of who reads them: English stands in the code, one catalogue a language has the rest.

`say("at most {right} of 100", right="58.5")` is the sentence in the language that is spoken here and now, a `Phrase` a
word that is defined once and said later. Only what people read is said: numbers and names for machines never change.
"""

from gaussdp.words.speaking import (
    ENGLISH,
    LANGUAGES,
    Numeral,
    Phrase,
    numeral,
    plural,
    preferred,
    remembered,
    say,
    speaking,
    spoken,
    told_once,
    words_of,
)

__all__ = [
    "ENGLISH",
    "LANGUAGES",
    "Numeral",
    "Phrase",
    "numeral",
    "plural",
    "preferred",
    "remembered",
    "say",
    "speaking",
    "spoken",
    "told_once",
    "words_of",
]
