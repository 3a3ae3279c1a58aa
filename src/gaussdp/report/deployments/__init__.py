"""Published deployments of differential privacy: the catalogue, and where a mu stands among them."""

from gaussdp.report.deployments.catalogue import Deployment, deployments
from gaussdp.report.deployments.document import TABLES, deployment_document

__all__ = ["TABLES", "Deployment", "deployment_document", "deployments"]
