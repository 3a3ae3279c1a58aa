from gaussdp import AuditPlan, PureDP, audit_errors, audit_one_run, plan_audit
from gaussdp.documents.rounding import Rounding


def rounding(document):
    return {column.key: column.rounding for table in document.tables for column in table.columns}


def test_tables_and_sides_of_rounding():
    found = audit_errors(5, 1000, 400, 1000, design="trials")
    document = found.document([1.0, PureDP(9.0)], [1e-5])
    assert tuple(table.key for table in document.tables) == ("bound", "attack", "epsilon", "claims")
    sides = rounding(document)
    assert sides["mu_lower"] is sides["epsilon_lower"] is Rounding.DOWN
    assert sides["fpr_upper"] is sides["fnr_upper"] is Rounding.UP
    assert document.tables[0].rounded_rows(4)[0][0] == 2.442
    assert document.notes[0] == found.verdict(1.0).sentence


def test_without_claims_and_deltas():
    assert [table.key for table in audit_errors(5, 1000, 400, 1000).document().tables] == ["bound", "attack"]


def test_one_run():
    document = audit_one_run(1000, [100, 50], [90, 40]).document([0.1], [1e-5])
    assert tuple(table.key for table in document.tables) == ("bound", "epsilon", "claims")
    assert document.tables[0].rows[0][3:] == ("100, 50", "90, 40", "one-run")


def test_plan():
    document = plan_audit(3.0, 1.0).document()
    assert tuple(table.key for table in document.tables) == ("plan",)
    assert "μ > 1 when the truth is μ = 3" in document.title
    assert rounding(document)["power"] is Rounding.DOWN


def test_a_plan_out_of_reach():
    [table] = AuditPlan(1.0, 0.99999, 0.9, 0.95, None, None, None).document().tables
    assert [row[1] for row in table.rows[:2]] == ["over 1e7", "over 1e7"]
    assert table.rows[2][4] == "over 1e5"
    assert table.rows[3][1:4] == ("over 1e6",) * 3
