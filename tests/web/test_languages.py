"""The server answers in the language of who asks, and keeps the languages apart."""

import pytest

from gaussdp.web.replies import language_of
from web_client import Client

ASKED = {"epsilon": 3.0, "criterion": "multiplicative_advantage", "level": 1e-3}


@pytest.fixture(scope="module")
def client():
    return Client()


def asked_in(**options):
    query, accepted = options.get("query", ""), options.get("accepted")
    headers = [] if accepted is None else [(b"accept-language", accepted.encode())]
    return language_of({"query_string": query.encode(), "headers": headers})


@pytest.mark.parametrize(
    ("query", "accepted", "tag"),
    [
        ("", None, "en"),
        ("lang=de", None, "de"),
        ("view=choose&lang=de", "en", "de"),
        ("lang=en", "de", "en"),
        ("lang=tlh", "de-AT,de;q=0.9,en;q=0.8", "de"),
        ("", "en-GB,de;q=0.5", "en"),
        ("", "fr;q=1, de;q=0.2", "de"),
        ("", "fr", "en"),
        ("", "de;q=0", "en"),
        ("", ";;q=,*", "en"),
        ("", "de;q=nan", "en"),
        ("lang=" + "x" * 10_000, "de", "de"),
    ],
)
def test_which_language(query, accepted, tag):
    assert asked_in(query=query, accepted=accepted) == tag


def test_answers_and_their_numbers_for_machines(client):
    english, german = (client.post(f"choose?lang={tag}", ASKED) for tag in ("en", "de"))
    assert english.headers["content-language"], german.headers["content-language"] == ("en", "de")
    assert "Accept-Language" in german.headers.get("vary", "")
    first, second = english.json(), german.json()
    assert first["mu"] == second["mu"]
    assert first["curves"] == second["curves"]
    assert first["snippets"]["cli"] == second["snippets"]["cli"]
    assert second["mu_text"] == first["mu_text"].replace(".", ",")
    assert second["risk"]["sentence"].startswith("Ein Angriff, der einen Anteil 1e-3 der Nichtmitglieder")
    assert client.post("choose", ASKED).json() == first  # also after German, by whoever asks for nothing


def test_refusals(client):
    refused = client.post("choose?lang=de", {**ASKED, "level": 2.0})
    assert refused.status_code == 422
    assert refused.json()["error"]["message"] == "level muss in (0; 1) sein, ist aber 2,0"


def test_the_page_of_each_language_has_its_own_tag(client):
    pages = [client.get("/?lang=de"), client.get("/?lang=en"), client.get("/", headers={"accept-language": "de"})]
    assert [f'<html lang="{tag}"' in page.text for page, tag in zip(pages, ("de", "en", "de"), strict=True)] == [
        True
    ] * 3
    assert pages[0].headers["etag"] == pages[2].headers["etag"] != pages[1].headers["etag"]
    again = client.get("/?lang=de", headers={"if-none-match": pages[1].headers["etag"]})
    assert again.status_code == 200
    assert client.get("/?lang=de", headers={"if-none-match": pages[0].headers["etag"]}).status_code == 304
    files = client.get("/static/page.js")
    assert "Accept-Language" not in files.headers.get("vary", "")


def test_nobody_but_the_server_tells_workers_the_language(client):
    assert client.post("advise", {"every": "month", "speak": "de"}).status_code == 422
