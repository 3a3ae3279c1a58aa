"""Files are old or new and new folders whole, whenever their writer dies and however full the disk is; and what is
found in a folder is nobody's order to write, move or remove anything."""

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

    def test_permissions_stay(self, tmp_path):
        (tmp_path / "real").write_bytes(b"old")
        (tmp_path / "real").chmod(0o640)
        write_file(tmp_path / "real", b"new")
        assert (tmp_path / "real").read_bytes() == b"new"
        assert stat.S_IMODE((tmp_path / "real").stat().st_mode) == 0o640

    @pytest.mark.parametrize("target", ["real", "not there"])
    def test_a_link_does_not_choose_the_file(self, tmp_path, target):
        (tmp_path / "real").write_bytes(b"old")
        (tmp_path / "link").symlink_to(target)
        with pytest.raises(DomainError, match=rf"link: is a link to .*{target}; name that file itself"):
            write_file(tmp_path / "link", b"new")
        assert contents(tmp_path) == {"real": b"old"} | ({"link": b"old"} if target == "real" else {})

    def test_a_device_takes_it(self):
        write_file("/dev/null", b"nothing")
        assert Path("/dev/null").is_char_device()

    @posix
    def test_a_link_to_a_device_too(self, tmp_path):
        (tmp_path / "link").symlink_to("/dev/null")
        write_file(tmp_path / "link", b"nothing")
        assert (tmp_path / "link").is_symlink()

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

    def test_what_a_killed_writer_left_stays_and_harms_nobody(self, tmp_path):
        left = tmp_path / ".x.0123456789abcdef.part"
        left.write_bytes(b"torn")
        write_file(tmp_path / "x", b"new")
        assert contents(tmp_path) == {"x": b"new", left.name: b"torn"}


class TestFolders:
    def test_new_and_again(self, tmp_path):
        folder = tmp_path / "not" / "there"
        for number in (1, 2):
            write_files(folder, generation(number), overwrite=number == 2)
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

    @pytest.mark.parametrize("link", [False, True])
    def test_a_file_that_exists_is_replaced_only_if_asked(self, tmp_path, link):
        outside, folder = tmp_path / "outside", tmp_path / "folder"
        (folder / "deeper").mkdir(parents=True)
        outside.write_bytes(b"old")
        (folder / "deeper/c.txt").symlink_to(outside) if link else (folder / "deeper/c.txt").write_bytes(b"old")
        with pytest.raises(FileExistsError, match="exists already") as caught:
            write_files(folder, generation(1))
        assert caught.value.filename == str(folder / "deeper/c.txt")
        assert contents(folder) == {"deeper/c.txt": b"old"}
        write_files(folder, generation(1), overwrite=True)
        assert contents(folder) == generation(1)
        assert outside.read_bytes() == b"old"  # the link was replaced, not what it leads to

    @pytest.mark.parametrize("overwrite", [False, True])
    def test_no_folder_inside_leads_outside(self, tmp_path, overwrite):
        outside, folder = tmp_path / "home", tmp_path / "report"
        outside.mkdir()
        folder.mkdir()
        (outside / "c.txt").write_bytes(b"old")
        (folder / "deeper").symlink_to("../home")
        with pytest.raises(DomainError, match=r"deeper: is a link, which may lead anywhere; remove it"):
            write_files(folder, generation(1), overwrite=overwrite)
        assert contents(outside) == {"c.txt": b"old"}
        assert [path.name for path in folder.iterdir()] == ["deeper"]

    def test_a_list_found_in_a_folder_is_not_followed(self, tmp_path):
        """What a folder holds may come from anybody: a stage with a list of places is no unfinished write of ours."""
        folder = tmp_path / "home" / "clone" / "report"
        (folder / ".gaussdp-x/files/.keep").mkdir(parents=True)
        (tmp_path / "home/.profile").write_bytes(b"mine")
        (folder / ".profile").write_bytes(b"theirs")
        (folder / ".gaussdp-x/files/.profile").write_bytes(b"theirs")
        (folder / ".gaussdp-x/complete.json").write_text('["../../.profile", ".profile"]')
        for name in (".gaussdp-0", "../.gaussdp-0"):
            (folder / name).mkdir()
            (folder / name / "mine").write_bytes(b"mine")
        before = contents(tmp_path)
        write_files(folder, generation(1))
        assert contents(tmp_path) == before | {
            f"home/clone/report/{name}": content for name, content in generation(1).items()
        }

    @posix
    def test_what_is_staged_is_private_and_what_is_written_is_not(self, tmp_path, monkeypatch):
        modes = []
        real = os.fsync

        def looking(descriptor):
            modes.extend(stat.S_IMODE(stage.stat().st_mode) for stage in tmp_path.glob(".gaussdp-*"))
            real(descriptor)

        monkeypatch.setattr(os, "fsync", looking)
        (tmp_path / "as usual").mkdir()
        write_files(tmp_path / "new", generation(1))
        write_files(tmp_path, generation(1))
        assert set(modes) == {0o700}
        usual = (tmp_path / "as usual").stat().st_mode
        assert {(tmp_path / name).stat().st_mode for name in ("new", "deeper", "new/deeper")} == {usual}

    @pytest.mark.parametrize("link", [False, True])
    def test_the_root_of_a_file_system_is_refused(self, tmp_path, link):
        (tmp_path / "link").symlink_to("/")
        with pytest.raises(DomainError, match="is the root of a file system; name a folder inside it"):
            write_files(tmp_path / "link" if link else Path("/"), {"never.txt": b""})
        assert not Path("/never.txt").exists()

    def test_a_file_among_the_folders(self, tmp_path):
        (tmp_path / "file").write_bytes(b"old")
        with pytest.raises(NotADirectoryError) as caught:
            write_files(tmp_path / "file/deeper", generation(1))
        assert caught.value.filename == str(tmp_path / "file/deeper")
        (tmp_path / "deeper").write_bytes(b"old")
        with pytest.raises(NotADirectoryError) as caught:
            write_files(tmp_path, generation(1))
        assert caught.value.filename == str(tmp_path / "deeper")
        assert contents(tmp_path) == {"file": b"old", "deeper": b"old"}

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
            write_files(tmp_path, generation(2), overwrite=True)
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
points = mixed = left = 0
for existing in (True, False):
    while True:
        folder = root / f'{existing}{points}'
        if existing:
            files.write_files(folder, generation(1))
        ended = killed_after(points, lambda: files.write_files(folder, generation(2), overwrite=True))
        found = visible(folder)
        for name, content in found.items():
            assert content in (generation(1)[name], generation(2)[name]), ('torn', points, name)
        if existing:
            assert set(found) == set(generation(1)), ('lost', points)
            mixed += found not in (generation(1), generation(2))
        else:
            assert found in ({}, generation(2)), ('in part', points)
        before = set(of(folder)) - set(found)
        left += bool(before)
        files.write_files(folder, generation(3), overwrite=True)
        assert visible(folder) == generation(3), ('not replaced', points)
        assert set(of(folder)) - set(visible(folder)) == before, ('touched', points)
        points += stride
        if ended:
            break
    points = 0 if existing else points
    print('killed', points, 'mixed', mixed, 'left', left, flush=True)
assert mixed > 0 and left > 0

one = root / 'one'
lines = 0
while True:
    files.write_file(one, b'old' * 999)
    ended = killed_after(lines, lambda: files.write_file(one, b'new' * 999))
    assert one.read_bytes() in (b'old' * 999, b'new' * 999), ('torn', lines)
    lines += stride
    if ended:
        break
print('one file', lines)
"""


@posix
def test_killed_before_every_third_line_of_a_write(tmp_path):
    """kill -9 before a line that a write runs: a file is old or new, and a new folder whole or absent; the next write
    is none the wiser, and leaves what it finds."""
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
        f"    files = {{n: f'{{number}} {{n}} '.encode() * 500 for n in {NAMES!r}}}\n"
        "    write_files(Path(sys.argv[1]), files, overwrite=True)\n"
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
        found = {name: content for name, content in contents(folder).items() if not name.startswith(".")}
        assert set(found) in (set(), set(NAMES))
        for name, content in found.items():
            assert content == generation(content.split()[0].decode())[name]


@posix
@pytest.mark.parametrize("several", [False, True])
def test_a_full_disk(tmp_path, several):
    """The system refuses to write more than so many bytes into a file."""
    write_files(tmp_path, generation(1))
    call = (
        "write_files(Path(sys.argv[1]), {'a.txt': b'x', 'b.txt': b'y' * 10**6}, overwrite=True)"
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

    @pytest.mark.parametrize("there", ["a text", "a link", "a folder"])
    def test_what_is_no_lock_is_not_taken_for_one(self, tmp_path, there):
        lock, outside = tmp_path / "rows.csv.lock", tmp_path / "outside"
        {
            "a text": lambda: lock.write_bytes(b"mine"),
            "a link": lambda: lock.symlink_to(outside),
            "a folder": lock.mkdir,
        }[there]()
        with pytest.raises(DomainError, match="stands where the lock"), locked(tmp_path / "rows.csv", "is taken"):
            pass
        assert os.path.lexists(lock)
        assert not outside.exists()

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
