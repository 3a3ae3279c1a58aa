"""What a person takes away: the state of a view as Python, as a command line, as LaTeX and as JSON."""

import json
from collections.abc import Mapping

from gaussdp.report.figures.scales import level_words, number_words
from gaussdp.report.rounding import Rounding, rounded, shown
from gaussdp.web.schemas.requests import ChooseRequest, CriterionName, UnderstandRequest
from gaussdp.web.schemas.responses import Snippets
from gaussdp.web.views.criteria import LEVEL_NAMES
from gaussdp.web.wording import DIGITS

_CRITERION_WORDS: Mapping[CriterionName, str] = {
    "multiplicative_advantage": "multiplicative advantage at FPR",
    "precision": "precision at recall",
    "profile": r"the privacy profile at $\delta =$",
}


def choose_snippets(request: ChooseRequest, mu: float) -> Snippets:
    """The budget for a policy."""
    name, epsilon, level = LEVEL_NAMES[request.criterion], shown(request.epsilon), shown(request.level)
    budget = rounded(mu, Rounding.DOWN, DIGITS)
    criterion = request.criterion.replace("_", "-")
    return Snippets(
        python=(
            "import gaussdp\n\n"
            f"mu = gaussdp.mu_from_{request.criterion}(epsilon={request.epsilon!r}, {name}={request.level!r})\n"
            "print(mu)\n"
        ),
        cli=f"gaussdp choose --epsilon {epsilon} --criterion {criterion} --{name} {level}",
        latex=(
            rf"A policy of $\varepsilon = {_tex(request.epsilon)}$, matched on {_CRITERION_WORDS[request.criterion]} "
            rf"${level_words(request.level)}$, is a budget of $\mu = {_tex(budget)}$."
        ),
        json=_json({"epsilon": request.epsilon, "criterion": request.criterion, name: request.level, "mu": mu}),
    )


def understand_snippets(request: UnderstandRequest, epsilon: float, precision: float) -> Snippets:
    """What a guarantee allows an attacker."""
    mu, prior, recall, delta = request.mu, request.prior, request.recall, request.delta
    fprs = ",".join(shown(level) for level in (1e-2, 1e-3, 1e-5, *([request.fpr] if request.fpr else [])))
    shown_epsilon, shown_precision = (rounded(value, Rounding.UP, DIGITS) for value in (epsilon, precision))
    return Snippets(
        python=(
            "import gaussdp\n\n"
            f"release = gaussdp.GDP(mu={mu!r})\n"
            f"print(release.tpr(1e-2), release.tpr(1e-3), release.tpr(1e-5))\n"
            f"print(release.precision(recall={recall!r}, prior={prior!r}))\n"
            f"print(release.epsilon({delta!r}))\n"
            f"print(release.accuracy(prior={prior!r}))\n"
        ),
        cli=(
            f"gaussdp risk --mu {shown(mu)} --fpr {fprs} --recall {shown(recall)} --delta {shown(delta)}"
            f" --prior {shown(prior)}"
        ),
        latex=(
            rf"The release is $\mu$-GDP with $\mu = {_tex(mu)}$: at recall ${level_words(recall)}$ and a prior of "
            rf"${level_words(prior)}$ the best attack has precision at most ${_tex(shown_precision)}$, and "
            rf"$\varepsilon \le {_tex(shown_epsilon)}$ at $\delta = {level_words(delta)}$."
        ),
        json=_json(
            {
                "mu": mu,
                "prior": prior,
                "recall": recall,
                "precision": precision,
                "delta": delta,
                "epsilon": shown(epsilon) if epsilon == float("inf") else epsilon,
            }
        ),
    )


def _tex(value: float) -> str:
    return r"\infty" if value == float("inf") else number_words(value)


def _json(content: Mapping[str, object]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
