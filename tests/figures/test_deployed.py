"""The deployments on one axis; the picture itself is compared in test_drawing.py."""

import io
import math

import numpy as np
import pytest
from PIL import Image

import gaussdp
from gaussdp.figures.deployed import render_deployments


def test_every_format_is_repeatable():
    first, second = (render_deployments("svg", "pdf", "png", mu=0.5) for _ in range(2))
    assert first == second
    assert all(len(content) > 5000 for content in first.values())


@pytest.mark.parametrize(("mu", "per_year"), [(None, True), (0.173, False), (math.inf, False)])
def test_nothing_touches_the_edge(mu, per_year):
    with Image.open(io.BytesIO(render_deployments("png", mu=mu, per_year=per_year)["png"])) as picture:
        grey = np.asarray(picture.convert("L"))
    assert all((edge > 250).all() for edge in (grey[:3], grey[-3:], grey[:, :3], grey[:, -3:]))


def test_bad_input():
    with pytest.raises(gaussdp.DomainError, match="mu must be in"):
        render_deployments("png", mu=-1.0)
    with pytest.raises(gaussdp.DomainError, match="uses must not be empty"):
        render_deployments("png", uses=())
