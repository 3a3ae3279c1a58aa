"""Files: TOML and JSON that people write, read strictly; and files that are old or new, never torn.

A file is written beside its place, brought to the disk and renamed over the old one. Several files of one folder are
staged first, all of them; a list then says that they are complete, and only then the first one moves. Whoever is
killed before that leaves the old files, whoever is killed later leaves the rest of the new ones staged, and the next
write into the folder moves them before its own. An error names the file.
"""

import csv
import errno
import json
import os
import platform
import re
import secrets
import shutil
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from gaussdp.errors import DomainError

_MOST_CHARACTERS = 1 << 25  # a file that people write has far fewer; a device has no end
LONGEST_LINE = 1 << 20  # characters in a row of a table; a file may be one endless line


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
            return tomllib.loads(plain)
        if name.endswith(".json"):
            return json.loads(plain, object_pairs_hook=_each_key_once)
    except ValueError as error:  # what both parsers raise, also for a number of thousands of digits
        raise DomainError(None, place=name, problem=str(error)) from None
    except RecursionError:
        raise DomainError(None, place=name, problem="is nested too deeply to be read") from None
    raise DomainError(None, place=name, problem="the name must end in .toml or .json")


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object, which TOML would refuse with a key twice: which of the two is meant, nobody knows."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"states the key {twice[:40]!r} twice; keep one")
    return found


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
_PART = ".part"  # ends the name of a file that is being written
_SHORT = 60  # of a name that is made longer: names of more than some 255 bytes are refused by systems
_COMPLETE = "complete.json"
_ABANDONED_AFTER = 86_400.0  # seconds, where it is not known whether the writer lives
HOST = re.sub(r"\W", "", platform.node())[:32] or "host"


def write_file(path: str | Path, content: bytes | Iterable[bytes]) -> None:
    """Write the file in one step: whoever reads it finds the old content or the new, whatever happens meanwhile.

    Args:
        path: of the file.
        content: all of it, or piece by piece, where it may not fit into memory.
    Raises:
        OSError: naming the file; the old content is then still there.
    """
    place = Path(os.path.realpath(path))  # the file behind a link, not the link
    with _naming(path):
        if place.exists() and not place.is_file():  # a pipe or a device takes no other file's place
            with place.open("wb") as stream:
                stream.writelines([content] if isinstance(content, bytes) else content)
            return
        _sweep_parts(place)
        part = place.with_name(f".{place.name[:_SHORT]}.{_owner()}{_PART}")
        try:
            _write_through(part, content, _mode(place))
            part.replace(place)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        _sync_folder(place.parent)


def write_files(directory: Path, files: Mapping[str, bytes]) -> None:
    """Write the files under the directory, all of them or none; their names may hold folders, which are made.

    Raises:
        OSError: naming the file or the directory; nothing is changed then, unless it is the moving that fails.
    """
    root = Path(os.path.realpath(directory))
    with _naming(directory):
        new = not root.exists()  # an empty folder may be where someone stands, so it is not replaced
        if root.parent.exists() and not root.parent.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        root.parent.mkdir(parents=True, exist_ok=True)
        stage = (root.parent if new else root) / f"{_STAGE}{_owner()}"
        if not new:
            _finish_earlier(root)
            _sweep_stages(root)
        _sweep_stages(root.parent)
    try:
        with _naming(directory):
            (stage / "files").mkdir(parents=True)
        for name, content in files.items():
            with _naming(directory / name):
                (stage / "files" / name).parent.mkdir(parents=True, exist_ok=True)
                _write_through(stage / "files" / name, content, _mode(root / name))
        with _naming(directory):
            if new and _placed_whole(stage, root):
                return
            _write_through(stage / "list", json.dumps(sorted(files)).encode(), None)
            (stage / "list").replace(stage / _COMPLETE)
            _sync_folder(stage)
    except BaseException:
        shutil.rmtree(stage, ignore_errors=True)
        raise
    _move(stage, root, directory)


@contextmanager
def locked(path: Path, busy: str) -> Iterator[None]:
    """Hold the lock of a file, which is one beside it; no process or thread has it twice.

    Raises:
        DomainError: with these words, if another holds it.
    """
    lock = path.with_name(f"{path.name}.lock")
    with _naming(lock):
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
    """The lock file, locked; None if another has it."""
    while True:
        stream = lock.open("ab")
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
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o666)
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
        return path.stat().st_mode & 0o777
    return None


def _sync_folder(folder: Path) -> None:
    """Bring a folder's names to the disk, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _placed_whole(stage: Path, root: Path) -> bool:
    """Move the staged folder to a place that is free; whether that went well."""
    try:
        (stage / "files").replace(root)
    except OSError:  # someone else was faster, or the system replaces no folder
        return False
    with suppress(OSError):
        stage.rmdir()
    _sync_folder(root.parent)
    return True


def _move(stage: Path, root: Path, directory: Path) -> None:
    """Move the staged files to their places; what is no longer staged was moved by another."""
    for name in json.loads((stage / _COMPLETE).read_bytes()):
        with _naming(directory / name), suppress(FileNotFoundError):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (stage / "files" / name).replace(root / name)
    _sync_folder(root)
    shutil.rmtree(stage, ignore_errors=True)


def _finish_earlier(root: Path) -> None:
    """Move what complete stages still hold: their writers were killed in the middle of moving."""
    for stage in sorted(root.glob(f"{_STAGE}*")):
        if (stage / _COMPLETE).exists():
            with suppress(FileNotFoundError):  # finished by its own writer just now
                _move(stage, root, root)


def _sweep_stages(folder: Path) -> None:
    """Remove what writers left staged that were killed before it was complete."""
    for stage in folder.glob(f"{_STAGE}*"):
        if not (stage / _COMPLETE).exists() and _abandoned(stage, stage.name.removeprefix(_STAGE)):
            shutil.rmtree(stage, ignore_errors=True)


def _sweep_parts(place: Path) -> None:
    """Remove what killed writers of this file left half written."""
    start = f".{place.name[:_SHORT]}."
    for part in place.parent.iterdir():
        if part.name.startswith(start) and part.name.endswith(_PART):
            owner = part.name.removeprefix(start).removesuffix(_PART)
            if re.fullmatch(r"\w+-\d+-[0-9a-f]{8}", owner) and _abandoned(part, owner):
                part.unlink(missing_ok=True)


def _owner() -> str:
    """A name that no other writer has, and that tells whether its writer lives."""
    return f"{HOST}-{os.getpid()}-{secrets.token_hex(4)}"


def _abandoned(path: Path, owner: str) -> bool:
    """Whether the process that owns this is gone; after a day, where that cannot be told."""
    host, _, rest = owner.rpartition("-")[0].rpartition("-")
    if os.name == "posix" and host == HOST and rest.isdigit():
        try:
            os.kill(int(rest), 0)
        except ProcessLookupError:
            return True
        except OSError:
            return False
        return False
    with suppress(OSError):
        return time.time() - path.stat().st_mtime > _ABANDONED_AFTER
    return False
