"""Guarantees and points as the command line writes them."""

from pathlib import Path

import click

from gaussdp.accounting import account
from gaussdp.guarantees import GDP, ZCDP, ApproxDP, Guarantee, PureDP
from gaussdp.guarantees.claim import Claim
from gaussdp.mechanisms.plan import read_plan

_NAME_ENDS = ": "


def named_guarantee(text: str) -> tuple[str, Guarantee]:
    """A name, empty if none is given, and a guarantee: "mu=0.8", "ours: epsilon=1 delta=1e-5", "rho=0.5", "plan.toml".

    A file is a plan, whose composition is accounted for.
    """
    name, ends, rest = text.partition(_NAME_ENDS)
    name, written = (name.strip(), rest.strip()) if ends else ("", text.strip())
    if "=" not in written:
        path = Path(written)
        return name or path.stem, account(read_plan(path))
    claim = Claim.parse(written)
    if claim.floor is not None:
        raise click.BadParameter(f"a floor has no curve of its own; leave it out of {written!r}")
    if claim.rho is not None:
        return name, ZCDP(claim.rho)
    if claim.mu is not None:
        return name, GDP(claim.mu)
    if claim.delta:
        return name, ApproxDP(claim.value, claim.delta)
    return name, PureDP(claim.value)


def named_point(text: str) -> tuple[str, tuple[float, float]]:
    """A name and the rates of an attack: "our attack: 0.01,0.03" has an FPR of 0.01 and a TPR of 0.03."""
    name, ends, rates = text.rpartition(_NAME_ENDS)
    try:
        fpr, tpr = (float(part) for part in rates.split(","))
    except ValueError:
        raise click.BadParameter(f"a point is NAME: FPR,TPR, such as 'our attack: 0.01,0.03', got {text!r}") from None
    if not ends or not name.strip():
        raise click.BadParameter(f"a point needs a name, such as 'our attack: 0.01,0.03', got {text!r}")
    return name.strip(), (fpr, tpr)
