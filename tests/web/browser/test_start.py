"""The guided start in a browser, end to end: answers, what is not known, scenarios, and the record."""

import pytest

from gaussdp.advising import Answers, Asked, Published, advise
from gaussdp.web.views.showing import budget_text


@pytest.fixture
def expect():
    return pytest.importorskip("playwright.sync_api").expect


def test_from_questions_to_a_record(calculator, expect, tmp_path):
    calculator.page.goto(calculator.address)  # the first view
    calculator.settled()
    nothing = advise(Answers())
    expect(calculator.part("mu")).to_have_text(budget_text(nothing.mu))
    expect(calculator.field("ask_people")).to_have_attribute("placeholder", "I don’t know: 10000")
    calculator.field("ask_aim").select_option("identification")
    calculator.field("ask_chance").fill("1/1000")
    calculator.field("ask_acceptable").fill("1 %")
    calculator.field("ask_every").select_option("month")
    expect(calculator.part("assumptions")).to_contain_text("What each release holds is not said")
    calculator.page.locator("#published-0-kind").select_option("count")
    calculator.page.locator("#published-0-typical").fill("1,000,000")
    known = {"aim": "identification", "chance": 1e-3, "acceptable": 0.01}
    published = (Published(kind="count", typical=1e6),)
    monthly = advise(Answers(**known, every="month", published=published))
    expect(calculator.part("sentence")).to_have_text(monthly.sentence)
    expect(calculator.part("utility")).to_contain_text(budget_text(monthly.each(monthly.mu)))
    calculator.part("keep").click()
    calculator.field("ask_every").select_option("year")
    expect(calculator.part("scenario-table").locator("tbody tr")).to_have_count(2)
    yearly = advise(Answers(**known, every="year", published=published))
    rows = calculator.part("scenario-table").locator("tbody tr")
    expect(rows.nth(0)).to_contain_text(budget_text(yearly.each(yearly.mu)))
    expect(rows.nth(1)).to_contain_text(budget_text(monthly.each(monthly.mu)))
    calculator.wait_for_state(ask_chance="1/1000", ask_every="year")
    there = calculator.page.url
    calculator.page.goto(there)
    calculator.settled()
    expect(rows).to_have_count(2)
    for format, begins in (("pdf", b"%PDF"), ("toml", b"aim = "), ("html", b"<!doctype html>")):
        calculator.page.get_by_label("Format of the decision record").select_option(format)
        with calculator.page.expect_download() as waited:
            calculator.page.get_by_role("button", name="Decision record", exact=True).click()
        content = waited.value.path().read_bytes()
        assert content.lower().startswith(begins.lower())
    calculator.page.locator("#start").get_by_role("button", name="Which noise meets it?").click()
    expect(calculator.field("target_value")).to_have_value(budget_text(yearly.mu))


def test_what_contradicts_itself_is_said_beside_the_question(calculator, expect):
    calculator.refused = True
    calculator.open(view="start", ask_chance="0.5")
    calculator.field("ask_acceptable").fill("0.4")
    expect(calculator.error("ask_acceptable")).to_contain_text("With which chance may a guess be right")
    calculator.field("ask_acceptable").fill("2")
    calculator.field("ask_years").fill("-1")
    expect(calculator.error("ask_acceptable")).to_contain_text("must be above 0 and below 1")
    expect(calculator.error("ask_years")).to_contain_text("must be above 0")


def test_several_statistics_requirements_and_named_scenarios(calculator, expect, tmp_path):
    """Counts, sums and a model together, two requirements with their sources, and plans under names of their own."""
    calculator.open(view="start")
    page = calculator.page
    page.locator("#published-0-kind").select_option("count")
    page.locator("#published-0-name").fill("visits a day")
    page.get_by_role("button", name="Add a statistic").click()
    page.locator("#published-1-kind").select_option("sum")
    page.locator("#published-1-bound").fill("50")
    page.get_by_role("button", name="Add a requirement").first.click()
    page.locator("#required-0-value").fill("3")
    page.locator("#required-0-level").fill("1e-5")
    page.locator("#required-0-source").fill("the board")
    published = (Published(kind="count", name="visits a day"), Published(kind="sum", bound=50.0))
    asked = (Asked("epsilon=3 delta=1e-5", "the board"),)
    advice = advise(Answers(published=published, requirements=asked))
    expect(calculator.part("sentence")).to_have_text(advice.sentence)
    expect(calculator.part("requirements")).to_contain_text("the board")
    for text in ("Noise: visits a day", "Noise: a sum"):
        expect(calculator.part("utility")).to_contain_text(text)
    page.locator("#scenario-name").fill("as now")
    calculator.part("keep").click()
    calculator.field("ask_every").select_option("week")
    page.locator("#scenario-name").fill("weekly")
    calculator.part("keep").click()
    rows = calculator.part("scenario-table").locator("tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.nth(1)).to_contain_text("as now")
    page.get_by_label("Format of the decision record").select_option("toml")
    with page.expect_download() as waited:
        page.get_by_role("button", name="Decision record", exact=True).click()
    policy = tmp_path / "policy.toml"
    policy.write_bytes(waited.value.path().read_bytes())
    read = Answers.read(policy)
    assert read.statistics == published
    assert read.requirements == asked
    assert [name for name, _ in read.scenarios] == ["as now", "weekly"]
    page.get_by_role("button", name="Remove statistic 2").click()
    expect(calculator.part("utility")).not_to_contain_text("Noise: a sum")


def onward(calculator, name):
    view = calculator.state()["view"]
    with calculator.page.expect_response(lambda answer: answer.url.endswith(("releases", "calibrate"))) as answered:
        calculator.page.locator(f"#{view}").get_by_role("button", name=name).click()
    calculator.settled()
    return answered.value.request.post_data_json


def test_the_link_to_the_noise_asks_about_the_same_releases(calculator, expect):
    """Twelve monthly counts stay twelve counts, whatever the other view was asked before."""
    before = {"adjacency": "replace-one", "tuning": "counted", "tuning_runs": "3", "records_per_unit": "7"}
    calculator.open(
        view="start", ask_every="month", published="count visits_a_day 1000", account_delta="1e-3", unit="one image",
        **before,
    )  # fmt: skip
    advice = advise(Answers(every="month", published=(Published(kind="count"),)))
    asked = onward(calculator, "Which noise meets it?")
    assert asked == {
        "releases": [{"noise": "gaussian", "sensitivity": 1, "times": 12}],
        "target": {"kind": "mu", "value": advice.mu},
        "unit": "one person",
        "adjacency": "add-remove",
        "records_per_unit": 1,
        "delta": 1e-6,
        "floor": 1e-10,
    }
    shown = float(calculator.part("noise").inner_text())
    assert 12**0.5 / advice.mu <= shown <= advice.noise(Published(kind="count"), advice.mu).sd
    expect(calculator.part("facts")).to_contain_text(f"{shown}")
    expect(calculator.part("mu")).to_have_text(budget_text(advice.mu))
    expect(calculator.page.locator("#releases-0-scale")).to_be_hidden()
    calculator.page.get_by_label("the noise", exact=True).check()
    expect(calculator.page.locator("#releases-0-scale")).to_be_visible()
    expect(calculator.field("noise_multiplier")).to_be_hidden()


def test_the_link_to_the_noise_of_a_model(calculator, expect):
    calculator.open(view="start", ask_people="20000", ask_unit="household", published="model _ 100 2", dataset_size="7")
    advice = advise(
        Answers(people=20_000, unit="household", published=(Published(kind="model", batch_size=100, epochs=2),))
    )
    asked = onward(calculator, "Which noise meets it?")
    assert [asked[name] for name in ("dataset_size", "batch_size", "epochs", "unit")] == [
        20_000,
        100,
        2,
        "one household",
    ]
    expect(calculator.part("noise")).to_have_text(f"{advice.noise(advice.answers.published[0], advice.mu).sd}")


def test_a_plan_that_no_view_can_ask_for_has_no_link_to_its_noise(calculator, expect):
    calculator.open(view="start", published="count _ _; model _ 256 30")
    expect(calculator.page.locator("#start").get_by_role("button", name="Which noise meets it?")).to_be_hidden()
    expect(calculator.page.locator("#start").get_by_role("button", name="What does this μ")).to_be_visible()


def test_whom_it_protects_goes_with_the_number(calculator, expect):
    """To what an attacker can do, from the start and from a run."""
    calculator.open(view="start", ask_unit="device")
    calculator.page.locator("#start").get_by_role("button", name="What does this μ let an attacker do?").click()
    expect(calculator.field("whom")).to_have_value("one device")
    expect(calculator.part("sentences")).to_contain_text("whether the data of one device were used")
    calculator.open(view="account", released="releases", unit="one image")
    calculator.page.locator("#account").get_by_role("button", name="What does this μ let an attacker do?").click()
    expect(calculator.part("sentences")).to_contain_text("whether the data of one image were used")
    calculator.open(view="choose", whom="one image")
    calculator.page.locator("#choose").get_by_role("button", name="What does this μ let an attacker do?").click()
    expect(calculator.part("sentences")).to_contain_text("whether the data of one person were used")


def test_a_chance_that_the_usual_aim_excludes(calculator, expect):
    calculator.open(view="start", ask_chance="0.01")
    found = advise(Answers(chance=0.01))
    expect(calculator.part("sentence")).to_have_text(found.sentence)
    expect(calculator.page.locator("#start .wrong")).to_have_count(0)
    expect(calculator.part("assumptions")).to_contain_text("the advice is about identification")
    expect(calculator.page.locator('[data-field="ask_aim"] .meaning-of')).to_contain_text(
        "Then: Who among several candidates"
    )
