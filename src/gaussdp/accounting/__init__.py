"""Exact accounting: cumulants of the privacy loss, its tails by contour integrals, the curve, and its tightest mu."""

from gaussdp.accounting._account import account
from gaussdp.accounting._curve import AccountedCurve
from gaussdp.accounting._directions import Direction
from gaussdp.accounting._fit import Fit
from gaussdp.accounting._pld_curve import DistributionCurve
from gaussdp.accounting._points_curve import PointsCurve

__all__ = ["AccountedCurve", "Direction", "DistributionCurve", "Fit", "PointsCurve", "account"]
