"""Direct integrals for small compositions, in 20 digits, deliberately not clever."""

import mpmath
from mpmath import mpf

mpmath.mp.dps = 20


def loss(x, sigma, rate):
    return mpmath.log(1 - rate + rate * mpmath.exp((2 * x - 1) / (2 * sigma**2)))


def output(tau, sigma, rate):
    """The output x at which the loss is tau, -inf if every loss is larger."""
    odds = (mpmath.exp(tau) - 1 + rate) / rate
    return sigma**2 * mpmath.log(odds) + mpf(1) / 2 if odds > 0 else -mpmath.inf


def one_step(tau, sigma, rate):
    """FPR and FNR of one Poisson-sampled step at the threshold tau."""
    sigma, rate = mpf(sigma), mpf(rate)
    x = output(mpf(tau), sigma, rate)
    fnr = (1 - rate) * mpmath.ncdf(x / sigma) + rate * mpmath.ncdf((x - 1) / sigma)
    return mpmath.ncdf(-x / sigma), fnr


def two_steps(tau, sigma, rate):
    """FPR and FNR of two Poisson-sampled steps: the second in closed form, the first integrated."""
    sigma, rate, tau = mpf(sigma), mpf(rate), mpf(tau)

    def fpr_density(x):
        return mpmath.npdf(x, 0, sigma) * one_step(tau - loss(x, sigma, rate), sigma, rate)[0]

    def fnr_density(x):
        density = (1 - rate) * mpmath.npdf(x, 0, sigma) + rate * mpmath.npdf(x, 1, sigma)
        return density * one_step(tau - loss(x, sigma, rate), sigma, rate)[1]

    # From this output on the first step alone passes the threshold; towards it the second one's outputs matter less
    # and less, on ever finer scales.
    passing = output(tau - mpmath.log(1 - rate), sigma, rate)
    end = min(passing, 1 + 14 * sigma)
    nodes = mpmath.linspace(-14 * sigma, end, 31)
    nodes = nodes[:-1] + [end - (end - nodes[-2]) * mpf(2) ** -k for k in range(1, 30)] + [end]
    beyond = mpmath.ncdf(-end / sigma) if end == passing else 0
    return mpmath.quad(fpr_density, nodes) + beyond, mpmath.quad(fnr_density, nodes)


def step_and_gaussian(tau, sigma, rate, mu):
    """FPR and FNR of one Poisson-sampled step and one plain Gaussian release of this mu."""
    sigma, rate, mu = mpf(sigma), mpf(rate), mpf(mu)

    def fpr_density(x):
        rest = tau - loss(x, sigma, rate)
        return mpmath.npdf(x, 0, sigma) * mpmath.ncdf(-(rest / mu + mu / 2))

    def fnr_density(x):
        rest = tau - loss(x, sigma, rate)
        density = (1 - rate) * mpmath.npdf(x, 0, sigma) + rate * mpmath.npdf(x, 1, sigma)
        return density * mpmath.ncdf(rest / mu - mu / 2)

    nodes = mpmath.linspace(-14 * sigma, 1 + 14 * sigma, 57)
    return mpmath.quad(fpr_density, nodes), mpmath.quad(fnr_density, nodes)
