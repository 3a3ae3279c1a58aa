"""Every template that the code says, and where: what the catalogue of each language must have."""

import ast
import re
from pathlib import Path

from gaussdp.published import deployments
from gaussdp.web.static_files import FOLDER, normal

SOURCE = Path(__file__).parents[1] / "src" / "gaussdp"
SAID = {"say": (0,), "Phrase": (0,), "plural": (1, 2)}
TABLES = (  # whose columns people read in other languages
    "accounting/fitted.py",
    "accounting/readings.py",
    "advising/advice.py",
    "choosing/budgets.py",
    "explaining/explanation.py",
    "statements/findings.py",
    "statements/verdict.py",
)
_SPEAK = re.compile(r'speak\(\s*"((?:[^"\\]|\\.)*)"')
_FIELD = re.compile(r'\b(?:label|hint|example): "((?:[^"\\]|\\.)*)"')
_ENTRY = re.compile(r'\["((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)*)"\],')
_TEXT = re.compile(r">([^<>]+)<")
_ATTRIBUTE = re.compile(r' (?:aria-label|alt|placeholder|title|name="description" content)="([^"]+)"')
_CODE = re.compile(r"(?<=<code>).*?(?=</code>)")
_WORD = re.compile(r"[^\W\d_]{2}")


def python_templates():
    """What Python says: template and place."""
    for path in sorted(SOURCE.rglob("*.py")):
        room = path.relative_to(SOURCE).parts[0]
        if room == "words":
            continue
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call):
                continue
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            places = SAID.get(name, (1,) if name == "Column" and path.relative_to(SOURCE).as_posix() in TABLES else ())
            for place in places:
                for template in _constants(call.args[place]) if place < len(call.args) else ():
                    if name != "Column" or _WORD.search(template):
                        yield template, f"{path.relative_to(SOURCE)}:{call.lineno}"


def published_templates():
    """What is told about known deployments."""
    for use in deployments():
        yield from ((words, use.name) for words in (use.unit, use.covers))


def _constants(node):
    """The texts that an argument may be."""
    if isinstance(node, ast.IfExp):
        return [*_constants(node.body), *_constants(node.orelse)]
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


def page_templates():
    """What the page and its scripts say."""
    text = _CODE.sub("", (FOLDER / "index.html").read_text(encoding="utf-8"))
    for found in (*_TEXT.findall(text), *_ATTRIBUTE.findall(text)):
        if _WORD.search(normal(found)) and normal(found) not in NAMES:
            yield normal(found), "index.html"
    for path in sorted(FOLDER.glob("js/**/*.js")):
        script = path.read_text(encoding="utf-8")
        patterns = [_SPEAK]
        if path.name == "definitions.js":
            patterns.append(_FIELD)
        for pattern in patterns:
            yield from ((_unescaped(one), path.name) for one in pattern.findall(script) if _WORD.search(one))
        if path.name == "glossary.js":
            yield from (
                (_unescaped(one), path.name) for pair in _ENTRY.findall(script) for one in pair if _WORD.search(one)
            )


def _unescaped(text):
    return text.replace('\\"', '"')


NAMES = {"gaussdp", "English", "Deutsch"}
"""What is the same in every language."""
