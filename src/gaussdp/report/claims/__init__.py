"""Claims: a published number, held against the run that it is about."""

from typing import TYPE_CHECKING, Any

from gaussdp.report.claims.claim import Claim

if TYPE_CHECKING:
    from gaussdp.report.claims.causes import Cause
    from gaussdp.report.claims.verdict import Verdict, check_claim

__all__ = ["Cause", "Claim", "Verdict", "check_claim"]


def __getattr__(name: str) -> Any:
    # A run holds a claim, and a verdict is about a run: the latter is loaded when used.
    if name in __all__:
        from gaussdp.report.claims import verdict

        return getattr(verdict, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
