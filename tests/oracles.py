"""Textbook formulas in mpmath with many digits, deliberately not clever: what the fast code is compared with.

Inverse functions are checked by bracketing: the forward formula, monotone in its argument, is evaluated a relative
distance below and above the claimed root.
"""

import mpmath as mp

DIGITS = 120


def _phi(x):
    """Normal CDF, exact in both tails."""
    return mp.erfc(-x / mp.sqrt(2)) / 2


def quantile(p):
    """Normal quantile by Newton on the logarithm of the CDF, which is concave, from the left of the root."""
    p = mp.mpf(p)
    if p > mp.mpf(1) / 2:
        return -quantile(1 - p)
    x = -mp.sqrt(-2 * mp.log(p)) - 1
    for _ in range(200):
        step = (mp.log(_phi(x)) - mp.log(p)) * _phi(x) / mp.npdf(x)
        x -= step
        if abs(step) < mp.mpf(10) ** (-DIGITS // 2):
            return x
    raise ArithmeticError(f"no quantile for {p}")


def exact(*values):
    return tuple(mp.mpf(float(v)) for v in values)


def mu_from_multiplicative_advantage(epsilon, fpr):
    with mp.workdps(DIGITS):
        e, a = exact(epsilon, fpr)
        if a < 1 / (mp.exp(e) + 1):
            return quantile(mp.exp(e) * a) - quantile(a)
        return -quantile(a) - quantile(mp.exp(-e) * (1 - a))


def mu_from_precision(epsilon, recall):
    with mp.workdps(DIGITS):
        e, b = exact(epsilon, recall)
        return quantile(b) - quantile(mp.exp(-e) * b)


def delta_from_mu(mu, epsilon):
    with mp.workdps(DIGITS):
        m, e = mp.mpf(mu), mp.mpf(epsilon)
        return _phi(-e / m + m / 2) - mp.exp(e) * _phi(-e / m - m / 2)


def fnr_from_mu(mu, fpr):
    with mp.workdps(DIGITS):
        m, a = exact(mu, fpr)
        return _phi(-quantile(a) - m)


def multiplicative_advantage_from_mu(mu, fpr):
    with mp.workdps(DIGITS):
        m, a = exact(mu, fpr)
        return _phi(quantile(a) + m) / a


def precision_from_mu(mu, recall, prior=0.5):
    with mp.workdps(DIGITS):
        m, b, p = exact(mu, recall, prior)
        return p * b / (p * b + (1 - p) * _phi(quantile(b) - m))


def advantage_from_mu(mu):
    with mp.workdps(DIGITS):
        m = mp.mpf(float(mu))
        return _phi(m / 2) - _phi(-m / 2)


def relative_error(value, exact):
    """|value / exact - 1|; 0 where both are 0 or where the exact value underflows a double to the same."""
    with mp.workdps(DIGITS):
        if exact == 0:
            return 0.0 if value == 0 else float("inf")
        return float(abs(mp.mpf(float(value)) / exact - 1))


def mu_brackets_profile(mu, epsilon, delta, tolerance):
    """Whether the true mu of (epsilon, delta) lies within the relative tolerance of mu."""
    with mp.workdps(DIGITS):
        m, t, d = mp.mpf(float(mu)), mp.mpf(tolerance), mp.mpf(float(delta))
        return delta_from_mu(m * (1 - t), epsilon) <= d <= delta_from_mu(m * (1 + t), epsilon)


def epsilon_brackets_profile(epsilon, mu, delta, tolerance):
    """Whether the true epsilon of (mu, delta) lies within the relative tolerance of epsilon; 0 where it is 0."""
    with mp.workdps(DIGITS):
        e, t, d = mp.mpf(float(epsilon)), mp.mpf(tolerance), mp.mpf(float(delta))
        if e == 0:
            return delta_from_mu(mu, 0) <= d
        return delta_from_mu(mu, e * (1 + t)) <= d <= delta_from_mu(mu, e * (1 - t))
