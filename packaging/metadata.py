"""What the metadata of a release takes from the repository: the README with links that work anywhere, and addresses.

GAUSSDP_REPOSITORY is the address of the repository, such as a release's workflow knows it. Relative links of the README
then lead there; without it they become plain words, since a link that leads nowhere is worse than none.
"""

import os
import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"\[([^\]]+)\]\((?!https?://|#)([^)\s]+)\)")
_SESSION = re.compile(r"<!-- session -->\n")


class CustomMetadataHook(MetadataHookInterface):
    """Fills in the fields that pyproject.toml calls dynamic."""

    def update(self, metadata):
        """Called by hatchling, for sdists, wheels and editable installs."""
        address = os.environ.get("GAUSSDP_REPOSITORY", "").rstrip("/")
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": readme(text, address)}
        metadata["urls"] = addresses(address)


def readme(text: str, address: str) -> str:
    """The README, its relative links made absolute or, without an address, plain."""
    target = r"[\1](" + address + r"/blob/main/\2)" if address else r"\1"
    return _LINK.sub(target, _SESSION.sub("", text))


def addresses(address: str) -> dict[str, str]:
    """The project's addresses by name."""
    if not address:
        return {}
    return {
        "Repository": address,
        "Documentation": f"{address}/blob/main/docs/index.md",
        "Changelog": f"{address}/blob/main/CHANGELOG.md",
        "Issues": f"{address}/issues",
    }
