"""The command line as a whole: exit codes, one line of complaint, help, fuzzing."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gaussdp
from gaussdp.cli import main
from gaussdp.cli.app import app
from gaussdp.cli.options import number, numbers

BAD = [
    ["choose"],
    ["choose", "--epsilon", "-1"],
    ["choose", "--epsilon", "nan"],
    ["choose", "--epsilon", "inf"],
    ["choose", "--epsilon", "one"],
    ["choose", "--epsilon", ""],
    ["choose", "--epsilon", "1", "--fpr", "0"],
    ["choose", "--epsilon", "1", "--fpr", "1e-3,,1e-4"],
    ["choose", "--epsilon", "1", "--recall", "1"],
    ["choose", "--epsilon", "1", "--delta", "2"],
    ["choose", "--epsilon", "1", "--rule", "0"],
    ["choose", "--epsilon", "1", "--prior", "1"],
    ["choose", "--epsilon", "1", "--digits", "0"],
    ["choose", "--epsilon", "1", "--digits", "99"],
    ["choose", "--epsilon", "1", "--format", "xml"],
    ["choose", "--epsilon", "1", "--criterion", "luck"],
    ["choose", "--epsilon", "1", "--table", "none"],
    ["choose", "--epsilon", "1", "surplus"],
    ["risk"],
    ["risk", "--mu", "-0.1"],
    ["risk", "--mu", "nan"],
    ["risk", "--mu", "1", "--fpr", "x"],
    ["risk", "--mu", "1", "--prior", "0"],
    ["audit", "no-such-file.csv"],
    ["audit", "no-such-file.csv", "--claim-mu", "x"],
    ["audit", "pyproject.toml"],
    ["audit", "--claim-mu", "1"],
    ["audit", "scores"],
    ["audit", "one-run"],
    ["audit", "one-run", "--canaries", "10", "--guesses", "11", "--correct", "5"],
    ["audit", "one-run", "--canaries", "10", "--guesses", "9", "--correct", "10"],
    ["audit", "one-run", "--canaries", "10", "--guesses", "9", "--guesses", "8", "--correct", "5"],
    ["audit", "plan"],
    ["audit", "plan", "--mu", "1", "--claim-mu", "1"],
    ["audit", "plan", "--mu", "1", "--power", "1"],
    ["no-such-command"],
    ["--no-such-option"],
    ["completion", "tcsh"],
]


@pytest.mark.parametrize("arguments", BAD, ids=" ".join)
def test_bad_input_is_one_line_and_exit_code_two(arguments, capsys):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("gaussdp: ")
    assert captured.err.count("\n") == 1
    assert "Traceback" not in captured.err


def test_the_complaint_is_the_domain_error(capsys):
    main(["risk", "--mu", "1", "--fpr", "1.2"])
    assert capsys.readouterr().err == "gaussdp: fpr must be in (0, 1), got 1.2\n"


def test_no_arguments_show_what_there_is_in_ten_lines(capsys):
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 10
    assert max(map(len, lines)) <= 80
    for line in lines[1:-1]:
        assert line.split()[1] in app.commands


@pytest.mark.parametrize(
    "command",
    [["choose"], ["risk"], ["audit"], ["audit", "scores"], ["audit", "plan"], ["audit", "one-run"], ["completion"]],
)
def test_help_has_examples(command, capsys):
    assert main([*command, "--help"]) == 0
    assert "Examples:" in capsys.readouterr().out


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"gaussdp {gaussdp.__version__}\n"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["choose", "risk"]),
    st.lists(
        st.sampled_from(
            ["--epsilon", "--mu", "--fpr", "--recall", "--delta", "--rule", "--prior", "--digits", "--format"]
        )
        | st.text(max_size=6)
        | st.floats().map(repr)
        | st.integers().map(str),
        max_size=6,
    ),
)
def test_fuzz(capsys, command, arguments):
    """Whatever is typed: success, or exit code 2 with one line."""
    code = main([command, *arguments])
    captured = capsys.readouterr()
    assert code in (0, 2)
    assert "Traceback" not in captured.err
    assert captured.err.count("\n") == (1 if code == 2 else 0)
    assert "nan" not in captured.out.lower()


def run(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "gaussdp", *arguments],
        capture_output=True,
        env={**os.environ, **environment},
        check=False,
    )


def test_as_a_program():
    done = run("risk", "--mu", "-1")
    assert done.returncode == 2
    assert done.stderr == b"gaussdp: mu must be in [0, inf], got -1.0\n"


def test_a_terminal_without_greek_letters():
    done = run("risk", "--mu", "1", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stderr == b""


EXAMPLE = Path(__file__).parents[2] / "examples" / "run.toml"


def in_shell(program, tmp_path):
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path
    )


COMMANDS = [
    "choose --epsilon 1",
    "risk --mu 1",
    "risk --mu 1 --format json",
    f"check {EXAMPLE} --claim mu=0.001",
    f"check {EXAMPLE} --claim mu=100",
    "rules",
    "deployments",
    "explain --mu 1",
    "--help",
    "check --help",
    "--version",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_reader_that_goes_away(command, tmp_path):
    """Not a word, and the code of a program that the system ends then: never that of a verdict."""
    done = in_shell(f"{sys.executable} -m gaussdp {command} | true", tmp_path)
    assert (done.stdout, done.stderr) == ("", "")
    assert done.returncode == 141
    done = in_shell(f"{sys.executable} -m gaussdp {command} | head -1", tmp_path)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1


def test_a_reader_that_reads_to_the_end_sees_the_verdict(tmp_path):
    done = in_shell(f"{sys.executable} -m gaussdp check {EXAMPLE} --claim mu=0.001 | cat", tmp_path)
    assert done.returncode == 1
    assert "false" in done.stdout


@pytest.mark.parametrize("command", COMMANDS[:4])
def test_a_closed_output(command, tmp_path):
    done = in_shell(f"{sys.executable} -m gaussdp {command} >&-", tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("gaussdp: the standard output is closed")
    assert done.stderr.count("\n") == 1
    assert in_shell(f"{sys.executable} -m gaussdp {command} 2>&-", tmp_path).returncode in (0, 1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
@pytest.mark.parametrize("arguments", ["choose --epsilon -1", "risk --mu x", "nonsense", "report none.toml"])
def test_bad_input_that_cannot_be_told_is_bad_input(arguments, tmp_path):
    """Exit code 1 is that of a false claim."""
    for streams in ("2> /dev/full", "> /dev/full 2>&1", ">&- 2> /dev/full"):
        assert in_shell(f"{sys.executable} -m gaussdp {arguments} {streams}", tmp_path).returncode == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_a_full_disk_behind_the_output(tmp_path):
    done = in_shell(f"{sys.executable} -m gaussdp check {EXAMPLE} --claim mu=0.001 > /dev/full", tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "No space left" in done.stderr


def test_no_memory(capsys, monkeypatch):
    def huge(*_arguments, **_options):
        raise MemoryError

    monkeypatch.setattr("gaussdp.cli.app.app.main", huge)
    assert main(["choose"]) == 2
    assert capsys.readouterr().err == "gaussdp: this computation needs more memory than there is here\n"


@pytest.mark.parametrize("text", ["1_0", "٣", "0x10", "1e3", "2.5", "", "9" * 5000])
def test_whole_numbers_are_plain_digits(text, capsys):
    for arguments in (
        ["account", "dpsgd", "--noise-multiplier", "1", "--sample-rate", "0.1", "--steps", text],
        ["explain", "--mu", "1", "--group", text],
        ["choose", "--epsilon", "1", "--digits", text],
    ):
        assert main(arguments) == 2
        said = capsys.readouterr().err
        assert said.startswith("gaussdp: ")
        assert said.count("\n") == 1
        assert len(said) < 500


def test_numbers():
    assert numbers("1e-3, 0.5") == (1e-3, 0.5)
    assert numbers((0.1, 0.2)) == (0.1, 0.2)


@pytest.mark.parametrize("text", ["", "x", "nan", "1,,2", "0x1"])
def test_not_numbers(text):
    with pytest.raises(click.BadParameter):
        numbers(text)


def test_number():
    assert number("1e-3") == 1e-3
    assert number("inf") == float("inf")


@pytest.mark.parametrize("command", ["account", "audit", "audit sequential --claim mu=1"])
def test_a_file_that_is_one_endless_line_is_refused(command, tmp_path, capsys):
    """As soon as the line is longer than any row: nobody waits until memory is full."""
    path = tmp_path / "endless.csv"
    path.write_text("0" * 3_000_000)
    assert main([*command.split(), str(path)]) == 2
    complaint = capsys.readouterr().err
    assert "endless.csv" in complaint
    assert " line " in complaint
