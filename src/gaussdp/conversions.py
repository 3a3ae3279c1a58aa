"""Between epsilon, mu and what an attacker can do: the nine flat functions.

Each takes numbers or arrays, broadcasts as NumPy does, refuses what lies outside its domain with a DomainError, and
returns a Python float for scalars, an array otherwise. `fpr` is the attack's false-positive rate (alpha in the
paper), `recall` its true-positive rate (beta-bar).
"""

from typing import Any, overload

from numpy.typing import ArrayLike

from gaussdp.domains import LEVEL, NON_NEGATIVE, PROBABILITY, evaluate, evaluated
from gaussdp.numerics import flat

_MU_FROM_MULTIPLICATIVE_ADVANTAGE = evaluated(flat.mu_from_multiplicative_advantage, epsilon=NON_NEGATIVE, fpr=LEVEL)
_MU_FROM_PRECISION = evaluated(flat.mu_from_precision, epsilon=NON_NEGATIVE, recall=LEVEL)
_MU_FROM_PROFILE = evaluated(flat.mu_from_profile, epsilon=NON_NEGATIVE, delta=LEVEL)
_DELTA_FROM_MU = evaluated(flat.delta_from_mu, mu=NON_NEGATIVE, epsilon=NON_NEGATIVE)
_EPSILON_FROM_MU = evaluated(flat.epsilon_from_mu, mu=NON_NEGATIVE, delta=PROBABILITY)
_FNR_FROM_MU = evaluated(flat.fnr_from_mu, mu=NON_NEGATIVE, fpr=PROBABILITY)
_MULTIPLICATIVE_ADVANTAGE_FROM_MU = evaluated(flat.multiplicative_advantage_from_mu, mu=NON_NEGATIVE, fpr=LEVEL)


@overload
def mu_from_multiplicative_advantage(epsilon: float, fpr: float) -> float: ...
@overload
def mu_from_multiplicative_advantage(epsilon: ArrayLike, fpr: ArrayLike) -> Any: ...
def mu_from_multiplicative_advantage(epsilon: ArrayLike, fpr: ArrayLike) -> Any:
    r"""The mu whose best attack at this FPR has the TPR/FPR that epsilon-DP allows there.

    .. math:: \mu = \begin{cases}
        \Phi^{-1}(e^\varepsilon \alpha) - \Phi^{-1}(\alpha) & \alpha < 1/(e^\varepsilon + 1) \\
        \Phi^{-1}(1-\alpha) - \Phi^{-1}(e^{-\varepsilon}(1-\alpha)) & \text{otherwise} \end{cases}

    Args:
        epsilon: pure-DP parameter of the policy, in [0, inf]; broadcasts.
        fpr: false-positive rate at which the risks are matched, in (0, 1); broadcasts.
    Returns:
        mu in [0, inf].
    Accuracy: relative error below 1e-12 for epsilon in [1e-10, 500], fpr in [1e-300, 1 - 1e-12] (tested).
    Reference: Kulynych & Honkela, On Choosing the mu Parameter in Gaussian Differential Privacy, Proposition 3.1.

    >>> mu_from_multiplicative_advantage(epsilon=1.0, fpr=1e-3)
    0.31027...
    """
    return _MU_FROM_MULTIPLICATIVE_ADVANTAGE(epsilon, fpr)


@overload
def mu_from_precision(epsilon: float, recall: float) -> float: ...
@overload
def mu_from_precision(epsilon: ArrayLike, recall: ArrayLike) -> Any: ...
def mu_from_precision(epsilon: ArrayLike, recall: ArrayLike) -> Any:
    r"""The mu whose best attack at this recall has the precision bound of epsilon-DP, e^eps / (1 + e^eps).

    .. math:: \mu = \Phi^{-1}(\bar\beta) - \Phi^{-1}(e^{-\varepsilon} \bar\beta)

    Pure DP attains that bound only up to recall e^eps / (1 + e^eps); beyond it, `choose` with `Precision` matches the
    curve itself and gives a smaller mu.

    Args:
        epsilon: pure-DP parameter of the policy, in [0, inf]; broadcasts.
        recall: true-positive rate at which the risks are matched, in (0, 1); broadcasts.
    Returns:
        mu in [0, inf].
    Accuracy: relative error below 1e-12 for epsilon in [1e-10, 500], recall in [1e-300, 1 - 1e-12] (tested).
    Reference: Kulynych & Honkela, On Choosing the mu Parameter in Gaussian Differential Privacy, Proposition 3.2.

    >>> mu_from_precision(epsilon=1.0, recall=1e-3)
    0.28566...
    """
    return _MU_FROM_PRECISION(epsilon, recall)


@overload
def mu_from_profile(epsilon: float, delta: float) -> float: ...
@overload
def mu_from_profile(epsilon: ArrayLike, delta: ArrayLike) -> Any: ...
def mu_from_profile(epsilon: ArrayLike, delta: ArrayLike) -> Any:
    r"""The mu whose privacy profile passes through (epsilon, delta): the root of delta_mu(epsilon) = delta.

    .. math:: \Phi(-\varepsilon/\mu + \mu/2) - e^\varepsilon\,\Phi(-\varepsilon/\mu - \mu/2) = \delta

    Args:
        epsilon: in [0, inf]; broadcasts.
        delta: in (0, 1); broadcasts.
    Returns:
        mu in [0, inf].
    Accuracy: relative error below 1e-12 for epsilon in [1e-10, 500], delta in [1e-300, 1 - 1e-12] (tested).
    Reference: Dong, Roth & Su (2022), Corollary 2.13, inverted.

    >>> mu_from_profile(epsilon=1.0, delta=1e-6)
    0.23670...
    """
    return _MU_FROM_PROFILE(epsilon, delta)


@overload
def delta_from_mu(mu: float, epsilon: float) -> float: ...
@overload
def delta_from_mu(mu: ArrayLike, epsilon: ArrayLike) -> Any: ...
def delta_from_mu(mu: ArrayLike, epsilon: ArrayLike) -> Any:
    r"""The privacy profile of mu-GDP: the least delta with which it implies (epsilon, delta)-DP.

    .. math:: \delta_\mu(\varepsilon) = \Phi(-\varepsilon/\mu + \mu/2) - e^\varepsilon \Phi(-\varepsilon/\mu - \mu/2)

    Args:
        mu: GDP parameter, in [0, inf]; broadcasts.
        epsilon: in [0, inf]; broadcasts.
    Returns:
        delta in [0, 1].
    Accuracy: relative error below 1e-12 for mu in [1e-8, 50], epsilon in [1e-10, 500], delta above 1e-300 (tested).
    Reference: Dong, Roth & Su (2022), Corollary 2.13.

    >>> delta_from_mu(mu=1.0, epsilon=1.0)
    0.12693...
    """
    return _DELTA_FROM_MU(mu, epsilon)


@overload
def epsilon_from_mu(mu: float, delta: float) -> float: ...
@overload
def epsilon_from_mu(mu: ArrayLike, delta: ArrayLike) -> Any: ...
def epsilon_from_mu(mu: ArrayLike, delta: ArrayLike) -> Any:
    r"""The least epsilon >= 0 with which mu-GDP implies (epsilon, delta)-DP.

    .. math:: \inf\{\varepsilon \ge 0 : \delta_\mu(\varepsilon) \le \delta\}

    Args:
        mu: GDP parameter, in [0, inf]; broadcasts.
        delta: in [0, 1]; broadcasts. At 0 every mu > 0 gives inf: GDP is never pure DP.
    Returns:
        epsilon in [0, inf]; 0 where the total variation erf(mu / 2 sqrt 2) is at most delta.
    Accuracy: relative error below 1e-12 for mu in [1e-8, 50], delta in [1e-300, 1 - 1e-12], epsilon above 1e-10
    (tested), also just below the total variation, where the root is a difference of nearly equal numbers.
    Reference: Dong, Roth & Su (2022), Corollary 2.13, inverted.

    >>> epsilon_from_mu(mu=1.0, delta=1e-5)
    4.37717...
    """
    return _EPSILON_FROM_MU(mu, delta)


@overload
def fnr_from_mu(mu: float, fpr: float) -> float: ...
@overload
def fnr_from_mu(mu: ArrayLike, fpr: ArrayLike) -> Any: ...
def fnr_from_mu(mu: ArrayLike, fpr: ArrayLike) -> Any:
    r"""The trade-off curve of mu-GDP: the least false-negative rate of an attack with this FPR.

    .. math:: f_\mu(\alpha) = \Phi(-\Phi^{-1}(\alpha) - \mu)

    Args:
        mu: GDP parameter, in [0, inf]; broadcasts.
        fpr: false-positive rate, in [0, 1]; broadcasts.
    Returns:
        False-negative rate in [0, 1].
    Accuracy: relative error below 1e-12 for mu in [1e-8, 50], fpr in [1e-300, 1 - 1e-12], result above 1e-300
    (tested).
    Reference: Dong, Roth & Su (2022), Section 2.

    >>> fnr_from_mu(mu=1.0, fpr=0.05)
    0.74048...
    """
    return _FNR_FROM_MU(mu, fpr)


@overload
def multiplicative_advantage_from_mu(mu: float, fpr: float) -> float: ...
@overload
def multiplicative_advantage_from_mu(mu: ArrayLike, fpr: ArrayLike) -> Any: ...
def multiplicative_advantage_from_mu(mu: ArrayLike, fpr: ArrayLike) -> Any:
    r"""The largest TPR/FPR of an attack on mu-GDP at this FPR.

    .. math:: \Phi(\Phi^{-1}(\alpha) + \mu) / \alpha

    Args:
        mu: GDP parameter, in [0, inf]; broadcasts.
        fpr: false-positive rate, in (0, 1); broadcasts.
    Returns:
        TPR/FPR in [1, 1/fpr].
    Accuracy: relative error below 1e-12 for mu in [1e-8, 50], fpr in [1e-300, 1 - 1e-12] (tested).
    Reference: Kulynych & Honkela, On Choosing the mu Parameter in Gaussian Differential Privacy, Appendix B.

    >>> multiplicative_advantage_from_mu(mu=1.0, fpr=1e-3)
    18.29...
    """
    return _MULTIPLICATIVE_ADVANTAGE_FROM_MU(mu, fpr)


@overload
def precision_from_mu(mu: float, recall: float, prior: float = 0.5) -> float: ...
@overload
def precision_from_mu(mu: ArrayLike, recall: ArrayLike, prior: ArrayLike = 0.5) -> Any: ...
def precision_from_mu(mu: ArrayLike, recall: ArrayLike, prior: ArrayLike = 0.5) -> Any:
    r"""The largest precision of an attack on mu-GDP at this recall: how often "member" is right.

    .. math:: \frac{\pi\bar\beta}{\pi\bar\beta + (1-\pi)\,\Phi(\Phi^{-1}(\bar\beta) - \mu)}

    Args:
        mu: GDP parameter, in [0, inf]; broadcasts.
        recall: true-positive rate, in (0, 1); broadcasts.
        prior: probability of membership before the attack, in (0, 1); broadcasts.
    Returns:
        Precision in [prior, 1].
    Accuracy: relative error below 1e-12 for mu in [1e-8, 50], recall in [1e-300, 1 - 1e-12] (tested).
    Reference: Kulynych & Honkela, On Choosing the mu Parameter in Gaussian Differential Privacy, Appendix B, for
    prior 1/2.

    >>> precision_from_mu(mu=1.0, recall=1e-3)
    0.97890...
    """
    return evaluate(flat.precision_from_mu, mu=(mu, NON_NEGATIVE), recall=(recall, LEVEL), prior=(prior, LEVEL))


@overload
def advantage_from_mu(mu: float) -> float: ...
@overload
def advantage_from_mu(mu: ArrayLike) -> Any: ...
def advantage_from_mu(mu: ArrayLike) -> Any:
    r"""The largest TPR minus FPR of any attack on mu-GDP.

    .. math:: \operatorname{erf}(\mu / 2\sqrt 2)

    Args:
        mu: GDP parameter, in [0, inf]; broadcasts.
    Returns:
        Advantage in [0, 1].
    Accuracy: relative error below 1e-15 (tested).
    Reference: Dong, Roth & Su (2022), Corollary 2.13 at epsilon = 0.

    >>> advantage_from_mu(1.0)
    0.38292492254802...
    """
    return evaluate(flat.advantage_from_mu, mu=(mu, NON_NEGATIVE))
