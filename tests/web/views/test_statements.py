"""Documents that are complete by themselves: words, and the picture they point to."""

import io
import re
import shutil
import subprocess
import zipfile

import pytest

from browsers import NO_PDFLATEX, PDFLATEX
from gaussdp.web.schemas.requests import (
    AccountRequest,
    AdviseRequest,
    ChooseRequest,
    ReleaseRequest,
    ReleasesRequest,
    RequirementRequest,
    StatementRequest,
    UnderstandRequest,
)
from gaussdp.web.views.statements import statement

STATES = {
    "choose": ChooseRequest(epsilon=8.0, criterion="multiplicative_advantage", level=1e-3),
    "several": ChooseRequest(
        epsilon=1.0,
        criterion="multiplicative_advantage",
        level=1e-3,
        requirements=(
            RequirementRequest(policy="accuracy=0.55", source="the board"),
            RequirementRequest(policy="rho=1"),
        ),
    ),
    "understand": UnderstandRequest(mu=1.0, prior=0.001),
    "account": AccountRequest(
        noise_multiplier=1.0, dataset_size=6000, batch_size=60, epochs=2.0, unit="one patient", sampling="shuffle"
    ),
    "releases": ReleasesRequest(releases=(ReleaseRequest(noise="gaussian", scale=4.0),), unit="one person"),
    "advise": AdviseRequest(aim="identification", every="month", title="Visits & trips"),
}


def files_of(view: str, format: str) -> dict[str, bytes]:
    called = "choose" if view == "several" else view
    name, _, content = statement(
        StatementRequest(view=called, format=format, state={}), STATES[view], lambda words: None
    )
    if not name.endswith(".zip"):
        return {name: content}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {one: archive.read(one) for one in archive.namelist()}


@pytest.mark.parametrize("view", STATES)
def test_markdown_has_its_pictures(view):
    files = files_of(view, "markdown")
    (text,) = (content.decode() for name, content in files.items() if name.endswith(".md"))
    assert len(files) == 2
    pointed = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)
    assert set(pointed) == set(files) - {name for name in files if name.endswith(".md")}
    assert all(files[name].startswith(b"\x89PNG") for name in pointed)


@pytest.mark.parametrize("view", ["choose", "several", "understand", "advise"])
def test_latex_compiles_and_fits_the_page(view, tmp_path):
    if PDFLATEX is None:
        pytest.skip(NO_PDFLATEX)
    for name, content in files_of(view, "latex").items():
        (tmp_path / name).write_bytes(content)
    (source,) = tmp_path.glob("*.tex")
    made = subprocess.run(
        [PDFLATEX, "-interaction=nonstopmode", "-halt-on-error", source.name],
        cwd=tmp_path, capture_output=True, text=True, check=False, errors="replace",
    )  # fmt: skip
    assert made.returncode == 0, made.stdout[-2000:]
    too_wide = [float(found) for found in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide", made.stdout)]
    assert max(too_wide, default=0.0) < 6, too_wide
    shutil.rmtree(tmp_path)


def test_a_choice_says_what_it_is_worth():
    (text,) = files_of("choose", "text").values()
    assert "Saturated: the policy hardly limits the attack at FPR 1e-3" in " ".join(text.decode().split())
    assert "Recommendation" in text.decode()


def test_the_policy_file_is_read_again(tmp_path):
    from gaussdp.advising import Answers
    from gaussdp.web.views.advise import answers_of

    files = files_of("advise", "toml")
    (tmp_path / "policy.toml").write_bytes(files["policy.toml"])
    assert Answers.read(tmp_path / "policy.toml") == answers_of(STATES["advise"])
