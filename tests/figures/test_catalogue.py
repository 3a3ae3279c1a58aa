"""The nine plots as descriptions: windows, ticks, curves, colours and points, against the paper's source."""

import math

import numpy as np
import pytest

import gaussdp
from gaussdp.figures import FIGURES, figure

SEQUENCE = ["#9ecae1", "#6baed6", "#2171b5", "#08519c"]
CURVES = ["cA", "cB", "cC", "cD"]

# Every file and column that the paper's LaTeX source reads, in the order of its plots.
READ = {
    "fig1a": ("fig1a_tradeoff_mu1.dat", ["fpr", "tpr"]),
    "fig1b": ("fig1b_mu_vs_eps_multadv.dat", ["eps", *CURVES]),
    "fig2a": ("fig2a_precision_mu1.dat", ["recall", "precision"]),
    "fig2b": ("fig2b_mu_vs_eps_recall.dat", ["eps", *CURVES]),
    "fig3a": ("fig3a_log10delta_mu1.dat", ["log10delta", "eps"]),
    "fig3b": ("fig3b_mu_vs_eps_adp.dat", ["eps", *CURVES]),
    "fig4a": ("fig4a_advratio_vs_fpr.dat", ["fpr", *CURVES]),
    "fig5a": ("fig5a_precision_vs_recall.dat", ["recall", *CURVES]),
    "fig6a": ("fig6a_log10delta_vs_eps.dat", ["eps", *CURVES]),
}

# xmin, xmax, ymin, ymax, x ticks, y ticks of the source.
WINDOWS = {
    "fig1a": (1e-5, 1e-2, 0, 0.018298 * 1.15, [1e-5, 1e-4, 1e-3, 1e-2], [0.01, 0.02]),
    "fig1b": (0, 4, 0, 4, [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]),
    "fig2a": (0, 1, 0.4, 1.05, [0, 0.5, 1], [0.5, 0.75, 1]),
    "fig2b": (0, 4, 0, 4, [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]),
    "fig3a": (-10, 0, 0, 8, [-9, -6, -3, 0], [0, 2, 4, 6, 8]),
    "fig3b": (0, 4, 0, 4, [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]),
    "fig4a": (1e-6, 1e-1, 1, 1e3, [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1], [1, 10, 100, 1000]),
    "fig5a": (0, 1, 0.45, 1.02, [0, 0.25, 0.5, 0.75, 1], [0.5, 0.6, 0.7, 0.8, 0.9, 1]),
    "fig6a": (-15, 0, 0, 9, [-15, -12, -9, -6, -3, 0], [0, 2, 4, 6, 8]),
}

LEGENDS = {
    "fig1a": ["GDP", "TPR = FPR"],
    "fig1b": [r"$\varepsilon/3$", r"$\varepsilon/5$", *(rf"$\alpha = 10^{{-{i}}}$" for i in (5, 4, 3, 2))],
    "fig2a": ["GDP", "Precision = ½"],
    "fig2b": [r"$\varepsilon/3$", r"$\varepsilon/5$", *(rf"$\bar{{\beta}} = 10^{{-{i}}}$" for i in (5, 4, 3, 2))],
    "fig3a": ["GDP"],
    "fig3b": [r"$\varepsilon/3$", r"$\varepsilon/5$", *(rf"$\delta = 10^{{-{i}}}$" for i in (5, 6, 7, 8))],
    "fig4a": ["TPR = FPR", *(rf"$\mu = {mu}$" for mu in ("0.1", "0.25", "0.5", "1"))],
    "fig5a": ["Precision = ½", *(rf"$\mu = {mu}$" for mu in ("0.1", "0.25", "0.5", "1"))],
    "fig6a": [rf"$\mu = {mu}$" for mu in ("0.1", "0.25", "0.5", "1")],
}


def points(plot):
    """The columns of the data file as it would be read back."""
    header, *rows = plot.data_text().splitlines()
    values = np.array([[float(word) for word in row.split()] for row in rows])
    return dict(zip(header.split(), values.T, strict=True))


def in_window(axis, values):
    """Positions along the axis, 0 to 1 inside the window."""
    scale = np.log10 if axis.log else np.asarray
    low, high = scale(axis.low), scale(axis.high)
    return (scale(values) - low) / (high - low)


def test_the_catalogue_holds_nine():
    assert list(FIGURES) == list(READ) == list(WINDOWS)


@pytest.mark.parametrize("key", FIGURES)
class TestEveryFigure:
    def test_data_file_and_columns(self, key):
        plot = figure(key)
        name, columns = READ[key]
        assert plot.data_name == name
        assert list(points(plot)) == columns

    def test_window_and_ticks(self, key):
        plot = figure(key)
        *window, x_ticks, y_ticks = WINDOWS[key]
        assert [plot.x.low, plot.x.high, plot.y.low, plot.y.high] == pytest.approx(window, rel=1e-4)
        assert list(plot.x.ticks) == pytest.approx(x_ticks)
        assert list(plot.y.ticks) == pytest.approx(y_ticks)
        assert plot.x.log == (key in ("fig1a", "fig4a"))
        assert plot.y.log == (key == "fig4a")

    def test_legend(self, key):
        assert [curve.label for curve in figure(key).curves] == LEGENDS[key]

    def test_colours(self, key):
        solid = [curve.colour for curve in figure(key).curves if not curve.dashed]
        assert solid == (["#ff7f0e"] if len(solid) == 1 else SEQUENCE)

    def test_points_are_finite(self, key):
        for column in points(figure(key)).values():
            assert np.isfinite(column).all()

    def test_points_cover_the_window(self, key):
        plot = figure(key)
        for curve in (curve for curve in plot.curves if not curve.dashed):
            x, y = in_window(plot.x, curve.x), in_window(plot.y, curve.y)
            # Each end lies on the frame or outside it.
            for i in (0, -1):
                assert min(x[i], 1 - x[i], y[i], 1 - y[i]) <= 1.01e-4

    def test_curves_are_smooth_in_the_window(self, key):
        """No point lies further off the chord of its neighbours than a line's width, and no two far apart."""
        plot = figure(key)
        for curve in (curve for curve in plot.curves if not curve.dashed):
            p = np.stack([in_window(plot.x, curve.x), in_window(plot.y, curve.y)], axis=1)
            p = p[((p >= 0) & (p <= 1)).all(axis=1)]
            chord, offset = p[2:] - p[:-2], p[1:-1] - p[:-2]
            distance = np.abs(chord[:, 0] * offset[:, 1] - chord[:, 1] * offset[:, 0]) / np.hypot(*chord.T)
            assert len(p) > 50
            assert distance.max() < 1e-3
            assert np.hypot(*np.diff(p, axis=0).T).max() < 0.05

    def test_data_is_what_is_drawn(self, key):
        plot = figure(key)
        drawn = [curve for curve in plot.curves if not curve.dashed]
        columns = points(plot)
        pairs = {"fig3a": ("log10delta", ["eps"]), "fig6a": (None, CURVES)}
        x_name, others = pairs.get(key, (READ[key][1][0], READ[key][1][1:]))
        for curve, name in zip(drawn, others, strict=True):
            x, y = (columns[name], columns["eps"]) if x_name is None else (columns[x_name], columns[name])
            np.testing.assert_allclose(curve.x, x, rtol=1e-11, atol=1e-300)
            np.testing.assert_allclose(curve.y, y, rtol=1e-11, atol=1e-300)


class TestPointsAgainstTheLibrary:
    def test_fig1a(self):
        data = points(figure("fig1a"))
        np.testing.assert_allclose(data["tpr"], 1 - gaussdp.fnr_from_mu(1.0, data["fpr"]), rtol=1e-9, atol=1e-14)

    @pytest.mark.parametrize(
        ("key", "convert", "levels"),
        [
            ("fig1b", gaussdp.mu_from_multiplicative_advantage, (1e-5, 1e-4, 1e-3, 1e-2)),
            ("fig2b", gaussdp.mu_from_precision, (1e-5, 1e-4, 1e-3, 1e-2)),
            ("fig3b", gaussdp.mu_from_profile, (1e-5, 1e-6, 1e-7, 1e-8)),
        ],
    )
    def test_mappings(self, key, convert, levels):
        data = points(figure(key))
        assert data["eps"][0] == 0
        assert data["eps"][-1] == 4
        for name, level in zip(CURVES, levels, strict=True):
            np.testing.assert_allclose(data[name], convert(data["eps"], level), rtol=1e-10)

    @pytest.mark.parametrize(("key", "mus"), [("fig2a", {"precision": 1.0}), ("fig5a", None)])
    def test_precision(self, key, mus):
        data = points(figure(key))
        for name, mu in (mus or dict(zip(CURVES, (0.1, 0.25, 0.5, 1.0), strict=True))).items():
            expected = gaussdp.precision_from_mu(mu, data["recall"][:-1])
            np.testing.assert_allclose(data[name][:-1], expected, rtol=1e-10)
            assert (data["recall"][-1], data[name][-1]) == (1.0, 0.5)

    def test_fig4a(self):
        data = points(figure("fig4a"))
        for name, mu in zip(CURVES, (0.1, 0.25, 0.5, 1.0), strict=True):
            expected = gaussdp.multiplicative_advantage_from_mu(mu, data["fpr"])
            np.testing.assert_allclose(data[name], expected, rtol=1e-10)

    @pytest.mark.parametrize(("key", "mus"), [("fig3a", {"log10delta": 1.0}), ("fig6a", None)])
    def test_profiles(self, key, mus):
        data = points(figure(key))
        for name, mu in (mus or dict(zip(CURVES, (0.1, 0.25, 0.5, 1.0), strict=True))).items():
            seen = data[name] > -200
            expected = np.log10(gaussdp.delta_from_mu(mu, data["eps"][seen]))
            np.testing.assert_allclose(data[name][seen], expected, rtol=1e-9, atol=1e-10)


class TestFig1a:
    def test_arrow_runs_from_the_baseline_to_the_curve(self):
        arrow = figure("fig1a").arrow
        assert (arrow.x, arrow.low) == (1e-3, 1e-3)
        assert arrow.high == pytest.approx(0.018298, abs=5e-7)
        assert "TPR" in arrow.words

    def test_baseline_is_the_diagonal(self):
        baseline = figure("fig1a").curves[1]
        np.testing.assert_array_equal(baseline.x, baseline.y)

    def test_own_mu_and_level(self):
        plot = figure("fig1a", mu=0.5, fpr=3e-6)
        assert (plot.x.low, plot.x.high) == (1e-8, 1e-5)
        assert plot.y.high == pytest.approx(1.15 * gaussdp.GDP(0.5).tpr(3e-6))
        assert 1 <= len(plot.y.ticks) <= 2


class TestOwnParameters:
    def test_levels_and_end_of_the_axis(self):
        plot = figure("fig3b", delta=[1e-6, 3e-9], epsilon=10.0)
        assert [curve.label for curve in plot.curves[2:]] == [r"$\delta = 10^{-6}$", r"$\delta = 3 \cdot 10^{-9}$"]
        assert plot.x.high == 10
        assert plot.x.ticks == (0, 2, 4, 6, 8, 10)
        assert plot.curves[3].y[-1] == pytest.approx(gaussdp.mu_from_profile(10.0, 3e-9), rel=1e-14)

    @pytest.mark.parametrize("mus", [[0.01], [0.3, 3.0], [5.0], [20.0, 50.0]])
    @pytest.mark.parametrize("key", ["fig3a", "fig6a"])
    def test_a_profile_window_holds_every_curve(self, key, mus):
        lowest = {"fig3a": 1e-10, "fig6a": 1e-15}[key]
        plot = figure(key, mu=mus[-1] if key == "fig3a" else mus)
        need = gaussdp.epsilon_from_mu(mus[-1], lowest)
        assert need <= plot.y.high <= 3 * need
        assert 3 <= len(plot.y.ticks) <= 6

    def test_an_advantage_window_leaves_a_decade(self):
        assert figure("fig4a", mu=[0.5]).y.high == 1e3
        assert figure("fig4a", mu=[0.1]).y.high == 1e2
        assert figure("fig4a", mu=[2.0]).y.high == 1e5

    def test_a_budget_above_the_diagonal_enlarges_the_window(self):
        plot = figure("fig1b", fpr=[0.4], epsilon=1.0)
        assert plot.curves[-1].y[-1] > 1.0
        assert plot.y.high == 2.0

    @pytest.mark.parametrize("count", [1, 2, 3, 8])
    def test_colours_run_from_light_to_dark(self, count):
        plot = figure("fig5a", mu=np.linspace(0.1, 2, count).tolist())
        colours = [curve.colour for curve in plot.curves[1:]]
        brightness = [sum(int(colour[i : i + 2], 16) for i in (1, 3, 5)) for colour in colours]
        assert len(set(colours)) == count
        assert brightness == sorted(brightness, reverse=True)
        assert colours[-1] == "#08519c"

    @pytest.mark.parametrize(
        ("key", "parameters", "words"),
        [
            ("fig1a", {"mu": 0.0}, "mu must be in [1e-06, 1e+06], got 0.0"),
            ("fig1a", {"fpr": 1.0}, "fpr must be in [1e-300, 1), got 1.0"),
            ("fig2a", {"mu": math.inf}, "mu must be in [1e-06, 1e+06], got inf"),
            ("fig4a", {"mu": [1.0, math.nan]}, "mu must be in [1e-06, 1e+06], got nan"),
            ("fig4a", {"mu": []}, "mu must hold 1 to 8 values"),
            ("fig1b", {"fpr": [0.1] * 9}, "fpr must hold 1 to 8 values, one a curve, got 9"),
            ("fig2b", {"recall": [2.0]}, "recall must be in (0, 1), got 2.0"),
            ("fig3b", {"epsilon": -1.0}, "epsilon must be in [1e-06, 1e+06], got -1.0"),
        ],
    )
    def test_bad_parameters(self, key, parameters, words):
        with pytest.raises(gaussdp.DomainError) as refusal:
            figure(key, **parameters)
        assert words in str(refusal.value)
