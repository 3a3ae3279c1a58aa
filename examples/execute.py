"""Runs the example notebooks: `make notebooks` writes their outputs anew, the tests compare them."""

import re
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent
PATHS = sorted(FOLDER.glob("*.ipynb"))
LONGEST = 300  # seconds for the start or for one cell, on a busy machine


def executed(path: Path) -> nbformat.NotebookNode:
    """The notebook with the outputs of a fresh run, and nothing that differs from run to run or machine to machine."""
    notebook = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": FOLDER}}
    NotebookClient(notebook, timeout=LONGEST, startup_timeout=LONGEST, kernel_name="python3", resources=where).execute()
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        cell.metadata = {}
        for output in cell.get("outputs", ()):
            output.pop("metadata", None)
            if "data" in output:
                output["metadata"] = {}
                output["data"] = _shown(output["data"])
    return notebook


def _shown(data: dict[str, str]) -> dict[str, str]:
    """The richest form alone; others are for viewers that show no HTML, and hold addresses in memory."""
    rich = next(kind for kind in ("text/html", "text/markdown", "text/plain") if kind in data)
    return {rich: re.sub(r"[ \t]+$", "", data[rich], flags=re.MULTILINE)}


if __name__ == "__main__":
    for path in PATHS:
        nbformat.write(executed(path), path)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
