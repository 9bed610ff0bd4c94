"""Who reaches the DevTools of a browser: the server and its MCP server, no other user, no page, no other machine."""

import asyncio
import os
import re
import subprocess
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from server.browser.chromium.chromium import Chromium
from server.browser.mcp.session_browser import SessionBrowser
from server.browser.pool import BrowserPool
from tests.support.browsers import running_processes
from tests.support.chat import ask
from tests.support.listening import Listening, descendants_of, group_of, listening_of, tcp_ports
from tests.support.server import serving
from tests.support.sites import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOBODY = 65534
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


@pytest_asyncio.fixture(loop_scope="module")
async def browser(pool: BrowserPool, site: Site) -> SessionBrowser:
    browser = await pool.get("access")
    await browser.navigate(site.url("/form"))
    return browser


def chromium_of(browser: SessionBrowser) -> Chromium:
    assert browser.chromium is not None
    return browser.chromium


async def as_stranger(*command: str) -> tuple[int, str]:
    """What a program of another user prints; where the tests do not run as root, of our own user."""
    stranger = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    done = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, timeout=20, cwd="/", check=False, **stranger
    )
    return done.returncode, done.stdout


async def status_of(url: str, **headers: str) -> str:
    """The status that another user's HTTP client gets."""
    extra = [part for name, value in headers.items() for part in ("-H", f"{name}: {value}")]
    command = (
        "curl",
        "-s",
        "--noproxy",
        "*",
        "-m",
        "2",
        "-o",
        "/dev/null",
        "-w",
        "%{http_code}",
        *extra,
        url,
    )
    return (await as_stranger(*command))[1]


async def test_chromium_listens_on_no_port(browser: SessionBrowser):
    chromium = chromium_of(browser)
    group = group_of(chromium.pid)
    assert len(group) > 2
    assert [place for pid in group for place in listening_of(pid)] == []
    assert not list(chromium.profile.glob("DevToolsActivePort"))


async def test_another_user_gets_nothing_from_any_port_of_ours(browser: SessionBrowser):
    chromium = chromium_of(browser)
    ports = {place.port for place in listening_of(os.getpid())}
    assert chromium.relay.port in ports
    secret = chromium.endpoint.rpartition("/")[2]
    wrong = [f"/{secret[:-1]}", f"/{secret}x", f"/{secret}/", f"//{secret}", f"/x?{secret}", f"/{secret}?x"]
    for path in ["/", "/json/version", "/json/list", "/json/new", "/devtools/browser", *wrong]:
        url = f"http://127.0.0.1:{chromium.relay.port}{path}"
        assert await status_of(url) == "404", path
        assert await status_of(url, **UPGRADE) == "404", path
    assert chromium.egress.port in ports
    assert await status_of(f"http://127.0.0.1:{chromium.egress.port}/json/version") == "000"


async def test_the_secret_path_opens_for_programs_only(browser: SessionBrowser):
    endpoint = chromium_of(browser).endpoint.replace("ws://", "http://")
    assert await status_of(endpoint, **UPGRADE) == "101"
    for header in ({"Origin": "http://127.0.0.1"}, {"Origin": "null"}, {"Host": "rebound.example"}):
        assert await status_of(endpoint, **UPGRADE, **header) == "404", header


async def test_the_secret_path_is_on_no_command_line_and_in_no_file_that_others_read(
    browser: SessionBrowser, tmp_path_factory: pytest.TempPathFactory
):
    chromium = chromium_of(browser)
    secret = chromium.endpoint.rpartition("/")[2]
    lines = running_processes("")
    assert any("--remote-debugging-pipe" in line for line in lines)
    assert not [line for line in lines if secret in line]
    holders = [pid for pid in all_pids() if secret.encode() in bytes_of(Path(f"/proc/{pid}/environ"))]
    assert len(holders) >= 1  # the MCP server: it has to know
    for pid in holders:
        environment = Path(f"/proc/{pid}/environ")
        assert is_private(environment)
        if os.geteuid() == 0:
            assert (await as_stranger("cat", str(environment)))[0] != 0
    for path in tmp_path_factory.getbasetemp().rglob("*"):
        if path.is_file() and secret.encode() in bytes_of(path):
            assert is_private(path), path


async def test_a_page_does_not_reach_the_relay_even_with_the_secret_path(browser: SessionBrowser, site: Site):
    endpoint = chromium_of(browser).endpoint
    url = site.add(
        "/connects",
        f"""<title>waiting</title><script>
        const socket = new WebSocket("{endpoint}");
        socket.onopen = () => document.title = "opened"; socket.onerror = () => document.title = "refused";
        </script>""",
    )
    await browser.navigate(url)
    await browser.wait(1000)
    assert (await browser.observe()).page.title == "refused"
    outcome = await browser.call("browser_navigate", {"url": endpoint.replace("ws://", "http://")})
    assert "Blocked by Pilothouse" in outcome.text
    # The egress stood before it. The relay itself refuses what a page sends with its handshake, too.
    relay = endpoint.replace("ws://", "http://")
    assert await status_of(relay, **UPGRADE, Origin=site.url("/").rstrip("/")) == "404"


async def test_nothing_of_a_server_and_its_browsers_listens_beyond_loopback(tmp_path: Path):
    settings = {"agent_mode": "real", "agent_model": "demo", "browser_headless": "true"}
    with Site() as site, serving(tmp_path / "data", **settings) as server:
        async with httpx.AsyncClient(base_url=server.url, headers=server.headers, timeout=120) as client:
            await ask(client, f"open {site.url('/form')} and read the page")
            family = {server.process.pid, *descendants_of(server.process.pid)}
            places = [place for pid in family for place in listening_of(pid)]
            own = [line.split()[0] for line in running_processes(str(tmp_path))]
    assert {int(pid) for pid in own} <= family
    assert len(family) > 4
    assert server.port in {place.port for place in places}
    assert all(place.is_loopback for place in places), places


async def test_what_listens_is_seen_by_these_tests():
    """That nothing is found elsewhere says something only if it would be found."""
    everywhere = await asyncio.start_server(lambda *_: None, "0.0.0.0", 0)
    port = everywhere.sockets[0].getsockname()[1]
    async with everywhere:
        assert Listening("0.0.0.0", port) in listening_of(os.getpid())
        assert not Listening("0.0.0.0", port).is_loopback
        assert port in tcp_ports()


def all_pids() -> list[int]:
    return [int(folder.name) for folder in Path("/proc").glob("[0-9]*") if re.fullmatch(r"\d+", folder.name)]


def bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def is_private(path: Path) -> bool:
    return path.stat().st_mode & 0o077 == 0
