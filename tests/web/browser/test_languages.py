"""The page in German: nothing of it is English, and what a person chooses is kept."""

import re

import pytest

STATES = [
    {
        "view": "start",
        "scenarios": '[["A",{"every":"month"}]]',
        "required": "epsilon 3 1e-5 Gremium",
        "ask_every": "week",
    },
    {"view": "start", "ask_aim": "identification", "ask_unit": "household", "published": "model; mean Besuche 1000 50"},
    {"view": "choose", "epsilon": "8"},
    {"view": "choose", "epsilon": "3", "policy_delta": "1e-5", "also": "accuracy 55_of_100; tpr 1% 0.001"},
    {"view": "choose", "currency": "identification", "policy_value": "1%", "policy_level": "1/1000"},
    {"view": "understand", "prior": "0.01"},
    {"view": "understand", "mu": "0.001", "deployed": "year"},
    {"view": "account"},
    {"view": "account", "sampling": "shuffle", "tuning": "not counted", "tuning_runs": "9", "clipping": "per-example"},
    {"view": "account", "mode": "target", "target": "tpr", "target_value": "0.05", "target_level": "0.01"},
    {"view": "account", "released": "releases", "releases": "gaussian 4 1 12; laplace 10 1 3", "records_per_unit": "2"},
]
WORDS = re.compile(r"[^\W\d_]{2,}")
SAME = {
    *("gaussdp", "English", "Deutsch", "Start", "Start · gaussdp", "Python", "CLI", "LaTeX", "JSON", "HTML", "PDF"),
    *(
        "Markdown",
        "Text",
        "policy.toml",
        "FPR",
        "TPR",
        "FNR",
        "Laplace",
        "Name",
        "Gremium",
        "Besuche",
        "μ-GDP",
        "Budget, μ-GDP",
        "(ε, δ)-DP",
    ),
    *(f"{curve}: {rate}" for curve in ("μ-GDP", "Budget, μ-GDP", "(ε, δ)-DP") for rate in ("TPR", "FNR")),
}
"""Names, symbols and words that are the same in both languages."""
ENGLISH = re.compile(r"\b(the|of|is|are|and|with|which|each|than|that|from|not|by|at|or|its|it|for)\b", re.IGNORECASE)
_TEXTS = """() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!parent.closest("script, style, pre, code, noscript")) found.push(walker.currentNode.textContent.trim());
  }
  for (const element of document.querySelectorAll("[aria-label], [title], [placeholder], [alt], [aria-valuetext]")) {
    for (const name of ["aria-label", "title", "placeholder", "alt", "aria-valuetext"]) {
      if (element.getAttribute(name)) found.push(element.getAttribute(name).trim());
    }
  }
  return [...found, document.title];
}"""


def texts(calculator):
    """All words of the page, shown or not, without numbers alone, code, and the sources of deployments."""
    calculator.unfold()
    found = calculator.page.evaluate(_TEXTS)
    return {text for text in found if WORDS.search(text) and text not in SAME}


@pytest.mark.parametrize("state", STATES, ids=lambda state: "-".join([state["view"], *list(state)[1:3]]))
def test_no_word_is_english(new_calculator, state):
    german = new_calculator().open(lang="de", **state)
    english = new_calculator().open(lang="en", **state)
    if state["view"] == "understand":
        for calculator in (german, english):
            calculator.page.locator(".deployed li").first.wait_for()
    named = "(await (await fetch('api/v1/deployments')).json()).deployments"
    fields = "(one) => [one.name, one.organisation, one.source]"
    names = german.page.evaluate(f"async () => {named}.flatMap({fields})")
    told = {text for text in texts(german) if not any(name in text for name in names)}
    both = told & texts(english)
    assert not both
    assert not [text for text in told if ENGLISH.search(text)]
    assert german.page.evaluate("document.documentElement.lang") == "de"


def test_refusals_are_german(new_calculator):
    calculator = new_calculator().open(view="choose", lang="de")
    calculator.field("epsilon").fill("-1")
    assert calculator.error("epsilon").inner_text() == "Vorgabe ε: erforderlich ist mindestens 0."
    calculator.field("epsilon").fill("viel")
    assert calculator.error("epsilon").inner_text() == "„viel“ ist keine Zahl; geben Sie eine ein, etwa 1 oder 0,5."


def test_numbers_have_a_comma_to_people_and_a_point_in_the_address(new_calculator):
    calculator = new_calculator().open(view="understand", lang="de", mu="0.25")
    assert calculator.field("mu").input_value() == "0,25"
    calculator.field("mu").fill("1,125")
    calculator.wait_for_state(mu="1.125", lang="de")
    assert calculator.settled().page.locator(".handle").get_attribute("aria-valuetext") == "μ = 1,125"
    calculator.open(view="account", lang="de").field("dataset_size").fill("60.000")
    calculator.wait_for_state(dataset_size="60000")


def test_a_choice_is_kept(new_calculator):
    calculator = new_calculator(locale="de-DE")
    assert calculator.open().page.evaluate("document.documentElement.lang") == "de"  # as the browser asks
    calculator.page.locator("#language").select_option("en")
    calculator.wait_for_state(lang="en")
    calculator.settled()
    assert calculator.page.evaluate("document.documentElement.lang") == "en"
    calculator.open()  # an address that names none
    calculator.wait_for_state(lang="en")
    assert calculator.settled().page.locator("#tab-choose .tab-title").inner_text() == "Choose"
    assert calculator.open(lang="de").page.locator("#tab-choose .tab-title").inner_text() == "Wählen"
