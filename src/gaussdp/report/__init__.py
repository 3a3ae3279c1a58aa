"""Reports: one document of tables, rendered as text, Markdown, CSV, JSON or LaTeX."""

from gaussdp.report.budgets import budget_document
from gaussdp.report.renderings import RENDERINGS
from gaussdp.report.risk_levels import risk_document
from gaussdp.report.tables import Column, Document, Table

__all__ = ["RENDERINGS", "Column", "Document", "Table", "budget_document", "risk_document"]
