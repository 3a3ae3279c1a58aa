"""gaussdp serve: the calculator as a web page, for one person or a team."""

import os
import re
import sys
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import click
from click.core import ParameterSource

from gaussdp.interrupts import ending_at_once
from gaussdp.web.limits import Limits

PREFIX = "GAUSSDP_SERVE_"
"""Of the environment variable of each option: GAUSSDP_SERVE_PORT for --port."""

_PASSWORD = re.compile(r"(?<=://)([^:/@]*):.*@|(?<=[?&])((?:ssl)?password|passwd|pwd)=[^&]*", re.IGNORECASE)

_SOURCES = {
    ParameterSource.COMMANDLINE: "option",
    ParameterSource.ENVIRONMENT: "environment",
    ParameterSource.DEFAULT: "default",
}


def _setting(name: str, *names: str, **options: Any) -> Callable[[Any], Any]:
    """An option that is also an environment variable."""
    variable = PREFIX + name.removeprefix("--").replace("-", "_").upper()
    return click.option(name, *names, envvar=variable, **options)


def _limits(command: Any) -> Any:
    """An option for every limit."""
    meanings = Limits.meanings()
    for limit in reversed(fields(Limits)):
        words = meanings[limit.name]
        command = _setting(
            f"--{limit.name.replace('_', '-')}",
            limit.name,
            type=limit.type,
            default=limit.default,
            show_default=True,
            help=f"Limit: {words}.",
        )(command)
    return command


@click.command()
@_setting("--host", default="127.0.0.1", show_default=True, help="Name or address of this machine to listen on.")
@_setting(
    "--port", type=click.IntRange(0, 65_535), default=8000, show_default=True, help="Port; 0 takes any that is free."
)
@_setting(
    "--allow-host",
    "allow_hosts",
    multiple=True,
    metavar="NAME",
    help="Answer under this name too (give it again for another); other unknown names are refused.",
)
@_setting(
    "--trusted-proxy",
    "trusted_proxies",
    multiple=True,
    metavar="ADDRESS",
    help="Believe what this address or network says about who asks (X-Forwarded-For and -Host).",
)
@_setting(
    "--root-path",
    default="",
    metavar="PATH",
    help="Path under which a proxy shows the page, if it stays in its requests.",
)
@_setting(
    "--workers", type=int, default=1, show_default=True, help="Processes that answer requests; limits hold for all."
)
@_setting(
    "--access-log",
    type=click.Choice(["off", "text", "json"]),
    default="off",
    show_default=True,
    help="Log every request to stderr. What goes wrong is always logged.",
)
@_setting(
    "--ledger",
    "ledgers",
    multiple=True,
    metavar="URL",
    help="Show this budget book on the page (give it again for another); needs the extra `ledger`.",
)
@_setting(
    "--ledger-token-file",
    default="",
    metavar="FILE",
    help="Let spend from the books whoever has the token in this file; or in the variable GAUSSDP_SERVE_LEDGER_TOKEN.",
)
@click.option(
    "--open/--no-open",
    "open_page",
    default=True,
    help="Show the page in the browser, where there is a desktop.  [default: open]",
)
@click.option("--show-settings", is_flag=True, help="Print every setting with its value and its origin, and end.")
@_limits
@click.pass_context
def serve(ctx: click.Context, /, open_page: bool, show_settings: bool, **given: Any) -> None:
    """The calculator: a web page, on this machine, on which a person chooses μ.

    Works offline, and only this machine can reach it unless --host says otherwise. Ctrl-C ends it, SIGTERM lets work
    under way end first. Every option but the last few is also an environment variable: GAUSSDP_SERVE_PORT for --port.
    Needs the extra `web`.

    \b
    Examples:
      gaussdp serve
      gaussdp serve --port 0 --no-open
      gaussdp serve --ledger sqlite:///budget.db
      gaussdp serve --allow-host calculator.example --trusted-proxy 127.0.0.1 --access-log json
    """
    with ending_at_once():  # until the server takes signals itself
        _serve(ctx, open_page, show_settings, given)


def _serve(ctx: click.Context, open_page: bool, show_settings: bool, given: dict[str, Any]) -> None:
    from gaussdp.web import Settings, is_loopback
    from gaussdp.web import serve as serve_until_interrupted

    limits = Limits(**{limit.name: given.pop(limit.name) for limit in fields(Limits)})
    settings = Settings(**given, limits=limits)
    if show_settings:
        click.echo(_table(ctx))
        return
    if not is_loopback(settings.host):
        click.echo(
            f"gaussdp: warning: {settings.host} can be reached from other machines; there is no password and no"
            " encryption, so keep it to a network you trust",
            err=True,
        )

    def ready(address: str) -> None:
        click.echo(f"The calculator is at {address} (Ctrl-C ends it)")
        sys.stdout.flush()
        if open_page and has_desktop():
            import webbrowser

            webbrowser.open(address)

    serve_until_interrupted(settings, ready=ready)


def _public(url: str) -> str:
    """A value; where it is a URL, without its password."""
    return _PASSWORD.sub(lambda found: f"{found[2]}=***" if found[2] else f"{found[1]}:***@", url)


def _table(ctx: click.Context) -> str:
    """Every setting as `name value  origin  variable`."""
    rows = []
    for option in ctx.command.params:
        if option.name is None or not option.envvar:
            continue
        value = ctx.params[option.name]
        shown = ",".join(map(_public, value)) if isinstance(value, tuple | list) else _public(str(value))
        source = ctx.get_parameter_source(option.name)
        origin = _SOURCES.get(source, "default") if source else "default"
        rows.append((option.opts[0], shown or "-", origin, str(option.envvar)))
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


def has_desktop() -> bool:
    """Whether a person sits before a screen: no browser opens for a script, nor one of text in the terminal."""
    if not sys.stdout.isatty():
        return False
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
