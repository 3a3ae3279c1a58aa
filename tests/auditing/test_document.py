from gaussdp import AuditPlan, PureDP, audit_errors, audit_one_run, plan_audit
from gaussdp.auditing.document import (
    ONE_RUN_TABLES,
    PLAN_TABLES,
    TABLES,
    audit_document,
    one_run_document,
    plan_document,
)
from gaussdp.documents.rounding import Rounding


def rounding(document):
    return {column.key: column.rounding for table in document.tables for column in table.columns}


def test_tables_and_sides_of_rounding():
    found = audit_errors(5, 1000, 400, 1000)
    document = audit_document(found, [1.0, PureDP(9.0)], [1e-5])
    assert tuple(table.key for table in document.tables) == TABLES
    sides = rounding(document)
    assert sides["mu_lower"] is sides["epsilon_lower"] is Rounding.DOWN
    assert sides["fpr_upper"] is sides["fnr_upper"] is Rounding.UP
    assert document.tables[0].rounded_rows(4)[0][0] == 2.442
    assert document.notes[0] == found.verdict(1.0).sentence


def test_without_claims_and_deltas():
    assert [table.key for table in audit_document(audit_errors(5, 1000, 400, 1000)).tables] == ["bound", "attack"]


def test_one_run():
    document = one_run_document(audit_one_run(1000, [100, 50], [90, 40]), [0.1], [1e-5])
    assert tuple(table.key for table in document.tables) == ONE_RUN_TABLES
    assert document.tables[0].rows[0][3:] == ("100, 50", "90, 40")


def test_plan():
    document = plan_document(plan_audit(3.0, 1.0))
    assert tuple(table.key for table in document.tables) == PLAN_TABLES
    assert "μ > 1 when the truth is μ = 3" in document.title
    assert rounding(document)["power"] is Rounding.DOWN


def test_a_plan_out_of_reach():
    [table] = plan_document(AuditPlan(1.0, 0.99999, 0.9, 0.95, None, None, None)).tables
    assert [row[1] for row in table.rows[:2]] == ["over 1e7", "over 1e7"]
    assert table.rows[2][3] == "over 1e5"
