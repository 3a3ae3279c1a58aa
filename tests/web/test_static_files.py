"""The page's files: those of the package and nothing else."""

import json
import re
import subprocess
import sys

import pytest

from gaussdp.web.static_files import FOLDER, StaticFiles
from web_client import Client


@pytest.fixture(scope="module")
def client():
    return Client()


def test_every_file_has_a_type_that_browsers_take(client):
    types = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}
    files = [path for path in FOLDER.rglob("*") if path.is_file()]
    assert files
    for path in files:
        response = client.get(f"/static/{path.relative_to(FOLDER).as_posix()}")
        assert response.content == path.read_bytes()
        assert response.headers["content-type"].startswith(types.get(path.suffix, "")), path


def test_unchanged_files_are_not_sent_again(client):
    first = client.get("/")
    again = client.get("/", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert client.get("/", headers={"if-none-match": '"other"'}).status_code == 200
    assert client.get("/", headers={"if-none-match": f'"other", W/{first.headers["etag"]}'}).status_code == 304


@pytest.mark.parametrize(
    "path",
    [
        "../app.py",
        "%2e%2e/app.py",
        "..%2fapp.py",
        "..%5capp.py",
        "css/../../app.py",
        "/etc/passwd",
        "//etc/passwd",
        "index.html%00.js",
        "css",
        "css/",
        "",
        ".",
        "C:/windows/win.ini",
    ],
)
def test_nothing_outside(client, path):
    assert client.get(f"/static/{path}").status_code == 404


def test_links_that_lead_outside_are_left_out(tmp_path):
    folder, secret = tmp_path / "static", tmp_path / "secret.txt"
    folder.mkdir()
    secret.write_text("secret")
    (folder / "link.txt").symlink_to(secret)
    (folder / "own.txt").write_text("own")
    assert set(StaticFiles(folder).paths) == {"own.txt"}


def test_head(client):
    response = client.request("HEAD", "/")
    assert response.status_code == 200
    assert response.content == b""


def test_no_file_asks_for_anything_from_elsewhere():
    own = [path for path in FOLDER.rglob("*") if path.suffix in (".html", ".css", ".js") and "vendor" not in path.parts]
    for path in own:
        text = path.read_text().replace("http://www.w3.org/", "")
        assert "//cdn" not in text
        assert 'src="http' not in text
        assert "@import" not in text


def test_one_script_and_one_stylesheet(client):
    """The page asks for one of each, compressed, which hold all of its files; and says what can be chosen."""
    page = client.get("/").text
    assert re.findall(r'<script src="([^"]+)"', page) == ["static/page.js"]
    assert re.findall(r'<link rel="stylesheet" href="([^"]+)"', page) == ["static/page.css"]
    held = re.search(r'<script type="application/json" id="definitions">(.*?)</script>', page)[1]
    assert json.loads(held) == client.get("/api/v1/definitions").json()
    script = client.get("/static/page.js")
    assert script.headers["content-encoding"] == "gzip"
    assert not re.search(r"^(import|export) ", re.sub(r"/\*.*?\*/", "", script.text, flags=re.DOTALL), re.MULTILINE)
    for path in (FOLDER / "js").rglob("*.js"):
        assert path.read_text().splitlines()[0] in script.text  # the comment that says what it is
    plain = client.get("/static/page.css", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    for path in (FOLDER / "css").rglob("*.css"):
        assert path.read_text() in plain.text


def test_the_page_is_utf_8_whatever_the_machine_speaks():
    """A machine whose own encoding is another reads the page as it was written."""
    made = "from gaussdp.web.static_files import FOLDER, bundles; bundles(FOLDER, {!r})"
    strict = ("-X", "warn_default_encoding", "-W", "error::EncodingWarning")
    done = subprocess.run(
        [sys.executable, *strict, "-c", made.format("index.html")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
