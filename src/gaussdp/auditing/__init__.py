"""Audits: what mu the scores of a membership attack prove."""

from gaussdp.auditing.area import AUC
from gaussdp.auditing.bands import DKW, EqualLocalLevel
from gaussdp.auditing.claims import Verdict
from gaussdp.auditing.counts import ScoreCounts
from gaussdp.auditing.credible import Credible
from gaussdp.auditing.methods import FixedThreshold, Method, Split
from gaussdp.auditing.one_run import OneRunAudit, audit_one_run
from gaussdp.auditing.planning import AuditPlan, PlannedRun, PlannedTrials, plan_audit
from gaussdp.auditing.result import Audit, Band
from gaussdp.auditing.trials import audit, audit_counts, audit_errors

__all__ = [
    "AUC",
    "DKW",
    "Audit",
    "AuditPlan",
    "Band",
    "Credible",
    "EqualLocalLevel",
    "FixedThreshold",
    "Method",
    "OneRunAudit",
    "PlannedRun",
    "PlannedTrials",
    "ScoreCounts",
    "Split",
    "Verdict",
    "audit",
    "audit_counts",
    "audit_errors",
    "audit_one_run",
    "plan_audit",
]
