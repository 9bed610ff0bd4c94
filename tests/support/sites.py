"""A small site on loopback with pages that are pleasant, odd or evil, and a ledger of what was done to it.

    with Site() as site:
        site.url("/form")       # the address of a page
        site.effects            # [Effect("form", {"name": "Ann"})]: every POST, in order
        site.paths              # every path asked for, in order

`/` links to all pages. A second `Site` is another origin.
"""

from __future__ import annotations

import html
import json
import mimetypes
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

Page = Callable[["Visit"], "str | Answer | None"]


@dataclass(frozen=True)
class Effect:
    """Something was done: the last part of the POST's path, and the form's fields (a file: name and size)."""

    name: str
    fields: dict[str, str]


@dataclass
class Answer:
    body: bytes | Iterator[bytes] = b""
    status: int = 200
    type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    reason: str | None = None
    """The words after the status; Latin-1."""


class Site:
    """Serves `PAGES` on a free port of 127.0.0.1 while it is entered. More pages: `site.add("/x", html)`."""

    def __init__(self) -> None:
        self.effects: list[Effect] = []
        self.paths: list[str] = []
        self.pages: dict[str, Page] = dict(PAGES)
        self.folders: dict[str, Path] = {}
        """Folders whose files are served, by the beginning of their paths."""
        self._leaving = threading.Event()

    def __enter__(self) -> Site:
        handler = type("BoundVisit", (Visit,), {"site": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._leaving.set()
        self._server.shutdown()
        self._server.server_close()

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def add(self, path: str, content: str) -> str:
        """Serve this HTML under `path`; returns its address."""
        self.pages[path] = lambda _: content
        return self.url(path)

    def pause(self, seconds: float) -> bool:
        """Sleep; False when the site is being closed."""
        return not self._leaving.wait(seconds)


class _Server(ThreadingHTTPServer):
    daemon_threads = False

    def __init__(self, *args: Any) -> None:
        self._open: list[socket.socket] = []
        super().__init__(*args)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.append(request)
        super().process_request(request, client_address)

    def server_close(self) -> None:
        for request in self._open:
            with suppress(OSError):
                request.shutdown(socket.SHUT_RDWR)
        super().server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that goes away is no news."""


class Visit(BaseHTTPRequestHandler):
    """One request: `path`, `query`, `cookie`, `fields` of a POST."""

    site: ClassVar[Site]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        self.query = {name: values[0] for name, values in parse_qs(address.query).items()}
        self.fields: dict[str, str] = {}
        self.site.paths.append(self.path)
        if self.command != "GET":
            self.fields = self._read_form()
            self.site.effects.append(Effect(address.path.rpartition("/")[2], self.fields))
        page = self.site.pages.get(address.path) or _file
        answer = page(self)
        if isinstance(answer, str):
            answer = Answer(answer.encode())
        if answer is None:
            self.close_connection = True
        else:
            self._send(answer)

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

    @property
    def cookie(self) -> str:
        return self.headers.get("Cookie", "")

    def number(self, name: str, default: int) -> int:
        return int(self.query.get(name, default))

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status, answer.reason)
        self.send_header("Content-Type", answer.type)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if isinstance(answer.body, bytes):
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)
            return
        self.send_header("Connection", "close")
        self.end_headers()
        for chunk in answer.body:
            self.wfile.write(chunk)
        self.close_connection = True

    def _read_form(self) -> dict[str, str]:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        kind = self.headers.get("Content-Type", "")
        if kind.startswith("multipart/form-data"):
            return dict(_parts(f"Content-Type: {kind}\r\n\r\n".encode() + body))
        if kind.startswith("application/json") or (kind.startswith("text/plain") and body.startswith(b"{")):
            return {name: str(value) for name, value in json.loads(body or b"{}").items()}
        return {name: values[0] for name, values in parse_qs(body.decode(), keep_blank_values=True).items()}

    def log_message(self, *_: object) -> None:
        """Quiet."""


def _file(visit: Visit) -> Answer:
    path = urlsplit(visit.path).path
    for start, folder in visit.site.folders.items():
        file = folder / path.removeprefix(start)
        if path.startswith(start) and file.is_file():
            return Answer(file.read_bytes(), type=mimetypes.guess_type(path)[0] or "text/plain")
    return Answer(b"<h1>Not found</h1>", 404)


def _parts(mail: bytes) -> Iterator[tuple[str, str]]:
    for part in BytesParser().parsebytes(mail).walk():
        if not isinstance(part, Message) or part.is_multipart():
            continue
        name = str(part.get_param("name", header="content-disposition"))
        content = part.get_payload(decode=True)
        data = content if isinstance(content, bytes) else b""
        yield name, f"{part.get_filename()} {len(data)}" if part.get_filename() else data.decode()


PAGES: dict[str, Page] = {}


def page(path: str) -> Callable[[Page], Page]:
    def add(make: Page) -> Page:
        PAGES[path] = make
        return make

    return add


def document(title: str, body: str, head: str = "") -> str:
    return f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title>{head}</head><body>{body}"


def _fixed(path: str, title: str, body: str, head: str = "") -> None:
    PAGES[path] = lambda _: document(title, body, head)


# Pleasant pages


@page("/")
def index(visit: Visit) -> str:
    return document(
        "Index",
        "<h1>Pages</h1>"
        + "".join(f'<p><a href="{path}">{path}</a></p>' for path in sorted(visit.site.pages)),
    )


@page("/form")
def form(visit: Visit) -> str:
    if visit.command == "POST":
        name = html.escape(visit.fields.get("name", ""))
        return document("Thanks", f"<h1>Thanks, {name}</h1><a href=/form>again</a>")
    return document(
        "Form",
        """<h1>Tell us</h1><form method=post>
        <p><label>Name <input name=name></label> <label>Town <input name=town placeholder="Where you live"></label>
        <p><label>Colour <select name=colour><option>Red<option>Green<option>Blue</select></label>
        <p><label><input type=checkbox name=news value=yes> Send me news</label>
        <p><label>Notes <textarea name=notes></textarea></label> <p><button>Send</button></form>""",
    )


@page("/login")
def login(visit: Visit) -> str | Answer:
    if visit.command == "POST":
        return Answer(status=303, headers={"Location": "/private", "Set-Cookie": "login=ann; Max-Age=86400"})
    return document(
        "Log in",
        """<h1>Log in</h1><form method=post><label>User <input name=user></label>
        <label>Password <input type=password name=password></label><button>Log in</button></form>""",
    )


@page("/private")
def private(visit: Visit) -> str | Answer:
    if "login=ann" not in visit.cookie:
        return Answer(status=303, headers={"Location": "/login"})
    return document("Private", "<h1>Welcome back, Ann</h1>")


@page("/visits")
def visits(visit: Visit) -> Answer:
    """Shows how often this browser was here."""
    seen = int(visit.cookie.partition("visits=")[2].partition(";")[0] or 0) + 1
    return Answer(
        document("Visits", f"<h1>Visit {seen}</h1>").encode(),
        headers={"Set-Cookie": f"visits={seen}; Max-Age=1000"},
    )


@page("/upload")
def upload(visit: Visit) -> str:
    if visit.command == "POST":
        return document("Uploaded", f"<h1>Got {html.escape(visit.fields.get('file', 'nothing'))}</h1>")
    return document(
        "Upload",
        """<form method=post enctype=multipart/form-data>
        <label>File <input type=file name=file></label><button>Upload</button></form>""",
    )


PAGES["/favicon.ico"] = lambda _: Answer(status=204)
_fixed("/links", "Links", "".join(f"<p><a href=/links?{n}>Link {n}</a>" for n in range(40)))
_fixed("/iframe", "Frame", "<h1>Outside</h1><iframe src=/form title=Inside width=600 height=300></iframe>")
_fixed("/login-frame", "Framed login", "<h1>Outside</h1><iframe src=/login width=600 height=300></iframe>")
_fixed(
    "/icons",
    "Icons",
    """<style>.card{cursor:pointer;width:200px;height:60px;background:#eee;margin:8px}</style>
    <div class=card id=one onclick="document.title='first card'">First card</div>
    <span class="icon icon-trash" title="Empty the bin" style="cursor:pointer;display:inline-block;width:24px;height:24px"
      onclick="fetch('/effect/bin',{method:'POST'})"></span>""",
)
_fixed(
    "/shadow",
    "Shadow",
    """<x-box></x-box><script>customElements.define('x-box', class extends HTMLElement {
    connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML =
    '<label>Inner <input></label><button onclick="document.title=\\'shadow\\'">Inner button</button>' }})</script>""",
)
_fixed("/effect/bin", "Emptied", "")
_fixed("/effect", "Effect", "<form method=post action=/effect/order><button>Order now</button></form>")
_fixed("/effect/order", "Ordered", "<h1>Ordered</h1>")
_fixed("/new-tab", "New tab", "<a href=/form target=_blank>In a new tab</a>")
_fixed(
    "/moving",
    "Moving",
    """<style>@keyframes m{to{transform:translateX(600px)}}
    div{width:80px;height:80px;background:#36c;animation:m 2s infinite alternate}</style><div></div>""",
)
_fixed("/tall", "Tall", "<h1>Top</h1><div style='height:6000px'></div><h1 id=end>Bottom</h1>")


# Slow and broken pages


@page("/slow")
def slow(visit: Visit) -> str:
    visit.site.pause(visit.number("seconds", 3))
    return document("Slow", "<h1>At last</h1>")


@page("/slow-order")
def slow_order(visit: Visit) -> str:
    """The effect is written down before the answer comes."""
    if visit.command == "POST":
        visit.site.pause(visit.number("seconds", 3))
        return document("Ordered", "<h1>Ordered</h1>")
    return document("Order", "<form method=post><button>Order slowly</button></form>")


@page("/hang")
def hang(visit: Visit) -> None:
    """Takes the request and never answers."""
    while visit.site.pause(0.5):
        pass


@page("/slow-body")
def slow_body(visit: Visit) -> Answer:
    def drip() -> Iterator[bytes]:
        yield document("Drip", "<h1>It never ends</h1>").encode()
        while visit.site.pause(0.2):
            yield b"<p>drip"

    return Answer(drip())


@page("/growing")
def growing(visit: Visit) -> Answer:
    """Its beginning comes at once, its end a while later."""

    def grow() -> Iterator[bytes]:
        yield b"<!doctype html><title>Growing</title><button>First</button>" + b"<!-- -->" * 200
        visit.site.pause(visit.number("seconds", 2))
        yield b"<button>Last</button>"

    return Answer(grow())


@page("/redirect")
def redirect(visit: Visit) -> Answer:
    return Answer(status=302, headers={"Location": visit.query["to"]})


@page("/redirect-loop")
def redirect_loop(visit: Visit) -> Answer:
    return Answer(status=302, headers={"Location": f"/redirect-loop?{len(visit.site.paths)}"})


_SPIN = "navigator.sendBeacon('/effect/spins'); for (;;);"
_fixed("/spin", "Spin", f"<h1>Busy</h1><script>setTimeout(() => {{ {_SPIN} }}, 200)</script>")
_fixed("/spin-on-click", "Spin on click", f"""<button onclick="{_SPIN}">Spin</button>""")
_fixed("/reload-loop", "Reloads", "<h1>Again</h1><script>location.reload()</script>")
_fixed("/meta-refresh", "Refreshes", "<h1>Again</h1>", "<meta http-equiv=refresh content=0>")


# Dialogs

_fixed(
    "/dialogs",
    "Dialogs",
    """
    <button onclick="alert('Saved.'); document.title='alerted'">Alert</button>
    <button onclick="document.title = confirm('Delete it all?') ? 'deleted' : 'kept'">Confirm</button>
    <button onclick="document.title = 'name ' + prompt('Your name?', 'nobody')">Prompt</button>""",
)
_fixed("/alert-on-load", "Greeting", "<script>alert('Welcome!')</script><h1>After the alert</h1>")
_fixed(
    "/alerts-endless",
    "Alerts",
    "<h1>No way out</h1><script>setTimeout(() => { for (;;) alert('ha') }, 100)</script>",
)
_fixed(
    "/beforeunload",
    "Draft",
    """<label>Draft <input id=draft></label><a href=/form>leave</a>
    <script>onbeforeunload = event => { event.preventDefault(); return 'unsaved' }</script>""",
)


# Too much of something


@page("/many-links")
def many_links(visit: Visit) -> str:
    count = visit.number("n", 50_000)
    return document("Many links", "".join(f"<a href=/links?{n}>Link {n}</a> " for n in range(count)))


@page("/huge")
def huge(visit: Visit) -> Answer:
    chunk = ("<p>" + "words and words " * 60).encode() * 1000
    return Answer(
        document("Huge", "<h1>Huge</h1>").encode()
        + chunk * (visit.number("mb", 20) * 1_000_000 // len(chunk))
    )


@page("/deep")
def deep(visit: Visit) -> str:
    depth = visit.number("n", 10_000)
    return document("Deep", "<div>" * depth + "<button>Bottom</button>")


_fixed(
    "/memory",
    "Hungry",
    """<h1>Hungry</h1><script>const kept = [];
    setInterval(() => kept.length < 60 && kept.push(new Uint8Array(40e6).fill(kept.length)), 60)</script>""",
)
_fixed(
    "/canvas",
    "Canvas",
    """<canvas width=800 height=500></canvas><script>
    const c = document.querySelector('canvas').getContext('2d'); c.font = '40px sans-serif';
    c.fillText('Only a picture', 100, 100)</script>""",
)
_fixed(
    "/popups",
    "Popups",
    "<button onclick=\"for (let n = 0; n < 100; n++) window.open('/links?' + n)\">Open</button>"
    "<script>for (let n = 0; n < 100; n++) window.open('/links?load' + n)</script>",
)
_fixed(
    "/permissions",
    "Permissions",
    """<script>(async () => {
    const asked = await Promise.all(['geolocation', 'notifications', 'camera', 'microphone'].map(
      name => navigator.permissions.query({name}).then(found => found.state)));
    document.title = asked.join(' ') })()</script>""",
)


# Files


@page("/file")
def file(visit: Visit) -> Answer:
    """A download of `bytes` bytes called `name`; `bytes=0` never ends."""
    size, name = visit.number("bytes", 1000), visit.query.get("name", "report.txt")

    def flow() -> Iterator[bytes]:
        while visit.site.pause(0):
            yield b"x" * 100_000

    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Answer(b"x" * size if size else flow(), type="application/octet-stream", headers=disposition)


_fixed(
    "/downloads",
    "Downloads",
    """<a href="/file?bytes=1000&name=report.txt">Report</a>
    <a href="/file?bytes=1000&name=..%2f..%2fevil.html">Evil name</a> <a href="/file?bytes=0&name=endless.bin">Endless</a>""",
)


# Attacks on what a page may reach


@page("/reach")
def reach(visit: Visit) -> str:
    """Tries `to` by every way a page has; the title ends up as what got through, or `nothing`."""
    target = json.dumps(visit.query["to"])
    return document(
        "trying",
        f"""<script>(async () => {{
      const to = {target}, won = [], late = new Promise(done => setTimeout(done, 1500));
      const race = (name, work) => Promise.race([work.then(() => won.push(name), () => 0), late]);
      const load = (tag, set) => new Promise((ok, no) => {{ const el = document.createElement(tag);
        el.onload = ok; el.onerror = no; set(el); document.body.append(el) }});
      await Promise.all([
        race('fetch', fetch(to, {{mode: 'no-cors'}}).then(r => r.type === 'opaque' ? 0 : Promise.reject())),
        race('image', load('img', el => {{ el.src = to }})),
        race('socket', new Promise((ok, no) => {{
          const s = new WebSocket(to.replace('http', 'ws')); s.onopen = ok; s.onerror = no }})),
        load('iframe', el => {{ el.src = to }}), late]);
      document.title = won.join(' ') || 'nothing' }})()</script>""",
    )


@page("/csp")
def strict(_: Visit) -> Answer:
    body = document("Strict", "<form><label>Password <input type=password value=S3cretPw9></label></form>")
    return Answer(
        body.encode(), headers={"Content-Security-Policy": "default-src 'none'; form-action 'self'"}
    )
