"""Which programs of others the tests use; as a program, whether there are a browser and a proxy."""

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
NGINX = shutil.which("nginx", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"]))
NO_NGINX = "no nginx: the calculator was not tried behind a proxy (Debian: apt-get install nginx-light)"

if __name__ == "__main__":
    sys.exit(0 if {"browser": CHROMIUM, "proxy": NGINX}[sys.argv[1] if sys.argv[1:] else "browser"] else 1)
