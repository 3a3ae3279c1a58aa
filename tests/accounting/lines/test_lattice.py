"""Lines are the same whoever asks, also where several threads ask at once."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError

import numpy as np

from gaussdp.accounting.lines.split_tails import SplitTails
from gaussdp.accounting.lines.tails import LineTails
from gaussdp.accounting.loss.cumulants import LossCumulants
from gaussdp.accounting.loss.steps import SampledGaussianLoss

ASKING = 4
STEPS = [(SampledGaussianLoss(1.5, 0.02), 5000)]


def test_threads_that_share_a_lattice_read_the_same_bits(monkeypatch):
    tau = np.linspace(-4.0, 30.0, 35)
    alone = LineTails(0.0, STEPS).read(tau)
    tilt, together = LossCumulants.tilt, Barrier(ASKING)

    def slow(self, *args, **named):
        time.sleep(1e-3)  # the others go on meanwhile
        return tilt(self, *args, **named)

    def read(lines):
        together.wait()
        with np.errstate(all="ignore"):
            return lines.read(tau)

    monkeypatch.setattr(LossCumulants, "tilt", slow)
    for _ in range(3):
        lines = LineTails(0.0, STEPS)
        lines.read(tau[4:5])  # the lattices are there, and their first lines
        with ThreadPoolExecutor(ASKING) as pool:
            for points in pool.map(read, [lines] * ASKING):
                assert np.array_equal(points.log_fpr, alone.log_fpr, equal_nan=True)
                assert points.errors.tolist() == alone.errors.tolist()


def test_threads_that_share_split_lines_read_the_same_bits():
    steps, tau = [(SampledGaussianLoss(0.84, 9e-6), 12_000)], np.geomspace(0.01, 4.0, 8)
    alone, together = SplitTails.of(0.0, steps, 0.01).read(tau), Barrier(ASKING)

    def read(tails):
        together.wait()
        return tails.read(tau)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for _ in range(3):
            with ThreadPoolExecutor(ASKING) as pool:
                for points in pool.map(read, [SplitTails.of(0.0, steps, 0.01)] * ASKING):
                    assert points.errors.tolist() == alone.errors.tolist()
    finally:
        sys.setswitchinterval(interval)


def test_split_lines_are_extended_by_one_thread_at_a_time():
    """Each bin begins where the one before ends: two threads that saw the same end would lay one bin twice."""
    tails = SplitTails.of(0.0, [(SampledGaussianLoss(0.84, 9e-6), 12_000)], 0.01)
    both = Barrier(2)

    class Met(list):
        """Lets two threads that are about to append wait for each other, if they can."""

        def append(self, edge):
            with suppress(BrokenBarrierError):
                both.wait(timeout=0.3)
            super().append(edge)

    tails._edges = Met(tails._edges)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(tails.read, [np.array([0.1])] * 2))
    assert (np.diff(tails._edges) > 0).all()
