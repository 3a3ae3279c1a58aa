"""The picture of an accounted curve shows the curve's own numbers."""

import numpy as np
import pytest

from gaussdp.accounting import account
from gaussdp.figures.accounted import accounted_plot, render_accounted
from gaussdp.mechanisms import DPSGD, Gaussian

RUN = DPSGD(noise_multiplier=0.8, sample_rate=0.01, steps=500)


def test_numbers_behind_it():
    curve = account(RUN)
    plot = accounted_plot(curve, floor=1e-8, delta=1e-6)
    fit = curve.fit(1e-8)
    assert plot.mu == fit.mu
    assert plot.epsilon == curve.epsilon(1e-6)
    np.testing.assert_allclose(plot.tpr, curve.tpr(plot.fpr))
    # Both statements bound the curve from above, mu down to its floor.
    assert (plot.tpr_by_mu >= plot.tpr * (1 - 1e-9)).all()
    assert (plot.tpr_by_statement >= plot.tpr * (1 - 1e-9)).all()
    assert plot.floors[0] == 1e-8
    assert plot.mus[0] == pytest.approx(fit.mu, rel=1e-6)
    assert (np.diff(plot.mus) <= 1e-9).all()


def test_a_gaussian_needs_no_floor():
    plot = accounted_plot(account(Gaussian(2.0)))
    assert plot.floor == 0
    np.testing.assert_allclose(plot.mus, 0.5)


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_every_format_is_drawn_and_repeatable(ending):
    plot = accounted_plot(account(Gaussian(2.0)))
    first, second = render_accounted(plot, ending)[ending], render_accounted(plot, ending)[ending]
    assert len(first) > 5000
    assert first == second
