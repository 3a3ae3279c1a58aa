"""Lines are the same whoever asks, also where several threads ask at once."""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np

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
