"""OpenDP's registry: its files are read in every layout they had, and what is written is what its schema accepts."""

import json
import math
from pathlib import Path
from typing import get_args

import jsonschema
import pytest
import yaml

import gaussdp
from gaussdp.advising import Answers, Asked, Published, advise, record
from gaussdp.advising.record import decision_entry
from gaussdp.cli import main
from gaussdp.errors import DomainError
from gaussdp.published import RegistryFacts, read_registry
from gaussdp.published.opendp_registry import parse_registry
from gaussdp.published.periods import A_YEAR, Period, period_named
from gaussdp.statements.report import run_entry

HERE = Path(__file__).parent
FILES = HERE / "registry"
SCHEMA = json.loads((HERE / "registry-entry.schema.json").read_text(encoding="utf-8"))
KNOWN = {
    "curator": "Town",
    "curator_type": "Government",
    "intended_use": "Planning: hours",
    "region": "Town",
    "author": "A. Clerk",
}
FACTS = RegistryFacts(**KNOWN, published="2026-01-31")
TOLD = [part for key, value in KNOWN.items() for part in ("--registry", f"{key}={value}")]
RUN = """unit = "one person"
adjacency = "add-remove"
tuning = "none"
records_per_unit = 1
title = "Ada’s 'visits'"
[[releases]]
mechanism = "gaussian"
noise_multiplier = 2.0
"""


def valid(text):
    entry = yaml.safe_load(text)
    jsonschema.Draft7Validator(SCHEMA, format_checker=jsonschema.Draft7Validator.FORMAT_CHECKER).validate(entry)
    return entry["deployment"]


def test_the_schema_accepts_the_newest_layout_and_no_other():
    valid((FILES / "newest.yaml").read_text(encoding="utf-8"))
    with pytest.raises(jsonschema.ValidationError):
        valid((FILES / "product.yaml").read_text(encoding="utf-8"))


def test_the_newest_layout():
    (use,) = read_registry(FILES / "newest.yaml")
    assert (use.name, use.year, use.unit) == ("Visits to the town's libraries", 2025, "Visitor-day")
    assert use.organisation == "Town of Example and Friends of Libraries"
    assert (use.setting, use.period, use.rho, use.basis) == ("central", "day", 0.02, "exact")
    assert use.mu == pytest.approx(0.2, rel=1e-15)
    assert use.mu_per_year == pytest.approx(0.2 * math.sqrt(365), rel=1e-15)
    assert (
        use.covers == "Counts of visits by branch and hour. Unit of privacy: All visits of one person on one day."
        " Composition: Days are apart. Not protected: The list of branches."
    )
    assert use.url == "https://example.org/visits"
    assert use.source == "OpenDP Deployments Registry, visits-town-2025"


def test_an_earlier_layout_with_pure_dp():
    (use,) = read_registry(FILES / "product.yaml")
    assert (use.organisation, use.setting, use.epsilon, use.basis) == ("Example Phones", "local", 2.0, "implied")
    assert use.mu == gaussdp.PureDP(2.0).implied().mu
    assert (use.period, use.mu_per_year) == ("not stated", None)  # released often, nobody says how often


def test_the_first_layout_with_a_formula_for_delta():
    (use,) = read_registry(FILES / "formula.yaml")
    assert (use.organisation, use.year, use.epsilon, use.delta) == ("Example Rides", 2018, 0.01, None)
    assert (use.mu, use.basis, use.period) == (None, "none", "")


@pytest.mark.parametrize(
    ("words", "exact"),
    [
        ("The Gaussian mechanism.", True),
        ("Gaussian noise; the exponential mechanism selects.", False),
        ("Noise was added.", False),
        ("Laplace and Gaussian noise", False),
    ],
)
def test_a_rho_gives_a_mu_only_where_all_noise_is_gaussian(tmp_path, words, exact):
    entry = yaml.safe_load((FILES / "newest.yaml").read_text(encoding="utf-8"))
    entry["deployment"]["implementation"]["mechanisms"] = words
    (tmp_path / "one.json").write_text(json.dumps(entry), encoding="utf-8")
    (use,) = read_registry(tmp_path)
    assert (use.mu is not None) == exact
    assert use.stated == "ρ = 0.02"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.yaml", "deployment: [", "a.yaml: is no YAML: line 1: "),
        ("a.yaml", "- 1", "a.yaml: is no entry of the registry: it has no deployment"),
        ("a.json", "{", "a.json"),
        ("a.yaml", "deployment: {basic: {name: x}}", "it has no publication_date"),
        ("a.yaml", "deployment: {basic: {name: x, publication_date: soon}}", "must be a date"),
        ("a.yaml", "deployment: {basic: {name: x, publication_date: '1999-01-01'}}", "year must be"),
        (
            "a.yaml",
            "deployment: {name: x, publication_date: '2020-01-01', dp_flavor: {name: Pure DP},"
            " privacy_loss: {privacy_parameters: {epsilon: -1}}}",
            "epsilon must be",
        ),
        ("a.txt", "x", "the name must end in"),
    ],
)
def test_what_is_no_entry_is_refused_in_one_line(tmp_path, name, text, words, capsys):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DomainError, match=words):
        read_registry(path)
    assert main(["deployments", "--import", str(path)]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_imported_ones_stand_in_table_and_picture(tmp_path, capsys):
    picture = tmp_path / "uses.svg"
    arguments = ["deployments", "--import", str(FILES), "--only-imported", "--per-year", "--plot", str(picture)]
    assert main([*arguments, "--format", "csv", "--table", "deployments"]) == 0
    rows = capsys.readouterr().out.splitlines()[1:]
    assert len(rows) == len(list(FILES.iterdir()))
    assert "Visitor-day,day,ρ = 0.02,3.821,exact" in rows[0]
    assert "Visitor-day, every day" in picture.read_text(encoding="utf-8")
    assert main(["deployments", "--only-imported"]) == 2


@pytest.mark.parametrize(
    ("unit", "period"),
    [
        ("User-quarter-day-level", "6 hours"),
        ("User-6-hour-level", "6 hours"),
        ("User-12-hours", "12 hours"),
        ("half a day of a device", "12 hours"),
        ("User-24-hour-level", "day"),
        ("User-hour-level", "hour"),
        ("Device-day-level", "day"),
        ("Bounded contribution-day", "day"),
        ("a device's first 10 page views of a day", "day"),
        ("One day of one user", "day"),
        ("weekly reports of a user", "week"),
        ("Event-Month-level", "month"),
        ("User_account month-level", "month"),
        ("User-month-country-level", "month"),
        ("User-quarter-level", "quarter"),
        ("User-quarter-year-level", "quarter"),
        ("User-3-month-level", "quarter"),
        ("12 months of a user", "year"),
        ("User-year", "year"),
        ("Person-level; housing-unit-level", ""),
        ("Birth-level", ""),
        ("a birthday", ""),
    ],
)
def test_the_period_that_a_unit_names(unit, period):
    assert period_named(unit) == period


@pytest.mark.parametrize(
    "unit",
    [
        "User-fortnight-level",
        "User-half-year-level",
        "User-half-hour-level",
        "User-quarter-hour-level",
        "User-quarter-month-level",
        "User-2-day-level",
        "User-5-hour-level",
        "User-days",
        "User-1.5-day-level",
        "User-1,5-day-level",
        "User-1/4-day-level",
        "½ day",
        "User-0.25-day-level",
        "every other day",
        "every second week",
        "several months",
        "a day and a half",
        "a quarter of the users",
        "User-day-level, User-month-level",
        "30-day month",
        "User-minute-level",
        "User-weekday-level",
        "a third of a year",
    ],
)
def test_a_time_that_is_not_understood_is_refused(unit):
    """Never guessed: a quarter of an hour that is read as a quarter of a year hides most of what a year spends."""
    with pytest.raises(DomainError, match="privacy_unit names a time that is not understood, got") as refused:
        period_named(unit)
    assert "name one such as User-day-level" in str(refused.value)


def changed(**fields):
    """The newest layout with other fields, by their paths."""
    entry = yaml.safe_load((FILES / "newest.yaml").read_text(encoding="utf-8"))
    for path, value in fields.items():
        inside, _, key = path.rpartition("__")
        place = entry["deployment"][inside]
        place[key] = value
    return parse_registry(json.dumps(entry), "one.json")


def test_six_hours_are_no_quarter_of_a_year():
    use = changed(privacy_loss__privacy_unit="User-quarter-day-level")
    assert (use.period, A_YEAR["6 hours"]) == ("6 hours", 4 * 365)
    assert use.mu_per_year == pytest.approx(0.2 * math.sqrt(4 * 365), rel=1e-15)
    with pytest.raises(DomainError, match=r"one.json: privacy_unit names a time"):
        changed(privacy_loss__privacy_unit="User-fortnight-level")


def test_every_period_but_one_that_nobody_states_has_its_number_a_year():
    assert {*A_YEAR, "not stated"} == set(get_args(Period))
    for period, count in A_YEAR.items():
        hours = 1 if period == "hour" else int(period.split()[0]) if period.endswith("hours") else None
        assert hours is None or hours * count == 24 * 365


@pytest.mark.parametrize(
    ("kind", "period"),
    [("One release", ""), ("one-shot", ""), ("Many releases", "not stated"), ("Multiple releases", "not stated")],
)
def test_once_is_said_and_not_supposed(kind, period):
    fields = {"privacy_loss__privacy_unit": "User-level", "deployment_model__release_type": kind}
    use = changed(**fields)
    assert use.period == period
    assert (use.mu_per_year is None) == (period != "")


def test_nothing_said_of_how_often_is_not_once():
    fields = {"privacy_loss__privacy_unit": "User-level", "deployment_model__release_type": None}
    assert changed(**fields).period == "not stated"


@pytest.mark.parametrize("unit", ["Person-level; housing-unit-level", "Persons and households"])
def test_one_number_for_several_units_gives_no_mu(unit):
    """Their sum is what neither of them spends."""
    use = changed(privacy_loss__privacy_unit=unit)
    assert (use.rho, use.mu, use.basis) == (0.02, None, "none")


def test_a_run_as_an_entry(tmp_path, capsys):
    (tmp_path / "run.toml").write_text(RUN, encoding="utf-8")
    place = tmp_path / "entry.yaml"
    arguments = ["report", str(tmp_path / "run.toml"), "--registry-entry", str(place)]
    assert main([*arguments, *TOLD]) == 0
    entry = valid(place.read_text(encoding="utf-8"))
    assert entry["basic"]["name"] == "Ada’s 'visits'"
    parameters = entry["privacy_loss"]["privacy_parameters"]
    least = gaussdp.epsilon_from_mu(0.5, 1e-6)
    assert least <= parameters["epsilon"] <= least * 1.001
    assert parameters["delta"] == 1e-6
    (read,) = read_registry(place)
    assert (read.epsilon, read.delta, read.mu) == (parameters["epsilon"], 1e-6, None)
    capsys.readouterr()
    assert main([*arguments, "--registry", "curator=Town"]) == 2
    assert "needs curator_type, intended_use, region, author" in capsys.readouterr().err
    assert main([*arguments, *TOLD, "--registry", "curator_type=King"]) == 2
    assert "'Government'" in capsys.readouterr().err


def test_an_entry_states_what_holds_for_the_run_as_described():
    """Shuffled batches, accounted as Poisson samples, are not what the number is about: the entry bounds them."""
    run = {"unit": "one person", "adjacency": "add-remove", "tuning": "none", "records_per_unit": 1}
    training = {"noise_multiplier": 1.0, "dataset_size": 50_000, "batch_size": 256, "epochs": 1}
    poisson, shuffled = (
        run_entry(
            gaussdp.report_run(
                gaussdp.Run.from_mapping({**run, "clipping": "per-example", "sampling": how, "training": training})
            ),
            FACTS,
        )
        for how in ("poisson", "shuffle")
    )
    assert shuffled.parameters["epsilon"] > 2 * poisson.parameters["epsilon"]
    valid(shuffled.as_yaml())
    with pytest.raises(DomainError, match="no finite"):
        run_entry(
            gaussdp.report_run(gaussdp.Run.from_mapping({**run, "clipping": "none", "training": training})), FACTS
        )


@pytest.mark.parametrize("kind", ["count", "model"])
def test_a_decision_as_an_entry(kind):
    model = {"batch_size": 256, "epochs": 1.0} if kind == "model" else {}
    answers = Answers(every="month", published=(Published(kind=kind, **model),), requirements=(Asked("mu=0.5"),))
    decided = record(advise(answers))
    entry = valid(decision_entry(decided, FACTS).as_yaml())
    loss = entry["privacy_loss"]
    assert f"μ = {decided.mu}" in loss["privacy_parameters_details"]
    if kind == "count":
        assert entry["dp_variant"]["variant_name"] == "Zero-concentrated DP"
        assert decided.mu**2 / 2 <= loss["privacy_parameters"]["rho"] <= decided.mu**2 / 2 * 1.001
    else:  # a mu from a floor on gives no rho
        assert entry["dp_variant"]["variant_name"] == "Custom"
        assert "privacy_parameters" not in loss


def test_a_decision_from_the_command_line(tmp_path, capsys):
    place = tmp_path / "entry.yaml"
    assert main(["advise", "--every", "month", "--registry-entry", str(place), *TOLD]) == 0
    assert valid(place.read_text(encoding="utf-8"))["deployment_model"]["release_type"] == "Many releases"
    assert main(["advise", "--registry", "curator=Town"]) == 2
    assert main(["advise", "--registry-entry", str(place), "--registry", "curator"]) == 2
    capsys.readouterr()


@pytest.mark.parametrize("text", ["a: b # c", "- x", "1e-5", "yes", "‘\u2028\x85\x7f’", "line\nline", "𝜇", '"\\'])
def test_any_words_come_back_as_they_were(text):
    facts = RegistryFacts(**{**KNOWN, "description": text})
    assert valid(decision_entry(record(advise(Answers())), facts).as_yaml())["basic"]["description"] == text
