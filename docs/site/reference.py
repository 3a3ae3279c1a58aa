"""The Python reference: a page for each part of the library, with every public name on one of them."""

import inspect

import gaussdp

TITLES = {
    "guarantees": ("Guarantees", "Trade-off curves, and what is read off them."),
    "conversions": ("Conversions", "The flat functions between ε, μ and what an attacker can do."),
    "risks": ("Risks", "What an attacker achieves, as one number."),
    "choosing": ("Choosing", "Match a risk; rules of thumb."),
    "mechanisms": ("Mechanisms", "Descriptions of what is released."),
    "accounting": ("Accounting", "From a mechanism to its curve, and the fit."),
    "calibration": ("Calibration", "The least noise that meets a target."),
    "auditing": ("Auditing", "Lower bounds on μ from the scores of attacks."),
    "ledger": ("Ledger", "Budgets kept over time."),
    "statements": ("Statements", "Runs, claims and reports."),
    "shown": ("Explaining and drawing", "What people get to see."),
    "errors": ("Errors", "What is raised, and when."),
}
SHOWN = {"documents", "explaining", "figures", "published"}


def family(name: str) -> str:
    """The page of a public name."""
    thing = getattr(gaussdp, name)
    room = (thing.__name__ if inspect.ismodule(thing) else thing.__module__).split(".")[1]
    return "shown" if room in SHOWN else room


def names(thing_of: str) -> list[str]:
    """What stands on a page, as `gaussdp.` names."""
    found = [f"gaussdp.{name}" for name in gaussdp.__all__ if family(name) == thing_of and not _module(name)]
    room = getattr(gaussdp, thing_of, None)
    if inspect.ismodule(room) and _module(thing_of):
        listed = {f"gaussdp.{name}" for name in gaussdp.__all__}
        found += [f"gaussdp.{thing_of}.{name}" for name in room.__all__ if f"gaussdp.{name}" not in listed]
    return [name for name in found if callable(_value(name))]


def page(thing_of: str) -> str:
    """The page of a family; mkdocstrings writes what stands under each name."""
    title, words = TITLES.get(thing_of, (thing_of.capitalize(), ""))
    return "\n\n".join([f"# {title}", words, *(f"::: {name}" for name in names(thing_of))]) + "\n"


def index() -> str:
    """Every name with its first sentence."""
    parts = ["# Python reference", "Every public name, as `dir(gaussdp)` lists them, and those of its rooms."]
    for key in families():
        title, _ = TITLES.get(key, (key.capitalize(), ""))
        rows = "\n".join(f"| [`{name}`]({key}.md#{name}) | {_summary(name)} |" for name in names(key))
        parts.append(f"## {title}\n\n| name | what it is |\n|---|---|\n{rows}")
    return "\n\n".join(parts) + "\n"


def families() -> list[str]:
    """The parts of the library that have a public name."""
    return [*TITLES, *sorted({family(name) for name in gaussdp.__all__} - set(TITLES))]


def pages() -> dict[str, str]:
    """All pages by file name."""
    return {"index.md": index(), **{f"{key}.md": page(key) for key in families()}}


def _module(name: str) -> bool:
    return inspect.ismodule(getattr(gaussdp, name, None)) and name in gaussdp.__all__


def _value(name: str):
    value = gaussdp
    for part in name.split(".")[1:]:
        value = getattr(value, part)
    return value


def _summary(name: str) -> str:
    first = (inspect.getdoc(_value(name)) or "").split("\n\n")[0]
    return " ".join(first.split()).replace("|", "\\|")
