"""Documents as they were read and approved, to compare with; `python tests/golden_texts.py` writes them anew."""

from pathlib import Path

import gaussdp

FOLDER = Path(__file__).parent / "golden"
ENDINGS = {"text": "txt", "markdown": "md", "html": "html", "latex": "tex", "json": "json"}


def explanation():
    """The explanation that the golden files hold."""
    return gaussdp.explain(0.8, prior=0.01)


def path(style):
    """Where the golden file of this style lies."""
    return FOLDER / f"explanation.{ENDINGS[style]}"


if __name__ == "__main__":
    for style in ENDINGS:
        path(style).write_text(explanation().render(style), encoding="utf-8")
