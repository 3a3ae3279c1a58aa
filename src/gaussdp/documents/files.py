"""Files: TOML and JSON that people write, read strictly; and files that are old or new, never torn.

A file is written beside its place, brought to the disk and renamed over the old one. Several files of one folder are
staged first, all of them, in a private folder that this process makes and removes; a new folder then gets its place by
one rename, and in one that exists each file does. Nothing that is found in a folder is followed, finished or removed: a
folder may come from anybody. An error names the file.
"""

import csv
import errno
import json
import os
import re
import secrets
import shutil
import stat
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from gaussdp.errors import DomainError

_MOST_CHARACTERS = 1 << 25  # a file that people write has far fewer; a device has no end
_MOST_TOML = 1 << 21  # characters, of some 30,000 releases; its parser takes a second for each million
_LONGEST_KEY = 250  # characters of a key whose place is told
_MOST_PARTS = 50  # of a key a.b.c, whose parser takes the square of their number
LONGEST_LINE = 1 << 20  # characters in a row of a table; a file may be one endless line

_KEY = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_TOKEN = re.compile(
    rf"""
    \#[^\n]*+                                       # a comment
    | \"{{3}}(?:[^"\\]|\\.|"{{1,2}}(?!"))*+(?:"{{3}}|\Z)   # texts of several lines
    | '{{3}}(?:[^']|'{{1,2}}(?!'))*+(?:'{{3}}|\Z)
    | (?P<deep>{_KEY}(?:[ \t]*+\.[ \t]*+{_KEY}){{{_MOST_PARTS}}})
    | {_KEY}(?:[ \t]*+\.[ \t]*+{_KEY})*+             # a key, a text, or a number
    | ["'][^\n]*+                                   # a text that does not end
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
"""What a TOML text consists of, as far as it may hide dots; each character is looked at once or twice."""


def file_text(path: str | Path) -> tuple[str, str]:
    """The text of a file and its name for messages, or a DomainError that says why there is none.

    The mark that some editors put in front of UTF-8 is no part of the text.
    """
    file = Path(path)
    try:
        with file.open(encoding="utf-8-sig") as stream:
            text = stream.read(_MOST_CHARACTERS + 1)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise DomainError(None, place=str(file), problem=f"cannot be read: {reason}") from None
    if len(text) > _MOST_CHARACTERS:
        raise DomainError(None, place=str(file), problem=f"is too large: more than {_MOST_CHARACTERS:,} characters")
    return text, file.name


def table_rows(stream: IO[str], path: Path) -> Any:
    """The rows of a CSV file, or of a TSV one by its ending, as `csv.reader` gives them; no line is endless."""
    return csv.reader(bounded_lines(stream, path.name), delimiter="\t" if path.suffix.lower() == ".tsv" else ",")


def bounded_lines(stream: IO[str], name: str) -> Iterator[str]:
    """The lines of a text, of which one that is too long is refused before it is read."""
    while line := stream.readline(LONGEST_LINE + 1):
        if len(line) > LONGEST_LINE:
            raise DomainError(None, place=name, problem=f"has a line of more than {LONGEST_LINE:,} characters")
        yield line


def parsed(text: str, name: str) -> Any:
    """The content of a TOML or JSON text, told apart by the ending of its name."""
    plain = text.removeprefix("\ufeff")
    try:
        if name.endswith(".toml"):
            _check_toml(plain)
            return tomllib.loads(plain)
        if name.endswith(".json"):
            return json.loads(plain, object_pairs_hook=_each_key_once)
    except ValueError as error:  # what both parsers raise, also for a number of thousands of digits
        raise DomainError(None, place=name, problem=str(error)) from None
    except RecursionError:
        raise DomainError(None, place=name, problem="is nested too deeply to be read") from None
    raise DomainError(None, place=name, problem="the name must end in .toml or .json")


def _check_toml(text: str) -> None:
    """Refuse what its parser would take very long for."""
    if len(text) > _MOST_TOML:
        raise ValueError(f"is too large: more than {_MOST_TOML:,} characters")
    for token in _TOKEN.finditer(text):
        if token["deep"]:
            line = text.count("\n", 0, token.start()) + 1
            raise ValueError(f"line {line} holds a key of more than {_MOST_PARTS} parts")


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object, which TOML would refuse with a key twice: which of the two is meant, nobody knows."""
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(key for key, _ in pairs)
        twice = next(key for key, many in times.items() if many > 1)
        raise ValueError(f"states the key {twice[:40]!r} twice; keep one")
    return found


def setting(key: str) -> re.Pattern[str]:
    """What finds where a TOML or JSON text sets a key, as a value or as the head of a table, in one pass."""
    name = re.escape(key[:_LONGEST_KEY])
    return re.compile(rf'(?:^|(?<=[\s{{,]))"?{name}"?\s{{0,9}}+[=:]|^[ \t]*+\[++[ \t]*+{name}[ \t]*+\]+', re.MULTILINE)


def toml(content: Mapping[str, Any]) -> str:
    """A mapping as TOML: its own keys first, then its tables and its lists of tables.

    >>> print(toml({"training": {"steps": 3}, "unit": "one person"}), end="")
    unit = "one person"
    <BLANKLINE>
    [training]
    steps = 3
    """
    plain = {key: value for key, value in content.items() if not _tables(value) and not isinstance(value, Mapping)}
    text = _lines(plain)
    for key, value in content.items():
        if isinstance(value, Mapping):
            named = value and all(isinstance(one, Mapping) for one in value.values())
            inner = {f"{key}.{_value(name)}": one for name, one in value.items()} if named else {key: value}
            text += "".join(f"\n[{head}]\n{_lines(one)}" for head, one in inner.items())
        elif _tables(value):
            text += "".join(f"\n[[{key}]]\n{_lines(entry)}" for entry in value)
    return text


def _tables(value: object) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(entry, Mapping) for entry in value)


def _lines(content: Mapping[str, Any]) -> str:
    return "".join(f"{key} = {_value(value)}\n" for key, value in content.items())


def _value(value: object) -> str:
    """A value in one line: texts, truths, numbers, lists and tables of these."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {_value(entry)}' for key, entry in value.items())} }}"
    return repr(value)


_STAGE = ".gaussdp-"  # begins the name of a folder with staged files
_SHORT = 60  # of a name that is made longer: names of more than some 255 bytes are refused by systems
_IN_THE_WAY = "exists already; with overwrite it is replaced"


def check_file(path: str | Path) -> None:
    """Refuse a place where no file can be written; for callers who compute before they write.

    A link is no such place: whoever made it would choose the file that is written.

    Raises:
        DomainError: if it is a link to a file.
        OSError: naming it, if it is a folder, or lies in none.
    """
    place = Path(path)
    with _naming(path):
        if place.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if place.is_symlink() and (place.is_file() or not place.exists()):
            target = os.path.realpath(place)
            raise DomainError(None, place=str(path), problem=f"is a link to {target}", advice="name that file itself")
        if not place.parent.exists():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if not place.parent.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))


def check_folder(directory: Path, names: Iterable[str] = (), overwrite: bool = False) -> None:
    """Refuse a folder into which these files cannot be written; for callers who compute before they write.

    Raises:
        DomainError: for the root of a file system, and where a folder of theirs is a link.
        FileExistsError: naming the first of the files that is there, unless it may be overwritten.
        OSError: naming the directory, or what cannot be replaced.
    """
    root = Path(os.path.realpath(directory))
    if root == root.parent:
        problem = "is the root of a file system"
        raise DomainError(None, place=str(directory), problem=problem, advice="name a folder inside it")
    with _naming(directory):
        there = next(folder for folder in (root, *root.parents) if folder.exists())
        if not there.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if not os.access(there, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    for name in names:
        place = root / name
        for folder in reversed(place.relative_to(root).parents[:-1]):
            _check_inner(root / folder, directory / folder)
        with _naming(directory / name):
            if place.is_dir() and not place.is_symlink():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            if os.path.lexists(place) and not overwrite:
                raise FileExistsError(errno.EEXIST, _IN_THE_WAY)


def _check_inner(folder: Path, told: Path) -> None:
    """Refuse a folder inside the one that was named, if what is written into it would get somewhere else."""
    if folder.is_symlink():
        problem = "is a link, which may lead anywhere"
        raise DomainError(None, place=str(told), problem=problem, advice="remove it, or name another folder")
    if os.path.lexists(folder) and not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(told))


def write_file(path: str | Path, content: bytes | Iterable[bytes]) -> None:
    """Write the file in one step: whoever reads it finds the old content or the new, whatever happens meanwhile.

    Args:
        path: of the file.
        content: all of it, or piece by piece, where it may not fit into memory.
    Raises:
        DomainError: if the path is a link to a file.
        OSError: naming the file; the old content is then still there.
    """
    place = Path(path)
    check_file(place)
    with _naming(path):
        if place.exists() and not place.is_file():  # a pipe or a device takes no other file's place
            with place.open("wb") as stream:
                stream.writelines([content] if isinstance(content, bytes) else content)
            return
        part = place.with_name(f".{place.name[:_SHORT]}.{secrets.token_hex(8)}.part")
        try:
            _write_through(part, content, _mode(place))
            part.replace(place)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        _sync_folder(place.parent)


def write_files(directory: Path, files: Mapping[str, bytes], *, overwrite: bool = False) -> None:
    """Write the files under the directory; their names, which the program chose, may hold folders, which are made.

    A directory that was not there appears whole. In one that was there, each file is replaced by one rename, after all
    of them were written.

    Args:
        directory: where to; a link to one is followed, and links inside it are not.
        files: what to write, by name.
        overwrite: whether files that exist are replaced.
    Raises:
        DomainError: for the root of a file system, and where a folder inside the directory is a link.
        FileExistsError: naming the file that is there; nothing is changed then.
        OSError: naming the file or the directory; nothing is changed then, unless it is the moving that fails.
    """
    check_folder(directory, files, overwrite)
    root = Path(os.path.realpath(directory))
    new = not root.exists()  # an empty folder may be where someone stands, so it is not replaced
    with _naming(directory):
        beside = root.parent if new else root
        beside.mkdir(parents=True, exist_ok=True)
        stage = Path(tempfile.mkdtemp(prefix=_STAGE, dir=beside))  # made by this process, and open to its user alone
    try:
        whole = stage / "files"
        with _naming(directory):
            whole.mkdir()
        for name, content in files.items():
            with _naming(directory / name):
                (whole / name).parent.mkdir(parents=True, exist_ok=True)
                _write_through(whole / name, content, _mode(root / name))
        if new:
            with _naming(directory):
                whole.replace(root)
        else:
            for name in files:
                with _naming(directory / name):
                    (root / name).parent.mkdir(parents=True, exist_ok=True)
                    (whole / name).replace(root / name)
        _sync_folder(beside)
    finally:
        shutil.rmtree(stage, ignore_errors=True)


@contextmanager
def locked(path: Path, busy: str) -> Iterator[None]:
    """Hold the lock of a file, which is one beside it; no process or thread has it twice.

    Raises:
        DomainError: with these words, if another holds it.
    """
    lock = path.with_name(f"{path.name}.lock")
    stream = _open_lock(lock)
    if stream is None:
        raise DomainError(None, place=str(path), problem=busy)
    try:
        yield
    finally:
        with suppress(OSError):  # taken away while it is held, so that nobody waits on a file that is gone
            lock.unlink()
        stream.close()
        with suppress(OSError):  # where an open file cannot be taken away
            lock.unlink()


def _open_lock(lock: Path) -> IO[bytes] | None:
    """The lock file, locked; None if another has it. A link, and a file that holds something, are nobody's lock."""
    while True:
        with _naming(lock):
            if lock.is_symlink() or (lock.exists() and not (lock.is_file() and lock.stat().st_size == 0)):
                problem = "stands where the lock of an output would"
                raise DomainError(None, place=str(lock), problem=problem, advice="move it, or choose another output")
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
            stream = os.fdopen(os.open(lock, flags, 0o666), "r+b")
        try:
            _exclusive(stream.fileno())
        except OSError:
            stream.close()
            return None
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(stream.fileno()), lock.stat()):
                return stream
        stream.close()  # its holder took it away between our opening and locking it


def _exclusive(descriptor: int) -> None:
    """Lock the file, or raise OSError at once; the system unlocks it when its process ends, however that is."""
    try:
        import fcntl
    except ImportError:
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def _naming(path: str | Path) -> Iterator[None]:
    """Let an error name this file, which its user asked for."""
    try:
        yield
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise OSError(error.errno or errno.EIO, error.strerror or str(error), str(path)) from error


def _write_through(path: Path, content: bytes | Iterable[bytes], mode: int | None) -> None:
    """A new file with this content, on the disk."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    with os.fdopen(descriptor, "wb") as stream:
        if mode is not None:
            with suppress(OSError):
                path.chmod(mode)
        stream.writelines([content] if isinstance(content, bytes) else content)
        stream.flush()
        os.fsync(stream.fileno())


def _mode(path: Path) -> int | None:
    """The permissions of the file that will be replaced, if there is one."""
    with suppress(OSError):
        found = path.lstat().st_mode
        return found & 0o777 if stat.S_ISREG(found) else None
    return None


def _sync_folder(folder: Path) -> None:
    """Bring a folder's names to the disk, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
