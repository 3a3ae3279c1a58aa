"""Audits: what mu the scores of a membership attack prove."""

from gaussdp.auditing.bands import DKW, EqualLocalLevel
from gaussdp.auditing.claims import Outcome
from gaussdp.auditing.counts import ScoreCounts
from gaussdp.auditing.designs import Design
from gaussdp.auditing.methods import AUC, Credible, FixedThreshold, Method, Split
from gaussdp.auditing.one_run import OneRunAudit, audit_one_run
from gaussdp.auditing.planning import AuditPlan, plan_audit
from gaussdp.auditing.result import Audit, RocBand
from gaussdp.auditing.sequential import SequentialAudit, load_audit, save_audit
from gaussdp.auditing.sizes import PlannedPairs, PlannedRun, PlannedTrials
from gaussdp.auditing.trials import Description, audit, audit_counts, audit_errors

__all__ = [
    "AUC",
    "DKW",
    "Audit",
    "AuditPlan",
    "Credible",
    "Description",
    "Design",
    "EqualLocalLevel",
    "FixedThreshold",
    "Method",
    "OneRunAudit",
    "Outcome",
    "PlannedPairs",
    "PlannedRun",
    "PlannedTrials",
    "RocBand",
    "ScoreCounts",
    "SequentialAudit",
    "Split",
    "audit",
    "audit_counts",
    "audit_errors",
    "audit_one_run",
    "load_audit",
    "plan_audit",
    "save_audit",
]
