"""The command line: commands, and the one place where an error becomes one line on stderr."""

import errno
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import click
from click.core import ParameterSource

from gaussdp.cli.groups import COLUMNS, LoadingGroup, overview
from gaussdp.errors import GaussdpError, one_line
from gaussdp.interrupts import INTERRUPTED
from gaussdp.words import ENGLISH, LANGUAGES, speaking

_TRANSLATED = ("advise", "check", "choose", "explain", "report")
COMMANDS = {
    "gaussdp.cli.advise": "Help to choose μ: questions in plain words, a range of μ, the noise that it means, "
    "and a record to sign.",
    "gaussdp.cli.choose": "The GDP budget μ for a policy, in any currency, and a recommendation.",
    "gaussdp.cli.risk": "What a μ-GDP release lets the best membership attacker achieve.",
    "gaussdp.cli.explain": "What μ, or a run file, means in words and odds, for people who are no cryptographers.",
    "gaussdp.cli.account": "The smallest μ that holds for a mechanism, and its error.",
    "gaussdp.cli.report": "The privacy statement of the run described in FILE, a TOML or JSON file.",
    "gaussdp.cli.check": "Hold a published number against the run described in FILE, a TOML or JSON file.",
    "gaussdp.cli.certify": "Prove μ, δ and ε of the run or plan described in FILE, by ball arithmetic "
    "with every error bounded.",
    "gaussdp.cli.calibrate": "The least noise with which DP-SGD, or counts, sums and tables, meet a policy, a "
    "budget μ, or a bound on a risk.",
    "gaussdp.cli.sweep": "The least noise for every combination of targets and training runs.",
    "gaussdp.cli.audit": "The μ that the scores of a membership attack prove.",
    "gaussdp.cli.ledger": "Keep an organisation's privacy budget: reserved before noise is drawn, never overspent.",
    "gaussdp.cli.rules": "Where the rules of thumb μ = ε/k are conservative, and the best single k.",
    "gaussdp.cli.deployments": "Published deployments of differential privacy, and where your μ stands among them.",
    "gaussdp.cli.tables": "The six tables of the paper and two on identification, for your own levels, ε and μ.",
    "gaussdp.cli.plot": "Trade-off curves, or a figure of the paper for your own μ, ε and levels.",
    "gaussdp.cli.paper": "The paper's six tables and nine plots, with the data its LaTeX source reads.",
    "gaussdp.cli.serve": "The calculator: a web page, on this machine, on which a person chooses μ.",
    "gaussdp.cli.completion": "Print the completion script for your shell.",
}
"""Every command, by the file that it stands in, with the first sentence of its help, in the order of the list."""

BAD_INPUT = 2
READER_GONE = 141  # 128 and the number of SIGPIPE


class _ReaderGoneError(Exception):
    """Whoever read the output has gone."""


class _App(LoadingGroup):
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
    modules=COMMANDS,
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
    except FileExistsError as error:
        return _complain(f"{error.filename} exists already; --overwrite replaces it")
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
    """Say what is wrong, if there is a place to say it; the exit code says it in any case."""
    with suppress(OSError):
        click.echo(f"gaussdp: {' '.join(one_line(message).split())}", err=True)
    return BAD_INPUT
