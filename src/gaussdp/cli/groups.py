"""Groups of commands and their help, which fits 80 columns: examples folded as a shell reads them."""

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from gaussdp.interrupts import ending_at_once

COLUMNS = 80
_PROMPT = "gaussdp "
_FOLDED = " \\"
_INDENT = 4  # of the lines that continue an example

_OVERVIEW = """\
gaussdp {version}: state, choose and judge Gaussian differential privacy, as one μ
  gaussdp advise                questions in plain words, and a range of μ
  gaussdp choose --epsilon 1    the budget μ for a policy of ε = 1
  gaussdp explain --mu 0.31     what μ = 0.31 means, in words and odds
  gaussdp account plan.toml     the smallest μ that holds for a mechanism
  gaussdp report run.toml       the privacy statement of a run
  gaussdp check run.toml        whether a published number is sound or false
  gaussdp audit scores.csv      the μ that the scores of an attack prove
  gaussdp serve                 the calculator, a page on this machine
All commands: gaussdp --help; one of them: gaussdp choose --help
"""


def overview() -> str:
    """What gaussdp can do, for whoever types its name alone."""
    from importlib.metadata import version  # reads files, so only when asked

    return _OVERVIEW.format(version=version("gaussdp"))


class _Formatter(click.HelpFormatter):
    """Folds commands that are wider than the page; click leaves them as they are."""

    def write_text(self, text: str) -> None:
        start = len(self.buffer)
        super().write_text(text)
        lines = "".join(self.buffer[start:]).split("\n")
        self.buffer[start:] = ["\n".join(part for line in lines for part in _folded(line, self.width))]


def _folded(line: str, width: int) -> Iterable[str]:
    """The line, or those of a command that is too wide, each but the last ending as a shell continues it."""
    if len(line) <= width or not line.lstrip().startswith(_PROMPT):
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    lines, now = [], indent
    for part in _options(line.split()):
        if len(now) + 1 + len(part) + len(_FOLDED) > width and now.strip():
            lines.append(now + _FOLDED)
            now = indent + " " * _INDENT
        now += part if now.isspace() or not now else f" {part}"
    return [*lines, now]


def _options(words: list[str]) -> list[str]:
    """The words of a command, each option together with its value."""
    parts: list[str] = []
    for word in words:
        if parts and not word.startswith("--") and parts[-1].startswith("--"):
            parts[-1] += f" {word}"
        else:
            parts.append(word)
    return parts


class FoldedContext(click.Context):
    """A context whose help is folded."""

    formatter_class: type[click.HelpFormatter] = _Formatter


class Overview(click.Group):
    """A group whose help tells each command's first sentence whole."""

    context_class: type[click.Context] = FoldedContext

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command, whose help is then folded like that of all."""
        cmd.context_class = FoldedContext
        super().add_command(cmd, name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands, each with its first sentence."""
        with formatter.section("Commands"):
            formatter.write_dl(self.listed())

    def listed(self) -> list[tuple[str, str]]:
        """The commands, each with its first sentence."""
        return [(name, first_sentence(command)) for name, command in self.commands.items()]


def first_sentence(command: click.Command) -> str:
    """What a command does, as its help begins."""
    return " ".join((command.help or "").split("\n\n")[0].split()).partition(". ")[0].removesuffix(".") + "."


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
