"""The same question has the same answer to the last bit: alone or among others, first or last, here or elsewhere."""

import copy
import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from gaussdp.accounting import account
from gaussdp.mechanisms import DPSGD, Composition, Gaussian, Laplace

LINES = [
    DPSGD(9.4, 0.328, 2000),
    DPSGD(0.5, 0.002, 10_000),
    DPSGD(0.7, 1e-4, 100_000),
    DPSGD(10.0, 0.01, 1_000_000),
    Composition([DPSGD(1.0, 0.01, 500), 3 * Gaussian(4.0), DPSGD(0.8, 0.001, 100)]),
]
DENSITIES = [DPSGD(0.2, 0.01, 3), DPSGD(1.0, 1e-4, 20), Composition([DPSGD(0.5, 0.01, 3), Gaussian(2.0)])]
OTHERS = [DPSGD(1.3, 0.1, 1), 5 * Gaussian(4.0), Composition([Laplace(2.0), Gaussian(3.0)])]
EVERY = [*LINES, *DENSITIES, *OTHERS]

LEVELS = {
    "delta": np.array([0.0, 1e-6, 0.01, 0.1, 0.5, 1.0, 1.7, 2.5, 4.0, 6.0, 9.0, 14.0]),
    "epsilon": np.array([1e-7, 1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.2, 0.4]),
    "tpr": np.array([1e-7, 1e-5, 1e-3, 0.02, 0.2, 0.5, 0.8, 0.99]),
    "fnr": np.array([1e-7, 1e-5, 1e-3, 0.02, 0.2, 0.5, 0.8, 0.99]),
    "fpr": np.array([1e-4, 0.02, 0.2, 0.5, 0.8, 0.99]),
}


def facts(read):
    """All bits of a reading."""
    return np.ravel(read.value).tolist(), np.ravel(read.error).tolist(), np.ravel(np.array(read.method)).tolist()


def answers(curve, name):
    return facts(getattr(curve.reading, name)(LEVELS[name]))


@pytest.mark.parametrize("mechanism", EVERY, ids=str)
def test_scalars_arrays_and_parts_of_arrays(mechanism):
    curve = account(mechanism)
    draw = np.random.default_rng(1)
    for name, levels in LEVELS.items():
        value, error, method = answers(account(mechanism), name)
        for place in draw.permutation(levels.size):
            level = float(levels[place])
            assert facts(getattr(curve.reading, name)(level)) == ([value[place]], [error[place]], [method[place]])
            assert getattr(curve, name)(level) == value[place]
        some = draw.permutation(levels.size)[: levels.size // 2]
        assert getattr(curve, name)(levels[some]).tolist() == [value[place] for place in some]
        assert getattr(curve, name)(levels.reshape(1, -1)[:, ::-1]).tolist() == [value[::-1]]


@pytest.mark.parametrize("mechanism", EVERY, ids=str)
def test_history_does_not_matter(mechanism):
    """A curve that was asked much else, from the deepest tails to the bulk or the other way."""
    exact = mechanism not in OTHERS
    depths = (1e-20, 1e-60, 1e-110, 1e-200) if exact else ()
    afresh = {name: answers(account(mechanism), name) for name in LEVELS}
    deep_afresh = [(account(mechanism).remove.tpr(deep), account(mechanism).add.tpr(deep)) for deep in depths]
    fit = account(mechanism).fit(1e-6)
    for order in (1, -1):
        used = account(mechanism)
        if exact:
            for deep in (1e-200, 1e-60, 1e-12, 0.1)[::order]:
                used.remove.tpr(deep)
                used.add.epsilon(deep)
            used.remove.delta(np.array([30.0, -0.001, 3.0]))
            assert used.fit(1e-4).slack >= 0
        used.fit(1e-5)
        assert {name: answers(used, name) for name in reversed(LEVELS)} == afresh
        assert [(used.remove.tpr(deep), used.add.tpr(deep)) for deep in depths] == deep_afresh
        assert (used.fit(1e-6), used.fit(1e-6).slack) == (fit, fit.slack)


@pytest.mark.parametrize("mechanism", [LINES[1], LINES[4], DENSITIES[0], *OTHERS], ids=str)
def test_copies_of_any_kind(mechanism):
    curve = account(mechanism)
    before = {name: answers(curve, name) for name in LEVELS}
    fit = curve.fit(1e-6)
    for copied in (pickle.loads(pickle.dumps(curve)), copy.copy(curve), copy.deepcopy(curve)):
        assert copied == curve
        assert hash(copied) == hash(curve)
        assert {name: answers(copied, name) for name in LEVELS} == before
        assert copied.fit(1e-6) == fit
    again = pickle.loads(pickle.dumps(fit))
    assert again == fit
    assert again.slack == fit.slack
    for direction in (getattr(curve, name) for name in ("remove", "add") if hasattr(curve, name)):
        assert pickle.loads(pickle.dumps(direction)) == direction
        assert pickle.loads(pickle.dumps(direction)).delta(0.1) == direction.delta(0.1)


ASKED_ELSEWHERE = """
import json, numpy as np
from gaussdp.accounting import account
from gaussdp.mechanisms import *
curves = [account(m) for m in (DPSGD(0.5, 0.002, 10_000), DPSGD(0.7, 1e-4, 100_000), DPSGD(1.0, 1e-4, 20))]
print(json.dumps([[c.fit().mu, c.fit().regret, c.epsilon(1e-5), c.tpr(1e-3), c.remove.delta(2.0)] for c in curves]))
"""


@pytest.mark.parametrize("threads", ["1", "2"])
def test_another_process_with_another_number_of_threads(threads):
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
    done = subprocess.run(
        [sys.executable, "-c", ASKED_ELSEWHERE], env=environment, capture_output=True, text=True, check=True
    )
    mechanisms = DPSGD(0.5, 0.002, 10_000), DPSGD(0.7, 1e-4, 100_000), DPSGD(1.0, 1e-4, 20)
    here = [
        [curve.fit().mu, curve.fit().regret, curve.epsilon(1e-5), curve.tpr(1e-3), curve.remove.delta(2.0)]
        for curve in map(account, mechanisms)
    ]
    assert json.loads(done.stdout) == here


def runs():
    def log_uniform(low, high):
        return st.floats(np.log(low), np.log(high)).map(lambda x: float(np.exp(x)))

    step = st.builds(
        lambda noise, rate, steps: DPSGD(noise, min(rate, 1.0), max(1, int(steps))),
        log_uniform(0.4, 10.0),
        log_uniform(1e-5, 1.0),
        log_uniform(1.0, 1e6),
    )
    return step | st.builds(lambda a, b, noise: Composition([a, b, Gaussian(noise)]), step, step, st.floats(0.5, 50.0))


@settings(max_examples=20, phases=[Phase.generate], suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(runs(), st.randoms(use_true_random=False))
def test_any_run_in_any_order(mechanism, shuffler):
    """Thresholds of the loss itself, near to its bulk and far from it."""
    curve = account(mechanism)
    scale = curve.implied().mu
    offsets = [-3.0, -1.0, -0.3, -0.01, 0.0, 0.001, 0.02, 0.3, 1.0, 4.0]
    questions = [(side, scale * offset) for side in ("remove", "add") for offset in offsets]
    once = {question: account_delta(curve, *question) for question in questions}
    shuffler.shuffle(questions)
    fresh = account(mechanism)
    for question in questions:
        assert account_delta(fresh, *question) == once[question]
    for side in ("remove", "add"):
        asked = [epsilon for name, epsilon in questions if name == side]
        with np.errstate(all="ignore"):
            together = getattr(account(mechanism), side).deltas(np.array(asked))
        assert [x for x, y in zip(together.value, together.answered, strict=True) if y] == [
            once[side, epsilon][0] for epsilon in asked if once[side, epsilon][1] >= 0
        ]


def account_delta(curve, side, epsilon):
    with np.errstate(all="ignore"):
        read = getattr(curve, side).deltas(np.array([epsilon]))
    return read.value[0] if read.method[0] >= 0 else None, int(read.method[0]), read.error[0]
