"""A client for the calculator's application itself, without a socket."""

import asyncio

import httpx

from gaussdp.web import Limits, Site, create_app

OFTEN = Limits(requests_per_second=1e6, burst=10**6)


class Client:
    """Requests to one application."""

    def __init__(self, limits=OFTEN, base_url="http://localhost", books=None, **site):
        self.app = create_app(limits, Site(**site), books=books)
        self.base_url = base_url

    def request(self, method, path, **options):
        return asyncio.run(self._request(method, path, **options))

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, path, body=None, **options):
        return self.request("POST", f"/api/v1/{path}", **({"json": body} if body is not None else {}), **options)

    async def _request(self, method, path, fail=False, **options):
        """A failure of the server is one of the test, unless it is what the test is about."""
        transport = httpx.ASGITransport(self.app)
        async with httpx.AsyncClient(transport=transport, base_url=self.base_url) as client:
            response = await client.request(method, path, **options)
        assert fail or response.status_code != 500, response.text
        return response
