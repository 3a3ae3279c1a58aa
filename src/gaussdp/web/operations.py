"""What the API offers: each operation once, for the routes, the OpenAPI document and the page about it."""

from dataclasses import dataclass
from typing import Literal

from starlette.routing import Route

from gaussdp.web.endpoints import Endpoint
from gaussdp.web.schemas.reading import IsRequest

API = "/api/v1"
JSON = "application/json"


@dataclass(frozen=True)
class Operation:
    """One thing that can be asked.

    Attributes:
        path: where.
        method: how.
        summary: what it does, in one sentence.
        endpoint: who answers.
        asked: what the body of a POST states.
        answered: the type of the JSON answer, or of one line of it; None for files.
        media: the media types of the answer.
        works: whether it is done by a worker, so that it may be refused with 503.
    """

    path: str
    method: Literal["GET", "POST"]
    summary: str
    endpoint: Endpoint
    asked: type[IsRequest] | None = None
    answered: type | None = None
    media: tuple[str, ...] = (JSON,)
    works: bool = False

    @property
    def name(self) -> str:
        """Its last part, as mu-through."""
        return self.path.rpartition("/")[2]

    def route(self) -> Route:
        """Its route."""
        return Route(self.path, self.endpoint, methods=[self.method])
