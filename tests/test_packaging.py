"""What is released says the same everywhere, and workflow files are what their schemas ask for."""

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from packaging.specifiers import SpecifierSet

import gaussdp

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
VALIDATOR = shutil.which("check-jsonschema", path=str(Path(sys.executable).parent))
SCHEMAS = {
    "vendor.github-workflows": sorted((ROOT / ".github" / "workflows").glob("*.yml")),
    "vendor.github-issue-forms": sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*_*.yml")),
    "vendor.github-issue-config": [ROOT / ".github" / "ISSUE_TEMPLATE" / "config.yml"],
    "vendor.citation-file-format": [ROOT / "CITATION.cff"],
}


def module(name):
    """A module of the packaging folder, which is no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "packaging" / f"{name}.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_the_tests_of_a_release_are_there():
    """A release tests the wheel by some of the tests, named in a script that nothing else runs."""
    named = re.findall(r"\btests/[\w./]+", (ROOT / "packaging" / "release.sh").read_text(encoding="utf-8"))
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("schema", SCHEMAS)
def test_files_follow_their_schemas(schema):
    if VALIDATOR is None:
        pytest.skip("no check-jsonschema: workflow files were not validated")
    assert SCHEMAS[schema]
    done = subprocess.run(
        [VALIDATOR, "--builtin-schema", schema, *map(str, SCHEMAS[schema])], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_one_version():
    version = PROJECT["project"]["version"]
    released = re.search(rf"^## \[{re.escape(version)}\] - (\d{{4}}-\d\d-\d\d)$", CHANGELOG, re.MULTILINE)
    assert released, "the changelog knows the version and its date"
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {version}\n" in citation
    assert f'\ndate-released: "{released[1]}"\n' in citation
    assert gaussdp.__version__ == version


def test_the_changelog_has_a_place_for_what_comes():
    headings = re.findall(r"^## (.*)$", CHANGELOG, re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    assert headings[1].startswith(f"[{PROJECT['project']['version']}]")


def test_what_only_we_need_is_no_extra():
    assert not {"dev", "bench", "test", "docs", "lint"} & set(PROJECT["project"]["optional-dependencies"])
    assert {"dev", "bench"} <= set(PROJECT["dependency-groups"])


def test_workflows_may_do_no_more_than_each_job_needs():
    """Nothing by default, a list in each job, and writing in the jobs that publish alone; they check nothing out."""
    jobs = {}
    for path in SCHEMAS["vendor.github-workflows"]:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert content["permissions"] == {}, path.name
        jobs |= {f"{path.name} {name}": job for name, job in content["jobs"].items()}
    for name, job in jobs.items():
        writes = "write" in job["permissions"].values()
        assert writes == name.endswith("publish"), name
        assert not (writes and any("run" in step or "checkout" in step["uses"] for step in job["steps"])), name


def test_actions_are_named_by_commit_or_by_full_version():
    for path in SCHEMAS["vendor.github-workflows"]:
        lines = path.read_text(encoding="utf-8").splitlines()
        for before, line in pairwise(lines):
            if "uses:" in line:
                commit = re.search(r"@[0-9a-f]{40}  # v\d+\.\d+\.\d+$", line)
                assert commit or (re.search(r"@v\d+\.\d+\.\d+$", line) and "put the commit in place" in before), line


def test_pins_are_versions_and_name_no_place():
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        assert line.startswith("#") or re.fullmatch(r"[a-z0-9-]+==[0-9a-z.!]+( --hash=sha256:[0-9a-f]{64})*", line), (
            line
        )


def test_what_a_server_installs_has_hashes():
    """All of it, or pip would refuse the rest; and make audit and the container install nothing else."""
    lock = module("lock")
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    hashed = set(re.findall(r"^([a-z0-9-]+)==\S+ --hash", pins, re.MULTILINE))
    assert hashed >= {"numpy", "starlette", "sqlalchemy", "python-flint", "h11"}
    assert hashed == lock.needed()
    audit = (ROOT / "packaging" / "audit.sh").read_text(encoding="utf-8")
    assert f"gaussdp[{','.join(lock.SERVER)}]" in audit
    for text in (audit, (ROOT / "packaging" / "Containerfile").read_text(encoding="utf-8")):
        assert "--require-hashes" in text


def test_pins_install_on_the_oldest_python_that_is_promised():
    oldest = re.fullmatch(r">=(\d+\.\d+)", PROJECT["project"]["requires-python"])[1] + ".0"
    pins = dict(
        re.findall(r"^([a-z0-9-]+)==(\S+)", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    )
    asked = {name: _needs_python(name, version) for name, version in pins.items()}
    assert {name: needs for name, needs in asked.items() if oldest not in SpecifierSet(needs)} == {}


def _needs_python(name, version):
    """The Pythons for which a pinned distribution is made, if it is the one installed here."""
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return ""
    return found.metadata.get("Requires-Python", "") if found.version.partition("+")[0] == version else ""


def test_links_of_the_readme_work_elsewhere():
    pytest.importorskip("hatchling", reason="no hatchling: the release's README was not made")
    text = "<!-- session -->\nsee [how](docs/a.md), [a tool](https://example.org), [there](#there)"
    readme = module("metadata").readme
    there = "https://example.org/x/gaussdp"
    assert (
        readme(text, there) == f"see [how]({there}/blob/main/docs/a.md), [a tool](https://example.org), [there](#there)"
    )
    assert readme(text, "") == "see how, [a tool](https://example.org), [there](#there)"


def test_the_unit_is_one_that_systemd_takes(tmp_path):
    if not (systemd := shutil.which("systemd-analyze")):
        pytest.skip("no systemd-analyze")
    unit = tmp_path / "gaussdp.service"
    text = (ROOT / "packaging" / "gaussdp.service").read_text(encoding="utf-8")
    unit.write_text(text.replace("/opt/gaussdp/bin/gaussdp", sys.executable), encoding="utf-8")
    done = subprocess.run([systemd, "verify", str(unit)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_image_recipe():
    """What a build would do can be done: known instructions, a pinned base, files that exist, no rights in the end."""
    text = (ROOT / "packaging" / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.split(maxsplit=1) for line in text.splitlines() if line.strip() and not line.startswith("#")]
    known = {"FROM", "WORKDIR", "COPY", "RUN", "USER", "ENV", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT"}
    assert {word for word, _ in lines} <= known
    for word, rest in lines:
        if word == "FROM":
            assert re.match(r"docker\.io/library/python:\d+\.\d+\.\d+-\S+", rest), "a pinned version"
        if word == "COPY":
            assert all((ROOT / name).exists() for name in rest.split()[:-1]), rest
    users = [rest for word, rest in lines if word == "USER"]
    assert users == ["10001"], "not root"
