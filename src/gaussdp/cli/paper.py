"""gaussdp paper: every table and figure of the paper, into a directory."""

from pathlib import Path

import click

from gaussdp.cli.options import announcing, folder_option
from gaussdp.paper import write_paper


@click.command()
@folder_option("--out", words="The directory to write into; it is made if need be.", required=True)
def paper(out: Path, overwrite: bool) -> None:
    """The paper's six tables and nine plots, with the data its LaTeX source reads.

    \b
    Writes into the directory:
      index.html, index.md   all of it at a glance
      tables/                each table as .txt, .md, .csv and .tex, and all 144
                             values in paper_tables.csv
      plots/                 each plot as .svg, .pdf and .png
      data/plots/            the points of each plot, for the paper's source

    \b
    Example:
      gaussdp paper --out paper
    """
    with announcing("Writing") as announce:
        count = write_paper(out, announce, overwrite=overwrite)
    click.echo(f"The paper: {count} files in {out}; open {out / 'index.html'}")
