"""Account and calibrate in a browser: exact numbers, progress, and nothing computed for nobody."""

import pytest

import gaussdp
from gaussdp.risks import registered
from gaussdp.web.views.showing import guarantee_text

RUN = {"view": "account", "dataset_size": "50000", "batch_size": "500", "epochs": "10"}


@pytest.fixture
def expect():
    return pytest.importorskip("playwright.sync_api").expect


def run(noise: float) -> gaussdp.DPSGD:
    return gaussdp.DPSGD.from_training(dataset_size=50_000, batch_size=500, epochs=10, noise_multiplier=noise)


def facts(calculator) -> dict[str, str]:
    rows = calculator.page.locator("#account .fact")
    return {row.locator("dt > span").first.inner_text(): row.locator("dd").inner_text() for row in rows.all()}


def test_the_guarantee_of_a_run(calculator, expect):
    calculator.open(**RUN, noise_multiplier="1.5", account_delta="1e-5")
    curve = gaussdp.account(run(1.5))
    fit = curve.fit(floor=1e-10)
    expect(calculator.part("mu")).to_have_text(guarantee_text(fit.mu))
    shown = facts(calculator)
    assert shown["ε at δ = 1e-5"] == guarantee_text(curve.epsilon(1e-5))
    assert shown["Steps"] == "1,000"
    assert shown["Floor"] == "1e-10"
    assert fit.regret <= float(shown["Regret of the fit"]) <= 1.02 * fit.regret
    assert calculator.page.locator("#account .u-over").count() == 1


def test_the_noise_for_a_target(calculator, expect):
    calculator.open(**RUN, mode="target", target="mu", target_value="0.5")
    noise = float(calculator.part("noise").inner_text())
    mu = gaussdp.account(run(noise)).fit(floor=1e-10).mu
    assert 0.499 < mu <= 0.5
    expect(calculator.part("mu")).to_have_text(guarantee_text(mu))
    calculator.field("target").select_option("epsilon")
    calculator.field("target_value").fill("2")
    expect(calculator.part("noise")).not_to_have_text(str(noise))
    calculator.settled()
    assert gaussdp.account(run(float(calculator.part("noise").inner_text()))).epsilon(1e-6) <= 2


def test_every_kind_of_target_is_understood(calculator, expect):
    calculator.open(**RUN, mode="target")
    kinds = calculator.field("target").locator("option").evaluate_all("(options) => options.map((one) => one.value)")
    assert kinds == ["mu", *(risk.value_key for risk in registered())]
    for kind in kinds[1:]:
        with calculator.page.expect_response("**/api/v1/calibrate") as answered:
            calculator.field("target").select_option(kind)
        assert answered.value.status == 200
        calculator.settled()
        assert answered.value.request.post_data_json["target"]["kind"] == kind
        expect(calculator.part("problem")).to_be_hidden()
        assert calculator.page.locator("#account .wrong").count() == 0


def test_a_superseded_computation_is_aborted(calculator, expect):
    calculator.open(**RUN)
    held = []
    calculator.page.route("**/api/v1/account", lambda route: held.append(route) if not held else route.continue_())
    with calculator.page.expect_request("**/api/v1/account"):
        calculator.field("noise_multiplier").fill("2")
    expect(calculator.part("progress")).to_be_visible()
    with calculator.page.expect_event("requestfailed") as failed:
        calculator.field("noise_multiplier").fill("3")
    assert failed.value.post_data_json["noise_multiplier"] == 2
    assert failed.value.failure == "net::ERR_ABORTED"
    expect(calculator.part("mu")).to_have_text(guarantee_text(gaussdp.account(run(3)).fit(floor=1e-10).mu))
    expect(calculator.part("progress")).to_be_hidden()


def test_progress_and_cancel(calculator, expect):
    calculator.open(**RUN)
    shown = calculator.part("mu").inner_text()
    calculator.page.route("**/api/v1/account", lambda route: None)
    calculator.field("noise_multiplier").fill("2")
    expect(calculator.part("progress")).to_be_visible()
    expect(calculator.page.get_by_role("progressbar", name="Accounting")).to_be_visible()
    with calculator.page.expect_event("requestfailed"):
        calculator.part("cancel").click()
    expect(calculator.part("progress")).to_be_hidden()
    expect(calculator.part("problem")).to_contain_text("Cancelled")
    expect(calculator.page.locator("#account")).to_have_class("view stale")  # what is shown is not the answer
    expect(calculator.part("mu")).to_have_text(shown)


def test_lines_of_progress(calculator, expect):
    """The server's own words, while the answer is awaited, in pieces that do not end at a line."""
    calculator.open(**RUN)
    calculator.page.evaluate(
        """() => {
          const pieces = ['{"progress": {"seconds": 3, "mess', 'age": "Reading the tails"}}\\n'];
          window.fetch = async () => new Response(new ReadableStream({
            start(controller) { for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece)); },
          }));
        }"""
    )
    calculator.field("noise_multiplier").fill("2")
    expect(calculator.part("progress")).to_contain_text("Reading the tails … 3 s")


def test_nothing_is_accounted_before_it_is_looked_at(calculator, expect):
    asked = []
    calculator.page.on("request", lambda request: asked.append(request.url))
    calculator.open()
    assert not [url for url in asked if url.endswith(("account", "calibrate"))]
    calculator.page.get_by_role("tab", name="Account").click()
    expect(calculator.part("mu")).not_to_have_text("–")
    assert len([url for url in asked if url.endswith("account")]) == 1


def test_the_number_follows_the_description(calculator, expect):
    """Beside the controls that change it: how batches are made, whom it protects, what is released."""
    calculator.open(**RUN, noise_multiplier="1.5")
    plain = calculator.part("mu").inner_text()
    expect(calculator.part("sign")).to_have_text("μ =")
    calculator.field("sampling").select_option("shuffle")
    expect(calculator.part("mu")).not_to_have_text(plain)
    expect(calculator.part("sign")).to_have_text("μ ≤")
    expect(calculator.part("advice")).to_contain_text("No exact account of this run is known")
    assert float(calculator.part("mu").inner_text()) > 4 * float(plain)
    calculator.field("sampling").select_option("poisson")
    expect(calculator.part("mu")).to_have_text(plain)
    calculator.field("records_per_unit").fill("3")
    three = gaussdp.DPSGD.from_training(50_000, 500, 10, 1.5, records_per_unit=3)
    expect(calculator.part("mu")).to_have_text(guarantee_text(gaussdp.account(three).fit(floor=1e-10).mu))
    calculator.page.get_by_label("counts, sums, tables").check()
    calculator.field("records_per_unit").fill("1")
    expect(calculator.part("mu")).to_have_text(guarantee_text(gaussdp.account(12 * gaussdp.Gaussian(4.0)).fit().mu))
    calculator.page.get_by_role("button", name="Add a release").click()
    both = gaussdp.Composition([12 * gaussdp.Gaussian(4.0), gaussdp.Laplace(10.0)])
    expect(calculator.part("mu")).to_have_text(guarantee_text(gaussdp.account(both).fit(floor=1e-10).mu))
    calculator.wait_for_state(released="releases", releases="gaussian 4 1 12; laplace 10 1 1")
