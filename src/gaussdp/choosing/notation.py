"""Requirements and targets as short texts, the same everywhere: mu=0.5, epsilon=3 delta=1e-5, tpr@1e-3=0.01."""

import re

from gaussdp.domains import instance, written_share
from gaussdp.errors import DomainError, brief
from gaussdp.guarantees import GDP, Guarantee
from gaussdp.guarantees.claim import Claim
from gaussdp.risks import AtMost, by_value_key, registered

_TEXT = re.compile(r"(?P<name>[a-z0-9-]+)(?:@(?P<level>[^@=]+))?=(?P<value>[^@=]+)")
_CLAIM = re.compile(r"\s*(\(|(epsilon|eps|ε|ϵ|mu|μ|µ|rho|ρ)\s*=)", re.IGNORECASE)
CLAIMS = ("epsilon=VALUE", "epsilon=VALUE delta=VALUE", "mu=VALUE", "rho=VALUE")


def notations() -> tuple[str, ...]:
    """How bounds on risks are written, one a risk: "advantage=VALUE", "tpr@FPR=VALUE"."""
    return tuple(f"{risk.notation()}=VALUE" for risk in registered())


def parse_target(text: str, prior: float = 0.5) -> GDP | AtMost:
    """The target that a text such as "tpr@1e-3=0.01" states.

    Args:
        text: mu or the name of a risk (`notations` lists them), with "@" and its level if it has one, "=" and the value
            allowed; numbers also as fractions and in percent.
        prior: probability of membership before the attack, in (0, 1), for precision and accuracy.

    >>> parse_target("tpr@1e-3=0.01")
    AtMost(risk=TruePositiveRate(fpr=0.001), value=0.01)
    >>> parse_target("identification@1/1000=1%")
    AtMost(risk=Identification(chance=0.001, aim='identification'), value=0.01)
    >>> parse_target("mu=0.5")
    GDP(mu=0.5)
    """
    match = _TEXT.fullmatch(instance("target", text, str, "a text such as 'mu=0.5'").strip())
    name, level = (match["name"], match["level"]) if match else ("", None)
    risk = by_value_key(name.replace("-", "_"))
    known = (name == "mu" and level is None) or (risk is not None and (risk.level is None) == (level is None))
    if match is None or not known:
        raise DomainError("target", f"one of mu=VALUE, {', '.join(notations())}", text)
    value = _number(text, match["value"])
    if risk is None:
        return GDP(value)
    return AtMost(risk.at(None if level is None else _number(text, level), prior), value)


def parse_policy(text: str, prior: float = 0.5) -> Guarantee | AtMost:
    """The policy that a text states, in any currency: a claim as papers write it, or a bound on a risk.

    Args:
        text: "epsilon=3", "epsilon=3 delta=1e-5", "(3, 1e-5)", "rho=0.5", "mu=0.5", or what `parse_target` reads.
        prior: probability of membership before the attack, for the risks that take one.

    >>> parse_policy("epsilon=3 delta=1e-5")
    ApproxDP(epsilon=3.0, delta=1e-05)
    >>> parse_policy("accuracy=0.55")
    AtMost(risk=Accuracy(prior=0.5), value=0.55)
    """
    if _CLAIM.match(instance("requirement", text, str, "a text such as 'epsilon=3'")):
        return Claim.parse(text).guarantee
    try:
        return parse_target(text, prior)
    except DomainError as error:
        if error.parameter != "target" or error.domain is None:  # the form is right, the numbers are not
            raise
        known = ", ".join((*CLAIMS, *notations()))
        raise DomainError("requirement", f"one of {known}", text) from None


def _number(text: str, part: str) -> float:
    try:
        return written_share(part)
    except ValueError:
        raise DomainError("target", problem="must hold numbers", got=f"{brief(part)} in {brief(text)}") from None
