"""How people use gaussdp, for type checkers: `make lint` and tests/test_types.py hold it to the types stated here."""

from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import gaussdp

LEVELS: NDArray[np.float64] = np.array([1e-5, 1e-6])


def readings() -> None:
    """A number gives a number, numbers in a row an array; NumPy's numbers are numbers."""
    run = gaussdp.DPSGD(noise_multiplier=np.float64(1.0), sample_rate=np.float32(0.01), steps=np.int64(1000))
    assert_type(run.steps, int)
    curve = gaussdp.account(run)
    assert_type(curve.epsilon(1e-5), float)
    assert_type(curve.epsilon(delta=1e-5), float)
    assert_type(curve.epsilon(np.float64(1e-5)), float)
    assert_type(curve.epsilon([1e-5, 1e-6]), NDArray[np.float64])
    assert_type(curve.epsilon(LEVELS), NDArray[np.float64])
    assert_type(gaussdp.GDP(1.0).tpr(fpr=LEVELS), NDArray[np.float64])
    assert_type(gaussdp.GDP(1.0).precision([0.1, 0.2], prior=0.1), NDArray[np.float64])
    assert_type(gaussdp.PureDP(np.float64(1.0)).delta(0.5), float)
    assert_type(curve.fit(floor=1e-10).mu, float)
    assert_type(gaussdp.mu_from_profile(1.0, 1e-5), float)
    found: NDArray[np.float64] = gaussdp.mu_from_profile(epsilon=[0.5, 1.0], delta=LEVELS)
    assert found.shape == LEVELS.shape


def audits() -> None:
    """The design says what comes back; the scores are given by name, in one of two ways."""
    one, other = [1.0, 2.0, 3.0], [0.0, 1.0, 0.5]
    assert_type(gaussdp.audit(members=one, nonmembers=other), gaussdp.Audit)
    assert_type(gaussdp.audit(scores=[*one, *other], member=[1, 1, 1, 0, 0, 0]), gaussdp.Audit)
    assert_type(gaussdp.audit(members=one, nonmembers=other, design="one-run"), gaussdp.OneRunAudit)


def results() -> None:
    """What comes back has a public name."""
    run = gaussdp.Run(mechanism=gaussdp.Gaussian(2.0), unit="one person", adjacency="add-remove")
    assert_type(gaussdp.check_claim(run, gaussdp.ApproxDP(3.0, 1e-5)), gaussdp.Verdict)
    assert_type(gaussdp.report_run(run).assumptions, tuple[gaussdp.Assumption, ...])
    assert_type(
        gaussdp.calibration.noise_multiplier(gaussdp.GDP(1.0), sample_rate=np.float64(0.01), steps=np.int64(100)),
        gaussdp.Calibration,
    )
    curve: gaussdp.AccountedCurve | gaussdp.DistributionCurve | gaussdp.PointsCurve = gaussdp.account(run.mechanism)
    shown: gaussdp.Document = curve.document()
    assert shown.title
