"""The saddlepoint approximation beside exact tails."""

import numpy as np
import pytest

from gaussdp.accounting import account
from gaussdp.accounting.lines.saddlepoint import near_quantile
from gaussdp.accounting.loss.cumulants import LossCumulants
from gaussdp.accounting.operating_points import upper_quantile
from gaussdp.mechanisms import DPSGD


@pytest.mark.parametrize("setting", [(9.4, 0.328, 2000), (0.5, 0.002, 10_000), (1.2, 0.08, 140)])
@pytest.mark.parametrize("quantile", [-9.0, -6.4, -3.0, 3.0, 6.4])
def test_thresholds_are_near(setting, quantile):
    tails = account(DPSGD(*setting))._tails
    under_q, under_p = tails.near_quantile(quantile, 0.0), tails.near_quantile(quantile, 1.0)
    points = tails.read(np.array([under_q, under_p]))
    assert upper_quantile(points.log_fpr, points.log_tnr)[0] == pytest.approx(quantile, abs=0.01)
    assert upper_quantile(points.log_tpr, points.log_fnr)[1] == pytest.approx(quantile, abs=0.01)


def test_a_normal_loss_is_found_exactly():
    cumulants = LossCumulants(0.49, [])
    found = near_quantile(cumulants, cumulants.tilt(0.0), 5.0, 0.0)
    assert found == pytest.approx(-0.245 + 0.7 * 5.0, rel=1e-12)


def test_nothing_is_claimed_between_common_and_rare_losses():
    assert account(DPSGD(0.7, 1e-4, 100_000))._tails.near_quantile(6.4, 0.0) is None


def test_nothing_is_claimed_about_the_middle():
    assert account(DPSGD(0.5, 0.002, 10_000))._tails.near_quantile(0.3, 0.0) is None
