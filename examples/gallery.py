"""The gallery: what each script says, prints and draws. As a program it runs them and writes out/gallery.md."""

import ast
import io
import runpy
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted((Path(__file__).parent / "gallery").glob("*.py"))


@dataclass(frozen=True)
class Shown:
    """A script that was run: its title and words, its code, what it printed, and its figure as SVG."""

    name: str
    title: str
    words: str
    code: str
    output: str
    figure: bytes


def shown(path: Path) -> Shown:
    """Run a script as a user would, and take its `figure`."""
    text = path.read_text(encoding="utf-8")
    title, _, words = (ast.get_docstring(ast.parse(text)) or "").partition("\n\n")
    output = io.StringIO()
    with redirect_stdout(output):
        found = runpy.run_path(str(path))
    code, figure = text.split('"""\n', 1)[1].lstrip(), found["figure"].render("svg")
    return Shown(path.stem, title.rstrip("."), " ".join(words.split()), code, output.getvalue(), figure)


def page(entries: list[Shown]) -> str:
    """All of them as Markdown; the figures lie beside the page, in gallery/."""
    parts = ["# Gallery", "Complete scripts, each with what it prints and draws. They lie in `examples/gallery/`."]
    for entry in entries:
        parts += [
            f"## {entry.title}",
            entry.words,
            f"```python\n{entry.code.rstrip()}\n```",
            f"```text\n{entry.output.rstrip()}\n```",
            f"![Trade-off curves: {entry.title.lower()}](gallery/{entry.name}.svg)",
        ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    folder = ROOT / "out" / "gallery"
    folder.mkdir(parents=True, exist_ok=True)
    results = [shown(path) for path in SCRIPTS]
    for result in results:
        (folder / f"{result.name}.svg").write_bytes(result.figure)
        print(f"# {result.title}\n{result.output}")
    (folder.parent / "gallery.md").write_text(page(results), encoding="utf-8")
