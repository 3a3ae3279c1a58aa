from pathlib import Path

from gaussdp.cli.app import app
from gaussdp.cli.reference import reference

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"


def test_the_page_is_up_to_date():
    assert PAGE.read_text() == reference(), "run `make docs`"


def test_every_command_is_on_it():
    for name in app.commands:
        assert f"## gaussdp {name}\n" in reference()
