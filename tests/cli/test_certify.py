import json

import pytest

from gaussdp.cli import main

RUN = """
unit = "one image"
adjacency = "add-remove"
sampling = "poisson"

[training]
noise_multiplier = 4.0
sample_rate = 0.2
steps = 400
"""
PLAN = """
[[releases]]
mechanism = "gaussian"
noise_multiplier = 2.0
times = 4
"""
MANY_KINDS = "".join(
    f"""
[[releases]]
mechanism = "dpsgd"
noise_multiplier = {0.5 + k / 100}
sample_rate = 1e-4
steps = 1
"""
    for k in range(61)
)


@pytest.fixture
def path(tmp_path):
    (tmp_path / "run.toml").write_text(RUN)
    return tmp_path / "run.toml"


def test_a_run_is_certified_and_the_file_holds(path, tmp_path, capsys):
    out = tmp_path / "certificate.json"
    options = ["--floor", "1e-4", "--delta", "1e-5", "--epsilon", "1,2", "--fpr", "0.01", "--out", str(out)]
    assert main(["certify", str(path), *options, "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert {"mu", "delta", "epsilon", "fnr_remove", "fnr_add"} <= set(json.dumps(shown).replace('"', " ").split())
    assert main(["certify", "--verify", str(out)]) == 0
    assert "holds" in capsys.readouterr().out


def test_a_plan_is_certified(tmp_path, capsys):
    (tmp_path / "plan.toml").write_text(PLAN)
    assert main(["certify", str(tmp_path / "plan.toml"), "--digits", "8"]) == 0
    assert "digits" in capsys.readouterr().out


def test_a_changed_certificate_is_refused(path, tmp_path, capsys):
    out = tmp_path / "certificate.json"
    assert main(["certify", str(path), "--floor", "1e-2", "--out", str(out)]) == 0
    out.write_text(out.read_text().replace('"steps": 400', '"steps": 399'))
    capsys.readouterr()
    assert main(["certify", "--verify", str(out)]) == 2
    assert "changed after it was made" in capsys.readouterr().err


def test_a_certificate_of_another_run_does_not_hold(path, tmp_path, capsys):
    from gaussdp.accounting.certified.certificate import digest_of

    out = tmp_path / "certificate.json"
    assert main(["certify", str(path), "--floor", "1e-2", "--out", str(out)]) == 0
    content = json.loads(out.read_text())
    content.pop("digest")
    content["releases"][0]["steps"] = 399
    out.write_text(json.dumps({**content, "digest": digest_of(content)}))
    assert main(["certify", "--verify", str(out)]) == 1
    assert "does not hold" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (RUN.replace('"poisson"', '"shuffle"'), "sampling must be poisson"),
        ('clipping = "per-batch"\n' + RUN, "clipping must be per-example"),
        ('tuning = "not counted"\n' + RUN, "tuning must be counted"),
        (RUN.replace('"add-remove"', '"replace-one"'), "neither Gaussian"),
        (PLAN.replace('"gaussian"', '"laplace"').replace("noise_multiplier", "scale"), "neither Gaussian"),
        (MANY_KINDS, "no proof was found in 0.01 seconds"),
    ],
)
def test_what_cannot_be_certified(text, words, tmp_path, capsys):
    (tmp_path / "run.toml").write_text(text)
    assert main(["certify", str(tmp_path / "run.toml"), "--seconds", "0.01"]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_a_statement_carries_its_certificate(path, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    assert main(["report", str(path), "--certified", "--floor", "1e-4", "--out", str(tmp_path / "report")]) == 0
    assert "is proved to" in (tmp_path / "report" / "statement.md").read_text()
    assert main(["certify", "--verify", str(tmp_path / "report" / "certificate.json")]) == 0


def test_a_statement_about_other_noise_cannot_carry_one(tmp_path, capsys):
    text = RUN.split("[training]")[0].replace('sampling = "poisson"', "")
    laplace = PLAN.replace('"gaussian"', '"laplace"').replace("noise_multiplier", "scale")
    (tmp_path / "run.toml").write_text(text + laplace)
    assert main(["report", str(tmp_path / "run.toml"), "--certified"]) == 2
    assert "certified needs Gaussian" in capsys.readouterr().err
