"""How the scores came about is part of the question: no verdict without it, and every rendering says it."""

import numpy as np
import pytest

import gaussdp
from gaussdp.auditing import Description, OneRunAudit
from gaussdp.auditing.designs import Design
from gaussdp.documents import FORMATS, render
from gaussdp.figures.audited import render_audit

RANDOM = np.random.default_rng(0)
MEMBERS, NONMEMBERS = RANDOM.normal(2, 1, 500), RANDOM.normal(0, 1, 500)


def audited(**arguments):
    return gaussdp.audit(members=MEMBERS, nonmembers=NONMEMBERS, **arguments)


@pytest.mark.parametrize(
    "found",
    [
        audited(),
        gaussdp.audit_errors(false_positives=5, nonmembers=100, false_negatives=4, members=100),
        gaussdp.audit_counts([0, 1], members=[10, 90], nonmembers=[90, 10]),
    ],
    ids=["scores", "errors", "counts"],
)
def test_no_verdict_without_a_design(found):
    for ask in (found.contradicts, found.verdict):
        with pytest.raises(gaussdp.DomainError, match="design must be stated for a verdict") as refused:
            ask(0.1)
        assert refused.value.parameter == "design"
    assert found.mu_lower > 0
    assert "trials, assumed" in repr(found)


@pytest.mark.parametrize("style", FORMATS)
def test_every_rendering_says_what_is_assumed(style):
    text = render(audited().document([0.1], [1e-5]), style)
    assert "trials, assumed" in text
    if style not in ("csv", "json", "html", "latex"):
        assert "Assuming that each score has its own run" in text.splitlines()[0]
    if style != "csv":
        assert "ssuming that each score has its own run" in text
        assert "Rows of one trained model are no such trials" in text.replace("\n  ", " ")
    assert "is contradicted" not in text


@pytest.mark.parametrize("design", ["trials", "one-run"])
@pytest.mark.parametrize("style", FORMATS)
def test_every_rendering_says_the_design(design, style):
    text = render(audited(design=design).document([0.1]), style)
    assert design in text
    assert "contradicted" in text
    assert "ssum" not in text


def test_notebooks_and_pictures_say_it():
    assert "Assuming that each score has its own run" in audited()._repr_html_()
    for found in (audited(), audited(design="trials"), audited(design="one-model")):
        drawn = render_audit(found, [0.1], "svg")["svg"].decode()
        assert (drawn.count("Assumed, since no design") > 0) == (found.design is Design.UNSTATED)
        assert ("contradicted" in drawn) == (found.design is Design.TRIALS)


def test_one_model_describes_and_judges_nothing():
    found = audited(design="one-model")
    assert isinstance(found, Description)
    assert not hasattr(found, "mu_lower")
    order = np.sort(NONMEMBERS)
    assert found.tpr(0.01) == pytest.approx(np.mean(order[-6] < MEMBERS))
    assert (found.tpr(1.0), found.tpr(0.0)) == (1.0, pytest.approx(np.mean(order[-1] < MEMBERS)))
    for ask in (found.contradicts, found.verdict):
        with pytest.raises(gaussdp.DomainError, match="one-model gives no verdict on the claim μ = 1"):
            ask(1.0)
    text = render(found.document([1.0]), "text").replace("\n  ", " ")
    assert "What cannot: anything about a guarantee" in text
    assert "no verdict for this design" in text
    assert "at least" not in text


def test_one_model_with_coins_is_one_run():
    found = audited(design="one-model", by_coin=True)
    assert isinstance(found, OneRunAudit)
    assert found == audited(design="one-run")
    assert found.verdict(0.1).contradicted


def test_one_overfit_model_refutes_nothing():
    """The commonest misuse: losses of the rows of one model, which differ from others for reasons of their own."""
    member_losses, other_losses = RANDOM.gamma(1.0, 0.1, 400), RANDOM.gamma(2.0, 1.0, 400)
    for design in (None, "one-model"):
        with pytest.raises(gaussdp.DomainError):
            gaussdp.audit(members=member_losses, nonmembers=other_losses, design=design, direction="lower").verdict(1.0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"design": "trial"}, "did you mean 'trials'"),
        ({"design": "trials", "guesses": 10}, "guesses belong to the design one-run"),
        ({"design": "one-run", "method": gaussdp.DKW()}, "method belongs to the design trials"),
        ({"design": "one-model", "method": gaussdp.DKW()}, "method belongs to the design trials"),
        ({"design": "one-model", "direction": "either"}, "direction must be higher or lower"),
        ({"design": "trials", "by_coin": True}, "by_coin belongs to the design one-model"),
        ({"direction": "up"}, "direction must be one of"),
        ({"design": "one-run", "guesses": []}, "at least one number"),
        ({"design": "one-run", "guesses": 1001}, "guesses must be at most canaries = 1000"),
        ({"design": "one-run", "guesses": 10, "guessed": "all"}, "guessed must be one of"),
    ],
)
def test_refusals(arguments, words):
    with pytest.raises(gaussdp.DomainError, match=words):
        audited(**arguments)
    with pytest.raises(gaussdp.DomainError, match="design must be one of 'trials'"):
        gaussdp.audit_errors(false_positives=1, nonmembers=9, false_negatives=1, members=9, design="one-run")
