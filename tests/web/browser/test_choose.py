"""Choose in a browser: typed, dragged and pressed, the numbers are the library's."""

import pytest

import gaussdp
from gaussdp.web.views.showing import budget_text, guarantee_text

MATCHED = {
    "multiplicative_advantage": gaussdp.mu_from_multiplicative_advantage,
    "precision": gaussdp.mu_from_precision,
    "profile": gaussdp.mu_from_profile,
}


def budget(epsilon: float, criterion: str = "multiplicative_advantage", level: float = 1e-3) -> str:
    return budget_text(float(MATCHED[criterion](epsilon, level)))


@pytest.fixture
def expect():
    return pytest.importorskip("playwright.sync_api").expect


@pytest.mark.parametrize(("criterion", "level"), [("precision", 0.02), ("profile", 1e-7)])
def test_the_numbers_are_the_librarys(calculator, expect, criterion, level):
    calculator.open(epsilon="2.5", criterion=criterion, level=str(level))
    expect(calculator.part("mu")).to_have_text(budget(2.5, criterion, level))
    expect(calculator.part("implied")).to_contain_text(guarantee_text(gaussdp.PureDP(2.5).implied().mu))
    cells = calculator.part("others-table").locator("td b").all_text_contents()
    assert cells[0] == budget(2.5, "multiplicative_advantage", 1e-2)
    assert cells[11].removesuffix(" *") == budget(2.5, "profile", 1e-8)
    verdicts = calculator.page.locator("#choose .verdict")
    for i, divisor in enumerate((5, 3)):
        safe = 2.5 / divisor <= float(MATCHED[criterion](2.5, level))
        assert ("unsafe" in verdicts.nth(i).get_attribute("class")) is not safe


def test_type(calculator, expect):
    calculator.open()
    expect(calculator.part("mu")).to_have_text(budget(1))
    calculator.field("epsilon").fill("2")
    expect(calculator.part("mu")).to_have_text(budget(2))
    calculator.field("level").fill("1e-5")
    expect(calculator.part("mu")).to_have_text(budget(2, level=1e-5))
    calculator.wait_for_state(view="choose", epsilon="2", level="1e-5")
    expect(calculator.page.locator("#live")).to_contain_text(budget(2, level=1e-5))


def test_drag_the_slider(calculator, expect):
    calculator.open()
    box = calculator.slider("epsilon").bounding_box()
    mouse, y = calculator.page.mouse, box["y"] + box["height"] / 2
    mouse.move(box["x"] + box["width"] * 0.6, y)
    mouse.down()
    for share in (0.65, 0.7, 0.8, 0.9):
        mouse.move(box["x"] + box["width"] * share, y)
    mouse.up()
    epsilon = float(calculator.field("epsilon").input_value())
    assert 5 < epsilon < 15
    expect(calculator.part("mu")).to_have_text(budget(epsilon))
    calculator.wait_for_state(epsilon=calculator.field("epsilon").input_value())


def test_each_criterion_remembers_its_level(calculator, expect):
    calculator.open()
    calculator.field("level").fill("0.01")
    calculator.page.get_by_label("Privacy profile").check()
    assert calculator.field("level").input_value() == "1e-6"
    expect(calculator.part("mu")).to_have_text(budget(1, "profile", 1e-6))
    expect(calculator.page.locator('label[for="field-level"]')).to_have_text("at δ")
    calculator.page.get_by_label("TPR over FPR").check()
    assert calculator.field("level").input_value() == "0.01"


def test_axes_and_the_matched_point(calculator, expect):
    """On log axes from 1e-5 to 1, FPR 1e-3 lies at two fifths of the width."""
    calculator.open(epsilon="1", level="0.001", scale="linear")
    mark, over = calculator.page.locator("#choose .mark"), calculator.page.locator("#choose .u-over")

    def share():
        mark_box, over_box = mark.bounding_box(), over.bounding_box()
        return (mark_box["x"] - over_box["x"]) / over_box["width"]

    assert share() == pytest.approx(0.001, abs=0.005)
    calculator.page.get_by_label("Log axes").first.check()
    calculator.page.wait_for_function("() => !location.search.includes('scale')")  # log axes are the usual ones
    assert share() == pytest.approx(0.4, abs=0.01)


def test_the_picture_as_a_table_errs_on_the_safe_side(calculator):
    calculator.open(epsilon="1.7", level="0.001")
    calculator.unfold()
    rows = [row.locator("th, td").all_text_contents() for row in calculator.part("picture").locator("tbody tr").all()]
    numbers = [[float(text) for text in row] for row in rows]
    policy, budgeted = gaussdp.PureDP(1.7), gaussdp.GDP(gaussdp.mu_from_multiplicative_advantage(1.7, 1e-3))
    answer = calculator.page.request.post(
        f"{calculator.address}api/v1/choose",
        data={"epsilon": 1.7, "criterion": "multiplicative_advantage", "level": 0.001},
        headers={"Origin": calculator.address.rstrip("/")},
    ).json()
    for shown_fpr, *readings in numbers:
        fpr = max(x for x in answer["curves"]["fpr"] if x <= shown_fpr)
        for guarantee, tpr, fnr in ((policy, *readings[:2]), (budgeted, *readings[2:])):
            assert guarantee.tpr(fpr) <= tpr <= 1.01 * guarantee.tpr(fpr)
            assert 0.99 * guarantee.fnr(fpr) <= fnr <= guarantee.fnr(fpr)


def test_a_drag_sends_few_questions_and_shows_the_last(calculator, expect):
    """While one question is under way, of those that follow only the last is sent; the rest of it when it is shown."""
    calculator.open()
    asked, held = [], []

    def hold_the_first(route):
        question = route.request.post_data_json
        asked.append((question["epsilon"], "advice" in question["parts"]))
        if len(asked) == 1:
            held.append(route)
        else:
            route.continue_()

    calculator.page.route("**/api/v1/choose", hold_the_first)
    with calculator.page.expect_request("**/api/v1/choose"):
        calculator.field("epsilon").fill("1.1")
    for i in range(12, 31):
        calculator.field("epsilon").fill(str(i / 10))
    held[0].continue_()
    expect(calculator.part("mu")).to_have_text(budget(3))
    calculator.settled()
    assert asked == [(1.1, False), (3, False), (3, True)]


def test_only_what_is_looked_at_is_asked_for(calculator, expect):
    """The axes and the snippet that are shown; by other criteria once a policy; the table when it is opened."""
    calculator.open(epsilon="1.7")
    asked = []
    calculator.page.on("request", lambda request: "/choose" in request.url and asked.append(request.post_data_json))

    def parts():
        calculator.settled()
        found = [set(question["parts"]) for question in asked]
        asked.clear()
        return found

    calculator.field("level").fill("1e-4")
    expect(calculator.part("mu")).to_have_text(budget(1.7, level=1e-4))
    assert parts() == [{"tpr", "python"}]
    calculator.field("epsilon").fill("1.8")
    expect(calculator.part("mu")).to_have_text(budget(1.8, level=1e-4))
    assert parts() == [{"tpr", "python"}, {"advice"}]
    code, numbers = calculator.page.locator("#choose .code"), calculator.part("picture").locator("details")
    calculator.page.locator("#choose .takeaway").get_by_label("LaTeX", exact=True).check()
    expect(code).to_contain_text("varepsilon = 1.8")
    assert parts() == [{"tpr", "latex"}]
    expect(numbers.locator("td")).to_have_count(0)
    numbers.locator("summary").click()
    expect(numbers.locator("td")).to_have_count(32)
    assert parts() == [{"fnr", "tpr", "latex"}]
    numbers.locator("summary").click()
    calculator.page.get_by_label("Linear axes").first.check()
    expect(calculator.page.locator("#choose .picture-caption")).to_contain_text("Lower is worse")
    assert parts() == []
    calculator.field("epsilon").fill("1.9")
    expect(code).to_contain_text("varepsilon = 1.9")
    assert parts() == [{"fnr", "latex"}, {"advice"}]


def test_onward_to_the_other_views(calculator, expect):
    calculator.open(epsilon="1")
    calculator.page.get_by_role("button", name="What does this μ let an attacker do?").first.click()
    expect(calculator.page.locator("#understand")).to_be_visible()
    assert calculator.field("mu").input_value() == budget(1)
    calculator.wait_for_state(view="understand", mu=budget(1))
    calculator.page.go_back()
    expect(calculator.page.locator("#choose")).to_be_visible()


def test_a_saturated_match_is_no_answer(calculator, expect):
    """Said beside the number, with the way to a match that counts; and no rule of thumb is green."""
    calculator.open(epsilon="8")
    expect(calculator.part("warning")).to_contain_text("Saturated")
    assert calculator.page.locator("#choose .verdict.safe").count() == 0
    expect(calculator.part("recommendation")).to_contain_text("The most cautious of them is μ = 1.336")
    calculator.part("warning").get_by_role("button").click()
    expect(calculator.part("warning")).to_be_hidden()
    calculator.wait_for_state(level="1e-5")
    expect(calculator.part("mu")).to_have_text("2.381")
    calculator.field("epsilon").fill("1")
    calculator.field("level").fill("1e-3")
    expect(calculator.part("cost")).to_contain_text("TPR/FPR 3.84")


CURRENCIES = {
    "rho": ("0.1", None, "rho=0.1"),
    "mu": ("0.5", None, "mu=0.5"),
    "accuracy": ("55 of 100", None, "accuracy=0.55"),
    "identification": ("1%", "1/1000", "identification@1/1000=1%"),
    "tpr": ("1 %", "1e-3", "tpr@1e-3=0.01"),
}


def test_a_policy_in_any_currency(calculator, expect):
    calculator.open()
    for currency, (value, level, text) in CURRENCIES.items():
        calculator.field("currency").select_option(currency)
        calculator.field("policy_value").fill(value)
        if level is None:
            expect(calculator.field("policy_level")).to_be_hidden()
        else:
            calculator.field("policy_level").fill(level)
        expect(calculator.part("mu")).to_have_text(budget_text(gaussdp.choose(text).mu))
        expect(calculator.field("criterion")).to_have_count(0)
        expect(calculator.part("matching")).to_be_hidden()
    calculator.field("currency").select_option("epsilon")
    calculator.field("policy_delta").fill("1e-5")
    calculator.field("epsilon").fill("3")
    expect(calculator.part("mu")).to_have_text(budget_text(gaussdp.choose("epsilon=3 delta=1e-5").mu))


def test_several_requirements_at_once(calculator, expect, tmp_path):
    """All must hold: the smallest μ counts, in the number, the table and the statement; what is wrong is said there."""
    calculator.open(epsilon="3", also="accuracy 55_of_100; rho 0.1")
    both = gaussdp.choose("accuracy=0.55", "rho=0.1")
    expect(calculator.part("mu")).to_have_text(budget_text(both.mu))
    rows = calculator.part("asked").locator("tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.nth(1)).to_contain_text("at most 55 are right (50 of 100 without the release) (binds)")
    expect(calculator.page.locator("#choose .code")).to_contain_text("gaussdp.choose('epsilon=3', 'accuracy=0.55'")
    with calculator.page.expect_download() as waited:
        calculator.page.locator("#choose").get_by_label("Format of the statement").select_option("text")
        calculator.page.locator("#choose").get_by_role("button", name="Statement", exact=True).click()
    assert "A policy of 3 requirements" in waited.value.path().read_text(encoding="utf-8")
    calculator.page.get_by_role("button", name="Remove requirement 1").click()
    expect(calculator.part("mu")).to_have_text(budget_text(gaussdp.choose("rho=0.1").mu))
    calculator.refused = True
    calculator.page.locator("#also-0-value").fill("-1")
    expect(calculator.error("also")).to_contain_text("must")
    expect(calculator.page.locator("#also-0-value")).to_have_attribute("aria-invalid", "true")


def test_the_link_to_the_noise_keeps_what_is_released(calculator, expect):
    """A policy names no release: what the other view describes stays, and its noise is sought."""
    calculator.open(epsilon="1", released="releases", releases="gaussian 4 50 3")
    calculator.page.locator("#choose").get_by_role("button", name="Which noise meets it?").click()
    expect(calculator.part("answer-title")).to_have_text("The noise that meets the target")
    expect(calculator.field("target_value")).to_have_value(budget(1))
    noise = gaussdp.calibration.gaussian_noise_multiplier(gaussdp.GDP(float(budget(1))), releases=3)
    expect(calculator.part("noise")).to_have_text(f"{noise.value}")
    expect(calculator.part("facts")).to_contain_text(guarantee_text(50 * noise.value))
