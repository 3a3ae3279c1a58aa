"""The statement compiled by a real LaTeX, alone and as a part of another document."""

import shutil
import subprocess

import pytest

import gaussdp
from browsers import NO_PDFLATEX, PDFLATEX
from golden_statements import runs

pytestmark = pytest.mark.skipif(PDFLATEX is None, reason=NO_PDFLATEX)

AROUND = r"""\documentclass{article}
\begin{document}
Before.
\input{statement}
After.
\end{document}
"""


def compiled(folder, name):
    """The log; fails where LaTeX does."""
    command = [PDFLATEX, "-interaction=nonstopmode", "-halt-on-error", f"{name}.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    assert (folder / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    return done.stdout


def test_alone_and_inside_another(tmp_path):
    gaussdp.report_run(runs()["bad"]).write(tmp_path)
    assert "tradeoff.pdf" in compiled(tmp_path, "statement")
    (tmp_path / "around.tex").write_text(AROUND)
    compiled(tmp_path, "around")
    text = shutil.which("pdftotext")
    if text:
        command = [text, "around.pdf", "-"]
        words = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        assert words.index("Before.") < words.index("Guarantee") < words.index("After.")
        assert "[U+540D]" in words
