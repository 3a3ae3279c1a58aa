"""Schedules of noise are one line, in every rendering."""

from functools import cache

import numpy as np
import pytest

from gaussdp import DPSGD, Composition, Gaussian, Laplace, PoissonSampled, Run, account, report_run
from gaussdp.accounting.document import account_document
from gaussdp.documents.rendering import render

FALLING = [DPSGD(float(noise), 0.01, 1) for noise in np.linspace(3, 0.67, 300)]


def test_one_line():
    assert Composition(FALLING).sentence == "DP-SGD, 300 steps: noise multiplier 3 → 0.67, sample rate 0.01"
    assert Composition(FALLING).facts() == ()


def test_what_changes_besides_and_what_strays():
    steps = [5 * PoissonSampled(Gaussian(noise), rate) for noise, rate in [(1, 0.1), (4, 0.1), (2, 0.2), (2, 0.3)]]
    words = "DP-SGD, 20 steps: noise multiplier 1 → 2 (between 1 and 4), sample rate 0.1 → 0.3"
    assert Composition(steps).sentence == words


def test_phases_are_told_one_by_one():
    phases = Composition(FALLING[:3])
    assert phases.sentence == "; ".join(step.sentence for step in FALLING[:3])
    assert [name for name, _ in phases.facts()] == ["Release 1", "Release 2", "Release 3"]


def test_among_others():
    whole = Composition([Laplace(3.0), *FALLING, Gaussian(9.0)])
    assert [name for name, _ in whole.facts()] == ["Release 1", "Releases 2 to 301", "Release 302"]


def test_many_different_ones():
    mixed = Composition([one for k in range(1, 200) for one in (Laplace(float(k)), Gaussian(float(k)))])
    assert len(mixed.sentence) < 1000
    assert mixed.facts()[-1] == ("Releases 12 to 398", "387 further releases")


@cache
def reported():
    """A statement of a schedule, and its account."""
    run = Run(mechanism=Composition(FALLING[::30]), unit="one image", adjacency="add-remove", sampling="poisson")
    return report_run(run), account_document(run.mechanism, account(run.mechanism))


@pytest.mark.parametrize("style", ["text", "markdown", "html", "latex", "json"])
def test_statements_are_short(style):
    report, document = reported()
    assert max(map(len, report.render(style).splitlines())) < 2000 or style == "html"  # which holds a picture
    assert "DP-SGD, 10 steps: noise multiplier 3" in " ".join(report.render(style).split())
    assert len(repr(report)) < 300
    assert len(render(document, style)) < 8000 + 100_000 * (style == "html")


def test_repr():
    assert len(repr(Composition(FALLING))) < 2000
    assert repr(Composition(FALLING[:1])) == f"Composition(mechanisms=({FALLING[0]!r},))"
