"""Words made safe for each format, whoever wrote them."""

import re
from html import escape

_LATEX_SYMBOLS = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "--": "-{}-",
    "``": "`{}`",
    "''": "'{}'",
    "α": r"$\alpha$",
    "β̄": r"$\bar\beta$",
    "μ": r"$\mu$",
    "ε": r"$\varepsilon$",
    "δ": r"$\delta$",
    "ρ": r"$\rho$",
    "σ": r"$\sigma$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "½": r"$\tfrac{1}{2}$",
    "→": r"$\to$",
    "−": "$-$",
}
_LATEX_PATTERN = re.compile("|".join(map(re.escape, _LATEX_SYMBOLS)))
_ANYONES = {
    **_LATEX_SYMBOLS,
    "½": r"$\frac{1}{2}$",
    "×": r"$\times$",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "\u00a0": "~",
}
_ANYONES_PATTERN = re.compile("|".join(map(re.escape, _ANYONES)))
# What every font encoding of LaTeX can set; Eth and Thorn it cannot.
_BEYOND_LATIN = re.compile(
    "[^\x20-\x7e\u00c0-\u00cf\u00d1-\u00d6\u00d8-\u00dd\u00df-\u00ef\u00f1-\u00f6\u00f8-\u00fd\u00ff]"
)

LATEX_CHARACTER = r"""\providecommand{\gaussdpchar}[2]{\ifdefined\Umathchar#2\else[U+#1]\fi}"""
"""What a document must hold for characters that only engines of Unicode can set: pdfLaTeX shows their number."""

_MARKDOWN_PATTERN = re.compile(r"([\\`*_{}\[\]<>#|~!&$])")


def latex_words(words: str) -> str:
    r"""Words for LaTeX; needs amsmath for one half.

    >>> print(latex_words(r"100% of \foo, μ_1"))
    100\% of \textbackslash{}foo, $\mu$\_1
    """
    return _LATEX_PATTERN.sub(lambda found: _LATEX_SYMBOLS[found[0]], words)


def latex_text(words: str) -> str:
    r"""As `latex_words`, for words that anyone may have written, in any script; needs `LATEX_CHARACTER`.

    >>> print(latex_text("名"))
    \gaussdpchar{540D}{名}
    """
    pieces = re.split(f"({_ANYONES_PATTERN.pattern})", words)
    return "".join(
        _ANYONES[piece] if place % 2 else _BEYOND_LATIN.sub(_numbered, piece) for place, piece in enumerate(pieces)
    )


def markdown_text(words: str) -> str:
    r"""Words for the inside of a line of Markdown, with nothing left that Markdown or HTML would read.

    >>> print(markdown_text("a_b <i>|"))
    a\_b \<i\>\|
    """
    return _MARKDOWN_PATTERN.sub(r"\\\1", words)


def html_text(words: str) -> str:
    """Words for the text or an attribute of HTML.

    >>> html_text('<a href="x">')
    '&lt;a href=&quot;x&quot;&gt;'
    """
    return escape(words)


def _numbered(found: re.Match[str]) -> str:
    return rf"\gaussdpchar{{{ord(found[0]):04X}}}{{{found[0]}}}"
