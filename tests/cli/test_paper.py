"""gaussdp paper."""

import sys

from gaussdp.cli import main


def test_writes_and_says_where(tmp_path, capsys):
    out = tmp_path / "paper"
    assert main(["paper", "--out", str(out)]) == 0
    captured = capsys.readouterr()
    assert captured.out == f"The paper: 63 files in {out}; open {out / 'index.html'}\n"
    assert captured.err == ""  # no bar where no terminal is
    assert (out / "index.html").is_file()


def test_a_directory_that_cannot_be(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["paper", "--out", str(tmp_path / "file" / "deeper")]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == f"gaussdp: {tmp_path / 'file' / 'deeper'}: Not a directory\n"


def test_a_file_is_no_directory(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["paper", "--out", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_without_matplotlib(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["paper", "--out", str(tmp_path / "paper")]) == 2
    assert capsys.readouterr().err == 'gaussdp: figures need matplotlib: pip install "gaussdp[plot]"\n'


def test_out_is_required(capsys):
    assert main(["paper"]) == 2
    assert "--out" in capsys.readouterr().err
