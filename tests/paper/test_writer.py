"""gaussdp paper, as a library call: what is written, and that it is the same each time."""

import csv
import io
import re
import sys
from pathlib import Path

import pytest

import gaussdp
from gaussdp.choosing.tables import KEYS
from gaussdp.figures import FIGURES, figure
from gaussdp.paper import SECTIONS, values_csv, write_paper

REFERENCE = Path(__file__).parents[1] / "reference" / "paper_tables.csv"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    directory = tmp_path_factory.mktemp("paper") / "deep" / "down"
    steps = []
    count = write_paper(directory, lambda done, total, name: steps.append((done, total, name)))
    return directory, count, steps


def test_every_file_is_there(written):
    directory, count, _ = written
    expected = {"index.md", "index.html", "tables/paper_tables.csv"}
    expected |= {f"tables/{key}.{ending}" for key in KEYS for ending in ("txt", "md", "csv", "tex")}
    expected |= {f"plots/{key}.{ending}" for key in FIGURES for ending in ("svg", "pdf", "png")}
    expected |= {f"data/plots/{figure(key).data_name}" for key in FIGURES}
    found = {str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()}
    assert found == expected
    assert count == len(expected) == 63


def test_the_144_values_in_one_file(written):
    directory, *_ = written
    ours = list(csv.reader(io.StringIO((directory / "tables" / "paper_tables.csv").read_text())))
    with REFERENCE.open(newline="") as file:
        assert ours == list(csv.reader(file))
    assert len(ours) == 1 + 144


def test_the_values_in_each_table_file(written):
    directory, *_ = written
    rows = list(csv.DictReader(io.StringIO(values_csv())))
    for key in KEYS:
        printed = [row["printed"] for row in rows if row["table"] == key]
        with (directory / "tables" / f"{key}.csv").open(newline="") as file:
            _, *lines = csv.reader(file)
        assert [cell for line in lines for cell in line[1:]] == printed
        markdown = [
            re.split(r" *\| *", line.strip("| "))[1:]
            for line in (directory / "tables" / f"{key}.md").read_text().splitlines()
            if line.startswith("| 1e")
        ]
        assert [cell for line in markdown for cell in line] == printed
        latex = [
            line.removesuffix(r" \\").split(" & ")[1:]
            for line in (directory / "tables" / f"{key}.tex").read_text().splitlines()
            if line.startswith("$10^")
        ]
        assert [cell for line in latex for cell in line] == printed
        text = [
            line.split()[1:]
            for line in (directory / "tables" / f"{key}.txt").read_text().splitlines()
            if line.strip().startswith("1e")
        ]
        assert [cell for line in text for cell in line] == printed


def test_each_table_says_how_it_rounds(written):
    directory, *_ = written
    for key in KEYS:
        for ending in ("txt", "md", "tex"):
            assert "nearest" in (directory / "tables" / f"{key}.{ending}").read_text()


@pytest.mark.parametrize("name", ["index.md", "index.html"])
def test_the_index_shows_everything_and_no_link_is_dead(written, name):
    directory, *_ = written
    page = (directory / name).read_text()
    pattern = r'(?:href|src)="([^"]+)"' if name.endswith("html") else r"\]\(([^)]+)\)"
    targets = set(re.findall(pattern, page))
    assert all((directory / target).is_file() for target in targets)
    shown = "svg" if name.endswith("html") else "png"
    assert {f"plots/{key}.{shown}" for key in FIGURES} <= targets
    assert {f"tables/{key}.tex" for key in KEYS} <= targets
    assert "1,175.97" in page
    assert "rounded to nearest" in page


def test_the_page_needs_nothing_from_elsewhere(written):
    directory, *_ = written
    assert "http" not in (directory / "index.html").read_text()


def test_progress_counts_up(written):
    *_, steps = written
    assert [done for done, _, _ in steps] == list(range(len(SECTIONS) + len(FIGURES) + 2))
    assert {total for _, total, _ in steps} == {len(SECTIONS) + len(FIGURES) + 1}


def test_without_matplotlib_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(gaussdp.MissingExtraError):
        write_paper(tmp_path / "paper")
    assert not (tmp_path / "paper").exists()
