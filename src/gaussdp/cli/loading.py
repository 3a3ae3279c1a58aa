"""A group that imports a command when it is used, so that each starts as fast as what it needs."""

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from gaussdp.cli.help import FoldedContext, Overview
from gaussdp.interrupts import ending_at_once


class _Shelf(MutableMapping[str, click.Command]):
    """Commands by name, each imported from its module when it is taken."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        self._found: dict[str, click.Command | str] = dict(modules)

    def __getitem__(self, name: str) -> click.Command:
        found = self._found[name]
        if isinstance(found, str):
            with ending_at_once():
                command: click.Command = getattr(import_module(found), name)
            command.context_class = FoldedContext
            self._found[name] = found = command
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._found[name] = command

    def __delitem__(self, name: str) -> None:
        del self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


class LoadingGroup(Overview):
    """A group of commands that are listed without being loaded.

    Args:
        modules: the first sentence of each command's help, by the module that has a command of its own name, in the
            order of the list.
    """

    def __init__(self, *arguments: Any, modules: Mapping[str, str], **options: Any) -> None:
        super().__init__(*arguments, **options)
        names = [module.rpartition(".")[2] for module in modules]
        self.commands: MutableMapping[str, click.Command] = _Shelf(dict(zip(names, modules, strict=True)))
        self._sentences = dict(zip(names, modules.values(), strict=True))

    def listed(self) -> list[tuple[str, str]]:
        """The commands, each with its first sentence."""
        return list(self._sentences.items())

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """What a word may become: one of the commands, or what the group itself takes."""
        begun = [click.Command(name, help=words) for name, words in self.listed() if name.startswith(incomplete)]
        commands = [CompletionItem(command.name, help=command.get_short_help_str()) for command in begun]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]
