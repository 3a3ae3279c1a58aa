"""Which browser the tests use; as a program, whether there is one."""

import os
import shutil
import sys
from pathlib import Path

_COMMANDS = ("chromium", "chromium-browser", "google-chrome")
_DOWNLOADS = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
_EXECUTABLES = ("chromium-*/chrome-linux*/chrome", "chromium-*/chrome-mac*/Chromium.app/Contents/MacOS/Chromium")


def chromium() -> str | None:
    """A Chromium of the system, or the newest that Playwright downloaded; None if there is neither."""
    installed = next(filter(None, map(shutil.which, _COMMANDS)), None)
    downloaded = sorted(path for pattern in _EXECUTABLES for path in _DOWNLOADS.glob(pattern))
    return installed or (str(downloaded[-1]) if downloaded else None)


CHROMIUM = chromium()
NO_CHROMIUM = "no browser: what needs one was not tested (make browser brings one)"
PDFLATEX = shutil.which("pdflatex")
NO_PDFLATEX = "no pdflatex: what is written as LaTeX was not compiled (Debian: apt-get install texlive-latex-extra)"

if __name__ == "__main__":
    sys.exit(0 if CHROMIUM else 1)
