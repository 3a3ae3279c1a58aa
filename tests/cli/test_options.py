import click
import pytest

from gaussdp.cli.options import number, numbers


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
