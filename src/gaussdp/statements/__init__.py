"""Statements: the report of a run, one object with many renderings."""

from gaussdp.statements.assumptions import Assumption
from gaussdp.statements.machine import SCHEMA_VERSION, schema
from gaussdp.statements.report import Report, report_run

__all__ = ["SCHEMA_VERSION", "Assumption", "Report", "report_run", "schema"]
