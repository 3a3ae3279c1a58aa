"""The words: their numbers are the library's, on the safe side, for every input or with one clear refusal."""

import math
import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import gaussdp
from gaussdp.documents import PROSE_FORMATS
from gaussdp.explaining import sentences

FULL = gaussdp.explain(0.8, prior=0.01)


def sentence(explanation, words):
    (found,) = [text for text in explanation.sentences if words in text]
    return found


def test_guesses_before_and_after():
    assert "50 of 100 guesses are right. With the release at most 66 of 100 are right" in sentence(
        FULL, "toss of a coin:"
    )
    assert "always answering “not a member”" in sentence(FULL, "1 of 100 people is a member, always")
    assert "always answering “a member”" in sentence(gaussdp.explain(2.0, prior=0.9), "people are members, always")
    visible = sentence(gaussdp.explain(2.0, prior=0.1), "always answering")
    assert visible.endswith("90 of 100 guesses are right. With the release at most 93 of 100 are right, 3 more.")


@pytest.mark.parametrize(("fpr", "words"), [(1e-2, "100"), (1e-3, "1,000"), (1e-5, "100,000")])
def test_members_found_with_few_false_alarms(fpr, words):
    text = sentence(FULL, f"An attack with 1 false alarm in {words} nonmembers")
    found = int(re.search(r"at most ([\d,]+) of 100,000 members", text)[1].replace(",", ""))
    assert found == math.ceil(1e5 * gaussdp.GDP(0.8).tpr(fpr))
    assert f"(without the release: {round(1e5 * fpr):,})" in text


def test_natural_frequencies():
    text = sentence(FULL, "Among 100,000 people, 1,000 of them members")
    assert "accuses 99 by mistake and at most 12 rightly" in text
    assert "at most 11 are right (without the release: 1)" in text
    assert "from 1 : 99 to at most 1 : 8.99" in text


def test_precision_groups_releases_and_epsilons():
    assert "at most 11 are right" in sentence(FULL, "To find 1 of 100 members")
    assert "μ is 1.6: at even odds at most 79 of 100" in sentence(FULL, "For 2 people")
    assert "μ is 2.53 in all" in sentence(FULL, "After 10 releases")
    assert "ε = 2.4." in sentence(FULL, "In members found with 1 false alarm in 1,000")
    assert "ε = 3.8." in sentence(FULL, "δ = 1e-6")


def test_what_is_not_asked_for_is_left_out():
    small = gaussdp.explain(0.8, fpr=(), recall=(), delta=(), group=(), releases=())
    assert [passage.key for passage in small.passages] == ["guesses", "equivalents", "limits"]
    assert len(small.icons) == 1


def test_one_level_or_several():
    assert gaussdp.explain(1.0, fpr=1e-4).alarms == gaussdp.explain(1.0, fpr=[1e-4]).alarms
    assert gaussdp.explain(1.0, group=3).groups == gaussdp.explain(1.0, group=np.array([3])).groups


def test_ends():
    nothing, everything = gaussdp.explain(0.0, prior=0.3), gaussdp.explain(math.inf, prior=0.3)
    assert "does not depend on the data of one person" in nothing.headline
    assert nothing.icons[0].counts == (50, 0, 50)
    assert nothing.icons[1].counts == (30, 0, 70)
    assert "There is no protection" in everything.headline
    assert everything.icons[0].counts == (50, 50, 0)
    assert "at most 100,000 of 100,000 members" in sentence(everything, "1 false alarm in 1,000 nonmembers finds")


RATES = st.floats(min_value=1e-300, max_value=1.0, exclude_max=True)
LEVELS = st.floats(min_value=0.0, max_value=1.0, exclude_min=True, exclude_max=True)


@given(
    mu=st.floats(min_value=0.0, allow_nan=False) | st.sampled_from([0.0, 1e-10, 1e-300, 40.0, 1e300, math.inf]),
    prior=LEVELS | st.sampled_from([5e-324, 1e-17, 1 - 2**-53]),
    fpr=RATES,
    recall=RATES,
    delta=LEVELS,
    group=st.integers(1, 10**15),
    releases=st.integers(1, 10**15),
    style=st.sampled_from(PROSE_FORMATS),
)
@example(mu=40.0, prior=5e-324, fpr=1e-300, recall=1e-100, delta=0.5, group=1, releases=1, style="text")
@example(mu=math.inf, prior=1 - 2**-53, fpr=0.5, recall=0.5, delta=5e-324, group=10**15, releases=10**15, style="html")
@settings(max_examples=60)
def test_any_input_in_the_domain_is_explained(style, **given_values):
    mu = given_values.pop("mu")
    explanation = gaussdp.explain(mu, **given_values)
    words = explanation.render(style)
    assert "nan" not in re.sub(r"[a-z]*nan[a-z]+|[a-z]+nan[a-z]*", "", words.lower())
    for array in explanation.icons:
        assert min(array.counts) >= 0
        assert sum(array.counts) == array.of
        assert len(array.kinds) == min(array.of, 1000)
        for kind, count in enumerate(array.counts[:2]):  # what is right is never drawn as less
            assert array.kinds.count(kind) >= min(count / array.each, 1)


@given(st.floats(0.0, 8.0), st.floats(0.001, 0.999), st.floats(1e-6, 0.4))
def test_shown_risks_are_never_below_the_true_ones(mu, prior, fpr):
    explanation = gaussdp.explain(mu, prior=prior, fpr=fpr)
    (alarm,) = explanation.alarms
    guarantee = gaussdp.GDP(mu)
    shown = [text for text in explanation.sentences if "are right (without the release" in text]
    for text, risk in zip(shown, (alarm.precision, guarantee.precision(0.01, prior)), strict=True):
        of, told, before = (
            int(found.replace(",", ""))
            for found in re.search(r"Of ([\d,]+) acc.* at most ([\d,]+) are right \(.*: ([\d,]+)\)", text).groups()
        )
        assert of * risk * (1 - 1e-12) - 1e-9 <= told <= of * risk + 1.0 or risk <= prior * (1 + 1e-9)
        assert abs(before - of * prior) <= 0.5 + 1e-6
        assert 0 < before < of
    even, *accused = explanation.icons
    for array in accused:
        assert f"Of {array.of:,} accusations at most {array.before + array.added:,} are right" in shown[0]
    assert even.before + even.added >= even.of * guarantee.accuracy() * (1 - 1e-12) - 1e-9


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mu": -0.1}, r"mu must be in \[0, inf\], got -0.1"),
        ({"mu": math.nan}, r"mu must be in \[0, inf\], got nan"),
        ({"mu": "0.8"}, "mu must be a number"),
        ({"mu": [1.0, 2.0]}, "mu must be one number"),
        ({"prior": 0.0}, r"prior must be in \(0, 1\), got 0.0; who starts at 0 or 1 knows already"),
        ({"prior": 1}, r"prior must be in \(0, 1\), got 1.0"),
        ({"fpr": 0.0}, r"fpr must be in \[1e-300, 1\), got 0.0"),
        ({"fpr": "x"}, "fpr must be a number"),
        ({"recall": [0.5, 1.0]}, r"recall must be in \[1e-300, 1\), got 1.0"),
        ({"delta": math.nan}, r"delta must be in \(0, 1\), got nan"),
        ({"group": 0}, "group must be a whole number of at least 1, got 0"),
        ({"group": 2.5}, "group must be a whole number of at least 1, got float 2.5"),
        ({"group": "23"}, "group must be a whole number of at least 1, got str '23'"),
        ({"releases": [1, -2]}, "releases must be a whole number of at least 1, got -2"),
        ({"releases": 10**16}, "releases must be a whole number of at most 1,000,000,000,000,000, got"),
    ],
)
def test_bad_input(change, words):
    with pytest.raises(gaussdp.DomainError, match=words):
        gaussdp.explain(**{"mu": 0.8, **change})


def test_unknown_style():
    with pytest.raises(gaussdp.DomainError, match=r"format must be one of .*'html', got 'pdf'"):
        FULL.render("pdf")


def test_numbers_that_people_choose_come_back_as_they_say_them():
    assert sentences.frequency(1e-7) == "1 of 10,000,000"
    assert sentences.frequency(1e-15) == "a share of 1e-15 of all"
    assert sentences.one_in(1e-5) == "1 in 100,000"
    assert sentences.members_among(1 / 3) == "about 33 of 100 people are members"
    assert sentences.people(1e-14) is None


def test_one_set_of_defaults_in_explain_choose_and_the_page():
    from gaussdp.risks import DELTA, FPR, RECALL
    from gaussdp.web.schemas.requests import UnderstandRequest

    asked = UnderstandRequest(mu=1.0)
    assert FULL.searches[0].recall == RECALL.initial == asked.recall
    assert FULL.equivalents[-1].level == DELTA.initial == asked.delta
    assert FPR.initial in {alarm.fpr for alarm in FULL.alarms}
