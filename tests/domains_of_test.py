"""Hypothesis strategies over the domain for which accuracy is promised, dense where the numerics change regime."""

import math

from hypothesis import strategies as st


def log_uniform(low, high):
    return st.floats(math.log10(low), math.log10(high)).map(lambda exponent: min(max(10.0**exponent, low), high))


epsilons = log_uniform(1e-10, 500) | log_uniform(1e-2, 10)
mus = log_uniform(1e-8, 50) | log_uniform(1e-2, 10)
levels = (
    log_uniform(1e-300, 0.5)
    | log_uniform(1e-12, 0.5)
    | log_uniform(1e-12, 0.5).map(lambda rest: 1 - rest)
    | st.floats(0.45, 0.55)
)
