"""gaussdp serve: the address, the warning, and one line where it cannot start."""

import builtins
import importlib
import logging
import signal
import socket
import subprocess
import sys

import pytest

import gaussdp
from gaussdp.cli import main
from gaussdp.cli.serve import _has_desktop


def test_it_prints_its_address_and_ends_by_ctrl_c():
    process = subprocess.Popen(
        [sys.executable, "-m", "gaussdp", "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        line = process.stdout.readline()
        assert line.startswith("The calculator is at http://127.0.0.1:")
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=30)
        assert (process.returncode, output, errors) == (0, "", "")
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def test_a_port_in_use(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--port", str(port)]) == 2
    assert capsys.readouterr().err == f"gaussdp: port {port} is in use; take another, or 0 for any that is free\n"


def test_loggers_of_other_libraries_stay_open(monkeypatch):
    handler = logging.StreamHandler()
    closed = []
    monkeypatch.setattr(handler, "close", lambda: closed.append(True))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["serve", "--port", str(taken.getsockname()[1])]) == 2
    assert closed == []


@pytest.mark.parametrize(
    "arguments", [["--port", "70000"], ["--port", "x"], ["--host", "no such host"], ["--host", "192.0.2.1"]]
)
def test_bad_input(arguments, capsys):
    assert main(["serve", *arguments]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("gaussdp: ")


def test_a_warning_where_others_can_reach_it(capsys):
    assert main(["serve", "--host", "192.0.2.1"]) == 2  # an address that is nobody's
    warning, refusal = capsys.readouterr().err.splitlines()
    assert warning.startswith("gaussdp: warning: 192.0.2.1 can be reached from other machines")
    assert refusal == "gaussdp: host must be a name or an address of this machine, got '192.0.2.1'"


def test_without_the_extra(capsys, monkeypatch):
    monkeypatch.setattr(gaussdp, "web", importlib.import_module("gaussdp.web"))  # put back what is imported anew below
    for name in [name for name in sys.modules if name.partition(".")[0] in ("starlette", "uvicorn")]:
        monkeypatch.delitem(sys.modules, name)
    for name in [name for name in sys.modules if name.startswith("gaussdp.web")]:
        monkeypatch.delitem(sys.modules, name)
    real = builtins.__import__

    def without(name, *arguments, **options):
        if name.partition(".")[0] in ("starlette", "uvicorn"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    assert main(["serve"]) == 2
    error = capsys.readouterr().err
    assert error == 'gaussdp: the calculator needs starlette and uvicorn: pip install "gaussdp[web]"\n'


def test_no_browser_for_a_script(monkeypatch):
    monkeypatch.setenv("DISPLAY", ":0")
    assert not _has_desktop()
