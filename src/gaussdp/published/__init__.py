"""Published deployments of differential privacy: the catalogue, OpenDP's registry, and where a mu stands among them."""

from gaussdp.published.catalogue import TABLES, Deployment, deployment_document, deployments
from gaussdp.published.opendp_registry import RegistryEntry, RegistryFacts, read_registry

__all__ = [
    "TABLES",
    "Deployment",
    "RegistryEntry",
    "RegistryFacts",
    "deployment_document",
    "deployments",
    "read_registry",
]
