"""The files of the page: only those in the package's own folder, by a list made at the start."""

import hashlib
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from gaussdp.web.answers import RefusalError

FOLDER = Path(__file__).parent / "static"
PAGE = "index.html"

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
_PLAIN = "text/plain; charset=utf-8"


class StaticFiles:
    """Files by their path inside the folder. A path that is not on the list does not exist, whatever it spells.

    Args:
        folder: where they lie; what a link inside it points to elsewhere is left out.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        root = folder.resolve()
        self._paths = {
            path.relative_to(root).as_posix(): path
            for path in root.rglob("*")
            if path.is_file() and path.resolve().is_relative_to(root)
        }
        self._read: dict[str, tuple[int, bytes, str]] = {}

    async def page(self, request: Request) -> Response:
        """The page itself."""
        return self._respond(PAGE, request)

    async def file(self, request: Request) -> Response:
        """One of its files."""
        return self._respond(request.path_params["path"], request)

    def _respond(self, name: str, request: Request) -> Response:
        if name not in self._paths:
            raise RefusalError(404, "there is no such page")
        content, etag = self._content(name)
        headers = {"ETag": etag, "Cache-Control": "no-cache"}
        if etag in [tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")]:
            return Response(status_code=304, headers=headers)
        return Response(content, headers={**headers, "Content-Type": _TYPES.get(self._paths[name].suffix, _PLAIN)})

    def _content(self, name: str) -> tuple[bytes, str]:
        """The file and its tag, read again when it changed."""
        path = self._paths[name]
        changed = path.stat().st_mtime_ns
        if name not in self._read or self._read[name][0] != changed:
            content = path.read_bytes()
            self._read[name] = (changed, content, f'"{hashlib.sha256(content).hexdigest()[:32]}"')
        return self._read[name][1:]
