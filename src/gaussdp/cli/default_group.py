"""A command group whose name may be followed by a file instead of a subcommand."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from gaussdp.cli.help import Overview


class DefaultGroup(Overview):
    """Hands arguments that start with no known subcommand to the default one.

    Args:
        default: name of that subcommand.
        by_ending: subcommands that take files with these endings instead.
    """

    def __init__(
        self, *arguments: Any, default: str, by_ending: Mapping[str, str] | None = None, **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self._default = default
        self._by_ending = by_ending or {}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the default subcommand in front where none is named; without arguments, show help."""
        if not args:
            args = [ctx.help_option_names[0]]
        elif args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = [self._by_ending.get(Path(args[0]).suffix.lower(), self._default), *args]
        return super().parse_args(ctx, args)
