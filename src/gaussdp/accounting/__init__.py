"""Exact accounting: cumulants of the privacy loss, its tails by contour integrals, the curve, and its tightest mu."""

from gaussdp.accounting.accountant import account
from gaussdp.accounting.curve import AccountedCurve
from gaussdp.accounting.directions import Direction
from gaussdp.accounting.distribution.curve import DistributionCurve
from gaussdp.accounting.distribution.points import PointsCurve
from gaussdp.accounting.fit.tightest import Fit

__all__ = ["AccountedCurve", "Direction", "DistributionCurve", "Fit", "PointsCurve", "account"]
