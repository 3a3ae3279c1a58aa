"""The files of the page: only those in the package's own folder, by a list made at the start."""

import gzip
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from gaussdp.web.bundling import bundles, page_of
from gaussdp.web.replies import RefusalError, encoded
from gaussdp.web.views.definitions import definitions
from gaussdp.words import spoken, words_of

FOLDER = Path(__file__).parent / "static"
PAGE = "index.html"
PAGE_ROOM = "page"
"""Of the catalogues: what the page and its scripts say."""

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
_WORTH = 1_000  # bytes: less is hardly smaller when compressed


@dataclass(frozen=True)
class Content:
    """Something to send: its bytes, the same compressed where that is worth it, its tag and its type."""

    plain: bytes
    compressed: bytes | None
    tag: str
    kind: str

    @classmethod
    def of(cls, content: bytes, suffix: str) -> "Content":
        """This content of a file with this ending."""
        text = suffix in (".css", ".html", ".js", ".json", ".svg")
        squeezed = gzip.compress(content, 9, mtime=0) if text and len(content) > _WORTH else None
        return cls(content, squeezed, hashlib.sha256(content).hexdigest()[:32], _TYPES.get(suffix, _PLAIN))

    def response(self, request: Request) -> Response:
        """The content, or that it has not changed."""
        squeezed = self.compressed is not None and "gzip" in request.headers.get("accept-encoding", "")
        tag = f'"{self.tag}{"-gzip" if squeezed else ""}"'
        headers = {"ETag": tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if tag in [known.strip().removeprefix("W/") for known in request.headers.get("if-none-match", "").split(",")]:
            return Response(status_code=304, headers=headers)
        headers["Content-Type"] = self.kind
        if squeezed:
            headers["Content-Encoding"] = "gzip"
        return Response(self.compressed if squeezed else self.plain, headers=headers)


class StaticFiles:
    """Files by their path inside the folder. A path that is not on the list does not exist, whatever it spells.

    Args:
        folder: where they lie; what a link inside it points to elsewhere is left out.
        ledger: what the page may do with budget books: nothing if empty, "shown" or "spends".
    """

    paths: dict[str, Path]

    def __init__(self, folder: Path = FOLDER, ledger: str = "") -> None:
        root = folder.resolve()
        self._mark = f'<html data-ledger="{ledger}" ' if ledger else "<html "
        self._root = root
        self.paths = {
            path.relative_to(root).as_posix(): path
            for path in root.rglob("*")
            if path.is_file() and path.resolve().is_relative_to(root)
        }
        self._made = bundles(root, PAGE) if PAGE in self.paths else {}
        self._read: dict[str, tuple[object, Content]] = {}

    async def page(self, request: Request) -> Response:
        """The page itself, with what can be chosen on it."""
        data, words = encoded(definitions()).decode(), encoded(words_of(PAGE_ROOM)).decode()
        known = (data, words, self.paths[PAGE].stat().st_mtime_ns)
        return self._kept(f"{spoken()}/{PAGE}", known, lambda: self._page(data, words)).response(request)

    def _page(self, data: str, words: str) -> bytes:
        return page_of(self._root, PAGE, data, words).replace("<html ", self._mark, 1).encode()

    async def file(self, request: Request) -> Response:
        """One of its files."""
        name = request.path_params["path"]
        if name in self._made:
            changed = tuple(path.stat().st_mtime_ns for path in self._made[name][1])
            return self._kept(name, changed, lambda: bundles(self._root, PAGE)[name][0].encode()).response(request)
        if name not in self.paths:
            raise RefusalError(404, "there is no such page")
        path = self.paths[name]
        return self._kept(f"static/{name}", path.stat().st_mtime_ns, path.read_bytes).response(request)

    def _kept(self, name: str, known: object, read: Callable[[], bytes]) -> Content:
        """The content, made again when it changed."""
        if name not in self._read or self._read[name][0] != known:
            self._read[name] = (known, Content.of(read(), Path(name).suffix))
        return self._read[name][1]
