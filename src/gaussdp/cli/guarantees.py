"""Guarantees, claims and points as the command line writes them: one notation everywhere."""

from pathlib import Path

import click

from gaussdp.guarantees import Guarantee
from gaussdp.guarantees.claim import Claim

_NAME_ENDS = ": "


def guarantee(text: str) -> Guarantee:
    """A claim, "mu=0.8", "epsilon=1 delta=1e-5", "rho=0.5", or a plan file, whose composition is accounted for."""
    if "=" in text:
        return Claim.parse(text).guarantee
    from gaussdp.accounting import account  # takes a while to load, and few claims are plans
    from gaussdp.mechanisms.plan import read_plan

    return account(read_plan(Path(text)))


def named_guarantee(text: str) -> tuple[str, Guarantee]:
    """A name, empty if none is given but that of a file, and a guarantee: "ours: epsilon=1 delta=1e-5", "plan.toml"."""
    name, ends, rest = text.partition(_NAME_ENDS)
    name, written = (name.strip(), rest.strip()) if ends else ("", text.strip())
    return name or ("" if "=" in written else Path(written).stem), guarantee(written)


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
