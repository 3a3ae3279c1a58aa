"""What a command writes: into the place that was named, which is refused before anything is computed."""

import click
import pytest

from commands import refused
from gaussdp.cli import main
from gaussdp.cli.app import app
from gaussdp.cli.options import OutputFile, OutputFolder

READ = {"--people", "--import"}  # the options that name what is read
RUN = """unit = "one person"
adjacency = "add-remove"

[[releases]]
mechanism = "gaussian"
noise_multiplier = 4.0
"""


def path_options(command=app, name="gaussdp", parent=None):
    """Every option of every command that takes a path: its name and its type."""
    context = command.make_context(name.split()[-1], [], parent, resilient_parsing=True)
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            yield from path_options(command.get_command(context, each), f"{name} {each}", context)
    for option in command.get_params(context):
        if isinstance(option, click.Option) and isinstance(option.type, click.Path):
            yield pytest.param(option.opts[0], option.type, id=f"{name} {option.opts[0]}")


@pytest.mark.parametrize(("name", "kind"), list(path_options()))
def test_every_place_to_write_is_looked_at_first(tmp_path, name, kind):
    if name in READ:
        return
    assert isinstance(kind, OutputFile | OutputFolder)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotADirectoryError):
        kind.convert(str(tmp_path / "file" / "deeper"), None, None)


def test_there_are_many():
    assert len(list(path_options())) > 15


@pytest.mark.parametrize("command", ["paper", "rules", "report"])
def test_nothing_is_computed_for_a_place_that_is_none(capsys, monkeypatch, tmp_path, command):
    def computed(*arguments, **options):
        raise AssertionError("computed")

    for name in ("paper.figure", "cli.rules.rule_document", "cli.report.report_run"):
        monkeypatch.setattr(f"gaussdp.{name}", computed)
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "run.toml").write_text(RUN)
    read = [tmp_path / "run.toml"] if command == "report" else []
    place = tmp_path / "file" / "deeper"
    assert refused(capsys, command, *read, "--out", place) == f"gaussdp: {place}: Not a directory\n"
    assert "root of a file system" in refused(capsys, command, *read, "--out", "/")
    for name in ("statement.html", "index.html", "rules.txt"):
        (tmp_path / name).write_bytes(b"old")
    assert "exists already; --overwrite replaces it" in refused(capsys, command, *read, "--out", tmp_path)


def test_a_statement_is_replaced_only_if_asked(capsys, tmp_path):
    (tmp_path / "run.toml").write_text(RUN)
    words = ["report", str(tmp_path / "run.toml"), "--out", str(tmp_path / "out")]
    assert main(words) == 0
    before = {path.name: path.stat().st_ino for path in (tmp_path / "out").iterdir()}
    capsys.readouterr()
    assert refused(capsys, *words) == (
        f"gaussdp: {tmp_path / 'out/statement.html'} exists already; --overwrite replaces it\n"
    )
    assert main([*words, "--overwrite"]) == 0
    after = {path.name: path.stat().st_ino for path in (tmp_path / "out").iterdir()}
    assert after.keys() == before.keys()
    assert all(after[name] != before[name] for name in after)  # each by a rename


def test_a_cloned_repository_does_not_choose_what_is_written(capsys, tmp_path):
    """A folder that says how to finish an earlier write, with places outside of it."""
    home, out = tmp_path, tmp_path / "clone" / "report"
    (out / ".gaussdp-x/files/.keep").mkdir(parents=True)
    (out / ".gaussdp-x/complete.json").write_text('["../../.profile"]')
    (out / ".profile").write_bytes(b"theirs")
    (home / ".profile").write_bytes(b"mine")
    (tmp_path / "run.toml").write_text(RUN)
    assert main(["report", str(tmp_path / "run.toml"), "--out", str(out)]) == 0
    assert (home / ".profile").read_bytes() == b"mine"
    assert (out / ".profile").read_bytes() == b"theirs"
    assert "statement.html" in capsys.readouterr().out
