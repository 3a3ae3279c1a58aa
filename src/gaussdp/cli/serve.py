"""gaussdp serve: the calculator as a local web page."""

import os
import sys
from collections.abc import Sequence

import click


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Name or address of this machine to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8000, show_default=True, help="Port; 0 takes any that is free."
)
@click.option(
    "--allow-host",
    "allow_hosts",
    multiple=True,
    metavar="NAME",
    help="Answer under this name too (give it again for another); other unknown names are refused.",
)
@click.option(
    "--open/--no-open",
    "open_page",
    default=True,
    help="Show the page in the browser, where there is a desktop.  [default: open]",
)
def serve(host: str, port: int, allow_hosts: Sequence[str], open_page: bool) -> None:
    """The calculator: a web page, on this machine, on which a person chooses μ.

    Works offline, and only this machine can reach it unless --host says otherwise. Ctrl-C ends it. Needs the extra
    `web`.

    \b
    Examples:
      gaussdp serve
      gaussdp serve --port 0 --no-open
    """
    from gaussdp.web import is_loopback
    from gaussdp.web import serve as serve_until_interrupted

    if not is_loopback(host):
        click.echo(
            f"gaussdp: warning: {host} can be reached from other machines; there is no password and no encryption,"
            " so keep it to a network you trust",
            err=True,
        )

    def ready(address: str) -> None:
        click.echo(f"The calculator is at {address} (Ctrl-C ends it)")
        sys.stdout.flush()
        if open_page and _has_desktop():
            import webbrowser

            webbrowser.open(address)

    serve_until_interrupted(host, port, allow_hosts=allow_hosts, ready=ready)


def _has_desktop() -> bool:
    """Whether a person sits before a screen: no browser opens for a script, nor one of text in the terminal."""
    if not sys.stdout.isatty():
        return False
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
