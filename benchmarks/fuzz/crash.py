"""Writers that are killed: each file that they leave is old or new, never torn, and the next run makes all of them new.

A trial forks this process, lets the child write, and kills it with SIGKILL: at one of its system calls that touch
files, counted in a run that is left to end, or at a moment. Then the files must be the old ones or the new ones, and
after another run, which is left to end, exactly the new ones. What a killed writer leaves beside them, hidden, nobody
touches: the next run neither follows nor removes it.
"""

import io
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from functools import cache, partial
from pathlib import Path
from typing import Any

from benchmarks.fuzz import cli
from benchmarks.fuzz.files import ROW
from benchmarks.fuzz.trials import Find, Trial
from gaussdp.calibration.sweeps import open_store
from gaussdp.cli.app import main
from gaussdp.documents.files import write_file, write_files

TOUCHING = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.chmod", "shutil.rmtree")
LARGE = 1 << 20

Job = Callable[[Path, int], None]


def _one_file(folder: Path, version: int) -> None:
    write_file(folder / "figure.svg", bytes([65 + version]) * LARGE)


def _several_files(folder: Path, version: int) -> None:
    names = ("statement.txt", "statement.json", "deep/figure.svg")
    write_files(folder / "out", {name: bytes([65 + version]) * (LARGE >> 2) for name in names}, overwrite=True)


def _rows(ending: str, folder: Path, version: int) -> None:
    """A sweep's store: what is there is kept, the rest appended, and all brought into its final form."""
    wanted = [{**ROW, "steps": steps} for steps in range(12 if version else 6)]
    store = open_store(folder / f"rows.{ending}")
    there = {row["steps"]: row for row in store.rows()}
    for row in wanted:
        if row["steps"] not in there:
            store.append(row)
            there[row["steps"]] = row
    store.finish([there[row["steps"]] for row in wanted])


def _command(arguments: tuple[str, ...], folder: Path, version: int) -> None:
    """A command, with other numbers in each version; its files are in the folder."""
    words = [word.replace("{folder}", str(folder)).replace("{digits}", str(3 + version)) for word in arguments]
    (folder.parent / "run.toml").write_text(cli.RUN, encoding="utf-8")
    code = main([word.replace("{run}", str(folder.parent / "run.toml")) for word in words])
    if code != 0:
        raise SystemExit(code)


def forked(job: Job, folder: Path, version: int, kill_at: int | None = None, count: Path | None = None) -> int:
    """Do the job in a child; its process id. The child kills itself at the given call that touches a file."""
    child = os.fork()
    if child:
        return child
    try:
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123 - the child ends below
        _counting(folder, kill_at, count)
        job(folder, version)
    except BaseException:
        os._exit(3)
    os._exit(0)


def _counting(folder: Path, kill_at: int | None, count: Path | None) -> None:
    """Count the calls that touch the folder, and die at one of them."""
    calls = 0
    root = str(folder)

    def step() -> None:
        nonlocal calls
        calls += 1
        if count is not None:
            counter.seek(0)
            counter.write(f"{calls}\n")
            counter.flush()
        if calls == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def touched(event: str, arguments: tuple[Any, ...]) -> None:
        if event in TOUCHING and any(root in str(one) for one in arguments[:2]):
            step()

    counter = count.open("w", encoding="utf-8") if count is not None else None  # type: ignore[assignment]
    for name in ("fsync", "write", "replace"):
        setattr(os, name, _stepping(getattr(os, name), step))
    sys.addaudithook(touched)


def _stepping(call: Callable[..., Any], step: Callable[[], None]) -> Callable[..., Any]:
    def called(*arguments: Any, **options: Any) -> Any:
        result = call(*arguments, **options)
        step()
        return result

    return called


def ended(child: int) -> int:
    """The exit code of a child, negative for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def content(folder: Path) -> dict[str, bytes]:
    """The files under a folder that are not being written."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not _working(path, folder)
    }


def _working(path: Path, folder: Path) -> bool:
    """Whether it is staged, half written, a lock, or a journal."""
    parts = path.relative_to(folder).parts
    return any(part.startswith(".") for part in parts) or path.name.endswith((".lock", ".unfinished.jsonl"))


def _hidden(folder: Path) -> set[str]:
    """What is staged or half written; locks and journals are no part of it, which their next holder takes away."""
    found = {path.relative_to(folder) for path in folder.rglob("*") if _working(path, folder)}
    return {str(path) for path in found if any(part.startswith(".") for part in path.parts)}


@cache
def whole(name: str, version: int) -> tuple[dict[str, bytes], int, float]:
    """What a job leaves if nothing happens, from nothing or over version 0; its calls, and its seconds."""
    with tempfile.TemporaryDirectory() as place:
        folder, counter, warm = (Path(place) / name for name in ("work", "calls", "warm"))
        folder.mkdir()
        warm.mkdir()
        with redirect_stdout(io.StringIO()):
            JOBS[name](warm, 0)  # so that no child has to import what it needs
        for each in range(version + 1):
            start = time.monotonic()
            if ended(forked(JOBS[name], folder, each, count=counter)) != 0:
                raise Find(f"{name}: fails without being killed")
        return content(folder), int(counter.read_text().split()[0]), time.monotonic() - start


def _trial(name: str, kills: int, draw: random.Random) -> str:
    return [_killed(name, draw) for _ in range(kills)][-1]


def _killed(name: str, draw: random.Random) -> str:
    old, _, _ = whole(name, 0)
    new, calls, seconds = whole(name, 1)
    if old == new:
        raise Find(f"{name}: both versions are the same, so nothing is tried")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "work"
        for file, before in old.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(before)
        if draw.random() < 0.7:
            at = draw.randint(1, calls)
            how, child = f"killed at call {at} of {calls}", forked(JOBS[name], folder, 1, kill_at=at)
        else:
            child, wait = forked(JOBS[name], folder, 1), draw.uniform(0, seconds)
            time.sleep(wait)
            os.kill(child, signal.SIGKILL)
            how = f"killed after {wait:.4f} s"
        killed = ended(child) == -signal.SIGKILL
        hold(name, how, content(folder), old, new)
        before = _hidden(folder)
        if ended(forked(JOBS[name], folder, 1)) != 0:
            raise Find(f"{name}: {how}; the next run fails")
        if content(folder) != new:
            raise Find(f"{name}: {how}; the next run leaves other files")
        if changed := before ^ _hidden(folder):
            raise Find(f"{name}: {how}; the next run leaves or removes {sorted(changed)}")
        shutil.rmtree(folder)
    return "killed" if killed else "ended"


def hold(name: str, how: str, found: Mapping[str, bytes], old: Mapping[str, bytes], new: Mapping[str, bytes]) -> None:
    """Every file is old or new as a whole; a store may be a beginning of the new one that holds the old one."""
    for file in old:
        if file not in found:
            raise Find(f"{name}: {how}; {file} is gone")
    for file, bytes_found in found.items():
        if bytes_found in (old.get(file), new.get(file)):
            continue
        if file.endswith((".csv", ".jsonl")) and _grows(bytes_found, old[file], new[file]):
            continue
        raise Find(f"{name}: {how}; {file} is torn: {len(bytes_found)} bytes")


def _grows(found: bytes, old: bytes, new: bytes) -> bool:
    return found.startswith(old) and new.startswith(found)


JOBS: dict[str, Job] = {
    "one file": _one_file,
    "a folder of files": _several_files,
    "a store, CSV": partial(_rows, "csv"),
    "a store, JSON lines": partial(_rows, "jsonl"),
    "a store, Parquet": partial(_rows, "parquet"),
    "report --out": partial(
        _command, ("report", "{run}", "--out", "{folder}/report", "--overwrite", "--digits", "{digits}")
    ),
    "rules --out": partial(_command, ("rules", "--out", "{folder}/rules", "--overwrite", "--digits", "{digits}")),
    "explain --plot": partial(_command, ("explain", "--mu", "0.{digits}", "--plot", "{folder}/icons.svg")),
}
QUICK = 10  # kills in one trial of what needs no drawing
AREAS: Mapping[str, Trial] = {name: partial(_trial, name, 1 if " --" in name else QUICK) for name in JOBS}
