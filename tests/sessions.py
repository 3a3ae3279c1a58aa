"""Shell sessions on pages: what they show is what the commands print. `python tests/sessions.py` writes them anew."""

import io
import os
import re
import shlex
import shutil
import tempfile
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

from gaussdp.cli import main

ROOT = Path(__file__).parents[1]
COLUMNS = "80"
BLOCK = re.compile(r"(<!-- session -->\n```console\n)(.*?)(```\n)", re.DOTALL)
PROMPT = "$ "


def pages():
    """The pages that hold a session."""
    paths = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [path for path in paths if BLOCK.search(path.read_text(encoding="utf-8"))]


def replayed(text):
    """The page with every session run again, all in one folder with the files of the examples."""
    with tempfile.TemporaryDirectory() as name, chdir(name), mock.patch.dict(os.environ, COLUMNS=COLUMNS):
        for file in (ROOT / "examples").glob("*.toml"):
            shutil.copy(file, name)
        return BLOCK.sub(lambda block: block[1] + "\n".join(map(answered, commands(block[2]))) + block[3], text)


def commands(session):
    """What was typed, continued lines included."""
    lines = iter(session.splitlines())
    for line in lines:
        if line.startswith(PROMPT):
            typed = [line]
            while typed[-1].endswith("\\"):
                typed.append(next(lines))
            yield "\n".join(typed)


def answered(typed):
    """A command and what it prints."""
    words = shlex.split(typed.removeprefix(PROMPT).replace("\\\n", " "), comments=True)
    assert words[0] == "gaussdp", f"only gaussdp is run here, not {words[0]}"
    output = io.StringIO()
    with redirect_stdout(output), redirect_stderr(output):
        main(words[1:])
    return f"{typed}\n{output.getvalue()}"


if __name__ == "__main__":
    for path in pages():
        path.write_text(replayed(path.read_text(encoding="utf-8")), encoding="utf-8")
