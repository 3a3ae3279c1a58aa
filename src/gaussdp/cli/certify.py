"""gaussdp certify: prove what a run guarantees, or check a proof."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from gaussdp.accounting.fitted import DEFAULT_FLOOR
from gaussdp.cli.options import OutputFile, number, numbers, output_options, show
from gaussdp.cli.runs import described, mechanism_of
from gaussdp.errors import DomainError
from gaussdp.mechanisms import Mechanism
from gaussdp.statements.run import Run

FALSE = 1
TABLES = ("mu", "delta", "epsilon", "fnr_remove", "fnr_add")


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--verify", is_flag=True, help="FILE is a certificate: prove everything in it again.")
@click.option(
    "--floor",
    type=number,
    default=DEFAULT_FLOOR,
    show_default=True,
    help="Smallest error rate of the attacks that μ speaks about.",
)
@click.option("--delta", type=numbers, default=(), metavar="N,N,...", help="Deltas at which to enclose ε.")
@click.option("--epsilon", type=numbers, default=(), metavar="N,N,...", help="Epsilons at which to enclose δ.")
@click.option("--fpr", type=numbers, default=(), metavar="N,N,...", help="FPRs at which to enclose the FNR.")
@click.option(
    "--seconds", type=number, default=600.0, show_default=True, help="Time after which the search for a proof ends."
)
@click.option("--out", type=OutputFile(), help="Write the certificate into this .json file.")
@output_options(TABLES)
def certify(
    file: Path,
    verify: bool,
    floor: float,
    delta: Sequence[float],
    epsilon: Sequence[float],
    fpr: Sequence[float],
    seconds: float,
    out: Path | None,
    style: str,
    digits: int,
    only: Sequence[str],
) -> int:
    """Prove μ, δ and ε of the run or plan described in FILE, by ball arithmetic with every error bounded.

    It needs the extra `certified`, and Gaussian or Poisson-sampled Gaussian releases only. With --out the certificate
    is written, with what anyone needs to prove it again; --verify does so. The exit code is 1 if a certificate does not
    hold, and 2 for bad input or where no proof is known.

    \b
    Examples:
      gaussdp certify run.toml --delta 1e-5 --out certificate.json
      gaussdp certify --verify certificate.json
    """
    from gaussdp.accounting.certified.certificate import Certificate
    from gaussdp.accounting.certified.proving import certify as prove

    if verify:
        certificate = Certificate.read(file)
        with _telling("Proving again") as tell:
            failures = certificate.verify(tell, seconds)
        for failure in failures:
            click.echo(f"{file.name} does not hold: {failure}", err=True)
        if failures:
            return FALSE
        click.echo(f"{file.name} holds: every number was proved again.")
        return 0
    with _telling("Proving") as tell:
        certificate = prove(_mechanism(file), floor, epsilon, delta, fpr, tell, seconds)
    if out:
        certificate.write(out)
    show(certificate.document(), style, digits, only)
    return 0


def _mechanism(file: Path) -> Mechanism:
    """What a plan or a run file describes, if the certificate of its mechanism is one of the run."""
    found = described(file)
    if isinstance(found, Run) and found.sampled and found.sampling not in ("poisson", None):
        raise DomainError("sampling", "poisson for a proof", found.sampling, place=file.name)
    if isinstance(found, Run) and found.trains and found.clipping not in ("per-example", None):
        raise DomainError("clipping", "per-example for a proof", found.clipping, place=file.name)
    if isinstance(found, Run) and found.tuning == "not counted":
        raise DomainError("tuning", "counted for a proof", found.tuning, place=file.name)
    return mechanism_of(found, file.name)


@contextmanager
def _telling(words: str) -> Iterator[Callable[[str], None]]:
    """A spinner on standard error that says what is being done, if somebody looks on."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda step: None
        return
    with console.status(words) as status:
        yield lambda step: status.update(f"{words}: {step}")
