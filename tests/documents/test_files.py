"""Files are old or new and folders whole, whenever their writer dies and however full the disk is."""

import errno
import json
import os
import random
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gaussdp import DomainError
from gaussdp.documents.files import locked, write_file, write_files

posix = pytest.mark.skipif(os.name != "posix", reason="signals and limits of POSIX")
NAMES = ("a.txt", "b.txt", "deeper/c.txt")


def contents(folder):
    """Every file under the folder, by name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def generation(number):
    return {name: f"{number} {name} ".encode() * 500 for name in NAMES}


class TestOneFile:
    def test_new_and_again(self, tmp_path):
        for content in (b"first", b"", b"third" * 1000):
            write_file(tmp_path / "x", content)
            assert contents(tmp_path) == {"x": content}

    def test_permissions_and_links_stay(self, tmp_path):
        (tmp_path / "real").write_bytes(b"old")
        (tmp_path / "real").chmod(0o640)
        (tmp_path / "link").symlink_to("real")
        write_file(tmp_path / "link", b"new")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "real").read_bytes() == b"new"
        assert stat.S_IMODE((tmp_path / "real").stat().st_mode) == 0o640

    def test_a_device_takes_it(self):
        write_file("/dev/null", b"nothing")
        assert Path("/dev/null").is_char_device()

    def test_long_names(self, tmp_path):
        name = "n" * 250 + ".txt"
        write_file(tmp_path / name, b"x")
        assert contents(tmp_path) == {name: b"x"}

    @pytest.mark.parametrize("step", ["write", "fsync", "replace"])
    def test_an_error_names_the_file_and_leaves_the_old(self, tmp_path, monkeypatch, step):
        write_file(tmp_path / "x", b"old")

        def full(*arguments):
            raise OSError(errno.ENOSPC, "No space left on device")

        if step == "write":
            monkeypatch.setattr(os, "fdopen", full)
        else:
            monkeypatch.setattr(os if step == "fsync" else type(tmp_path), step, full)
        with pytest.raises(OSError, match="No space left") as caught:
            write_file(tmp_path / "x", b"new" * 99)
        assert caught.value.filename == str(tmp_path / "x")
        monkeypatch.undo()
        assert contents(tmp_path) == {"x": b"old"}

    def test_no_such_folder(self, tmp_path):
        with pytest.raises(FileNotFoundError) as caught:
            write_file(tmp_path / "absent" / "x", b"")
        assert caught.value.filename == str(tmp_path / "absent" / "x")

    @posix
    def test_what_a_killed_writer_left_is_removed_and_nothing_else(self, tmp_path):
        write_file(tmp_path / "x", b"old")
        child = subprocess.Popen([sys.executable, "-c", ""])
        child.wait()
        import gaussdp.documents.files as files

        (tmp_path / f".x.{files.HOST}-{child.pid}-0123abcd.part").write_bytes(b"torn")
        alive = tmp_path / f".x.{files.HOST}-{os.getpid()}-0123abcd.part"
        mine = tmp_path / ".x.my notes.part"
        alive.write_bytes(b"being written")
        mine.write_bytes(b"of somebody")
        write_file(tmp_path / "x", b"new")
        assert set(contents(tmp_path)) == {"x", alive.name, mine.name}


class TestFolders:
    def test_new_and_again(self, tmp_path):
        folder = tmp_path / "not" / "there"
        for number in (1, 2):
            write_files(folder, generation(number))
            assert contents(folder) == generation(number)
        assert [path.name for path in folder.parent.iterdir()] == ["there"]

    def test_other_files_stay(self, tmp_path):
        (tmp_path / "mine").write_bytes(b"mine")
        write_files(tmp_path, generation(1))
        assert contents(tmp_path) == {"mine": b"mine", **generation(1)}

    def test_an_empty_folder_stays_the_same_folder(self, tmp_path):
        before = tmp_path.stat().st_ino
        write_files(tmp_path, generation(1))
        assert tmp_path.stat().st_ino == before

    def test_a_file_is_in_the_way(self, tmp_path):
        (tmp_path / "file").write_bytes(b"old")
        with pytest.raises(OSError, match="file"):
            write_files(tmp_path / "file", generation(1))
        assert contents(tmp_path) == {"file": b"old"}

    def test_an_error_while_staging_changes_nothing(self, tmp_path, monkeypatch):
        write_files(tmp_path, generation(1))
        calls = []
        real = os.fsync

        def third_fails(descriptor):
            calls.append(descriptor)
            if len(calls) == 3:
                raise OSError(errno.ENOSPC, "No space left on device")
            real(descriptor)

        monkeypatch.setattr(os, "fsync", third_fails)
        with pytest.raises(OSError, match="No space left") as caught:
            write_files(tmp_path, generation(2))
        assert caught.value.filename == str(tmp_path / "deeper/c.txt")
        assert contents(tmp_path) == generation(1)


EVERY_LINE = """
import os, signal, sys
from pathlib import Path
import gaussdp.documents.files as files

os.fsync = lambda descriptor: None  # a killed process loses nothing that it wrote; only a machine does

def killed_after(lines, act):
    '''Whether the act ended before so many lines of the module ran; killed there otherwise.'''
    child = os.fork()
    if child == 0:
        seen = 0
        def trace(frame, event, argument):
            nonlocal seen
            if frame.f_code.co_filename != files.__file__:
                return None
            seen += 1
            if seen > lines:
                os.kill(os.getpid(), signal.SIGKILL)
            return trace
        sys.settrace(trace)
        act()
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0

def of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob('*') if path.is_file()}

def generation(number):
    return {name: f'{number} {name} '.encode() * 500 for name in ('a.txt', 'b.txt', 'deeper/c.txt')}

def visible(folder):
    return {name: content for name, content in of(folder).items() if not name.startswith('.')}

root, stride = Path(sys.argv[1]), int(sys.argv[2])
points = mixed = 0
for existing in (True, False):
    while True:
        folder = root / f'{existing}{points}'
        if existing:
            files.write_files(folder, generation(1))
        ended = killed_after(points, lambda: files.write_files(folder, generation(2)))
        found = visible(folder)
        for name, content in found.items():
            assert content in (generation(1)[name], generation(2)[name]), ('torn', points, name)
        if existing:
            assert set(found) == set(generation(1)), ('lost', points)
        else:
            assert found in ({}, generation(2)), ('in part', points)
        staged = any((path / 'complete.json').exists() for path in folder.glob('.gaussdp-*'))
        if found not in ({}, generation(1), generation(2)):
            mixed += 1
            assert staged, ('mixed without a way on', points)
        files.write_files(folder, {})  # the next write, of nothing
        found = of(folder)
        assert found in ({}, generation(1), generation(2)), ('not finished', points, sorted(found))
        files.write_files(folder, generation(3))
        assert of(folder) == generation(3), ('leftovers', points, sorted(of(folder)))
        assert not list(root.glob('.gaussdp-*')), ('leftovers beside', points)
        points += stride
        if ended:
            break
    points = 0 if existing else points
    print('killed', points, 'mixed', mixed, flush=True)
assert mixed > 0

one = root / 'one'
lines = 0
while True:
    files.write_file(one, b'old' * 999)
    ended = killed_after(lines, lambda: files.write_file(one, b'new' * 999))
    assert one.read_bytes() in (b'old' * 999, b'new' * 999), ('torn', lines)
    lines += stride
    if ended:
        break
files.write_file(one, b'last')
assert not list(root.glob('.one*')), 'leftovers'
print('one file', lines)
"""


@posix
def test_killed_before_every_third_line_of_a_write(tmp_path):
    """kill -9 before a line that a write runs: a file is old or new, a new folder whole or absent, and what was
    interrupted while it moved is moved by the next write."""
    done = subprocess.run(
        [sys.executable, "-c", EVERY_LINE, str(tmp_path), "3"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "one file" in done.stdout


@posix
def test_killed_at_random(tmp_path):
    """kill -9 while a process writes one generation after another into the same folder."""
    program = (
        "import sys\nfrom pathlib import Path\nfrom gaussdp.documents.files import write_files\n"
        "print(flush=True)\nnumber = 0\n"
        "while True:\n    number += 1\n"
        f"    write_files(Path(sys.argv[1]), {{n: f'{{number}} {{n}} '.encode() * 500 for n in {NAMES!r}}})\n"
    )
    moments = random.Random(0)
    folder = tmp_path / "folder"
    for _ in range(6):
        process = subprocess.Popen([sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE)
        process.stdout.readline()
        time.sleep(moments.uniform(0.0, 0.1))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        write_files(folder, {})
        found = contents(folder)
        numbers = {content.split()[0].decode() for content in found.values()}
        assert len(numbers) <= 1
        assert all(found == generation(number) for number in numbers)


@posix
@pytest.mark.parametrize("several", [False, True])
def test_a_full_disk(tmp_path, several):
    """The system refuses to write more than so many bytes into a file."""
    write_files(tmp_path, generation(1))
    call = (
        "write_files(Path(sys.argv[1]), {'a.txt': b'x', 'b.txt': b'y' * 10**6})"
        if several
        else ("write_file(Path(sys.argv[1]) / 'b.txt', b'y' * 10**6)")
    )
    program = (
        "import resource, signal, sys\nfrom pathlib import Path\n"
        "from gaussdp.documents.files import write_file, write_files\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nresource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))\n"
        f"try:\n    {call}\nexcept OSError as error:\n    print(error.filename)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(tmp_path / "b.txt")
    assert contents(tmp_path) == generation(1)


class TestLocks:
    def test_one_at_a_time(self, tmp_path):
        path = tmp_path / "rows.csv"
        with locked(path, "is taken"):
            with pytest.raises(DomainError, match=r"rows.csv: is taken"), locked(path, "is taken"):
                pass
            assert (tmp_path / "rows.csv.lock").exists()
        assert not list(tmp_path.iterdir())
        with locked(path, "is taken"):
            pass

    @posix
    def test_a_killed_holder_holds_no_more(self, tmp_path):
        program = (
            "import sys, time\nfrom pathlib import Path\nfrom gaussdp.documents.files import locked\n"
            "with locked(Path(sys.argv[1]), 'taken'):\n    print(flush=True)\n    time.sleep(60)\n"
        )
        path = tmp_path / "rows.csv"
        process = subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE)
        process.stdout.readline()
        with pytest.raises(DomainError, match="taken"), locked(path, "taken"):
            pass
        process.kill()
        process.wait()
        process.stdout.close()
        with locked(path, "taken"):
            assert json.dumps([name.name for name in tmp_path.iterdir()]) == '["rows.csv.lock"]'
