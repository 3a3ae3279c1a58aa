"""Behind a real nginx: as it is by default, with the headers of the documentation, and under a path of its own."""

import json
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path
from urllib.parse import urljoin

import httpx
import pytest

from browsers import NGINX, NO_NGINX
from web_server import started

pytestmark = pytest.mark.skipif(NGINX is None, reason=NO_NGINX)

CHOOSE = {"epsilon": 1, "criterion": "multiplicative_advantage", "level": 1e-3}
RUN = {"noise_multiplier": 1, "dataset_size": 50_000, "batch_size": 256, "epochs": 30}
NAME = "calculator.example"
DOCUMENTED = Path(__file__).parents[2] / "docs" / "web-server.md"


def documented_location():
    """The lines of nginx's configuration that the documentation gives."""
    return re.search(r"```nginx\n(.*?)```", DOCUMENTED.read_text(), re.DOTALL)[1]


def configuration(folder, port, upstream):
    told = documented_location().replace("127.0.0.1:8000", f"127.0.0.1:{upstream}")
    temporary = "\n".join(
        f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    return f"""
daemon off; master_process off; worker_processes 1; pid {folder}/pid; error_log {folder}/errors warn;
events {{ worker_connections 128; }}
http {{
  {temporary}
  access_log off;
  server {{ listen 127.0.0.1:{port}; server_name plain.example;
    location / {{ proxy_pass http://127.0.0.1:{upstream}; }} }}
  server {{ listen 127.0.0.1:{port}; server_name {NAME} evil.example;
    {told}
    location /kept/ {{ proxy_pass http://127.0.0.1:{upstream}; }} }}
}}
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@pytest.fixture(scope="module")
def server():
    settings = {
        "allow_hosts": [NAME, "plain.example"],
        "trusted_proxies": ["127.0.0.1"],
        "root_path": "/kept",
        "access_log": "json",
    }
    with started(settings, requests_per_second=0.001, burst=40, work_cost=1) as found:
        yield found


@pytest.fixture(scope="module")
def proxy(server, tmp_path_factory):
    folder = tmp_path_factory.mktemp("nginx")
    port = free_port()
    file = folder / "nginx.conf"
    file.write_text(configuration(folder, port, server.port))
    process = subprocess.Popen([NGINX, "-p", str(folder), "-c", str(file), "-e", str(folder / "errors")])
    try:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=20)
        shutil.rmtree(folder, ignore_errors=True)


def browser(proxy, name=NAME, address="127.0.0.1"):
    """A client that says what a browser at this name would say."""
    transport = httpx.HTTPTransport(local_address=address)
    return httpx.Client(
        base_url=proxy, transport=transport, timeout=60, headers={"host": name, "origin": f"https://{name}"}
    )


@pytest.mark.parametrize("name", [NAME, "plain.example"])
def test_a_post_is_answered_also_with_the_host_that_nginx_sets_by_default(proxy, name):
    prefix = "/gaussdp" if name == NAME else ""
    with browser(proxy, name) as client:
        assert client.post(f"{prefix}/api/v1/choose", json=CHOOSE).json()["mu_text"] == "0.3102"
        refused = client.post(f"{prefix}/api/v1/choose", json=CHOOSE, headers={"origin": "https://evil.example"})
        assert refused.status_code == 403


def test_a_client_cannot_say_which_name_it_came_by(proxy):
    """A page elsewhere whose name leads here (DNS rebinding) is of that name, whatever its script says."""
    with browser(proxy) as client:
        for name, status in ((NAME, 200), ("evil.example", 421)):
            answer = client.get("/gaussdp/", headers={"host": name, "x-forwarded-host": NAME})
            assert answer.status_code == status


@pytest.mark.parametrize("root", ["/gaussdp", "/kept"])
def test_all_addresses_of_the_page_lead_somewhere_under_a_path(proxy, root):
    """One root is taken away by the proxy, one is not."""
    with browser(proxy, address={"/gaussdp": "127.0.0.3", "/kept": "127.0.0.4"}[root]) as client:
        bare = client.get(root)
        assert bare.status_code in (301, 308)
        assert bare.headers["location"].endswith(f"{root}/")
        for page in ("/", "/docs"):
            text = client.get(root + page).text
            links = set(re.findall(r'(?:href|src)="([^"#]+)"', text))
            assert len(links) > 3
            for link in sorted(links):
                assert not link.startswith("/")
                assert client.get(urljoin(f"{root}{page}", link)).status_code == 200, link
        script = client.get(f"{root}/static/js/api.js").text
        assert "`/api" not in script
        document = client.get(f"{root}/openapi.json").json()
        assert document["servers"][0]["url"] == "."


def test_progress_comes_through(proxy):
    with browser(proxy) as client, client.stream("POST", "/gaussdp/api/v1/account", json=RUN) as response:
        assert json.loads(list(response.iter_lines())[-1])["result"]["mu_text"] == "0.5563"


def test_each_user_has_a_rate_of_his_own(server, proxy):
    with browser(proxy, address="127.0.0.5") as greedy, browser(proxy, address="127.0.0.6") as modest:
        statuses = [greedy.get("/gaussdp/docs").status_code for _ in range(41)]
        assert statuses == [200] * 40 + [429]
        mine = modest.get("/gaussdp/docs", headers={"x-forwarded-for": "127.0.0.5", "x-request-id": "from-me"})
        assert mine.status_code == 200
    with httpx.Client(base_url=server.address) as direct:  # whoever is no proxy speaks for nobody else
        headers = {"x-forwarded-for": "127.0.0.5"}
        transport = httpx.HTTPTransport(local_address="127.0.0.7")
        with httpx.Client(base_url=server.address, transport=transport) as stranger:
            assert stranger.get("/docs", headers=headers).status_code == 200
        assert direct.get("/docs", headers={**headers, "host": "localhost"}).status_code == 429
        assert direct.get("/docs", headers={"x-forwarded-host": "evil.example"}).status_code == 421
