"""The catalogue: every published number is there, and the arithmetic from it to mu is right."""

import dataclasses
import math

import mpmath as mp
import pytest

import gaussdp
from gaussdp.published import Deployment, deployments
from oracles import delta_from_mu

# As published, the sum over the files for one unit of the census: organisation, setting, rho, epsilon, delta, basis.
PUBLISHED = {
    "2020 Census redistricting data, persons": ("US Census Bureau", "central", 2.56, None, None, "exact"),
    "2020 Census redistricting data, housing units": ("US Census Bureau", "central", 0.07, None, None, "exact"),
    "2020 Census DHC, persons": ("US Census Bureau", "central", 7.52, None, None, "exact"),
    "2020 Census DHC, housing units": ("US Census Bureau", "central", 7.77, None, None, "exact"),
    "Facebook Full URLs data set": ("Meta", "central", None, 1.453, 1e-5, "exact"),
    "Wikipedia pageviews by country": ("Wikimedia Foundation", "central", 0.015, None, None, "exact"),
    "Gboard next-word model, Spanish": ("Google", "central", 0.81, None, None, "exact"),
    "COVID-19 mobility reports": ("Google", "central", None, 2.64, None, "implied"),
    "COVID-19 search trends symptoms": ("Google", "central", None, 1.68, None, "implied"),
    "Emoji suggestions": ("Apple", "local", None, 4.0, None, "implied"),
    "HealthKit type usage": ("Apple", "local", None, 2.0, None, "implied"),
    "Windows app usage telemetry": ("Microsoft", "local", None, 1.672, None, "implied"),
    "CTDC data on trafficking": ("Microsoft and IOM", "central", None, 12.0, 5.8e-6, "none"),
    "Audience Engagements API": ("LinkedIn", "central", None, 34.9, 7e-9, "none"),
    "Registry of live births 2014": ("Ministry of Health, Israel", "central", None, 9.98, None, "implied"),
}
BY_NAME = {use.name: use for use in deployments()}
FIELDS = {
    "name": "Counts",
    "organisation": "Town",
    "year": 2025,
    "unit": "a person",
    "setting": "central",
    "covers": "One table.",
    "source": "Town bulletin",
}


def test_every_entry_is_listed_once():
    assert len(deployments()) == len(BY_NAME)
    assert set(BY_NAME) == set(PUBLISHED)


@pytest.mark.parametrize("name", PUBLISHED)
def test_as_published(name):
    use = BY_NAME[name]
    found = (use.organisation, use.setting, use.rho, use.epsilon, use.delta, use.basis)
    assert found == PUBLISHED[name]
    assert 2017 <= use.year <= 2026
    assert use.url == "" or use.url.startswith("https://")


@pytest.mark.parametrize("use", [use for use in deployments() if use.rho is not None], ids=lambda use: use.name)
def test_mu_of_zcdp(use):
    """Gaussian noise of multiplier sigma has rho = 1/(2 sigma^2) and mu = 1/sigma."""
    with mp.workdps(40):
        sigma = 1 / mp.sqrt(2 * mp.mpf(use.rho))
        assert use.mu == pytest.approx(float(1 / sigma), rel=1e-15)


@pytest.mark.parametrize("use", [use for use in deployments() if use.basis == "implied"], ids=lambda use: use.name)
def test_mu_of_pure_dp(use):
    """The GDP curve of the implied mu goes through the kink, where both error rates are 1/(1 + e^epsilon)."""
    with mp.workdps(40):
        kink = 1 / (1 + mp.exp(mp.mpf(use.epsilon)))
        assert float(mp.ncdf(-mp.mpf(use.mu) / 2)) == pytest.approx(float(kink), rel=1e-13)


def test_meta_states_the_epsilon_and_delta_of_its_mu():
    """mu is about 0.376: its profile at 1.453 is 1e-5, and the mu of three digits has that epsilon to three digits."""
    use = BY_NAME["Facebook Full URLs data set"]
    assert use.mu == pytest.approx(0.376, abs=5e-4)
    assert float(delta_from_mu(use.mu, use.epsilon)) == pytest.approx(use.delta, rel=1e-11)
    assert float(delta_from_mu(0.376, 1.4520)) < 1e-5 < float(delta_from_mu(0.376, 1.4519))
    assert gaussdp.epsilon_from_mu(0.376, 1e-5) == pytest.approx(1.453, abs=1.5e-3)


@pytest.mark.parametrize("use", [use for use in deployments() if use.basis == "none"], ids=lambda use: use.name)
def test_a_bare_pair_has_no_mu(use):
    assert use.mu is None
    with pytest.raises(gaussdp.DomainError, match="no finite mu follows"):
        gaussdp.ApproxDP(use.epsilon, use.delta).implied()


def test_an_implied_mu_is_no_matched_budget():
    for use in deployments():
        if use.basis == "implied":
            matched = gaussdp.choose(gaussdp.PureDP(use.epsilon), gaussdp.MultiplicativeAdvantage(fpr=1e-3)).mu
            assert use.mu > matched


@pytest.mark.parametrize("use", deployments(), ids=lambda use: use.name)
def test_every_entry_says_what_its_unit_covers(use):
    assert use.covers.startswith("The number protects ")


def test_the_census_adds_files_and_not_units():
    """A person stands in the person tables of both files, a housing unit in the housing tables; 15.29 is nobody's."""
    persons, units = (BY_NAME[f"2020 Census DHC, {unit}"] for unit in ("persons", "housing units"))
    earlier = [BY_NAME[f"2020 Census redistricting data, {unit}"] for unit in ("persons", "housing units")]
    assert persons.rho == pytest.approx(earlier[0].rho + 4.96, rel=1e-15)
    assert units.rho == pytest.approx(earlier[1].rho + 7.70, rel=1e-15)
    assert persons.rho + units.rho == pytest.approx(15.29, rel=1e-15)
    assert [persons.mu, units.mu] == pytest.approx([3.878, 3.942], abs=5e-4)


def test_windows_collects_every_six_hours():
    use = BY_NAME["Windows app usage telemetry"]
    assert use.period == "6 hours"
    assert use.mu_per_year == pytest.approx(use.mu * math.sqrt(4 * 365), rel=1e-15)
    assert use.mu_per_year == pytest.approx(76.6, abs=0.05)


def test_wikimedia_counts_unique_page_views():
    assert "unique page views" in BY_NAME["Wikipedia pageviews by country"].unit


def test_whole_numbers_are_numbers():
    assert Deployment(**FIELDS, epsilon=2).mu == Deployment(**FIELDS, epsilon=2.0).mu


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, "a guarantee is stated as rho, as epsilon, or as epsilon and delta"),
        ({"rho": 1.0, "epsilon": 1.0}, "a guarantee is stated as"),
        ({"delta": 1e-5}, "a guarantee is stated as"),
        ({"epsilon": 1.0, "gaussian": True}, "a guarantee is stated as"),
        ({"rho": -1.0}, r"rho must be in \(0, inf\), got -1.0"),
        ({"epsilon": math.nan}, r"epsilon must be in \(0, inf\), got nan"),
        ({"epsilon": 1.0, "delta": 2.0}, r"delta must be in \(0, 1\), got 2.0"),
        ({"rho": 1.0, "setting": "shuffled"}, "setting must be one of 'central', 'local', .*, got 'shuffled'"),
        ({"rho": 1.0, "year": 1999}, "year must be a whole number of at least 2006, got 1999"),
        ({"rho": 1.0, "unit": ""}, "unit of a deployment must be words, got ''"),
    ],
)
def test_bad_entries(change, words):
    with pytest.raises(gaussdp.DomainError, match=words):
        Deployment(**{**FIELDS, **change})


def test_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        deployments()[0].year = 2000
