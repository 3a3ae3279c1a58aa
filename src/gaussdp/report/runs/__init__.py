"""Runs: what was run and what it protects, and the files that say so."""

from gaussdp.report.runs.reading import parse_run, read_run, run_from
from gaussdp.report.runs.run import Run
from gaussdp.report.runs.training import Training

__all__ = ["Run", "Training", "parse_run", "read_run", "run_from"]
