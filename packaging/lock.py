"""Write constraints.txt: the versions of all that is installed for development, so that it installs alike later."""

import re
from importlib.metadata import distributions
from pathlib import Path

PATH = Path(__file__).parents[1] / "constraints.txt"
HEAD = "# The versions that `make test` was last seen to pass with, by `make lock`. Not for users: pyproject.toml is.\n"
OWN = {"gaussdp", "pip", "setuptools", "wheel"}


def name_of(distribution):
    """Its name as package indexes write it."""
    return re.sub(r"[-_.]+", "-", distribution.metadata["Name"]).lower()


def pins():
    """A line for each installed distribution; which build it is, such as +cpu, is the installer's choice."""
    found = {name_of(one): one.version.partition("+")[0] for one in distributions()}
    return [f"{name}=={version}" for name, version in sorted(found.items()) if name not in OWN]


if __name__ == "__main__":
    PATH.write_text(HEAD + "\n".join(pins()) + "\n")
