"""The text of an entry: hostile YAML and JSON is refused in one sentence that names the place, before it takes time."""

import json

import pytest
import yaml

from gaussdp.cli import main
from gaussdp.errors import DomainError
from gaussdp.published import opendp_registry
from gaussdp.published.entry_text import LONGEST, entry_content
from web_client import Client

BOMB = "a: &a [x, x]\n" + "".join(
    f"{b}: &{b} [*{a}, *{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
LAUGHS = "deployment:\n  a0: &a0 {k: 1}\n" + "".join(
    f"  a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}\n" for n in range(1, 60)
)
HOSTILE = {
    "a bomb of aliases": (BOMB, "a: has an anchor or an alias; write the value out"),
    "a bomb of merge keys": (LAUGHS, "deployment.a0: has an anchor or an alias"),
    "an alias": ("a: *b", "a: has an anchor or an alias|undefined alias"),
    "a key with an anchor": ("&a b: 1", "has a key that is no plain text"),
    "a merge key": ("a: {<<: {b: 1}}", "a: has a merge key <<; write the keys out"),
    "an empty integer": ('a: !!int ""', "a: has the tag tag:yaml.org,2002:int; leave it out"),
    "a tagged time": ("a: !!timestamp zzz", "a: has the tag tag:yaml.org,2002:timestamp"),
    "an object of Python": ("a: !!python/object/apply:os.system [id]", "a: has the tag tag:yaml.org,2002:python"),
    "a set": ("a: !!set {b, c}", "a: has the tag"),
    "binary": ("a: !!binary eA==", "a: has the tag"),
    "a tag of its own": ("a: !x 1", "a: has the tag !x; leave it out"),
    "a text for a mapping": ("!!map x", "has the tag"),
    "a tagged key": ("!!str a: 1", "has a key that is no plain text"),
    "a list as a key": ("? [a]\n: 1", "has a key that is no plain text"),
    "a long hexadecimal number": (f"a: 0x{'f' * 5000}", "a: is a number of 5,002 characters; at most 40 are allowed"),
    "a long octal number": (f"a: 0o{'7' * 5000}", "a: is a number of 5,002 characters"),
    "a long old octal number": (f"a: 0{'7' * 5000}", "a: is a number of 5,001 characters"),
    "a long decimal number": (f"a: [1, -{'9' * 5000}]", "a.2: is a number of 5,001 characters"),
    "a long number in sixties": (f"a: 1{':59' * 2000}", "a: is a number of 6,001 characters"),
    "a long quoted number": (f'a: "{"9" * 5000}"', "a: is a number of 5,000 characters"),
    "a long fraction": (f"a: 0.{'3' * 5000}", "a: is a number of 5,002 characters"),
    "a key twice": ("a: {b: 1, c: 2, b: 3}", "a.b: stands twice; keep one of them"),
    "a key twice in two spellings": ('a: 1\n"a": 2', "a: stands twice"),
    "a long text": (f"a: {'x' * 20_000}", "a: is a text of 20,000 characters; at most 10,000 are allowed"),
    "a long key": (f"{'x' * 500}: 1", "has a key of more than 100 characters"),
    "deep mappings": ("".join(f"{' ' * n}a:\n" for n in range(30)), "is nested deeper than 12 levels"),
    "deep lists": ("- " * 500 + "a", "is nested deeper than 12 levels"),
    "deep brackets": ("[" * 150, "is nested deeper than 12 levels"),
    "many brackets": ("[" * 20_000, "has more than 200 brackets"),
    "many keys": ("".join(f"k{n}: 1\n" for n in range(4000)), "holds more than 2,000 values"),
    "two documents": ("a: 1\n---\na: 2", "holds more than one document"),
    "much of it": ("#\n" * LONGEST, "is longer than an entry of 50,000 characters"),
    "no YAML": ("a: [", "is no YAML: line 1: "),
    "a control character": ("a: \x0f", "is no YAML: "),
}
BAD_JSON = {
    "a key twice": ('{"a": {"b": 1, "b": 2}}', "b: stands twice"),
    "a long whole number": (f'{{"a": {"9" * 5000}}}', "is a number of 5,000 characters"),
    "a long fraction": (f'{{"a": 0.{"9" * 5000}}}', "is a number of 5,002 characters"),
    "deep lists": ("[" * 40_000, "is no JSON: "),
    "no JSON": ("{", "is no JSON: "),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_yaml(case):
    text, words = HOSTILE[case]
    with pytest.raises(DomainError, match=words) as refused:
        entry_content(text, "a.yaml")
    assert len(str(refused.value)) < 300
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("case", BAD_JSON)
def test_hostile_json(case):
    text, words = BAD_JSON[case]
    with pytest.raises(DomainError, match=words):
        entry_content(text, "a.json")


@pytest.mark.parametrize(
    "case", ["a bomb of merge keys", "an empty integer", "a tagged time", "a long hexadecimal number"]
)
def test_refused_in_one_line_by_the_command_and_the_server(case, tmp_path, capsys):
    text = HOSTILE[case][0]
    (tmp_path / "bad.yaml").write_text(text, encoding="utf-8")
    assert main(["deployments", "--import", str(tmp_path / "bad.yaml")]) == 2
    said = capsys.readouterr().err.strip()
    assert said.startswith("gaussdp: bad.yaml: ")
    assert len(said.splitlines()) == 1
    answer = Client().post("registry-import", {"name": "bad.yaml", "text": text})
    assert answer.status_code == 422
    assert answer.json()["error"]["message"] == said.removeprefix("gaussdp: ")


def test_no_text_that_is_read_makes_work_beyond_its_length(monkeypatch):
    """What PyYAML is asked for is counted: whatever a text of the greatest length holds, it has few events."""
    asked = []
    parse = yaml.parse

    def counted(text, **options):
        for event in parse(text, **options):
            asked.append(event)
            yield event

    monkeypatch.setattr(yaml, "parse", counted)
    for piece in (
        "[",
        "{",
        "- ",
        "? ",
        "a: ",
        "a: b\n",
        "- a\n",
        "[]\n",
        "&a ",
        "*a ",
        "! ",
        "---\n",
        "'",
        '"',
        "#\n",
        "|\n",
    ):
        asked.clear()
        with pytest.raises(DomainError):
            entry_content((piece * LONGEST)[:LONGEST] + "\n[", "a.yaml")
        assert len(asked) <= 3 * 2000


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-17", -17),
        ("1e-5", 1e-5),
        ("1.0e-05", 1e-5),
        (".5", 0.5),
        ("1.", 1.0),
        ("true", True),
        ("False", False),
        ("yes", "yes"),
        ("~", None),
        ("", None),
        ("null", None),
        ('"1"', "1"),
        ("2026-01-31", "2026-01-31"),
        ("2026-01-31 10:00:00", "2026-01-31 10:00:00"),
        ("010", "010"),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("!!str 5", "5"),
        ("!!float 5", 5.0),
        ("!!int 5", 5),
        ("!!null", None),
        ("!!seq [1]", [1]),
        ("!!map {b: c}", {"b": "c"}),
        ("[a, {b: c}]", ["a", {"b": "c"}]),
        ("|\n  x\n  y\n", "x\ny\n"),
    ],
)
def test_scalars_of_the_core_schema(text, value):
    found = entry_content(f"a: {text}", "a.yaml")
    assert found == {"a": value}
    assert type(found["a"]) is type(value)


@pytest.mark.parametrize("text", [".inf", "-.inf", ".nan"])
def test_what_is_not_finite_is_no_parameter(text):
    assert type(entry_content(f"a: {text}", "a.yaml")["a"]) is float
    with pytest.raises(DomainError, match="epsilon must be in"):
        opendp_registry.parse_registry(entry(text), "a.yaml")


@pytest.mark.parametrize("text", ["010", "1_000", "1:30", "0x1F", "0o17", "0,5", "1.2.3", '"0,5"', '"010"'])
def test_a_number_that_programs_read_differently_is_refused(text):
    with pytest.raises(DomainError, match=r"a.yaml: epsilon must be a number such as 0.5 or 1e-5, got"):
        opendp_registry.parse_registry(entry(text), "a.yaml")


@pytest.mark.parametrize("text", ["1/n", "n^{-2}", "unknown", "2 per query"])
def test_a_formula_gives_no_number(text):
    assert opendp_registry.parse_registry(entry(text), "a.yaml").epsilon is None


def test_as_pyyaml_reads_it():
    """An entry of the registry means here what it means to the registry, but for dates."""
    for path in sorted((opendp_registry.Path(__file__).parent / "registry").iterdir()):
        text = path.read_text(encoding="utf-8")
        expected = json.loads(json.dumps(yaml.safe_load(text), default=str))
        assert entry_content(text, "a.yaml") == expected


def entry(epsilon):
    return (
        "deployment:\n  name: x\n  publication_date: 2020-01-01\n  dp_flavor: {name: Pure DP}\n"
        f"  privacy_loss:\n    privacy_parameters:\n      epsilon: {epsilon}\n"
    )
