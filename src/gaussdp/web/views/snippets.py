"""What a person takes away: the state of a view as Python, as a command line, as LaTeX and as JSON."""

import math
import shlex
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import cast

from gaussdp.documents.files import toml
from gaussdp.documents.latex import latex_words
from gaussdp.documents.machine import dumped
from gaussdp.documents.rounding import Rounding, rounded, shown, shown_rounded
from gaussdp.figures.style import level_words, text_words
from gaussdp.figures.style import number_words as tex
from gaussdp.risks import Risk
from gaussdp.statements.run import Run
from gaussdp.web.schemas.requests import (
    SNIPPETS,
    AccountRequest,
    CalibrateRequest,
    ChooseRequest,
    DescribedRun,
    InParts,
    UnderstandRequest,
)
from gaussdp.web.schemas.responses import AccountResult, Snippets
from gaussdp.web.views.showing import DIGITS
from gaussdp.web.views.training import Holding, target_text
from gaussdp.words import ENGLISH, speaking, spoken

_HOLE = "\0"  # for a number: no text of ours has it
_UP, _DOWN = Rounding.UP, Rounding.DOWN  # to look up a member of an enumeration takes its time


def _asked_for(request: InParts, **makers: Callable[[], str]) -> Snippets:
    """Those that the answer is to hold; their sentences are English, as commands and programs are."""
    asked = [kind for kind in SNIPPETS if request.parts is None or kind in request.parts]
    if not asked:
        return {}
    if spoken() == ENGLISH:
        return cast(Snippets, {kind: makers[kind]() for kind in asked})
    with speaking(ENGLISH):
        return cast(Snippets, {kind: makers[kind]() for kind in asked})


def choose_snippets(request: ChooseRequest, mu: float) -> Snippets:
    """The budget for a policy."""
    if request.requirements:
        return _several_snippets(request, mu)
    if request.policy_delta:
        return _met_snippets(request, mu)
    epsilon, around = request.epsilon or 0.0, _around(type(request.risk), request.level)
    return _asked_for(
        request,
        python=lambda: around["python"] % repr(epsilon),
        cli=lambda: around["cli"] % shown(epsilon),
        latex=lambda: around["latex"] % (tex(epsilon), _budget(mu)),
        json=lambda: around["json"] % (repr(epsilon), _json(mu)),
    )


@lru_cache(maxsize=1024)
def _around(kind: type[Risk], value: float) -> dict[str, str]:
    """What stands around the numbers of a policy and its budget, by a criterion at a level."""
    level = kind.level
    name = level.key if level else "level"
    place = rf"${level.math} =$" if level and level.by_symbol else level.label if level else ""
    with speaking(ENGLISH):
        return _forms(
            python=(
                f"import gaussdp\nfrom {_home(kind)} import {kind.__name__}\n\n"
                f"policy = gaussdp.PureDP({_HOLE})\n"
                f"print(gaussdp.match(policy, {kind.__name__}({name}={value!r})).mu)\n"
            ),
            cli=f"gaussdp choose --epsilon {_HOLE} {_criterion_options(kind, value)}",
            latex=(
                rf"A policy of $\varepsilon = {_HOLE}$, matched on {kind.phrase} at {place} "
                rf"${level_words(value)}$, is a budget of $\mu = {_HOLE}$."
            ),
            json=dumped({"epsilon": _HOLE, "criterion": kind.key, name: value, "mu": _HOLE}),
        )


def _forms(*, json: str, **texts: str) -> dict[str, str]:
    """The snippets as the operator % takes them; JSON writes holes as texts."""
    texts["json"] = json.replace(dumped(_HOLE, compact=True), _HOLE)
    return {kind: text.replace("%", "%%").replace(_HOLE, "%s") for kind, text in texts.items()}


def _json(number: float) -> str:
    return repr(number) if number < math.inf else dumped(number, compact=True)


def _budget(mu: float) -> str:
    return _rounded(mu, _DOWN)


def _rounded(value: float, side: Rounding) -> str:
    """In mathtext."""
    return tex(value) if value == math.inf else text_words(shown_rounded(value, side, DIGITS))


def _home(kind: type[Risk]) -> str:
    return "gaussdp" if kind.__module__.startswith("gaussdp.") else kind.__module__


def _criterion_options(kind: type[Risk], value: float) -> str:
    name = kind.level.key if kind.level else "level"
    option = "match-delta" if name == "delta" else name.replace("_", "-")
    return f"--criterion {kind.key.replace('_', '-')} --{option} {shown(value)}"


def _several_snippets(request: ChooseRequest, mu: float) -> Snippets:
    """What must hold as texts, and the criterion where something is matched."""
    own = [] if request.epsilon is None else [f"epsilon={shown(request.epsilon)}"]
    if own and request.policy_delta:
        own = [f"{own[0]} delta={shown(request.policy_delta)}"]
    texts = [*own, *(one.policy for one in request.requirements or ())]
    kind, level = type(request.risk), request.risk.level
    matching = any(one.matches for one in request.asked)
    by = f", {kind.__name__}({level.key if level else 'level'}={request.level!r})" if matching else ""
    imported = f"from {_home(kind)} import {kind.__name__}\n" if matching else ""
    options = f" {_criterion_options(kind, request.level)}" if matching else ""
    return _asked_for(
        request,
        python=lambda: f"import gaussdp\n{imported}\nprint(gaussdp.choose({', '.join(map(repr, texts))}{by}).mu)\n",
        cli=lambda: "gaussdp choose" + "".join(f" --require {shlex.quote(text)}" for text in texts) + options,
        latex=lambda: (
            rf"All {len(texts)} requirements hold for a budget of $\mu = {_budget(mu)}$."
            if len(texts) > 1
            else rf"The requirement holds for a budget of $\mu = {_budget(mu)}$."
        ),
        json=lambda: dumped({"requirements": texts, "criterion": request.criterion, "level": request.level, "mu": mu}),
    )


def _met_snippets(request: ChooseRequest, mu: float) -> Snippets:
    epsilon, delta = request.epsilon or 0.0, request.policy_delta
    return _asked_for(
        request,
        python=lambda: f"import gaussdp\n\nprint(gaussdp.choose(gaussdp.ApproxDP({epsilon!r}, {delta!r})).mu)\n",
        cli=lambda: f"gaussdp choose --epsilon {shown(epsilon)} --delta {shown(delta)}",
        latex=lambda: (
            rf"Every release that is $\mu$-GDP with $\mu \le {_budget(mu)}$ is $(\varepsilon, \delta)$-DP with "
            rf"$\varepsilon = {tex(epsilon)}$ and $\delta = {level_words(delta)}$."
        ),
        json=lambda: dumped({"epsilon": epsilon, "delta": delta, "mu": mu}),
    )


def understand_snippets(
    request: UnderstandRequest, fprs: Sequence[float], epsilon: float, precision: float
) -> Snippets:
    """What a guarantee allows an attacker."""
    mu, around = request.mu, _around_mu(request.prior, request.recall, request.delta, tuple(fprs))
    return _asked_for(
        request,
        python=lambda: around["python"] % repr(mu),
        cli=lambda: around["cli"] % shown(mu),
        latex=lambda: around["latex"] % (tex(mu), _rounded(precision, _UP), _rounded(epsilon, _UP)),
        json=lambda: around["json"] % (repr(mu), repr(precision), _json(epsilon)),
    )


@lru_cache(maxsize=256)
def _around_mu(prior: float, recall: float, delta: float, fprs: tuple[float, ...]) -> dict[str, str]:
    """What stands around the numbers of a guarantee, for an attacker."""
    numbers = {"prior": prior, "recall": recall, "precision": _HOLE, "delta": delta, "epsilon": _HOLE}
    with speaking(ENGLISH):
        return _forms(
            python=(
                "import gaussdp\n\n"
                f"release = gaussdp.GDP(mu={_HOLE})\n"
                f"print({', '.join(f'release.tpr({fpr!r})' for fpr in fprs)})\n"
                f"print(release.precision(recall={recall!r}, prior={prior!r}))\n"
                f"print(release.epsilon({delta!r}))\n"
                f"print(release.accuracy(prior={prior!r}))\n"
            ),
            cli=(
                f"gaussdp risk --mu {_HOLE} --fpr {','.join(map(shown, fprs))} --recall {shown(recall)}"
                f" --delta {shown(delta)} --prior {shown(prior)}"
            ),
            latex=(
                rf"The release is $\mu$-GDP with $\mu = {_HOLE}$: at recall ${level_words(recall)}$ and a prior of "
                rf"${level_words(prior)}$ the best attack has precision at most ${_HOLE}$, and "
                rf"$\varepsilon \le {_HOLE}$ at $\delta = {level_words(delta)}$."
            ),
            json=dumped({"mu": _HOLE, **numbers}),
        )


def account_snippets(request: AccountRequest, result: AccountResult) -> Snippets:
    """The guarantee of a run."""
    return Snippets(
        python=(
            "import gaussdp\n\n"
            "run = gaussdp.DPSGD.from_training(\n"
            f"    dataset_size={request.dataset_size}, batch_size={request.batch_size}, epochs={request.epochs!r},"
            f" noise_multiplier={request.noise_multiplier!r}{_protected(request)}\n)\n"
            "curve = gaussdp.account(run)\n"
            f"fit = curve.fit(floor={request.floor!r})\n"
            "print(fit.mu, fit.regret)\n"
            f"print(curve.epsilon({request.delta!r}))\n"
        ),
        cli=(
            f"gaussdp account dpsgd --noise-multiplier {shown(request.noise_multiplier)} {_sizes(request)}"
            f"{_protected_options(request)}"
            f" --delta {shown(request.delta)} --floor {shown(request.floor)}"
        ),
        latex=_run_latex(result),
        json=_rundumped(result),
    )


def calibrate_snippets(request: CalibrateRequest, result: AccountResult) -> Snippets:
    """The noise for a target."""
    target, prior = target_text(request), request.target.prior
    asked = f"--mu {shown(request.target.value)}" if request.target.kind == "mu" else f"--at-most {target}"
    return Snippets(
        python=(
            "import gaussdp\n"
            "from gaussdp.choosing.requirements import parse_target\n\n"
            f"target = parse_target({target!r}, prior={prior!r})\n"
            "found = gaussdp.calibration.noise_multiplier(\n"
            f"    target, sample_rate={result['sample_rate']!r}, steps={result['steps']}, floor={request.floor!r}"
            f"{_protected(request)}\n)\n"
            "print(found.value, found.achieved)\n"
        ),
        cli=(
            f"gaussdp calibrate {asked} {_sizes(request)}{_protected_options(request)}"
            f" --floor {shown(request.floor)} --prior {shown(prior)}"
        ),
        latex=_run_latex(result),
        json=_rundumped(result),
    )


def _sizes(request: AccountRequest | CalibrateRequest) -> str:
    return f"--dataset-size {request.dataset_size} --batch-size {request.batch_size} --epochs {shown(request.epochs)}"


def _protected(request: AccountRequest | CalibrateRequest) -> str:
    """Whom it protects, as arguments, where that is another than one record added or removed."""
    adjacency = f", adjacency={request.adjacency!r}" if request.adjacency != "add-remove" else ""
    return adjacency + (f", records_per_unit={request.records_per_unit}" if request.records_per_unit > 1 else "")


def _protected_options(request: AccountRequest | CalibrateRequest) -> str:
    adjacency = f" --adjacency {request.adjacency}" if request.adjacency != "add-remove" else ""
    return adjacency + (f" --records-per-unit {request.records_per_unit}" if request.records_per_unit > 1 else "")


def _run_latex(result: AccountResult) -> str:
    noise, rate = (
        tex(result["noise_multiplier"]),
        tex(rounded(result["sample_rate"], Rounding.UP, DIGITS)),
    )
    mu, epsilon = (tex(rounded(result[key], Rounding.UP, DIGITS)) for key in ("mu", "epsilon"))
    about = (
        rf", for every attack whose error rates are at least ${level_words(result['floor'])}$"
        if result["floor"]
        else ""
    )
    return (
        rf"DP-SGD with noise multiplier ${noise}$, Poisson sampling at rate ${rate}$ and ${result['steps']}$ steps is "
        rf"$\mu$-GDP with $\mu = {mu}${about}; it is $(\varepsilon, \delta)$-DP with $\varepsilon = {epsilon}$ at "
        rf"$\delta = {level_words(result['delta'])}$."
    )


def _rundumped(result: AccountResult) -> str:
    return dumped(
        {
            "noise_multiplier": result["noise_multiplier"],
            "sample_rate": result["sample_rate"],
            "steps": result["steps"],
            "mu": result["mu"],
            "floor": result["floor"],
            "slack": result["slack"],
            "regret": result["regret"],
            "delta": result["delta"],
            "epsilon": result["epsilon"],
        }
    )


def run_snippets(run: Run, found: Holding, request: DescribedRun) -> Snippets:
    """The run with its numbers: as Python, as a run file that is checked, as LaTeX and as JSON."""
    described = run.as_mapping()
    mu, epsilon = (rounded(value, Rounding.UP, DIGITS) for value in (found.mu, found.epsilon))
    python = (
        "import gaussdp\n"
        "from gaussdp.guarantees.claim import Claim\n"
        "from gaussdp.statements.smallest import smallest_for\n\n"
        f"run = gaussdp.Run.from_mapping({described!r})\n"
        f"for claim in (Claim(mu=1.0, floor={request.floor!r}), Claim(epsilon=1.0, delta={request.delta!r})):\n"
        "    print(smallest_for(run, claim).enclosure.upper)\n"
    )
    claim = f"mu={shown(mu)} floor={shown(found.fit.floor if found.fit else request.floor)}"
    cli = f"cat > run.toml <<'END'\n{toml(described)}END\n" + (
        f'gaussdp check run.toml --claim "{claim}"' if mu < float("inf") else "gaussdp report run.toml"
    )
    sign = "=" if found.fit else r"\le"
    protected = f"{latex_words(run.unit)}, under {run.adjacency} adjacency,"
    at_delta = rf"$\varepsilon {sign} {tex(epsilon)}$ at $\delta = {level_words(request.delta)}$"
    latex = (
        rf"For {protected} the release is $\mu$-GDP with $\mu {sign} {tex(mu)}$ and "
        rf"$(\varepsilon, \delta)$-DP with {at_delta}."
    )
    numbers = {"mu": found.mu, "mu_lower": found.mu_lower, "floor": request.floor, "delta": request.delta}
    return Snippets(
        python=python, cli=cli, latex=latex, json=dumped({"run": described, **numbers, "epsilon": found.epsilon})
    )
