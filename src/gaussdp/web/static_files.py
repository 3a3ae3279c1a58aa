"""The files of the page, by a list made at the start: scripts and styles as one file each.

Bundles are made when the server starts: the sources need no build of their own. What belongs together, and in which
order, says the page itself: its stylesheets, its scripts, and what these import. The words that stand in the page, its
texts and what its attributes say, are in the language that is spoken.
"""

import gzip
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from gaussdp.web.replies import RefusalError, encoded
from gaussdp.web.views.definitions import definitions
from gaussdp.words import say, spoken, words_of

STYLES, SCRIPTS = "page.css", "page.js"

_SHEET = re.compile(r'\s*<link rel="stylesheet" href="static/([^"]+)">')
_SCRIPT = re.compile(r'\s*<script(?: type="(module)")? src="static/([^"]+)"></script>')
_IMPORT = re.compile(r'^import (?:(\w+)|\{([^}]*)\}) from "([^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function\*?|const|class) (\w+))", re.MULTILINE)
_RENAMED = re.compile(r"^export \{ (\w+) as default \};\n?", re.MULTILINE)
_DATA = '<script type="application/json" id="{}">{}</script>'


def page_of(folder: Path, page: str, data: str = "", words: str = "{}") -> str:
    """The page, in the language that is spoken, with one stylesheet and one script.

    Args:
        folder: where it lies.
        page: its name.
        data: JSON that it needs from the start.
        words: what its scripts say, by what they say in English, as JSON.
    """
    text = page_in((folder / page).read_text(encoding="utf-8"), spoken(), say)
    links = f'\n  <link rel="stylesheet" href="static/{STYLES}">\n  <script src="static/{SCRIPTS}"></script>'
    bare = _SCRIPT.sub("", _SHEET.sub("", text))
    held = "\n  ".join(_DATA.format(*pair) for pair in (("definitions", _plain(data)), ("words", _plain(words))))
    return bare.replace("\n</head>", f"{links}\n</head>").replace("\n</body>", f"\n  {held}\n</body>")


def _plain(data: str) -> str:
    """JSON in which nothing ends a script."""
    return data.replace("<", "\\u003c")


def bundles(folder: Path, page: str) -> dict[str, tuple[str, tuple[Path, ...]]]:
    """The stylesheet and the script of a page, each with the files it was made of."""
    text = (folder / page).read_text(encoding="utf-8")
    sheets = [folder / name for name in _SHEET.findall(text)]
    early = [folder / name for kind, name in _SCRIPT.findall(text) if not kind]
    modules: dict[Path, str] = {}
    for kind, name in _SCRIPT.findall(text):
        if kind:
            _gather((folder / name).resolve(), folder.resolve(), modules)
    first = "".join(f"(() => {{\n{path.read_text('utf-8')}}})();\n" for path in early)
    rest = "".join(f"const {_name(path, modules)} = (() => {{\n{body}}})();\n" for path, body in modules.items())
    start = 'document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", start) : start();\n'
    script = f'"use strict";\n{first}const start = () => {{\n{rest}}};\n{start}'
    return {
        STYLES: ("".join(path.read_text(encoding="utf-8") for path in sheets), tuple(sheets)),
        SCRIPTS: (script, (*early, *modules)),
    }


def _gather(path: Path, root: Path, modules: dict[Path, str]) -> None:
    """Put a module behind all that it imports; its imports become constants, its exports what it returns."""
    if path in modules:
        return
    text = path.read_text(encoding="utf-8")
    for _, _, source in _IMPORT.findall(text):
        _gather(_place(path, source, root), root, modules)
    default = _RENAMED.search(text)  # of the vendor's file, whose other exports stand in comments
    returned = [f"default: {default[1]}"] if default else [name for _, name in _EXPORT.findall(text)]

    def taken(found: re.Match[str]) -> str:
        where = _name(_place(path, found[3], root), modules)
        return f"const {found[1]} = {where}.default;\n" if found[1] else f"const {{{found[2]}}} = {where};\n"

    body = _RENAMED.sub("", _EXPORT.sub(r"\1", _IMPORT.sub(taken, text)))
    modules[path] = f"{body}return {{ {', '.join(returned)} }};\n"


def _place(path: Path, source: str, root: Path) -> Path:
    found = root / source.removeprefix("/static/") if source.startswith("/static/") else path.parent / source
    return found.resolve()


def _name(path: Path, modules: dict[Path, str]) -> str:
    return f"module{list(modules).index(path)}" if path in modules else f"module{len(modules)}"


_TEXT = re.compile(r"(?<=>)([^<>]+)(?=<)")
_SAID = re.compile(r'(?<= )(aria-label|alt|placeholder|title|name="description" content)="([^"]+)"')
_LANGUAGE = re.compile(r'(<html lang=")[a-z]+(")')


def page_in(text: str, tag: str, say: Callable[[str], str]) -> str:
    """The page with every text and label said in a language.

    Args:
        text: the page, in English.
        tag: the language's.
        say: gives the words for an English text.
    """

    def words(english: str) -> str:
        """White space around a text stays, inside it is one space."""
        inner = english.strip()
        return english if not inner else english.replace(inner, escape(say(normal(inner)), quote=False))

    said = _TEXT.sub(lambda found: words(found[1]), text)
    said = _SAID.sub(lambda found: f'{found[1]}="{escape(say(normal(found[2])))}"', said)
    return _LANGUAGE.sub(rf"\g<1>{tag}\g<2>", said)


def normal(text: str) -> str:
    """A text of the page as the catalogues know it: in one line, without entities."""
    return " ".join(unescape(text).split())


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
