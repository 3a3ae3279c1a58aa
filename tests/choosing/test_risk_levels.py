import pytest

import gaussdp
from gaussdp.choosing.tables import risk_document

MU = 0.31


def rows(document):
    return {
        table.key: [
            dict(zip((column.key for column in table.columns), row, strict=True)) for row in table.rounded_rows(4)
        ]
        for table in document.tables
    }


def test_every_number_is_on_the_side_of_less_privacy():
    guarantee = gaussdp.GDP(MU)
    found = rows(risk_document(guarantee, {"fpr": [1e-3], "recall": [0.02], "delta": [1e-6]}, prior=0.1))
    (at_fpr,), (at_recall,), (at_delta,), (overall,) = (found[key] for key in ("fpr", "recall", "delta", "overall"))
    for shown, exact in (
        (at_fpr["tpr"], guarantee.tpr(1e-3)),
        (at_fpr["multiplicative_advantage"], guarantee.multiplicative_advantage(1e-3)),
        (at_recall["precision"], guarantee.precision(0.02, 0.1)),
        (at_delta["epsilon"], guarantee.epsilon(1e-6)),
        (overall["advantage"], guarantee.advantage()),
        (overall["right_of_100"], 100 * guarantee.accuracy(0.1)),
    ):
        assert exact <= shown <= exact * (1 + 1e-3)
    for shown, exact in ((at_fpr["fnr"], guarantee.fnr(1e-3)), (at_recall["fpr"], guarantee.fpr(0.02))):
        assert exact * (1 - 1e-3) <= shown <= exact
    assert overall["right_of_100_before"] == 90


def test_no_privacy_and_full_privacy_can_be_shown():
    for mu in (0.0, float("inf")):
        found = rows(risk_document(gaussdp.GDP(mu), {"fpr": [1e-3], "recall": [0.02], "delta": [1e-6]}))
        assert found["delta"][0]["epsilon"] == mu


def test_bad_level():
    with pytest.raises(gaussdp.DomainError, match=r"^recall must be in \(0, 1\), got 1.0"):
        risk_document(gaussdp.GDP(1.0), {"recall": [1.0]})
