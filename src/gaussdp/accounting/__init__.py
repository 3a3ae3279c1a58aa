"""Exact accounting: cumulants of the privacy loss, its tails, the curve, and its tightest mu.

The rooms, each of which imports only from those before it: `loss` (steps and their composition), `lines` and `density`
(two exact methods for its tails), `distribution` (the grid that serves where neither does), `fit` (one mu for a curve),
`certified` (the same, proved).
"""

from gaussdp.accounting.accountant import account
from gaussdp.accounting.curve import AccountedCurve
from gaussdp.accounting.directions import Direction
from gaussdp.accounting.distribution.curve import DistributionCurve
from gaussdp.accounting.distribution.points import PointsCurve
from gaussdp.accounting.fitted import Fit
from gaussdp.accounting.readings import Method, Reading

__all__ = ["AccountedCurve", "Direction", "DistributionCurve", "Fit", "Method", "PointsCurve", "Reading", "account"]
