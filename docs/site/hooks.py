"""What the site holds beside docs/: the reference, the changelog and its like; and links that leave the folder."""

import json
import re
import sys
from pathlib import Path

from mkdocs.structure.files import File

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "examples")]

import gallery

import reference
from gaussdp import statements
from gaussdp.statements.machine import plan_schema, run_schema

ROOT = Path(__file__).parents[2]
PAGES = {
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "security.md": "SECURITY.md",
    "code_of_conduct.md": "CODE_OF_CONDUCT.md",
}
SCHEMAS = {
    "plan.schema.json": plan_schema,
    "run.schema.json": run_schema,
    f"statement-{statements.SCHEMA_VERSION}.schema.json": statements.schema,
}
_HELPER = re.compile(r'<script src="https://unpkg\.com/[^"]*"></script>')
_OWN_HELPER = f"<script>{(Path(__file__).parent / 'search_in_files.js').read_text(encoding='utf-8')}</script>"
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?://|#)([^)\s#]+)(#[^)\s]*)?\)")


def on_config(config):
    """A place in the contents for every page of the reference."""
    section = next(part["Reference"] for part in config.nav if "Reference" in part)
    made = [
        {reference.TITLES[key][0]: f"reference/{key}.md"} for key in reference.families() if key in reference.TITLES
    ]
    section[:0] = [{"Every name": "reference/index.md"}, *made]
    return config


def on_files(files, config):
    """The pages that are made from the code, and those whose source stands at the top of the repository."""
    for name, text in reference.pages().items():
        files.append(File.generated(config, f"reference/{name}", content=text))
    shown = [gallery.shown(path) for path in gallery.SCRIPTS]
    files.append(File.generated(config, "gallery.md", content=gallery.page(shown)))
    for entry in shown:
        files.append(File.generated(config, f"gallery/{entry.name}.svg", content=entry.figure))
    for name, schema in SCHEMAS.items():
        content = json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
        files.append(File.generated(config, f"schemas/{name}", content=content))
    for name, source in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=_LINK.sub(_inside, text)))
    return files


def on_page_markdown(markdown, page, config, files):
    """Links to files that the site does not hold become the file's name."""
    folder = (ROOT / "docs" / page.file.src_uri).parent

    def kept(link):
        target = (folder / link[2]).resolve()
        inside = target.is_relative_to(ROOT / "docs") or link[2] in PAGES
        if inside:
            return link[0]
        top = {source: name for name, source in PAGES.items()}.get(target.name)
        depth = page.file.src_uri.count("/") * "../"
        return f"[{link[1]}]({depth}{top})" if top else f"{link[1]} (`{target.relative_to(ROOT)}`)"

    return _LINK.sub(kept, markdown)


def on_post_page(output, page, config):
    """What the theme leaves to be desired: its search would fetch a helper, some parts have no name to be read out."""
    named = output.replace('"search" role="dialog"', '"search" role="dialog" aria-label="Search the site"')
    return _HELPER.sub(lambda _: _OWN_HELPER, named).replace("<th></th>", "<td></td>")


def on_post_template(output_content, template_name, config):
    """The same for pages without a source."""
    return on_post_page(output_content, None, config)


def _inside(link):
    """A link of a page at the top of the repository, as it reads inside docs/."""
    words, target, anchor = link[1], link[2], link[3] or ""
    if target.startswith("docs/"):
        return f"[{words}]({target.removeprefix('docs/')}{anchor})"
    name = {source: name for name, source in PAGES.items()}.get(target)
    return f"[{words}]({name}{anchor})" if name else f"{words} (`{target}`)"
