"""What a PDF embeds of its fonts: outlines, and none of the tables by which text would be laid out."""

import re
import struct
import zlib

import pytest

from gaussdp import GDP, tradeoff_figure

pytest.importorskip("matplotlib")


def embedded_fonts(pdf):
    """Of each TrueType font in the file, the names of its tables."""
    streams = (content for content in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL))
    for content in streams:
        try:
            font = zlib.decompress(content)
        except zlib.error:
            continue
        if font.startswith(b"\x00\x01\x00\x00"):
            (count,) = struct.unpack(">H", font[4:6])
            yield {font[12 + 16 * i : 16 + 16 * i].decode() for i in range(count)}


def test_fonts_are_embedded_without_tables_for_layout():
    from fontTools.subset import Options

    before = Options().drop_tables
    fonts = list(embedded_fonts(tradeoff_figure(GDP(0.5)).render("pdf")))
    assert fonts
    for tables in fonts:
        assert {"glyf", "hmtx", "loca"} <= tables
        assert not {"GDEF", "GPOS", "GSUB", "kern"} & tables
    assert Options().drop_tables == before  # whoever else cuts fonts here is not told what to drop
