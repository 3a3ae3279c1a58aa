"""The command line: commands, and the one place where an error becomes one line on stderr."""

import errno
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import click
from click.core import ParameterSource

from gaussdp.cli.account import account
from gaussdp.cli.advise import advise
from gaussdp.cli.audit import audit
from gaussdp.cli.calibrate import calibrate
from gaussdp.cli.certify import certify
from gaussdp.cli.check import check
from gaussdp.cli.choose import choose
from gaussdp.cli.completion import completion
from gaussdp.cli.deployments import deployments
from gaussdp.cli.explain import explain
from gaussdp.cli.help import COLUMNS, Overview, overview
from gaussdp.cli.ledger import ledger
from gaussdp.cli.paper import paper
from gaussdp.cli.plot import plot
from gaussdp.cli.report import report
from gaussdp.cli.risk import risk
from gaussdp.cli.rules import rules
from gaussdp.cli.serve import serve
from gaussdp.cli.sweep import sweep
from gaussdp.cli.tables import tables
from gaussdp.errors import GaussdpError, one_line
from gaussdp.words import ENGLISH, LANGUAGES, speaking

_TRANSLATED = ("advise", "choose", "explain")
BAD_INPUT = 2
INTERRUPTED = 130
READER_GONE = 141  # 128 and the number of SIGPIPE


class _ReaderGoneError(Exception):
    """Whoever read the output has gone."""


class _App(Overview):
    """The commands. Click itself would exit with 1 where a pipe is closed, which is the code of a false claim."""

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        with _noticing():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        with _noticing():
            return super().invoke(ctx)


@contextmanager
def _noticing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno != errno.EPIPE:
            raise
        raise _ReaderGoneError from None


@click.group(
    cls=_App,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": COLUMNS},
)
@click.option(
    "--lang",
    type=click.Choice(list(LANGUAGES)),
    default=ENGLISH,
    show_default=True,
    envvar="GAUSSDP_LANG",
    show_envvar=True,
    help=f"Language of what {', '.join(_TRANSLATED[:-1])} and {_TRANSLATED[-1]} say; the rest is English.",
)
@click.version_option(package_name="gaussdp", prog_name="gaussdp", message="%(prog)s %(version)s")
@click.pass_context
def app(ctx: click.Context, lang: str) -> None:
    """Choose, state and judge Gaussian differential privacy: one honest number μ."""
    if ctx.invoked_subcommand in _TRANSLATED:
        ctx.with_resource(speaking(lang))
    elif lang != ENGLISH and ctx.get_parameter_source("lang") is ParameterSource.COMMANDLINE:
        raise click.UsageError(f"--lang is for {', '.join(_TRANSLATED)}; the rest speaks English only")
    if ctx.invoked_subcommand is None:
        click.echo(overview(), nl=False)


for _command in (
    advise,
    choose,
    risk,
    explain,
    account,
    report,
    check,
    certify,
    calibrate,
    sweep,
    audit,
    ledger,
    rules,
    deployments,
    tables,
    plot,
    paper,
    serve,
    completion,
):
    app.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Returns:
        What the command says, 0 for most; 2 with one line on stderr for bad input; 141 if the reader of the output went
        away, as for a program that the system ends then: what it would have said, no verdict.
    """
    if sys.stdout is None:
        return _complain("the standard output is closed; send it to /dev/null if only the exit code matters")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without Greek letters is no reason to fail
    try:
        result = app.main(list(sys.argv[1:] if arguments is None else arguments), "gaussdp", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        return _complain(error.format_message())
    except GaussdpError as error:
        return _complain(str(error))
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except (_ReaderGoneError, BrokenPipeError):
        _drop_output()  # not a word more, not even at exit
        return READER_GONE
    except MemoryError:
        return _complain("this computation needs more memory than there is here")
    except OSError as error:
        if error.filename is None:
            _drop_output()  # it could not be written, and would be tried again at exit
        return _complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    return result if isinstance(result, int) else 0


def _drop_output() -> None:
    """Let what is still to be written go nowhere."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)


def _complain(message: str) -> int:
    click.echo(f"gaussdp: {' '.join(one_line(message).split())}", err=True)
    return BAD_INPUT
