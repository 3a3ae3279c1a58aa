"""What a person takes away from a run that is more than DP-SGD's own numbers: its run file, and the check of it."""

from gaussdp.documents.latex import latex_words
from gaussdp.documents.machine import dumped
from gaussdp.documents.rounding import Rounding, rounded, shown
from gaussdp.documents.structured import toml
from gaussdp.figures.scales import level_words, number_words
from gaussdp.statements.run import Run
from gaussdp.web.schemas.requests import Described
from gaussdp.web.schemas.responses import Snippets
from gaussdp.web.views.holding import Holding
from gaussdp.web.views.wording import DIGITS


def run_snippets(run: Run, found: Holding, request: Described) -> Snippets:
    """The run with its numbers: as Python, as a run file that is checked, as LaTeX and as JSON."""
    described = run.as_mapping()
    mu, epsilon = (rounded(value, Rounding.UP, DIGITS) for value in (found.mu, found.epsilon))
    python = (
        "import gaussdp\n"
        "from gaussdp.guarantees.claim import Claim\n"
        "from gaussdp.statements.holding import smallest_for\n\n"
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
    at_delta = rf"$\varepsilon {sign} {_tex(epsilon)}$ at $\delta = {level_words(request.delta)}$"
    latex = (
        rf"For {protected} the release is $\mu$-GDP with $\mu {sign} {_tex(mu)}$ and "
        rf"$(\varepsilon, \delta)$-DP with {at_delta}."
    )
    numbers = {"mu": found.mu, "mu_lower": found.mu_lower, "floor": request.floor, "delta": request.delta}
    return Snippets(
        python=python, cli=cli, latex=latex, json=dumped({"run": described, **numbers, "epsilon": found.epsilon})
    )


def _tex(value: float) -> str:
    return r"\infty" if value == float("inf") else number_words(value)
