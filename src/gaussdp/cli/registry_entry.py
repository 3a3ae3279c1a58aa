"""Options of the commands that write an entry of OpenDP's registry of deployments."""

from pathlib import Path

import click

from gaussdp.cli.options import Command
from gaussdp.published.entry import RegistryFacts

Registering = tuple[Path, RegistryFacts] | None
"""Where an entry goes, and what people say of it."""

_KEYS = "curator, curator_type, intended_use, region, author; also name, description, published, product, sector"


def registry_options(command: Command) -> Command:
    """--registry-entry and --registry; the command gets them as `entry` and `told`."""
    told = click.option(
        "--registry",
        "told",
        multiple=True,
        metavar="KEY=VALUE",
        help=f"What the registry asks besides: {_KEYS}. Give it again for each.",
    )
    entry = click.option(
        "--registry-entry",
        "entry",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Write an entry for OpenDP's Deployments Registry into this file (.yaml).",
    )
    return entry(told(command))


def registering(entry: Path | None, told: tuple[str, ...]) -> Registering:
    """Where the entry goes and its facts; None if none is asked for."""
    pairs = [text.partition("=") for text in told]
    if any(not equals for _, equals, _ in pairs):
        raise click.UsageError("--registry takes KEY=VALUE, as in --registry curator=Town")
    if entry is None:
        if told:
            raise click.UsageError("--registry goes with --registry-entry")
        return None
    return entry, RegistryFacts.from_mapping({key.strip(): value.strip() for key, _, value in pairs})
