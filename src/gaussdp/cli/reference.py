"""The command-line reference as Markdown, made from the commands themselves."""

import click

from gaussdp.cli.app import app
from gaussdp.cli.groups import COLUMNS


def reference() -> str:
    """The help of every command under a heading of its own."""
    parts = [
        "# Command line",
        "Made from the commands by `make docs`; a test fails when it is out of date.",
        _section("gaussdp", app, None),
    ]
    root = _context("gaussdp", app, None)
    for name, command in sorted(app.commands.items()):
        parts.append(_section(name, command, root))
        if isinstance(command, click.Group):
            group = _context(name, command, root)
            parts.extend(_section(inner, part, group) for inner, part in sorted(command.commands.items()))
    return "\n\n".join(parts) + "\n"


def _section(name: str, command: click.Command, parent: click.Context | None) -> str:
    context = _context(name, command, parent)
    return f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```"


def _context(name: str, command: click.Command, parent: click.Context | None) -> click.Context:
    return command.make_context(
        name, [], parent, resilient_parsing=True, terminal_width=COLUMNS, max_content_width=COLUMNS
    )


if __name__ == "__main__":
    click.echo(reference(), nl=False)
