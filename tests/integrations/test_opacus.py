"""Opacus trains with the accountant "gaussdp", and its own accountants say how it should come out."""

import copy
import math
import pickle
import re
import runpy
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussdp import DPSGD, GDP, Composition, DomainError, Run, account, check_claim
from gaussdp.errors import UnsupportedVersionError, UntestedVersionWarning

torch = pytest.importorskip("torch", reason="needs torch: pip install torch==2.13.0")
pytest.importorskip("opacus", reason='needs Opacus: pip install "gaussdp[opacus]"')

from opacus import PrivacyEngine  # noqa: E402
from opacus.accountants import create_accountant  # noqa: E402
from opacus.accountants.utils import get_noise_multiplier  # noqa: E402
from opacus.schedulers import LambdaNoise  # noqa: E402
from opacus.utils.batch_memory_manager import BatchMemoryManager  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset  # noqa: E402

from gaussdp.integrations import opacus as integration  # noqa: E402
from gaussdp.integrations import versions  # noqa: E402
from gaussdp.integrations.versions import require  # noqa: E402

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "integrations" / "opacus.md").read_text(encoding="utf-8")
DELTA = 1e-5

torch.set_num_threads(1)  # the model is tiny, and other tests share the machine

pytestmark = [
    pytest.mark.filterwarnings("ignore:Secure RNG turned off"),
    pytest.mark.filterwarnings("ignore:Full backward hook is firing"),
    pytest.mark.filterwarnings("ignore:Optimal order is the"),
    pytest.mark.filterwarnings("ignore:GDP accounting is experimental"),
]


class Training:
    """A small classifier on synthetic data, made private by Opacus."""

    def __init__(self, *, accountant="gaussdp", noise_multiplier=1.0, budget=None, loader=None, **options):
        torch.manual_seed(0)
        inputs = torch.randn(240, 4)
        data = TensorDataset(inputs, (inputs.sum(dim=1) > 0).long())
        model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
        self.engine = PrivacyEngine(accountant=accountant)
        common = {
            "module": model,
            "optimizer": torch.optim.SGD(model.parameters(), lr=0.1),
            "data_loader": DataLoader(data, **(loader or {"batch_size": 24, "shuffle": True})),
            "max_grad_norm": 1.0,
            **options,
        }
        if budget:
            made = self.engine.make_private_with_epsilon(**common, **budget)
        else:
            made = self.engine.make_private(noise_multiplier=noise_multiplier, **common)
        self.model, self.optimizer, self.loader = made

    @property
    def accountant(self):
        return self.engine.accountant

    def run(self, epochs, loader=None):
        for _ in range(epochs):
            for inputs, labels in loader or self.loader:
                self.optimizer.zero_grad()
                nn.functional.cross_entropy(self.model(inputs), labels).backward()
                self.optimizer.step()


def test_a_run_is_accounted_through_checkpoint_and_resume(tmp_path):
    first = Training()
    first.run(epochs=2)
    first.engine.save_checkpoint(path=tmp_path / "half.pt", module=first.model, optimizer=first.optimizer)
    resumed = Training()
    resumed.engine.load_checkpoint(path=tmp_path / "half.pt", module=resumed.model, optimizer=resumed.optimizer)
    for ours, theirs in zip(resumed.model.parameters(), first.model.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    resumed.optimizer.noise_multiplier = 0.8
    resumed.run(epochs=1)
    assert resumed.accountant.history == [(1.0, 0.1, 20), (0.8, 0.1, 10)]
    assert len(resumed.accountant) == 30
    expected = account(Composition([DPSGD(1.0, 0.1, 20), DPSGD(0.8, 0.1, 10)]))
    assert resumed.engine.get_epsilon(DELTA) == expected.epsilon(DELTA)
    assert resumed.accountant.mu() == expected.fit().mu
    assert resumed.accountant.mu(floor=1e-4) == expected.fit(1e-4).mu < resumed.accountant.mu()
    assert resumed.accountant.curve() is resumed.accountant.curve()
    # Going on changes what was accounted before.
    resumed.run(epochs=1)
    assert resumed.engine.get_epsilon(DELTA) > expected.epsilon(DELTA)
    lower, upper = prv_bounds(resumed.accountant.history)
    assert lower <= resumed.engine.get_epsilon(DELTA) <= upper


def test_the_report_of_a_run():
    training = Training()
    training.run(epochs=2)
    report = training.accountant.report(
        unit="one <person>", adjacency="add-remove", records_per_unit=1, tuning="none", dataset_size=240
    )
    assert report.fit.mu == training.accountant.mu() <= report.mu
    assert (report.run.sampling, report.run.randomness, report.run.clipping) == ("poisson", "ordinary", "per-example")
    assert report.standing == "holds"
    assert report.run.mechanism == DPSGD(1.0, 0.1, 20)
    for format_ in ("text", "markdown", "html", "latex", "json"):
        assert "Poisson" in report.render(format_)
    with pytest.raises(DomainError, match="randomness must be left out or 'ordinary'"):
        training.accountant.report(unit="one person", adjacency="add-remove", randomness="secure")
    with pytest.raises(DomainError, match="unit"):
        training.accountant.report(unit="", adjacency="add-remove")


def test_the_report_says_that_batches_were_not_poisson_samples():
    stated = {"unit": "one person", "adjacency": "add-remove", "records_per_unit": 1, "tuning": "none"}
    training = Training(poisson_sampling=False)
    training.run(epochs=1)
    # Steps of a Poisson-sampling engine after that change nothing.
    resumed = Training()
    resumed.accountant.load_state_dict(training.accountant.state_dict())
    resumed.run(epochs=1)
    for accountant in (training.accountant, resumed.accountant):
        report = accountant.report(**stated)
        assert (report.run.sampling, report.standing) == ("shuffle", "does not hold")
        with pytest.raises(DomainError, match="sampling must be left out or 'shuffle', as was seen, got 'poisson'"):
            accountant.report(sampling="poisson", **stated)
    # A sampler of the user's own is taken for none, unless the user says what it does.
    own = Training(
        poisson_sampling=False, loader={"batch_sampler": BatchSampler(RandomSampler(range(240), True), 24, False)}
    )
    own.run(epochs=1)
    assert own.accountant.report(**stated).standing == "does not hold"
    assert own.accountant.report(sampling="poisson", **stated).standing == "holds"
    # Steps that nobody saw leave it open.
    training = Training()
    training.accountant.step(noise_multiplier=1.0, sample_rate=0.1)
    training.run(epochs=1)
    assert training.accountant.report(**stated).run.sampling is None
    assert training.accountant.report(**stated).standing == "depends"


class TestRunFiles:
    """One line after training writes what every command takes."""

    @pytest.mark.parametrize("accountant", ["gaussdp", "prv", "rdp"])
    def test_of_any_accountant(self, accountant, tmp_path):
        training = Training(accountant=accountant)
        training.run(2)
        seen = {"optimizer": training.optimizer, "loader": training.loader}
        run = integration.write_run(
            tmp_path / "run.toml", training.engine, unit="one row", adjacency="add-remove", **seen
        )
        assert run == Run.read(tmp_path / "run.toml")
        assert run.mechanism == DPSGD(1.0, 0.1, 20)
        assert (run.sampling, run.clipping, run.randomness) == ("poisson", "per-example", "ordinary")
        assert (run.clip_norm, run.dataset_size) == (1.0, 240)
        assert run.not_stated == ("records_per_unit", "tuning")
        with pytest.raises(DomainError, match="sampling must be left out or 'poisson', as was seen"):
            integration.write_run(
                tmp_path / "other.toml",
                training.engine,
                unit="one row",
                adjacency="add-remove",
                sampling="shuffle",
                **seen,
            )
        assert not (tmp_path / "other.toml").exists()

    def test_without_the_loader_batches_are_not_known(self, tmp_path):
        training = Training(accountant="prv")
        training.run(1)
        run = integration.write_run(tmp_path / "run.json", training.engine, unit="one row", adjacency="add-remove")
        assert run.not_stated == ("records_per_unit", "tuning", "sampling", "randomness")
        assert Run.read(tmp_path / "run.json") == run

    def test_batches_that_are_shuffled(self, tmp_path):
        training = Training(poisson_sampling=False)
        training.run(1)
        run = integration.write_run(
            tmp_path / "run.toml", training.engine, unit="one row", adjacency="add-remove", loader=training.loader
        )
        assert (run.sampling, run.batches_per_pass) == ("shuffle", 10)
        assert check_claim(Run.read(tmp_path / "run.toml"), "epsilon=1 delta=1e-5").status == "false"

    def test_what_is_no_engine(self, tmp_path):
        with pytest.raises(DomainError, match="a PrivacyEngine or an accountant of Opacus, got str"):
            integration.write_run(tmp_path / "run.toml", "engine", unit="one row", adjacency="add-remove")


def prv_bounds(history):
    theirs = create_accountant("prv")
    theirs.history = history
    distribution = theirs._get_dprv(eps_error=0.01, delta_error=DELTA / 1000)
    lower, _, upper = distribution.compute_epsilon(DELTA, DELTA / 1000, 0.01)
    return lower, upper


@given(
    st.lists(
        st.tuples(st.sampled_from([0.7, 1.0, 2.5]), st.sampled_from([0.01, 0.05, 0.3]), st.integers(1, 4)),
        min_size=1,
        max_size=8,
    )
)
def test_equal_steps_in_a_row_are_one_entry(parts):
    accountant = create_accountant("gaussdp")
    for noise, rate, count in parts:
        for _ in range(count):
            accountant.step(noise_multiplier=noise, sample_rate=rate)
    assert len(accountant) == sum(count for _, _, count in parts)
    assert all(left[:2] != right[:2] for left, right in zip(accountant.history, accountant.history[1:], strict=False))
    again = create_accountant("gaussdp")
    again.load_state_dict(accountant.state_dict())
    assert again.history == accountant.history
    assert dict(again.composition().parts()) == dict(accountant.composition().parts())


@pytest.mark.parametrize("history", [[(1.0, 0.01, 500)], [(0.6, 0.005, 800)], [(1.5, 0.05, 300), (1.0, 0.02, 200)]])
def test_epsilon_lies_within_the_bounds_of_prv(history):
    ours = create_accountant("gaussdp")
    ours.history = history
    lower, upper = prv_bounds(history)
    assert lower <= ours.get_epsilon(DELTA) <= upper


def test_the_docs_table_is_true():
    table = runpy.run_path(str(ROOT / "benchmarks" / "opacus_accountants.py"))["table"]()
    assert table in PAGE


def test_the_docs_code_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    training = Training()
    names = {"model": nn.Linear(4, 2), "loader": DataLoader(training.loader.dataset, batch_size=24)}
    names["optimizer"] = torch.optim.SGD(names["model"].parameters(), lr=0.1)
    first, *others = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(first, names)
    training.model, training.optimizer = names["model"], names["optimizer"]
    training.run(epochs=1, loader=names["loader"])
    assert names["engine"].accountant.history == [(1.0, 0.1, 10)]
    for block in others:
        exec(block, names)


def test_full_batches_are_plain_gaussian_releases():
    training = Training(loader={"batch_size": 240}, poisson_sampling=False, noise_multiplier=4.0)
    training.run(epochs=4)
    assert training.accountant.mu() == pytest.approx(math.sqrt(4) / 4.0, rel=1e-15)
    assert training.accountant.fit().unconditional
    assert training.engine.get_epsilon(DELTA) == pytest.approx(GDP(0.5).epsilon(DELTA), rel=1e-12)


def test_no_step_and_no_noise():
    accountant = create_accountant("gaussdp")
    assert (accountant.get_epsilon(DELTA), accountant.mu(), len(accountant)) == (0.0, 0.0, 0)
    with pytest.raises(DomainError, match="at least one step"):
        accountant.curve()
    training = Training(noise_multiplier=0.0)
    training.run(epochs=1)
    assert training.engine.get_epsilon(DELTA) == training.accountant.mu() == math.inf
    with pytest.raises(DomainError, match="noise_multiplier must be positive"):
        training.accountant.curve()


def test_batches_that_are_no_poisson_samples_are_told():
    for loader, words in [
        ({"batch_size": 24, "shuffle": True}, "shuffle"),
        ({"batch_size": 24}, "fixed batches"),
        ({"batch_sampler": BatchSampler(RandomSampler(range(240), replacement=True), 24, False)}, "RandomSampler"),
    ]:
        training = Training(poisson_sampling=False, loader=loader)
        training.run(epochs=1)
        with pytest.warns(UserWarning, match=f"made by {words}: the privacy loss can be larger"):
            training.engine.get_epsilon(DELTA)
        with pytest.warns(UserWarning, match="assume Poisson-sampled batches"):
            training.accountant.mu()
        # A checkpoint remembers it.
        resumed = create_accountant("gaussdp")
        resumed.load_state_dict(training.accountant.state_dict())
        with pytest.warns(UserWarning, match=words):
            resumed.get_epsilon(DELTA)


@pytest.mark.parametrize(
    "options", [{"clipping": "per_layer", "max_grad_norm": [1.0] * 4}, {"grad_sample_mode": "ew"}], ids=str
)
def test_other_ways_of_clipping(options):
    training = Training(**options)
    training.run(epochs=1)
    assert training.accountant.history == [(1.0, 0.1, 10)]
    assert training.accountant.report(unit="one person", adjacency="add-remove").run.sampling == "poisson"


def test_a_schedule_of_noise_is_composed():
    training = Training()
    schedule = LambdaNoise(training.optimizer, noise_lambda=lambda step: 1.0 + step)
    for _ in range(2):
        training.run(epochs=1)
        schedule.step()
    assert training.accountant.history == [(1.0, 0.1, 10), (2.0, 0.1, 10)]


def test_split_batches_count_as_one_step():
    training = Training()
    with BatchMemoryManager(
        data_loader=training.loader, max_physical_batch_size=5, optimizer=training.optimizer
    ) as loader:
        training.run(epochs=1, loader=loader)
    assert training.accountant.history == [(1.0, 0.1, 10)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        training.accountant.mu()


def test_adaptive_clipping_is_refused():
    training = Training(
        clipping="adaptive",
        target_unclipped_quantile=0.5,
        clipbound_learning_rate=0.2,
        max_clipbound=10.0,
        min_clipbound=0.1,
        unclipped_num_std=10.0,
    )
    with pytest.raises(DomainError, match='clipping must be "flat" or "per_layer"'):
        training.run(epochs=1)
    assert not training.accountant.history


def test_make_private_with_epsilon():
    budget = {"target_epsilon": 2.0, "target_delta": DELTA, "epochs": 3}
    training = Training(budget=budget)
    training.run(epochs=3)
    assert 1.98 <= training.engine.get_epsilon(DELTA) <= 2.0
    assert len(training.accountant) == 30


def test_noise_for_epsilon():
    budget = {"target_epsilon": 3.0, "target_delta": DELTA, "sample_rate": 0.01, "epochs": 10}
    ours = integration.noise_multiplier(**budget)
    assert account(DPSGD(ours, 0.01, 1000)).epsilon(DELTA) <= 3.0
    assert account(DPSGD(ours - 1e-4, 0.01, 1000)).epsilon(DELTA) > 3.0
    by_engine = get_noise_multiplier(accountant="gaussdp", **budget)
    assert ours <= by_engine <= ours * 1.01
    # What the CLT says suffices does not.
    too_little = get_noise_multiplier(accountant="gdp", **budget)
    assert account(DPSGD(too_little, 0.01, 1000)).epsilon(DELTA) > 3.0


def test_noise_for_mu():
    noise = integration.noise_multiplier(target_mu=0.5, sample_rate=0.02, steps=700, floor=1e-6, digits=3)
    assert account(DPSGD(noise, 0.02, 700)).fit(1e-6).mu <= 0.5
    assert account(DPSGD(noise - 0.01, 0.02, 700)).fit(1e-6).mu > 0.5


@pytest.mark.parametrize("batches", [93, 99, 123])
def test_an_epoch_counts_all_its_steps(batches):
    # 1 / (1 / batches) falls a hair below the whole number, and Opacus's own function then drops a step.
    assert int(1 / (1 / batches)) == batches - 1
    budget = {"target_mu": 0.1, "sample_rate": 1 / batches, "digits": 3}
    assert integration.noise_multiplier(epochs=1, **budget) == integration.noise_multiplier(steps=batches, **budget)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sample_rate": 0.1, "steps": 10}, "give either target_mu, or target_epsilon and target_delta"),
        ({"sample_rate": 0.1, "steps": 10, "target_epsilon": 1.0}, "give either target_mu, or"),
        (
            {"sample_rate": 0.1, "steps": 10, "target_mu": 1.0, "target_epsilon": 1.0, "target_delta": 0.1},
            "give either target_mu, or",
        ),
        ({"sample_rate": 0.1, "target_mu": 1.0}, "give either steps or epochs"),
        ({"sample_rate": 0.1, "target_mu": 1.0, "steps": 1, "epochs": 1}, "give either steps or epochs"),
        ({"sample_rate": 1.5, "target_mu": 1.0, "steps": 1}, "sample_rate must be in"),
        ({"sample_rate": 0.1, "target_mu": math.nan, "steps": 1}, "target_mu must be in"),
        ({"sample_rate": 0.1, "target_mu": 1.0, "steps": 1.5}, "steps must be a whole number"),
        ({"sample_rate": 0.1, "target_mu": 1.0, "epochs": -1}, "epochs must be in"),
        ({"sample_rate": 0.1, "target_epsilon": 1.0, "target_delta": 0, "steps": 1}, "target_delta must be in"),
    ],
)
def test_bad_budgets(arguments, message):
    with pytest.raises(DomainError, match=message):
        integration.noise_multiplier(**arguments)


@pytest.mark.parametrize(
    ("noise", "rate", "name"),
    [
        (-1.0, 0.1, "noise_multiplier"),
        (math.nan, 0.1, "noise_multiplier"),
        (math.inf, 0.1, "noise_multiplier"),
        ("1", 0.1, "noise_multiplier"),
        (1.0, 0.0, "sample_rate"),
        (1.0, 1.1, "sample_rate"),
        (1.0, math.nan, "sample_rate"),
        (1.0, None, "sample_rate"),
    ],
)
def test_bad_steps_leave_no_trace(noise, rate, name):
    accountant = create_accountant("gaussdp")
    with pytest.raises(DomainError, match=f"{name} must be"):
        accountant.step(noise_multiplier=noise, sample_rate=rate)
    assert (accountant.history, accountant.mu()) == ([], 0.0)


@pytest.mark.parametrize("delta", [0.0, 1.0, -1.0, math.nan, "1e-5", None])
def test_bad_deltas(delta):
    with pytest.raises(DomainError, match="delta must be"):
        create_accountant("gaussdp").get_epsilon(delta)


def test_state_of_opacus_own_accountants_is_taken_over():
    theirs = create_accountant("rdp")
    theirs.step(noise_multiplier=1.0, sample_rate=0.1)
    ours = create_accountant("gaussdp")
    ours.load_state_dict(theirs.state_dict())
    assert ours.history == [(1.0, 0.1, 1)]


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (None, "None or empty"),
        ({}, "None or empty"),
        ({"mechanism": "gaussdp"}, "history"),
        ({"history": []}, "mechanism"),
        ({"history": [], "mechanism": "other"}, "other"),
        ({"history": [(1.0, 2.0, 3)], "mechanism": "gaussdp"}, "sample_rate must be in"),
        ({"history": [(1.0, 0.1)], "mechanism": "gaussdp"}, "history must hold"),
        ({"history": [(1.0, 0.1, 2.5)], "mechanism": "gaussdp"}, "steps must be a whole number"),
        ({"history": 5, "mechanism": "gaussdp"}, "history must hold"),
    ],
)
def test_bad_states(state, message):
    accountant = create_accountant("gaussdp")
    accountant.step(noise_multiplier=1.0, sample_rate=0.1)
    with pytest.raises(ValueError, match=message):
        accountant.load_state_dict(state)
    assert accountant.history == [(1.0, 0.1, 1)]


@pytest.fixture
def version_is(monkeypatch):
    """Loads the integration anew, as if another version of Opacus were installed."""
    real = versions.metadata.version

    def load(version):
        monkeypatch.setattr(versions.metadata, "version", lambda name: version if name == "opacus" else real(name))
        require.cache_clear()
        return runpy.run_path(integration.__file__)

    yield load
    require.cache_clear()
    integration.register()


def test_an_older_version_is_refused(version_is):
    with pytest.raises(UnsupportedVersionError, match=r"opacus must be >=1.6,<1.7, 1.5.4 is installed: pip install"):
        version_is("1.5.4")


def test_a_newer_version_warns(version_is):
    with pytest.warns(UntestedVersionWarning, match="opacus 1.7.0 is newer"):
        assert version_is("1.7.0")["NAME"] == "gaussdp"


def test_registering_twice_is_harmless():
    integration.register()
    assert type(create_accountant("gaussdp")) is integration.GaussdpAccountant
    assert integration.GaussdpAccountant.mechanism() == "gaussdp"


@pytest.mark.parametrize("history", [[(1.0, 0.01, 1000)], [(0.05, 0.01, 3)]], ids=["exact", "distribution"])
def test_an_accountant_is_saved_and_copied_after_it_was_asked(tmp_path, history):
    accountant = integration.GaussdpAccountant()
    accountant.history = history
    epsilon, fit = accountant.get_epsilon(delta=1e-5), accountant.fit(1e-6)
    torch.save(accountant, tmp_path / "accountant.pt")
    loaded = torch.load(tmp_path / "accountant.pt", weights_only=False)
    for other in (loaded, pickle.loads(pickle.dumps(accountant)), copy.deepcopy(accountant), copy.copy(accountant)):
        assert other.history == history
        assert other.get_epsilon(delta=1e-5) == epsilon
        assert other.fit(1e-6) == fit


@pytest.mark.parametrize(("epochs", "steps"), [(1.0, 4), (1.1, 4), (1.3, 5), (3.0, 10)])
def test_passes_at_a_sample_rate_are_rounded_up_to_steps(epochs, steps):
    """The noise for a pass that ends within a step is that of the whole step."""
    by_epochs = integration.noise_multiplier(target_mu=0.5, sample_rate=0.3, epochs=epochs)
    assert by_epochs == integration.noise_multiplier(target_mu=0.5, sample_rate=0.3, steps=steps)
