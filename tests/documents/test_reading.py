"""Files that are made to be slow, to fill the memory or to flood the terminal are refused before they can."""

import io
import json
import re
import time
import tomllib
import zipfile

import numpy as np
import pytest

from gaussdp import DomainError, Run, read_points
from gaussdp.auditing.score_files import read_scores
from gaussdp.cli import main
from gaussdp.documents.files import parsed
from gaussdp.errors import BudgetExceeded, one_line
from gaussdp.guarantees.claim import Claim
from gaussdp.mechanisms import composition
from gaussdp.mechanisms.composition import parse_plan
from gaussdp.statements.run_files import parse_text

RELEASE = '[[releases]]\nmechanism = "laplace"\nscale = 10.0\n'
GENEROUS = 20.0  # seconds for what takes a tenth of one, and took minutes
LONGEST = 700  # characters of a line that a person reads


class TestTOML:
    @pytest.mark.parametrize(
        "text",
        [
            ".".join("a" * 100_000) + " = 1",
            "x = 1\n[" + ".".join("a" * 100_000) + "]",
            "[[ " + " . ".join("a" * 100_000) + " ]]",
            "x = { " + ".".join(['"a b"', "'c'"] * 1000) + " = 1 }",
            ".".join([r'"\"."'] * 1000) + " = 1",
            "'''" + "'''\n" + ".".join("a" * 1000) + " = 1",
            '"""\\""""\n' + ".".join("a" * 1000) + " = 1",
            "# 'a\n" + ".".join("a" * 1000) + " = 1",
        ],
    )
    def test_a_key_of_many_parts_is_refused_before_it_is_parsed(self, monkeypatch, text):
        def parse(text):
            raise AssertionError("parsed")

        monkeypatch.setattr(tomllib, "loads", parse)
        with pytest.raises(DomainError, match=r"p.toml: line [12] holds a key of more than 50 parts"):
            parsed(text, "p.toml")

    @pytest.mark.parametrize(
        "value",
        [
            '"' + ".".join("a" * 1000) + '"',
            "'" + ".".join("a" * 1000) + "'",
            '"""\n' + ".".join("a" * 1000) + '\\""" ""' + '"""',
            "'''\n''" + ".".join("a" * 1000) + "'''",
            "1  # " + ".".join("a" * 1000),
            "[" + "0.5, " * 1000 + "]",
            '["a.b", ' * 10 + "]" * 10,
        ],
    )
    def test_dots_elsewhere_are_no_key(self, value):
        text = f"x.y.'z' = {value}\n"
        assert parsed(text, "p.toml") == tomllib.loads(text)

    def test_a_large_text_is_refused_before_it_is_parsed(self, monkeypatch):
        monkeypatch.setattr(tomllib, "loads", None)
        with pytest.raises(DomainError, match=r"p.toml: is too large: more than 2,097,152 characters"):
            parsed("a = 1\n" * (1 << 19), "p.toml")

    @pytest.mark.parametrize(
        "text",
        ['a="' + '\\"' * 10**6, '"""' + '\\"""' * 4 * 10**5, '"' * 2 * 10**6, "'" * 2 * 10**6, "a" + " " * 2 * 10**6],
    )
    def test_looking_for_dots_takes_no_square(self, text):
        start = time.monotonic()
        with pytest.raises(DomainError):
            parsed(text, "p.toml")
        assert time.monotonic() - start < GENEROUS


class TestLines:
    def test_a_plan_of_many_releases_is_searched_for_lines_only_to_refuse(self, monkeypatch):
        searches = []
        real = composition.line_of
        monkeypatch.setattr(composition, "line_of", lambda *given: searches.append(given) or real(*given))
        assert len(parse_plan(RELEASE * 4000, "plan.toml").mechanisms) == 4000
        assert searches == []
        with pytest.raises(DomainError, match=r"plan.toml, line 11999: scale must be"):
            parse_plan(RELEASE * 3999 + RELEASE.replace("10.0", "-1.0"), "plan.toml")
        assert len(searches) == 1

    @pytest.mark.parametrize("key", [" ", "", "\\n", "releasez"])
    def test_white_space_takes_no_square(self, key):
        """A key of white space, or one that is searched for in vain, and lines without words."""
        space = "\n \t" * 100_000
        start = time.monotonic()
        with pytest.raises(DomainError, match="unknown key"):
            parse_text(Run, f'{{{space}"{key}"{space}:{space}1}}', "run.json")
        assert time.monotonic() - start < GENEROUS

    def test_a_key_without_end(self):
        with pytest.raises(DomainError, match="line 1: unknown key 'kkk") as caught:
            parse_plan(f"{'k' * 10**6} = 1\n{RELEASE}", "plan.toml")
        assert len(str(caught.value)) < LONGEST

    def test_a_key_twice_among_many(self):
        start = time.monotonic()
        with pytest.raises(DomainError, match="states the key 'k99999' twice; keep one"):
            parsed("{" + ",".join(f'"k{i}":1' for i in range(100_000)) + ',"k99999":2}', "p.json")
        assert time.monotonic() - start < GENEROUS

    @pytest.mark.parametrize("text", [" " * 10**6 + "x", "(1, 2)" + " " * 10**6 + "x"])
    def test_a_claim_of_white_space(self, text):
        start = time.monotonic()
        with pytest.raises(DomainError, match="key=value"):
            Claim.parse(text)
        assert time.monotonic() - start < GENEROUS
        assert Claim.parse("epsilon  =\t3 , delta = 1e-5") == Claim(epsilon=3.0, delta=1e-5)


class TestMessages:
    def test_a_header_without_end(self, tmp_path, capsys):
        file = tmp_path / "scores.csv"
        file.write_text(",".join(f"column {i}" for i in range(60_000)) + "\n1,2\n")
        assert main(["audit", str(file), "--design", "trials"]) == 2
        line = capsys.readouterr().err
        assert line.startswith("gaussdp: scores.csv has no column 'score'; it has 'column 0', 'column 1'")
        assert len(line) < LONGEST
        with pytest.raises(DomainError) as caught:
            read_points(file)
        assert len(str(caught.value)) < LONGEST

    @pytest.mark.parametrize(
        "words",
        [
            ["choose", "--require", "x y " * 100_000],
            ["account", "gaussian", "--noise-multiplier", "1 2 " * 10_000],
            ["report", "a b " * 10_000],
        ],
    )
    def test_words_of_the_command_line(self, capsys, words):
        assert main(words) == 2
        assert len(capsys.readouterr().err) < LONGEST

    def test_the_ends_stay(self):
        told = one_line("what is wrong: " + "x " * 10_000 + "; what to do")
        assert re.fullmatch(r"what is wrong: (x )+.* \.\.\. ( ?x)+ ; what to do", told)
        assert len(str(BudgetExceeded("b", (1.0, 0.0), (0.5, 0.0), "word " * 1000))) < LONGEST


def array_bytes(array):
    """An array as NumPy writes it."""
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


class TestNPZ:
    @pytest.fixture(autouse=True)
    def unread(self, monkeypatch):
        def read(*arguments, **options):
            raise AssertionError("read")

        monkeypatch.setattr(np.lib.format, "read_array", read)

    def written(self, path, **arrays):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, array in arrays.items():
                archive.writestr(f"{name}.npy", array_bytes(array))
        return path

    def test_what_packs_a_thousand_times_is_not_unpacked(self, tmp_path):
        file = self.written(tmp_path / "z.npz", score=np.zeros(9 << 20), member=np.zeros(9 << 20, dtype=bool))
        with pytest.raises(DomainError, match=r"may have 67,108,864 bytes, got 84,934,656; save it with numpy.savez"):
            read_scores(file)

    @pytest.mark.parametrize(
        ("score", "member", "words"),
        [
            (np.zeros((1000, 1000)), np.zeros(1000), "arrays of one dimension and equal length, got shapes"),
            (np.zeros(10), np.zeros(1000), "arrays of one dimension and equal length, got shapes"),
            (np.array(["a", "b"]), np.zeros(2), "'score' holds no numbers, got <U1"),
            (np.zeros(2, dtype="c16"), np.zeros(2), "'score' holds no numbers"),
        ],
    )
    def test_what_is_no_score_is_not_unpacked(self, tmp_path, score, member, words):
        with pytest.raises(DomainError, match=words):
            read_scores(self.written(tmp_path / "z.npz", score=score, member=member))
        with pytest.raises(DomainError, match=r"arrays of one dimension|holds no numbers"):
            read_scores(self.written(tmp_path / "s.npz", members=score, nonmembers=np.zeros((2, 2))))


def test_a_deep_text_is_refused():
    for name, text in (("p.toml", "a = " + "[" * 100_000), ("p.json", "[" * 100_000)):
        with pytest.raises(DomainError, match="nested too deeply"):
            parsed(text, name)
    assert parsed(json.dumps([[1]]), "p.json") == [[1]]
