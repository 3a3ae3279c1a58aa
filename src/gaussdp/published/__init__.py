"""Published deployments of differential privacy: the catalogue, OpenDP's registry, and where a mu stands among them."""

from gaussdp.published.catalogue import Deployment, deployments
from gaussdp.published.document import TABLES, deployment_document
from gaussdp.published.entry import RegistryEntry, RegistryFacts
from gaussdp.published.registry_files import read_registry

__all__ = [
    "TABLES",
    "Deployment",
    "RegistryEntry",
    "RegistryFacts",
    "deployment_document",
    "deployments",
    "read_registry",
]
