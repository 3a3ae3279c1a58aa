"""How often a Poisson sample is cut to the size of a batch, and how often a record is in one that was."""

from gaussdp.mechanisms import TruncatedPoisson

ERROR = 1e-9
"""Relative, of binomial tails; 5e-11 was seen for up to 10^9 records."""


def truncation(part: TruncatedPoisson) -> tuple[float, float]:
    """The probability that the other records fill the batch, and that of a record to be in a full one, rounded up."""
    from scipy import stats  # takes half a second to load, and only truncated batches need it

    size, limit, rate = part.dataset_size, part.batch_limit, part.sample_rate
    full = float(stats.binom.sf(limit - 1, size - 1, rate)) if limit < size else 0.0
    if full == 0:
        return 0.0, 0.0
    kept = float(stats.binom.sf(limit, size, rate)) / full * (limit / size)
    return full, min(kept * (1 + 3 * ERROR), rate)


def truncation_error(part: TruncatedPoisson) -> tuple[float, float]:
    """By how much rounding of that probability moves the profile of a step: relatively, and absolutely.

    Where it is at most 1/2 no mass of the mixture is wrong by a larger factor.
    """
    full, _ = truncation(part)
    if full in (0.0, 1.0):
        return 0.0, 0.0
    return (2 * ERROR, 0.0) if full <= 0.5 else (0.0, 2 * ERROR)
