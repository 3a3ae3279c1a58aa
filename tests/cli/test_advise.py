import json

import pytest

from commands import refused
from gaussdp.advising import Answers
from gaussdp.cli import main

PLAN = ["--aim", "identification", "--chance", "1/1000", "--acceptable", "1%", "--every", "month"]


def told(capsys, *arguments):
    assert main(["advise", *arguments, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_options(capsys):
    found = told(
        capsys, *PLAN, "--publish", "count typical=1000 name='all visits'", "--require", "epsilon=3 | the board"
    )
    assert found["choice"]["mu"] == 0.5498
    assert found["releases"]["count"] == 12
    assert found["choice"]["requirements"][1]["source"] == "the board"
    assert found["utility"][0]["items"][0]["label"] == "all visits"


def test_scenarios_and_the_file(capsys, tmp_path):
    file = tmp_path / "policy.toml"
    told(capsys, *PLAN, "--title", "Visits", "--scenario", "weekly: every=week", "--save", str(file))
    assert Answers.read(file).scenarios == (("weekly", (("every", "week"),)),)
    again = told(capsys, str(file), "--years", "2")
    assert again["releases"]["count"] == 24
    assert [one["name"] for one in again["scenarios"]] == ["weekly"]


def test_the_record(capsys, tmp_path):
    folder = tmp_path / "decision"
    told(capsys, *PLAN, "--record", str(folder), "--mu", "0.7", "--decided-by", "A. Person")
    assert json.loads((folder / "record.json").read_text())["mu"] == 0.7
    assert (folder / "record.pdf").read_bytes().startswith(b"%PDF")


def test_asked_on_a_terminal(capsys, monkeypatch):
    lines = ["household", "two", "2", "attribute", "30%", "0.1", "0.4", "?", "week", "1", "anyone"]
    given = iter([*lines, "luck", "count typical=50", ""])
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda prompt="": next(given))
    assert main(["advise", "--ask"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "'two' is not a whole number" in out
    assert "acceptable must be" in out
    assert "kind must be one of" in out
    assert "published about a household (53 statistics)" in out
    assert "with a chance above 40%" in out
    assert "a count of about 50" in out
    assert "Not answered, so assumed: About how many people are in the data?" in out


def test_nothing_is_offered_that_would_be_refused(capsys, monkeypatch):
    """At a terminal the return key takes what stands in brackets."""
    offered = []

    def answer(prompt=""):
        offered.append(prompt)
        return {4: "0.01"}.get(len(offered), "" if len(offered) < 10 else "?")

    monkeypatch.setattr("click.termui.visible_prompt_func", answer)
    assert main(["advise", "--ask"]) == 0
    assert "[?]" in offered[4]
    assert "acceptable must be" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--chance", "much"], "is not a number such as 0.01, 1% or 1/100"),
        (["--aim", "luck"], "Invalid value for '--aim'"),
        (["--publish", "cout"], "kind must be one of"),
        (["--publish", "count typical"], "--publish takes key=value pairs, got 'typical'"),
        (["--publish", "count name='x"], "a quotation mark is missing"),
        (["--scenario", "weekly"], 'a scenario is written "NAME: key=value'),
        (["--require", "luck=1 | me"], "requirement must be one of"),
        (["no-such-file.toml"], "cannot be read"),
        (["--mu", "-1", "--record", "nowhere"], "mu must be in"),
    ],
)
def test_bad_input(arguments, message, capsys):
    assert message in refused(capsys, "advise", *arguments)
