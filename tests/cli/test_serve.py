"""gaussdp serve: the address, the warning, and one line where it cannot start."""

import builtins
import importlib
import logging
import signal
import socket
import subprocess
import sys
from dataclasses import fields

import pytest

import gaussdp
from gaussdp.cli import main
from gaussdp.cli.serve import has_desktop
from gaussdp.web import Limits

AT_ONCE = """
import contextlib, signal
from gaussdp.web.serving import serve
from gaussdp.web.settings import Settings
with contextlib.suppress(KeyboardInterrupt):
    serve(Settings(port=0), ready=lambda address: signal.raise_signal(signal.SIGINT))
"""


def test_an_interrupt_the_moment_it_is_ready_ends_what_was_started():
    done = subprocess.run([sys.executable, "-c", AT_ONCE], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


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
    "arguments",
    [
        ["--port", "70000"],
        ["--port", "x"],
        ["--host", "no such host"],
        ["--host", "192.0.2.1"],
        ["--workers", "0"],
        ["--trusted-proxy", "proxy.example"],
        ["--root-path", "gaussdp"],
        ["--root-path", "/a/../b"],
        ["--burst", "0"],
        ["--work-seconds", "nan"],
    ],
)
def test_bad_input(arguments, capsys):
    assert main(["serve", *arguments]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("gaussdp: ")


def test_a_warning_where_others_can_reach_it(capsys):
    assert main(["serve", "--host", "192.0.2.1"]) == 2  # an address that is nobody's
    warning, refusal = capsys.readouterr().err.splitlines()
    assert warning.startswith("gaussdp: warning: 192.0.2.1 can be reached from other machines")
    assert refusal == "gaussdp: host must be a name or an address of this machine, got '192.0.2.1'"


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("calculator.example:8000", "leave out the port, any will do"),
        ("*", "a wildcard would let any page elsewhere in; give each name"),
        ("*.example", "a wildcard would let any page elsewhere in; give each name"),
        ("https://calculator.example", "leave out http:// and the path"),
        ("fe80::1%eth0", "leave out % and what follows, which no browser sends"),
        ("", "write it as a browser shows it between // and the next / or :"),
    ],
)
def test_a_name_that_is_none_is_refused_with_the_reason(name, advice, capsys):
    assert main(["serve", "--allow-host", name]) == 2
    error = capsys.readouterr().err
    assert error == f"gaussdp: allow_host must be a host name or an IP address, got {name!r}; {advice}\n"


def test_every_setting_can_be_seen_with_where_it_comes_from(capsys, monkeypatch):
    monkeypatch.setenv("GAUSSDP_SERVE_WAITING", "7")
    monkeypatch.setenv("GAUSSDP_SERVE_ALLOW_HOST", "one.example two.example")
    assert main(["serve", "--show-settings", "--burst", "11"]) == 0
    rows = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines()}
    assert rows["--waiting"] == ["7", "environment", "GAUSSDP_SERVE_WAITING"]
    assert rows["--burst"] == ["11", "option", "GAUSSDP_SERVE_BURST"]
    assert rows["--allow-host"] == ["one.example,two.example", "environment", "GAUSSDP_SERVE_ALLOW_HOST"]
    assert rows["--port"] == ["8000", "default", "GAUSSDP_SERVE_PORT"]
    assert {f"--{limit.name.replace('_', '-')}" for limit in fields(Limits)} <= set(rows)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://u:p,w@h/db", "postgresql://u:***@h/db"),
        ("postgresql://u:se@cr:et@h:5432/db", "postgresql://u:***@h:5432/db"),
        ("postgresql://h/db?user=u&password=secret&x=1", "postgresql://h/db?user=u&password=***&x=1"),
        ("postgresql://u@h/db", "postgresql://u@h/db"),
        ("sqlite:///budget.db", "sqlite:///budget.db"),
    ],
)
def test_no_password_is_seen(url, shown, capsys):
    assert main(["serve", "--show-settings", "--ledger", url]) == 0
    rows = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines()}
    assert rows["--ledger"] == [shown, "option", "GAUSSDP_SERVE_LEDGER"]


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
    assert not has_desktop()
