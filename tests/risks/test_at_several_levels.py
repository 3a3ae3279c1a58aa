"""What is read at several levels together is what is read at each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussdp.risks import criteria

LEVELS = st.lists(st.floats(1e-12, 0.999), min_size=1, max_size=5)


@pytest.mark.parametrize("risk", criteria(), ids=lambda risk: risk.key)
@given(levels=LEVELS, mu=st.floats(0, 8))
def test_policies(risk, levels, mu):
    assert risk.policies_at(levels, mu) == [risk.at(level).epsilon_from_mu(mu) for level in levels]
