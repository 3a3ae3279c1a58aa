"""The record of a decision: one page in every format, with its picture, its reasons and a line to sign."""

import json
from datetime import date

import pytest

from gaussdp import DomainError
from gaussdp.advising import Answers, Asked, Published, advise, record

PLAN = Answers(
    title="Visits",
    aim="identification",
    every="month",
    published=(Published(kind="count", typical=1200), Published(kind="histogram", typical=30)),
    requirements=(Asked("epsilon=3", "the board"),),
    decided_by="A. Person",
)
DAY = date(2026, 1, 2)


def test_the_cautious_choice_is_decided_unless_another_is():
    advice = advise(PLAN)
    assert record(advice, day=DAY).mu == 0.5498
    assert record(advice, day=DAY).mu <= advice.mu
    assert "Every requirement holds" in record(advice, day=DAY).standing
    assert "within the range" in record(advice, 0.6, DAY).standing
    assert "Above what is advised" in record(advice, 2.0, DAY).standing


def test_files(tmp_path):
    files = record(advise(PLAN), day=DAY).files()
    assert set(files) == {"record.html", "record.md", "record.json", "record.pdf", "decision.png", "policy.toml"}
    page = files["record.html"].decode()
    for words in (
        "Visits",
        "the board",
        "A. Person",
        "2026-01-02",
        "gaussdp ",
        "Signed: ____",
        "<svg",
        "evidence toward",
    ):
        assert words in page
    assert "decision.png" in files["record.md"].decode()
    assert json.loads(files["record.json"])["mu"] == 0.5498
    assert files["record.pdf"].startswith(b"%PDF")
    assert files["record.pdf"].count(b"/Type /Page\n") + files["record.pdf"].count(b"/Type /Page ") == 1
    (tmp_path / "policy.toml").write_bytes(files["policy.toml"])
    assert Answers.read(tmp_path / "policy.toml") == PLAN


def test_the_same_decision_gives_the_same_bytes():
    first, again = (record(advise(PLAN), day=DAY).files() for _ in range(2))
    assert first == again


def test_long_answers_still_fit_the_page():
    many = tuple(Asked(f"epsilon={i}", "a body with a rather long name that has set it " * 3) for i in range(2, 12))
    assert record(advise(Answers(requirements=many)), day=DAY).pdf().startswith(b"%PDF")


@pytest.mark.parametrize("mu", [0.0, -1.0, float("inf"), float("nan"), "much"])
def test_bad_decisions(mu):
    with pytest.raises(DomainError, match="mu must be"):
        record(advise(PLAN), mu)


@pytest.mark.parametrize("policy", ["mu=0", "epsilon=60"])
def test_nothing_to_decide(policy):
    with pytest.raises(DomainError, match="allow nothing, or everything"):
        record(advise(Answers(requirements=(Asked(policy),))))


def test_a_policy_that_limits_nothing_gives_no_budget():
    assert advise(Answers(requirements=(Asked("epsilon=60"),))).sentence.startswith("No budget follows")
