"""Sentences and numbers in another language, and documents that are in it whole."""

import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date

import pytest

import gaussdp
from gaussdp import GDP, ApproxDP, PureDP, choose
from gaussdp.advising import Answers, Published, advise, record
from gaussdp.choosing.budgets import budget_document
from gaussdp.documents import render
from gaussdp.words import Phrase, numeral, plural, remembered, say, speaking, spoken, told_once

ENGLISH = re.compile(r"\b(the|of|is|are|and|with|which|each|than|that|from|not|by|at|or|its|it|for)\b")

_TRAINING = gaussdp.Run(
    mechanism=gaussdp.DPSGD(1.0, 0.00512, 3907), unit="eine Person", adjacency="add-remove", sampling="poisson"
)
MARKUP = re.compile(r"(?s)^.*(?=\\begin.document)|<style>.*?</style>|<svg.*?</svg>|<[^>]*>|\\[a-z]+|%[^\n]*")


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("0.31", "0,31"),
        ("1,234.5", "1\u202f234,5"),
        ("12,345", "12\u202f345"),
        ("1e-5", "1e-5"),
        ("1.5e-11", "1,5e-11"),
        ("5%", "5\u202f%"),
        ("-0.5", "-0,5"),
        ("inf", "inf"),
        ("0.5 to 1.5", "0.5 to 1.5"),
        ("1.2.3", "1.2.3"),
    ],
)
def test_numerals(english, german):
    assert numeral(english) == english
    with speaking("de"):
        assert numeral(english) == german
        assert numeral(numeral(english)) == german  # what is written so already stays
        assert say("From {method}.", method=numeral(english)) == f"Aus: {german}."


def test_whole_numbers_and_plurals():
    with speaking("de"):
        assert plural(1, "{n:,} release", "{n:,} releases") == "1 Veröffentlichung"
        assert plural(12_000, "{n:,} release", "{n:,} releases") == "12\u202f000 Veröffentlichungen"
        assert say("nobody knows {n:,} of these", n=1234) == "nobody knows 1,234 of these"


def test_a_phrase_is_its_english_to_code():
    name = Phrase("advantage")
    with speaking("de"):
        assert (name == "advantage", {"advantage": 1}[name], f"{name}", str(name)) == (True, 1, "Vorteil", "Vorteil")
    assert str(pickle.loads(pickle.dumps(name))) == "advantage"


def test_each_thread_has_its_own_language():
    with speaking("de"), ThreadPoolExecutor(1) as pool:
        assert (spoken(), pool.submit(spoken).result()) == ("de", "en")
    assert spoken() == "en"


def test_there_is_no_other():
    with pytest.raises(gaussdp.DomainError, match="language must be one of 'en', 'de'"), gaussdp.language("xx"):
        pass


def documents():
    """One of each kind that a person can have in another language."""
    plan = Answers(aim="attribute", every="month", years=2.0, published=(Published(kind="count", typical=1000.0),))
    return {
        "explanation": gaussdp.explain(0.8, prior=0.01).document(),
        "choice": budget_document(8.0),
        "requirements": budget_document([gaussdp.Requirement("accuracy=0.55"), gaussdp.Requirement("epsilon=3")]),
        "advice": advise(plan).document(),
        "record": record(advise(plan), day=date(2026, 1, 1)).document(),
        "loose": gaussdp.check_claim(_TRAINING, "epsilon=2.5 delta=1e-5").document(),
        "false": gaussdp.check_claim(_TRAINING, "mu=0.2").document(),
        "undecided": gaussdp.check_claim(replace(_TRAINING, sampling="shuffle"), "epsilon=20 delta=1e-5").document(),
        "statement": gaussdp.report_run(
            gaussdp.Run(
                mechanism=gaussdp.DPSGD(1.0, 0.01, 1000), unit="eine Person", adjacency="add-remove", sampling="shuffle"
            )
        ).document(),
    }


@pytest.mark.parametrize("format", ["text", "markdown", "html", "latex"])
def test_documents_are_whole(format):
    english = {name: render(document, format) for name, document in documents().items()}
    with gaussdp.language("de"):
        german = {name: render(document, format) for name, document in documents().items()}
    for name, text in german.items():
        words = re.sub(
            r"(?s)^.*(?=\\begin.document)|<style>.*?</style>|<svg.*?</svg>|<[^>]*>|\\[a-z]+|%[^\n]*", " ", text
        )
        prose = [line for line in words.splitlines() if ENGLISH.search(line)]
        assert not prose, name
        if format != "latex":  # whose lengths have points
            assert not re.search(r"\d\.\d", re.sub(r"\d+\.\d+\.\d+", "", words)), name
        assert text != english[name]


def test_english_is_as_before_after_german():
    before = render(gaussdp.explain(1.0).document(), "text")
    with gaussdp.language("de"):
        render(gaussdp.explain(1.0).document(), "text")
    assert render(gaussdp.explain(1.0).document(), "text") == before


def test_machines_read_the_same_in_every_language():
    tables = budget_document(3.0)
    with gaussdp.language("de"):
        german = budget_document(3.0)
        numbers = [row for row in render(german, "csv", 4).splitlines() if "0.5" in row]
        assert numbers
        assert [table.rounded_rows(4)[0][3] for table in german.tables[:1]] == [tables.tables[0].rounded_rows(4)[0][3]]
        assert Answers(chance=0.25, acceptable=0.85).as_toml() == "chance = 0.25\nacceptable = 0.85\n"


def test_what_is_remembered_is_remembered_by_language():
    asked = []

    @remembered
    def told(thing: str) -> str:
        asked.append(thing)
        return say(Phrase("advantage"))

    assert [told("a"), told("a")] == ["advantage", "advantage"]
    with speaking("de"):
        assert [told("a"), told("a")] == ["Vorteil", "Vorteil"]
    assert asked == ["a", "a"]


def test_a_verdict_is_the_same_to_machines():
    verdict = gaussdp.check_claim(_TRAINING, "epsilon=1 delta=1e-5")
    with gaussdp.language("de"):
        german = gaussdp.check_claim(_TRAINING, "epsilon=1 delta=1e-5")
        assert german.sentences[0].startswith("Falsch: ε = 1 bei δ = 1e-5 gilt nicht")
        assert '"false"' in render(german.document(), "json")
    assert (german.status, german.lower, german.upper, german.instead) == (
        verdict.status,
        verdict.lower,
        verdict.upper,
        verdict.instead,
    )


@pytest.mark.parametrize("template", ["{a}% of {b}", "{{{a}}} {b}", "{a:>4}|{b}", "{a!r} {b}", "{b}%s{a}", "%(a)s {a}"])
def test_templates_are_filled_as_python_fills_them(template):
    values = {"a": 1.5, "b": "two"}
    assert say(template, **values) == template.format(**values)


def test_a_phrase_in_a_sentence_is_said_in_the_language_of_the_moment():
    name = Phrase("advantage")
    assert say("{name}!", name=name) == "advantage!"
    with speaking("de"):
        assert say("{name}!", name=name) == "Vorteil!"


def test_what_is_told_once_is_told_in_each_language():
    class Thing:
        told = 0

        @told_once
        def words(self):
            """What it is."""
            self.told += 1
            return f"{Phrase('advantage')}"

    thing = Thing()
    for _ in range(2):
        assert thing.words == "advantage"
        with speaking("de"):
            assert thing.words == "Vorteil"
    assert thing.told == 2
    assert Thing.words.__doc__ == "What it is."


def test_a_guarantee_and_a_risk_know_their_words_in_each_language():
    policy, risk = gaussdp.PureDP(1.0), gaussdp.MultiplicativeAdvantage(fpr=1e-3)
    english = policy.label, risk.words, risk.named
    with speaking("de"):
        german = policy.label, risk.words, risk.named
    assert english == (policy.label, risk.words, risk.named)
    assert english[0] != german[0]
    assert english[2] != german[2]
    assert policy == gaussdp.PureDP(1.0)
    assert pickle.loads(pickle.dumps(policy)) == policy


def test_labels_of_guarantees_have_the_decimal_mark_of_the_language():
    with speaking("de"):
        assert ApproxDP(1.5, 1e-5).label == "Approximative DP mit ε = 1,5 und δ = 1e-5"
        assert GDP(0.35).legend.endswith("μ = 0,35")
        assert "mit ε = 1,5;" in choose(PureDP(1.5)).recommendation[1]
    assert PureDP(1.5).label == "Pure DP with ε = 1.5"
