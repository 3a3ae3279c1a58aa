"""The report: its numbers against the library, its verdicts, and every rendering in one piece."""

import json
import re

import jsonschema
import pytest

import gaussdp
from gaussdp.report.statements import schema
from gaussdp.report.statements.report import ENDINGS

RUN = {
    "mechanism": gaussdp.DPSGD(noise_multiplier=1.0, sample_rate=0.00512, steps=3907),
    "unit": "one image",
    "adjacency": "add-remove",
    "sampling": "poisson",
    "records_per_unit": 1,
    "tuning": "none",
    "clipping": "per-example",
    "randomness": "secure",
}


def report_of(**changes):
    return gaussdp.report_run(gaussdp.Run(**{**RUN, **changes}))


def verdicts(report):
    return {item.key: item.verdict for item in report.assumptions}


def test_numbers_are_those_of_the_library_on_the_safe_side():
    report = report_of(dataset_size=50_000)
    curve = gaussdp.account(RUN["mechanism"])
    fit = curve.fit(1e-10)
    assert fit.mu <= report.mu <= fit.mu * (1 + 1e-3)
    content = json.loads(report.render("json"))
    assert content["guarantee"]["mu"] == report.mu
    assert fit.slack <= content["guarantee"]["slack"] <= fit.slack * (1 + 1e-3)
    assert fit.regret <= content["guarantee"]["regret"] <= fit.regret * (1 + 1e-3)
    assert [row["delta"] for row in content["epsilon"]] == [2e-5, 1e-5, 1e-6, 1e-8]
    for row in content["epsilon"]:
        assert curve.epsilon(row["delta"]) <= row["epsilon"] <= curve.epsilon(row["delta"]) * (1 + 1e-3)
    for row in content["risks"]["attacker"]:
        assert curve.tpr(row["fpr"]) <= row["tpr"] <= row["tpr_by_mu"]
        assert row["tpr_by_mu"] >= gaussdp.GDP(fit.mu).tpr(row["fpr"])
    for row in content["risks"]["precision"]:
        assert curve.precision(row["recall"]) <= row["precision"] <= curve.precision(row["recall"]) * (1 + 1e-3)
    assert content["risks"]["overall"]["right_of_100"] >= 100 * curve.accuracy(0.5)


def test_a_run_that_meets_everything():
    report = report_of()
    assert set(verdicts(report).values()) == {"met"}
    assert report.standing == "holds"
    assert "does not hold" not in report.render("text")


def test_a_shuffled_pipeline_is_told_so_in_every_rendering():
    report = report_of(sampling="shuffle")
    assert verdicts(report)["sampling"] == "not met"
    assert report.standing == "does not hold"
    for name in ENDINGS:
        words = " ".join(re.sub(r"<[^>]+>", " ", report.render(name)).split())
        assert "does not hold" in words, name
    assert 'class="struck"' in report.render("html")


def test_renderings_follow_the_schema():
    validator = jsonschema.Draft202012Validator(schema())
    validator.check_schema(schema())
    for report in (report_of(), report_of(sampling="shuffle", records_per_unit=3, adjacency="replace-one")):
        validator.validate(json.loads(report.render("json")))


def test_refusals():
    with pytest.raises(gaussdp.DomainError, match=r"run must be a Run, got DPSGD"):
        gaussdp.report_run(RUN["mechanism"])
    run = gaussdp.Run(**RUN)
    with pytest.raises(gaussdp.DomainError, match=r"floor must be in \(0, 1\)"):
        gaussdp.report_run(run, floor=0)
    with pytest.raises(gaussdp.DomainError, match=r"delta must be in \(0, 1\)"):
        gaussdp.report_run(run, deltas=[2])
    with pytest.raises(gaussdp.DomainError, match="digits must be"):
        gaussdp.report_run(run, digits=0)
    with pytest.raises(gaussdp.DomainError, match=r"format must be one of .*did you mean 'html'"):
        report_of().render("htm")
