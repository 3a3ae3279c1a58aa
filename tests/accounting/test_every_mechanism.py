"""Of every mechanism that there is: the same question has the same bits, and everything shown names one method."""

import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gaussdp
from gaussdp import DPSGD, Composition, GaussdpError, Gaussian, Laplace, Run, account, report_run
from gaussdp.mechanisms import Participation, Toeplitz, registered
from gaussdp.web.schemas.requests import AccountRequest
from gaussdp.web.views.account import account as account_view

KINDS = [
    2 * Gaussian(2.0),
    gaussdp.ZCDPGaussian(0.5),
    gaussdp.PoissonSampled(Gaussian(1.0), 0.1),
    DPSGD(0.8, 0.01, 1000),
    DPSGD(2.0, 0.05, 300, adjacency="replace-one"),
    200 * gaussdp.MixtureOfGaussians.of_records(4.0, 0.1, 2),
    Laplace(200.0),
    2 * gaussdp.DiscreteLaplace(2.0),
    gaussdp.DiscreteGaussian(2.0),
    3 * gaussdp.RandomizedResponse(1.0),
    gaussdp.PoissonSampled(Laplace(8.0), 0.1),
    gaussdp.MatrixMechanism(1.0, Toeplitz([1.0, 0.5], 8), Participation(4, 2)),
    gaussdp.mechanisms.Stated(gaussdp.PureDP(0.1)),
    2 * gaussdp.mechanisms.Stated(gaussdp.ApproxDP(0.1, 1e-6)),
    gaussdp.mechanisms.Stated(gaussdp.ZCDP(0.5)),
    gaussdp.mechanisms.Stated(gaussdp.ProfilePoints([0.5, 1.0], [1e-3, 1e-6])),
    gaussdp.mechanisms.Stated(gaussdp.GDP(0.5)),
    gaussdp.mechanisms.Stated(gaussdp.ApproxGDP(0.5, 1e-6)),
    2 * gaussdp.ExponentialMechanism(0.3),
    gaussdp.BestOf(Gaussian(2.0), 10.0),
    gaussdp.TruncatedPoisson(4.0, 0.1, 1, 20, 100),
    gaussdp.WithoutReplacement(4.0, 10, 100, 1),
    gaussdp.RandomAllocation(2.0, 20, 3),
    Composition([Gaussian(3.0), DPSGD(1.0, 0.01, 100)]),
]
RATES = [0.0, 1e-5, 0.01, 0.4, 0.9, 1.0]
LEVELS = {"fnr": RATES, "tpr": RATES, "fpr": RATES, "delta": [0.0, 0.05, 0.7, 4.0], "epsilon": [1e-8, 1e-4, 0.3]}


def answer(curve, name, level):
    """The bits of a reading, or that it is refused."""
    try:
        return float(getattr(curve, name)(level)).hex()
    except GaussdpError as error:
        return type(error).__name__


def answers(curve, order=1):
    return {(name, x): answer(curve, name, x) for name in list(LEVELS)[::order] for x in LEVELS[name][::order]}


def test_every_kind_is_here():
    kinds = {entry["mechanism"] for one in KINDS for part, _ in one.parts() for entry in [part.plan_entry()]}
    kinds |= {one.plan_entry()["mechanism"] for one in KINDS if not isinstance(one, Composition)}
    assert kinds >= set(registered())


@pytest.mark.parametrize("mechanism", KINDS, ids=lambda one: str(KINDS.index(one)))
def test_the_same_question_has_the_same_bits(mechanism):
    curve, used = account(mechanism), account(mechanism)
    alone, fit = answers(curve), used.fit(1e-5)
    assert answers(used, order=-1) == alone
    again = pickle.loads(pickle.dumps(used))
    assert (again, again.fit(1e-5), curve.fit(1e-5)) == (used, fit, fit)
    for name in LEVELS:
        asked = [x for x in LEVELS[name] if "Error" not in alone[name, x]]
        for order in (asked, asked[::-1], asked[1:] + asked):
            read = getattr(again, name)(np.array(order))
            assert [x.hex() for x in read.tolist()] == [alone[name, x] for x in order]
            told = getattr(curve.reading, name)(np.array(order))
            assert told.value.tolist() == read.tolist()
            assert (told.error >= 0).all()
            assert all(isinstance(method, gaussdp.accounting.Method) for method in told.method.tolist())


def test_another_process_has_the_same_bits():
    code = (
        "import json, pickle, sys; sys.path[:0] = sys.argv[1:]; from test_every_mechanism import account, answers\n"
        "print(json.dumps([list(answers(account(one)).values()) for one in pickle.load(sys.stdin.buffer)]))"
    )
    some = KINDS[3::5]
    told = subprocess.run(
        [sys.executable, "-c", code, str(Path(__file__).parent), *sys.path],
        input=pickle.dumps(some),
        capture_output=True,
        check=True,
    ).stdout
    assert json.loads(told) == [list(answers(account(one)).values()) for one in some]


@pytest.mark.parametrize(
    ("mechanism", "method"),
    [
        (Gaussian(2.0), "closed form"),
        (DPSGD(1.0, 0.01, 1), "closed form"),
        (DPSGD(1.0, 0.01, 100), "line"),
        (DPSGD(0.5, 0.01, 3), None),  # whichever reaches
        (Composition([Gaussian(1.0), Laplace(3.0)]), "distribution"),
    ],
    ids=["Gaussian", "one step", "steps", "few steps", "Laplace"],
)
def test_everything_shown_names_one_method(mechanism, method):
    report = report_run(Run(mechanism=mechanism, unit="one image", adjacency="add-remove"))
    fit = account(mechanism).fit()
    method = method or str(fit.method)
    assert str(fit.method) == str(fit.methods[-1]) == method
    assert method in repr(fit)
    content = json.loads(report.render("json"))
    assert content["guarantee"]["method"] == method
    assert content["accounting"]["method"] == report.method
    words = report.method if fit.unconditional else fit.method.words
    for style in ("text", "markdown"):
        assert words in report.render(style)
        assert f" {method} " in gaussdp.documents.render(account(mechanism).document(), style)
    assert fit.method.words.partition(",")[0] in words


def test_the_page_names_the_same_method():
    request = AccountRequest(noise_multiplier=1.0, dataset_size=50_000, batch_size=256, epochs=30.0)
    shown = account_view(request, lambda words: None)
    run = DPSGD(1.0, shown["sample_rate"], shown["steps"])
    assert shown["method"] == account(run).fit().method.words
