"""The web UI's pages as they are served: what their headers forbid, and that no address leads elsewhere."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from server.http.spa import Spa
from server.main import create_app
from server.settings import Settings
from tests.conftest import PASSWORD, open_client

POLICY = {
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob: data:", "font-src 'self'",
    "connect-src 'self'", "worker-src 'self'", "manifest-src 'self'", "base-uri 'none'", "form-action 'self'",
    "frame-ancestors 'none'",
}  # fmt: skip


@pytest.fixture(params=["built", "not built"])
async def page(
    request: pytest.FixtureRequest, settings: Settings, tmp_path: Path
) -> AsyncIterator[httpx.AsyncClient]:
    """A client that asks for pages as a browser does; the web UI is built or is not."""
    dist = tmp_path / "dist"
    if request.param == "built":
        dist.mkdir()
        (dist / "index.html").write_text("<!doctype html><title>Page</title>")
        (dist / "other.html").write_text("<!doctype html><title>Other</title>")
    app = create_app(settings, spa=Spa(dist))
    headers = {"accept": "text/html", "authorization": f"Bearer {PASSWORD}"}
    async with app.router.lifespan_context(app), open_client(app, headers) as client:
        yield client


@pytest.mark.parametrize(
    "path",
    ["/", "/index.html", "/other.html", "/s/abc", "/nope", "/s/%3Cscript%3E", "/index.html?x=<script>"],
)
async def test_every_page_forbids_scripts_and_sources_that_are_not_ours(
    page: httpx.AsyncClient, path: str
) -> None:
    for method in ("GET", "HEAD"):
        answer = await page.request(method, path)
        assert answer.headers["content-type"].startswith("text/html")
        assert set(answer.headers["content-security-policy"].split("; ")) == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"


async def test_the_one_page_of_the_api_runs_in_a_sandbox(page: httpx.AsyncClient) -> None:
    session_id = (await page.post("/api/sessions", json={})).json()["id"]
    answer = await page.get(f"/api/sessions/{session_id}/export?format=html")
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert answer.headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize(
    "path",
    [
        "//evil.example", "//evil.example/..", "/%2f%2fevil.example", "/%5cevil.example", "/s//evil.example",
        "/?next=https://evil.example", "/login?next=//evil.example", "/?redirect=//evil.example&url=//evil.example",
        "/api/sessions/?next=//evil.example", "/api//evil.example", "/api/auth/logout/?next=//evil.example",
        "/%0d%0alocation:%20//evil.example", "/s/x%0d%0aset-cookie:%20a=b",
    ],
)  # fmt: skip
async def test_no_address_leads_to_another_site(page: httpx.AsyncClient, path: str) -> None:
    for method in ("GET", "POST"):
        answer = await page.request(method, f"http://127.0.0.1:8000{path}")
        assert not answer.is_redirect
        assert not {"location", "refresh", "set-cookie"} & set(answer.headers)


async def test_a_client_gets_the_packed_form_it_takes_or_the_file_itself(
    settings: Settings, tmp_path: Path
) -> None:
    text = b"export const answer = 42\n" * 40
    assets = tmp_path / "dist" / "assets"
    assets.mkdir(parents=True)
    for name, body in {"part.js": text, "part.js.gz": gzip.compress(text), "small.js": b""}.items():
        (assets / name).write_bytes(body)
    spa = Spa(assets.parent)
    app = create_app(settings, spa=spa)
    async with app.router.lifespan_context(app), open_client(app, {}) as client:
        packed = await client.get("/assets/part.js", headers={"accept-encoding": "gzip"})
        plain = await client.get("/assets/part.js", headers={"accept-encoding": "identity"})
        small = await client.get("/assets/small.js", headers={"accept-encoding": "gzip"})

    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert int(packed.headers["content-length"]) < len(text) == int(plain.headers["content-length"])
    assert packed.headers["etag"] != plain.headers["etag"]
    assert (packed.content, plain.content, small.content) == (text, text, b"")
    assert {name: set(asset.bodies) for name, asset in spa._assets.items()} == {
        "/assets/part.js": {"gzip"},  # the plain form is a megabyte in all
        "/assets/small.js": {""},
    }
