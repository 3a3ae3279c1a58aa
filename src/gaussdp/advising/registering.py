"""A decision as an entry of OpenDP's registry of deployments."""

from gaussdp.advising.record import Record
from gaussdp.documents.rounding import Rounding, rounded, shown
from gaussdp.published.entry import RegistryEntry, RegistryFacts, Variant
from gaussdp.words import ENGLISH, speaking

_DIGITS = 4


@speaking(ENGLISH)
def decision_entry(record: Record, facts: RegistryFacts) -> RegistryEntry:
    r"""The decision as an entry of the registry: its mu as the :math:`\rho = \mu^2/2` of Gaussian noise.

    It is in English, as the registry is.

    A model's mu speaks about error rates from a floor on, from which no rho follows; the entry then says so in words.

    Args:
        record: of the decision.
        facts: what the registry asks and no decision knows.
    """
    advice, answers = record.advice, record.advice.answers
    trained = [one for one in answers.statistics if one.kind == "model"]
    mu, each = shown(record.mu), shown(rounded(advice.each(record.mu), Rounding.DOWN))
    variant: Variant = "Custom" if trained else "Zero-concentrated DP"
    floor = " for error rates of at least 1e-10" if trained else ""
    parameters = {} if trained else {"rho": rounded(record.mu**2 / 2, Rounding.UP, _DIGITS)}
    held = ", ".join(one.label for one in answers.statistics)
    return RegistryEntry(
        facts=facts,
        name=answers.title or "Planned releases",
        description=f"{record.sentence} Each release holds: {held}.",
        product="Machine learning model" if len(trained) == len(answers.statistics) else "Summary statistics",
        variant=variant,
        parameters=parameters,
        unit=advice.unit_words,
        unit_details=" ".join(advice.assumptions[:2]),
        parameters_details=f"Gaussian DP with μ = {mu}{floor}, for everything together. {record.standing}",
        releases=(advice.assumptions[2], answers.releases > 1),
        mechanisms=f"Planned: Gaussian noise, each statistic with μ = {each}.",
        composition="The μ of Gaussian releases add in squares, also where later ones depend on earlier ones.",
    )
