"""Whoever defines a risk or a mechanism defines it in one place: once registered, it is offered everywhere."""

import json
from collections.abc import Iterator

import jsonschema
import pytest

import gaussdp
from gaussdp import GDP, DomainError, Risk, mechanisms, risks
from gaussdp.cli import main
from gaussdp.explaining import explain
from gaussdp.risks import FPR, criteria_at
from gaussdp.statements.machine import schema
from gaussdp.web.schemas.requests import CalibrateRequest, TargetRequest
from gaussdp.web.views.account import calibrate
from kinds_of_test import AlarmsAvoided, BalancedAccuracy, TwoLooks
from web_client import Client


@pytest.fixture(params=[BalancedAccuracy, AlarmsAvoided])
def risk(request) -> Iterator[type[Risk]]:
    with risks.extended(request.param):
        yield request.param


@pytest.fixture
def two_looks() -> Iterator[None]:
    with mechanisms.extended(TwoLooks):
        yield


def told(capsys, *arguments):
    assert main([*arguments, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)["tables"]


def flag(risk):
    return f"--{risk.level.key.replace('_', '-')}"


class TestRisk:
    def test_choose(self, risk, capsys):
        at = risk.level.usual[0]
        options = ["--epsilon", "1", flag(risk), str(at), "--recall", "0.1", "--match-delta", "1e-6"]
        options += ["--fpr", "0.01"]
        tables = told(capsys, "choose", *options)
        for key in ("budgets", "rules"):
            rows = [row for row in tables[key]["rows"] if row["criterion"] == risk.name]
            assert [(row["level_of"], row["level"]) for row in rows] == [(risk.level.label, at)]
        (row,) = [row for row in tables["budgets"]["rows"] if row["criterion"] == risk.name]
        assert row["mu"] == pytest.approx(risk.at(at).mu_from_epsilon(1.0), rel=1e-3)
        assert main(["choose", *options, "--criterion", risk.key.replace("_", "-"), "--table", "budgets"]) == 0
        text = capsys.readouterr().out
        assert risk.name in text
        assert "precision" not in text

    def test_help(self, risk, capsys):
        assert main(["choose", "--help"]) == 0
        words = " ".join(capsys.readouterr().out.split())
        assert f"|{risk.key.replace('_', '-')}]" in words
        assert flag(risk) in words
        assert main(["calibrate", "--help"]) == 0
        assert risk.notation() in capsys.readouterr().out.replace("\n", "").replace(" ", "")

    def test_tables(self, risk, capsys):
        at = risk.level.usual[0]
        tables = told(capsys, "tables", flag(risk), str(at), "--epsilon", "1", "--mu", "0.5", "--digits", "6")
        assert len(tables) == 10
        (budget,) = tables[f"mu_by_{risk.key}"]["rows"]
        (value,) = tables[f"{risk.value_key}_by_mu"]["rows"]
        assert budget["epsilon=1.0"] == pytest.approx(risk.at(at).mu_from_epsilon(1.0), rel=1e-5)
        assert value["mu=0.5"] == pytest.approx(risk.at(at).of(GDP(0.5)), rel=1e-5)
        assert main(["tables", "--table", f"mu_by_{risk.key}"]) == 0
        assert f"matches the {risk.name} of ε-DP at {risk.level.heading}" in capsys.readouterr().out

    def test_rules_and_risk(self, risk, capsys):
        at = risk.level.usual[0]
        chosen = ["--recall", "0.1", "--delta", "1e-6", "--fpr", "0.01", flag(risk), str(at)]
        rows = told(capsys, "rules", "--rule", "5", *chosen)["divisors"]["rows"]
        assert risk.name in {row["criterion"] for row in rows}
        (row,) = told(capsys, "risk", "--mu", "0.5", *chosen)[risk.level.key]["rows"]
        assert row[risk.value_key] == pytest.approx(risk.at(at).of(GDP(0.5)), rel=1e-3)

    def test_calibrate(self, risk, capsys):
        at, run = risk.level.usual[0], ["--sample-rate", "0.01", "--steps", "200"]
        bound = risk.at(at).of(GDP(0.5))
        text = f"{risk.value_key.replace('_', '-')}@{at}={bound}"
        (row,) = told(capsys, "calibrate", "--at-most", text, *run)["calibration"]["rows"]
        assert row["achieved"] <= bound < row["next_achieved"]
        name = risk.key.replace("_", "-")
        policy = ["--epsilon", "1", flag(risk), str(at), "--criterion", name]
        assert main(["calibrate", *policy, *run]) == 0
        assert f"matched on {risk.name} at {risk.level.at(at)}" in " ".join(capsys.readouterr().out.split())

    def test_the_page(self, risk):
        client = Client()
        known = client.get("/api/v1/definitions").json()
        (criterion,) = [one for one in known["criteria"] if one["value"] == risk.key]
        assert criterion == {"value": risk.key, "label": risk.label, "hint": risk.hint, "level": risk.level.key}
        (level,) = [one for one in known["levels"] if one["key"] == risk.level.key]
        assert (level["label"], level["words"]) == (risk.level.label, risk.level.words)
        (target,) = [one for one in known["targets"] if one["value"] == risk.value_key]
        assert target["level"] == risk.level.key
        assert float(target["start"]) == risk.first_bound()[0]
        at = risk.level.usual[0]
        answer = client.post("choose", {"epsilon": 1.0, "criterion": risk.key, "level": at}).json()
        assert answer["mu"] == pytest.approx(float(risk.at(at).mu_from_epsilon(1.0)), rel=1e-12)
        assert answer["risk"]["sentence"] == risk.at(at).sentence(GDP(answer["mu"]))
        assert {row["level"] for row in answer["others"] if row["criterion"] == risk.key} == set(risk.level.usual)
        assert f"--criterion {risk.key.replace('_', '-')} {flag(risk)} {at}" in answer["snippets"]["cli"]
        assert f"from {risk.__module__} import {risk.__name__}" in answer["snippets"]["python"]

    def test_the_pages_targets(self, risk):
        level, bound = risk.level.usual[0], risk.at(risk.level.usual[0]).of(GDP(0.5))
        run = {"dataset_size": 1000, "batch_size": 10, "epochs": 2}
        target = TargetRequest(kind=risk.value_key, value=bound, level=level)
        answer = calibrate(CalibrateRequest(target=target, **run), lambda message: None)
        assert answer["achieved"] <= bound
        assert answer["target_text"].startswith(risk.at(level).words)
        body = {"target": {"kind": risk.value_key, "value": bound, "level": level}, **run}
        lines = Client().post("calibrate", body).text.splitlines()  # by a process of its own
        assert json.loads(lines[-1])["result"]["noise_multiplier"] == answer["noise_multiplier"]

    def test_openapi(self, risk):
        schemas = Client().get("/openapi.json").json()["components"]["schemas"]
        assert risk.key in schemas["ChooseRequest"]["properties"]["criterion"]["enum"]
        assert risk.key in schemas["Budget"]["properties"]["criterion"]["enum"]
        assert risk.value_key in schemas["TargetRequest"]["properties"]["kind"]["enum"]

    def test_the_matched_point_lies_on_both_curves(self, risk):
        at = risk.level.usual[0]
        mu = float(risk.at(at).mu_from_epsilon(1.0))
        fpr, fnr, tpr = risk.at(at).matched_point(gaussdp.PureDP(1.0), mu)
        assert tpr == pytest.approx(gaussdp.PureDP(1.0).tpr(fpr), rel=1e-9)
        assert (fpr, fnr)[risk is AlarmsAvoided] == pytest.approx(at, rel=1e-9)  # and where the risk is read
        assert tpr == pytest.approx(1 - fnr, rel=1e-12)
        assert risk.at(at).matched_point(gaussdp.PureDP(0.0), 0.0) == (0.5, 0.5, 0.5)

    def test_explanations(self, risk):
        told = [fact.risk.key for fact in explain(0.5).equivalents]
        assert (risk.key in told) == (risk.level is FPR)  # at levels that were asked for

    def test_rule_map(self, risk):
        from gaussdp.figures.maps import Panel

        assert Panel(risk.name, risk.level, None).label == f"{risk.level.label} ${risk.level.math}$"


def test_the_words_of_the_page():
    known = Client().get("/api/v1/definitions").json()
    assert [one["title"] for one in known["levels"]] == [
        "False-positive rate",
        "Recall",
        "δ",
        "Chance of a blind guess",
    ]
    assert [(one["label"], one["bound"], one["start"], one["start_level"]) for one in known["targets"]] == [
        ("μ at most", "μ", "1", None),
        ("TPR at an FPR, at most", "TPR", "0.05", "0.01"),
        ("TPR over FPR at an FPR, at most", "TPR/FPR", "10", "0.001"),
        ("Precision at a recall, at most", "Precision", "0.9", "0.01"),
        ("ε at a δ, at most", "ε", "3", "1e-6"),
        ("Chance to identify at a chance, at most", "Chance of a right guess", "0.01", "0.001"),
        ("Advantage TPR − FPR, at most", "TPR − FPR", "0.3", None),
        ("Share of right guesses, at most", "Share of right guesses", "0.6", None),
    ]


def test_what_is_not_registered_is_not_offered(capsys):
    for kind in (BalancedAccuracy, AlarmsAvoided):
        assert kind not in risks.registered()
    assert main(["choose", "--epsilon", "1", "--criterion", "alarms-avoided"]) == 2
    assert main(["calibrate", "--at-most", "alarms-avoided@0.5=0.5", "--sample-rate", "0.01", "--steps", "10"]) == 2
    assert Client().post("choose", {"epsilon": 1.0, "criterion": "alarms_avoided", "level": 0.1}).status_code == 422


def test_a_risk_that_cannot_be_offered():
    class Nameless(AlarmsAvoided):
        key = ""

    class Twice(AlarmsAvoided):
        key = "precision"

    class SameNumber(AlarmsAvoided):
        value_key = "epsilon"
        key = "another"

    class WithoutLevel(AlarmsAvoided):
        level = None

    for kind in (Nameless, Twice, SameNumber, WithoutLevel):
        with pytest.raises(DomainError), risks.extended(kind):
            pass
    assert len(risks.registered()) == 7


def test_registering_again_is_no_mistake():
    with risks.extended(BalancedAccuracy, BalancedAccuracy):
        assert len(risks.criteria()) == 5
        assert [one.key for one in criteria_at({"fpr": [0.1]}, ["balanced_accuracy"])] == ["balanced_accuracy"]


RELEASE = '[[releases]]\nmechanism = "two-looks"\nnoise_multiplier = 2.0\ntimes = 3\n'
RUN = f'unit = "one person"\nadjacency = "add-remove"\n{RELEASE}'
MU = (3 * (1 / 2**2 + 1 / 4**2)) ** 0.5


@pytest.mark.usefixtures("two_looks")
class TestMechanism:
    def test_plans(self, tmp_path, capsys):
        plan = tmp_path / "plan.toml"
        plan.write_text(RELEASE)
        tables = told(capsys, "account", str(plan))
        assert tables["guarantee"]["rows"][0]["mu"] == pytest.approx(MU, rel=1e-3)
        assert main(["account", str(plan)]) == 0
        assert "3 times two looks with noise 2" in capsys.readouterr().out
        plan.write_text(RELEASE.replace("noise_multiplier", "sigma"))
        assert main(["account", str(plan)]) == 2
        assert (
            "two-looks has no parameter 'sigma'; it has noise_multiplier, adjacency, times" in capsys.readouterr().err
        )

    def test_help(self, capsys):
        assert main(["account", "plan", "--help"]) == 0
        assert "two-looks" in "".join(capsys.readouterr().out.split())

    def test_statements(self, tmp_path, capsys):
        file = tmp_path / "run.toml"
        file.write_text(RUN)
        report = gaussdp.report_run(gaussdp.Run.read(file))
        assert "3 times two looks with noise 2" in report.render("text")
        content = json.loads(report.render("json"))
        assert content["mechanism"]["releases"] == [
            {"mechanism": "two-looks", "noise_multiplier": 2.0, "adjacency": "add-remove", "times": 3}
        ]
        jsonschema.validate(content, schema())
        assert main(["report", str(file)]) == 0
        assert "two looks" in capsys.readouterr().out

    def test_check(self, tmp_path, capsys):
        file = tmp_path / "run.toml"
        file.write_text(f'claim = "mu={MU + 1e-9}"\n{RUN}')
        assert main(["check", str(file)]) == 0
        assert capsys.readouterr().out.startswith("Sound: ")
        file.write_text(f'claim = "mu=0.5"\n{RUN}')
        assert main(["check", str(file)]) == 1
        assert capsys.readouterr().out.startswith("False: ")


def test_a_mechanism_that_is_not_registered(tmp_path, capsys):
    plan = tmp_path / "plan.toml"
    plan.write_text(RELEASE)
    assert main(["account", str(plan)]) == 2
    assert "unknown mechanism 'two-looks'" in capsys.readouterr().err


def test_a_mechanism_that_cannot_be_known():
    class Nameless(TwoLooks):
        kind = ""

    class Twice(TwoLooks):
        kind = "laplace"

    for kind in (Nameless, Twice):
        with pytest.raises(DomainError), mechanisms.extended(kind):
            pass
