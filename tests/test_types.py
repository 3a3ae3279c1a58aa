"""Type checkers know everything that is public, and how people use it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import typed_use

ROOT = Path(__file__).parents[1]
NO_PYRIGHT = "no pyright: the types of what is public were not checked"
PYRIGHT = shutil.which("pyright", path=str(Path(sys.executable).parent))


def pyright(*arguments):
    """What pyright finds, as it sees this environment and this checkout."""
    folders = (str(Path(sys.executable).parent), os.environ["PATH"])
    environment = {**os.environ, "PATH": os.pathsep.join(folders), "PYTHONPATH": str(ROOT / "src")}
    if PYRIGHT is None:
        pytest.skip(NO_PYRIGHT)
    done = subprocess.run(
        [PYRIGHT, "--outputjson", *arguments], capture_output=True, text=True, check=False, env=environment, cwd=ROOT
    )
    if not done.stdout.startswith("{"):
        pytest.skip(NO_PYRIGHT)
    return json.loads(done.stdout)


def test_every_public_type_is_known():
    found = pyright("--verifytypes", "gaussdp", "--ignoreexternal")["typeCompleteness"]
    unknown = [symbol["name"] for symbol in found["symbols"] if symbol["isExported"] and not symbol["isTypeKnown"]]
    assert unknown == [], "give them annotations, such as `name: type` in the body of their class"


def test_use_is_typed():
    found = pyright("tests/typed_use.py")
    assert [problem["message"] for problem in found["generalDiagnostics"]] == []


def test_types_are_true():
    typed_use.readings()
    typed_use.audits()
    typed_use.results()
