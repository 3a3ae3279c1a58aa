"""After which time the same people spend as much again: the periods, and the one that a unit of privacy names."""

import re
from typing import Literal

from gaussdp.errors import DomainError, brief
from gaussdp.words import say

Period = Literal[
    "",
    "hour",
    "2 hours",
    "3 hours",
    "4 hours",
    "6 hours",
    "8 hours",
    "12 hours",
    "day",
    "week",
    "month",
    "quarter",
    "year",
    "not stated",
]
A_YEAR: dict[Period, int] = {
    "": 1,
    "hour": 8760,
    "2 hours": 4380,
    "3 hours": 2920,
    "4 hours": 2190,
    "6 hours": 1460,
    "8 hours": 1095,
    "12 hours": 730,
    "day": 365,
    "week": 53,
    "month": 12,
    "quarter": 4,
    "year": 1,
}
"""So many periods a year touches, of which nobody is protected for one alone."""

_ONE: dict[str, Period] = {
    **dict.fromkeys(("hour", "hourly"), "hour"),
    **dict.fromkeys(("day", "daily"), "day"),
    **dict.fromkeys(("week", "weekly"), "week"),
    **dict.fromkeys(("month", "monthly"), "month"),
    **dict.fromkeys(("quarter", "quarterly"), "quarter"),
    **dict.fromkeys(("year", "yearly", "annual", "annually"), "year"),
}
_SEVERAL: dict[tuple[str, str], Period] = {
    ("1", "hour"): "hour",
    ("2", "hour"): "2 hours",
    ("3", "hour"): "3 hours",
    ("4", "hour"): "4 hours",
    ("6", "hour"): "6 hours",
    ("8", "hour"): "8 hours",
    ("12", "hour"): "12 hours",
    ("24", "hour"): "day",
    ("quarter", "day"): "6 hours",
    ("half", "day"): "12 hours",
    ("1", "day"): "day",
    ("1", "week"): "week",
    ("1", "month"): "month",
    ("3", "month"): "quarter",
    ("12", "month"): "year",
    ("quarter", "year"): "quarter",
    ("1", "year"): "year",
}
"""What a number or a part before a time comes to; nothing else is known to be one of the periods."""

_NUMBERS = {"one": "1", "two": "2", "three": "3", "four": "4", "six": "6", "eight": "8", "twelve": "12"}
_PLURALS = {"hours": "hour", "days": "day", "weeks": "week", "months": "month", "quarters": "quarter", "years": "year"}
_TIMES = {*_ONE, *_PLURALS}
_BETWEEN = {"a", "an", "the", "per", "each", "every", "single"}
_PARTS = {"half", "third", "fifth", "other", "second", "few", "several", "multiple", "many", "rolling"}
_OTHER_TIMES = {
    *("minute", "minutes", "seconds", "fortnight", "fortnights", "fortnightly", "biweekly", "bimonthly", "biannual"),
    *("semiannual", "semester", "semesters", "trimester", "trimesters", "season", "seasons", "decade", "decades"),
    *("century", "centuries", "weekend", "weekends", "weekday", "weekdays", "lifetime"),
}
_WORD = re.compile(r"[^\W\d_]+|\d[^\s_()\[\]-]*|[^\s\w-]+")


def period_named(unit: str) -> Period:
    """The period that a unit of privacy names, such as "user-day" or "user-quarter-day"; "" where it names no time.

    Raises:
        DomainError: if it names a time that is none of the periods, or more than one time.

    >>> period_named("User-quarter-day-level"), period_named("User-quarter-level"), period_named("Person")
    ('6 hours', 'quarter', '')
    """
    words = [word for word in _WORD.findall(unit.lower()) if word not in _BETWEEN]
    last = max((i for i, word in enumerate(words) if word in _TIMES), default=None)
    if last is None:
        found: Period | None = "" if _OTHER_TIMES.isdisjoint(words) else None
    else:
        found = _period_at(words, last)
    if found is None:
        problem = say("names a time that is not understood")
        advice = say("name one such as User-day-level or User-6-hour-level")
        raise DomainError("privacy_unit", problem=problem, got=brief(unit), advice=advice)
    return found


def _period_at(words: list[str], last: int) -> Period | None:
    """The period of the word at this place, the last that is a time; None if it or any other word leaves doubt."""
    before = words[last - 1] if last else ""
    several = _SEVERAL.get((_NUMBERS.get(before, before), _PLURALS.get(words[last], words[last])))
    others = {*words[: last - 1 if several else last], *words[last + 1 :]}
    part = words[last : last + 2] == ["quarter", "of"]
    if part or not others.isdisjoint(_TIMES | _PARTS | _OTHER_TIMES):
        return None
    if several:
        return several
    return None if any(letter.isnumeric() for letter in before) else _ONE.get(words[last])
