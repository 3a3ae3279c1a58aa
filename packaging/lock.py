"""Write constraints.txt: the versions of all that is installed for development, so that it installs alike later.

What a server needs comes with the hashes of all files of its releases, for which `uv` asks the package index; `make
audit` and the container install nothing else. The rest has none: an editable install cannot have a hash, and what torch
brings on other machines is not known on this one.
"""

import re
import subprocess
from importlib.metadata import distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement

PATH = Path(__file__).parents[1] / "constraints.txt"
HEAD = (
    "# The versions that `make test` was last seen to pass with, by `make lock`. Not for users: pyproject.toml is.\n"
    "# What a server needs has the hashes of its files; `make audit` and packaging/Containerfile install under them.\n"
)
OWN = {"gaussdp", "pip", "setuptools", "wheel"}
SERVER = ("web", "accounting", "certified", "sweep", "ledger")
"""The extras of a server; packaging/audit.sh installs no others."""


def normal(name):
    """A name as package indexes write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins():
    """The version of each installed distribution; which build it is, such as +cpu, is the installer's choice."""
    found = {normal(one.metadata["Name"]): one.version.partition("+")[0] for one in distributions()}
    return {name: version for name, version in sorted(found.items()) if name not in OWN}


def needed(name="gaussdp", extras=SERVER):
    """What a distribution needs on this machine, with these extras, and what that needs in turn."""
    found, ahead = set(), [(name, frozenset(extras))]
    while ahead:
        known = ahead.pop()
        if known in found:
            continue
        found.add(known)
        for line in distribution(known[0]).requires or ():
            one = Requirement(line)
            if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in (*known[1], "")):
                ahead.append((normal(one.name), frozenset(one.extras)))
    return {name for name, _ in found} - OWN


def hashes(asked):
    """The hashes of all files of these releases, for every system."""
    command = ["uv", "pip", "compile", "--quiet", "--generate-hashes", "--universal", "--no-deps", "--no-header", "-"]
    made = subprocess.run(command, input="\n".join(asked), capture_output=True, text=True, check=True).stdout
    lines = made.replace("\\\n", " ").splitlines()
    return {line.split("==")[0]: re.findall(r"--hash=sha256:[0-9a-f]{64}", line) for line in lines if "==" in line}


def main():
    """Write the file."""
    versions, on_server = pins(), needed()
    with_hashes = hashes([f"{name}=={versions[name]}" for name in sorted(on_server)])
    lines = (" ".join([f"{name}=={version}", *with_hashes.get(name, ())]) for name, version in versions.items())
    PATH.write_text(HEAD + "".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main()
