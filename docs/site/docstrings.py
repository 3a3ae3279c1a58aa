"""Docstrings as the site shows them: formulas as MathML, examples as code, sections apart."""

import re

from griffe import Extension
from latex2mathml.converter import convert

_SECTIONS = re.compile(r"\n(?=(?:Args|Returns|Raises|Attributes|Yields):\n)")
_NAMED = re.compile(r"^(Accuracy|Reference): ", re.MULTILINE)
_FORMULA = re.compile(r"^\.\. math::[ \t]*(.*?)(?=\n[ \t]*\n(?![ \t])|\Z)", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r":math:`([^`]+)`")
_EXAMPLE = re.compile(r"(?:^>>> .*\n?(?:^(?!\s*$).*\n?)*)+", re.MULTILINE)


class Docstrings(Extension):
    """Called by griffe for everything that it reads."""

    def on_instance(self, *, obj, **_others):
        """Rewrite the docstring, if there is one."""
        if obj.docstring is not None:
            obj.docstring.value = shown(obj.docstring.value)


def shown(text: str) -> str:
    """A docstring of the house as Markdown with Google's sections."""
    text = _FORMULA.sub(lambda found: f'<div class="formula" tabindex="0">{mathml(found[1], "block")}</div>\n', text)
    text = _INLINE.sub(lambda found: mathml(found[1], "inline"), text)
    text = _SECTIONS.sub("\n\n", text)
    text = _NAMED.sub(lambda found: f"\n**{found[1]}:** ", text)
    return _EXAMPLE.sub(lambda found: f"\n```pycon\n{found[0].rstrip()}\n```\n", text)


def mathml(formula: str, display: str) -> str:
    """A formula as MathML, which browsers draw by themselves."""
    return convert(" ".join(formula.split()), display=display)
