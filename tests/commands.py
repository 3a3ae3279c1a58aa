"""What a command says when it refuses."""

from gaussdp.cli import main


def refused(capsys, *arguments):
    """The one line on standard error of a command that refuses its input."""
    assert main([*map(str, arguments)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("gaussdp: ")
    assert captured.err.count("\n") == 1
    return captured.err
