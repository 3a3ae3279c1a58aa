"""What is taken away runs, and gives the numbers that the page showed."""

import contextlib
import io
import json
import shlex

import pytest

from gaussdp.cli import main
from gaussdp.documents.rounding import Rounding, rounded
from gaussdp.web.schemas.requests import (
    AccountRequest,
    CalibrateRequest,
    ChooseRequest,
    ReleaseRequest,
    ReleasesRequest,
    TargetRequest,
    UnderstandRequest,
)
from gaussdp.web.views.account import account, calibrate, releases
from gaussdp.web.views.choose import choose
from gaussdp.web.views.understand import understand

RUN = {"dataset_size": 50_000, "batch_size": 256, "epochs": 20.5}


def printed_by_python(snippets):
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(snippets["python"], {})
    return [float(word) for word in output.getvalue().split()]


def told_by_cli(snippets, capsys):
    """The tables of the command, as JSON; as text it runs too."""
    program, *arguments = shlex.split(snippets["cli"])
    assert program == "gaussdp"
    assert main(arguments) == 0
    assert capsys.readouterr().err == ""
    assert main([*arguments, "--format", "json"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    return {name: table["rows"] for name, table in tables.items()}


def silent(message):
    return


@pytest.mark.parametrize(
    ("criterion", "epsilon", "level"),
    [
        ("multiplicative_advantage", 1.0, 1e-3),
        ("precision", 0.1 + 0.2, 0.01),
        ("profile", 2.0, 1.2345678901234567e-7),
        ("profile", 1e-5, 1e-9),
    ],
)
def test_choose(criterion, epsilon, level, capsys):
    answer = choose(ChooseRequest(epsilon=epsilon, criterion=criterion, level=level))
    snippets = answer["snippets"]
    assert printed_by_python(snippets) == [answer["mu"]]
    (row,) = told_by_cli(snippets, capsys)["budgets"]
    assert row["mu"] == float(answer["mu_text"])
    assert json.loads(snippets["json"])["mu"] == answer["mu"]
    mantissa = answer["mu_text"].partition("e")[0]
    assert rf"\mu = {mantissa}" in snippets["latex"]


@pytest.mark.parametrize(
    "request_",
    [
        UnderstandRequest(mu=1.0),
        UnderstandRequest(mu=0.123456789, prior=0.01, recall=0.3, delta=3e-7, fpr=2e-4),
        UnderstandRequest(mu=1e-5, prior=1e-6),
    ],
)
def test_understand(request_, capsys):
    answer = understand(request_)
    snippets = answer["snippets"]
    *rates, precision, epsilon, accuracy = printed_by_python(snippets)
    assert rates == [row["tpr"] for row in answer["tpr"]]
    assert (precision, epsilon) == (answer["precision"]["value"], answer["epsilon"]["epsilon"])
    assert accuracy == pytest.approx(answer["accuracy"]["value"], rel=1e-12)
    tables = told_by_cli(snippets, capsys)
    assert [row["tpr"] for row in tables["fpr"]] == [rounded(rate, Rounding.UP) for rate in rates]
    assert tables["delta"][0]["epsilon"] == float(answer["epsilon"]["text"])
    assert tables["recall"][0]["precision"] == rounded(precision, Rounding.UP)
    assert json.loads(snippets["json"])["epsilon"] == epsilon


def test_account(capsys):
    answer = account(AccountRequest(noise_multiplier=0.9, **RUN, delta=1e-6, floor=1e-8), silent)
    snippets = answer["snippets"]
    assert printed_by_python(snippets) == [answer["mu"], answer["regret"], answer["epsilon"]]
    tables = told_by_cli(snippets, capsys)
    assert tables["guarantee"][0]["mu"] == float(answer["mu_text"])
    assert tables["guarantee"][0]["floor"] == 1e-8
    assert tables["epsilon"][0]["epsilon"] == float(answer["epsilon_text"])
    assert json.loads(snippets["json"])["mu"] == answer["mu"]


@pytest.mark.parametrize(
    "target",
    [
        TargetRequest(kind="mu", value=0.5),
        TargetRequest(kind="tpr", value=0.01, level=1e-3),
        TargetRequest(kind="precision", value=0.05, level=0.1, prior=0.01),
        TargetRequest(kind="epsilon", value=2.0),
        TargetRequest(kind="advantage", value=0.1),
    ],
    ids=lambda target: target.kind,
)
def test_calibrate(target, capsys):
    answer = calibrate(CalibrateRequest(target=target, **RUN), silent)
    snippets = answer["snippets"]
    assert printed_by_python(snippets) == [answer["noise_multiplier"], answer["achieved"]]
    tables = told_by_cli(snippets, capsys)
    assert tables["calibration"][0]["value"] == answer["noise_multiplier"]
    assert answer["achieved"] <= target.value
    assert float(answer["achieved_text"]) <= target.value


@pytest.mark.parametrize(
    "request_",
    [
        AccountRequest(noise_multiplier=2.0, **RUN, sampling="shuffle", unit="one “person”", last_batch="kept"),
        AccountRequest(noise_multiplier=2.0, **RUN, records_per_unit=3, adjacency="replace-one"),
        ReleasesRequest(
            releases=(
                ReleaseRequest(noise="gaussian", scale=4.0, times=12),
                ReleaseRequest(noise="discrete-laplace", scale=10.0, sensitivity=2.0),
            )
        ),
    ],
    ids=["shuffled", "exchanged", "releases"],
)
def test_a_run_that_is_more_than_its_numbers(request_, capsys, tmp_path, monkeypatch):
    """The run file that is copied is read again, and the number that was shown holds for it."""
    answer = (releases if isinstance(request_, ReleasesRequest) else account)(request_, silent)
    snippets = answer["snippets"]
    assert printed_by_python(snippets)[0] == pytest.approx(answer["mu"], rel=1e-9)
    written, _, command = snippets["cli"].removeprefix("cat > run.toml <<'END'\n").partition("END\n")
    (tmp_path / "run.toml").write_text(written)
    monkeypatch.chdir(tmp_path)
    program, *arguments = shlex.split(command)
    assert program == "gaussdp"
    assert main(arguments) == 0
    assert capsys.readouterr().err == ""
    assert json.loads(snippets["json"])["mu"] == answer["mu"]
