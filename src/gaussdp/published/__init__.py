"""Published deployments of differential privacy: the catalogue, and where a mu stands among them."""

from gaussdp.published.catalogue import Deployment, deployments
from gaussdp.published.document import TABLES, deployment_document

__all__ = ["TABLES", "Deployment", "deployment_document", "deployments"]
