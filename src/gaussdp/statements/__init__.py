"""Statements: what was run, what is claimed about it, whether that holds, and the report that says so."""

from gaussdp.statements.assumptions import Assumption
from gaussdp.statements.causes import Cause
from gaussdp.statements.machine import SCHEMA_VERSION, schema
from gaussdp.statements.report import Report, report_run
from gaussdp.statements.run import Run
from gaussdp.statements.training import Training
from gaussdp.statements.verdict import Verdict, check_claim

__all__ = [
    "SCHEMA_VERSION",
    "Assumption",
    "Cause",
    "Report",
    "Run",
    "Training",
    "Verdict",
    "check_claim",
    "report_run",
    "schema",
]
