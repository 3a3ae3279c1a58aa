"""Choose a GDP budget by the risk of a reference guarantee."""

from gaussdp.domains import instance
from gaussdp.guarantees import GDP, Guarantee
from gaussdp.risks import Risk


def choose(reference: Guarantee, risk: Risk) -> GDP:
    """The GDP guarantee with the same risk as the reference: the paper's general approach.

    The match is on the reference's own curve. For the three criteria of the paper and a pure-DP reference it agrees
    with the closed forms wherever pure DP attains the bound that they match. Matching is not implication: a mechanism
    that meets the reference does not thereby meet the chosen mu (`Guarantee.implied` gives the mu that it does meet).

    Args:
        reference: the guarantee that the policy states, such as `PureDP(1.0)`.
        risk: the criterion, such as `MultiplicativeAdvantage(fpr=1e-3)`.
    Returns:
        The GDP guarantee; mu is inf where only no privacy at all has the reference's risk.
    Raises:
        DomainError: if no mu has that risk.
    Reference: Kulynych & Honkela, On Choosing the mu Parameter in Gaussian Differential Privacy, Section 3.

    >>> from gaussdp import MultiplicativeAdvantage, PureDP
    >>> choose(PureDP(1.0), MultiplicativeAdvantage(fpr=1e-3))
    GDP(mu=0.31027...)
    """
    instance("reference", reference, Guarantee, "a guarantee such as PureDP(1.0)")
    instance("risk", risk, Risk, "a risk such as Advantage()")
    return GDP(risk.match(reference))
