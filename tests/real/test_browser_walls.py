"""What a page may not do: reach our own parts, flood the tabs, fill the disk, open forbidden addresses."""

import ipaddress
import socket
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from server.browser.mcp.session_browser import SessionBrowser
from server.browser.pool import BrowserPool
from tests.support.browsers import element, notes_of, open_pool, settings_for
from tests.support.eventually import eventually
from tests.support.sites import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture(scope="module")
def own() -> Iterator[Site]:
    """Stands for the service itself: `port` of the settings is its port."""
    with Site() as own:
        yield own


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool(tmp_path_factory: pytest.TempPathFactory, own: Site) -> AsyncIterator[BrowserPool]:
    async with open_pool(tmp_path_factory.mktemp("data"), port=own.port) as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def browser(pool: BrowserPool) -> SessionBrowser:
    return await pool.get("walls")


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "chrome://version",
        "view-source:http://127.0.0.1/",
        "data:text/html,<h1>x",
        "javascript:alert(1)",
        "JAVA\tSCRIPT:alert(1)",
        "devtools://x",
        "about:gpu",
        "blob:x",
        "ftp://x/",
        " file:///etc/passwd",
    ],
)
async def test_other_schemes_are_refused_by_every_tool(browser: SessionBrowser, site: Site, url: str):
    await browser.navigate(site.url("/form"))
    for outcome in (
        await browser.navigate(url),
        await browser.call("browser_navigate", {"url": url}),
        await browser.call("browser_tabs", {"action": "new", "url": url}),
    ):
        assert not outcome.ok
        assert "Not opened" in outcome.text
    assert [tab.url for tab in await browser.tabs()] == [site.url("/form")]


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "[::ffff:7f00:1]", "0.0.0.0"]
)
async def test_the_service_itself_is_never_opened(browser: SessionBrowser, own: Site, host: str):
    before = len(own.paths)
    outcome = await browser.call("browser_navigate", {"url": f"http://{host}:{own.port}/form"})
    assert len(own.paths) == before
    assert "Blocked by Pilothouse" in outcome.text


async def test_no_way_of_a_page_reaches_the_service(browser: SessionBrowser, site: Site, own: Site):
    before = len(own.paths)
    await browser.navigate(site.url(f"/redirect?to={own.url('/form')}"))
    await browser.navigate(site.url(f"/reach?to={own.url('/form')}"))
    await browser.wait(2500)
    assert len(own.paths) == before
    # The same page does reach what it may reach, so it was the wall that stopped it.
    with Site() as other:
        await browser.navigate(site.url(f"/reach?to={other.url('/links')}"))
        await browser.wait(2500)
        assert other.paths


@pytest.mark.parametrize("what", ["devtools", "proxy"])
async def test_our_own_ports_are_refused(browser: SessionBrowser, what: str):
    assert browser.chromium is not None
    port = browser.chromium.relay.port if what == "devtools" else browser.chromium.egress.port
    outcome = await browser.call("browser_navigate", {"url": f"http://127.0.0.1:{port}/json/version"})
    assert "Blocked by Pilothouse" in outcome.text
    assert "webSocketDebuggerUrl" not in outcome.text


async def test_metadata_addresses_are_refused_after_a_redirect_too(browser: SessionBrowser, site: Site):
    for url in ("http://169.254.169.254/latest", site.url("/redirect?to=http://169.254.169.254/latest")):
        outcome = await browser.call("browser_navigate", {"url": url})
        assert "Blocked by Pilothouse" in outcome.text


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("https://169.254.169.254/", "Blocked by Pilothouse: 169.254.169.254"),
        ("https://no.such.invalid/", "is not known"),
    ],
)
async def test_a_refusal_is_told_in_words_under_https_too(browser: SessionBrowser, url: str, why: str):
    outcome = await browser.navigate(url)
    assert not outcome.ok
    assert why in outcome.text


async def test_private_addresses_are_refused_on_a_public_server(tmp_path, site: Site):
    async with open_pool(tmp_path, allow_private_network=False) as pool:
        browser = await pool.get("a")
        before = len(site.paths)
        for host in ("127.0.0.1", "localhost", "[::1]"):
            outcome = await browser.call("browser_navigate", {"url": site.url("/form", host)})
            assert "Blocked by Pilothouse" in outcome.text
        assert len(site.paths) == before


async def test_a_public_name_never_leads_to_this_machine_whatever_its_dns_says(tmp_path, site: Site):
    """The answer changes, as in DNS rebinding. Chromium may ask again by itself when a name was not known."""
    answers = [[], ["127.0.0.1"]]

    async def resolve(host: str, port: int) -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
        if host == "localhost":
            return [ipaddress.ip_address("127.0.0.1")]
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if not answer:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return [ipaddress.ip_address(address) for address in answer]

    before = len(site.paths)
    async with open_pool(tmp_path, resolve) as pool:
        browser = await pool.get("a")
        url = site.url("/form", "rebound.example")
        assert not (await browser.call("browser_navigate", {"url": url})).ok
        refused = await browser.call("browser_navigate", {"url": url})
        assert "Blocked by Pilothouse: rebound.example" in refused.text
        assert len(site.paths) == before
        assert (await browser.navigate(site.url("/form", "localhost"))).title == "Form"
        with Site() as other:
            await browser.navigate(
                site.url(f"/reach?to={other.url('/links', 'rebound.example')}", "localhost")
            )
            await browser.wait(2500)
            assert other.paths == []
            await browser.navigate(site.url(f"/reach?to={other.url('/links', 'localhost')}", "localhost"))
            await browser.wait(2500)
            assert other.paths


async def test_hosts_can_be_allowed_and_blocked(tmp_path, site: Site):
    async with open_pool(tmp_path, allow_private_network=False, allowed_hosts="localhost") as pool:
        browser = await pool.get("a")
        assert (await browser.navigate(site.url("/form", "localhost"))).title == "Form"
        refused = await browser.call("browser_navigate", {"url": site.url("/form", "127.0.0.1")})
        assert "not on the list of allowed hosts" in refused.text
        pool.configure(settings_for(tmp_path, blocked_hosts="localhost"))
        refused = await browser.call("browser_navigate", {"url": site.url("/form", "localhost")})
        assert "on the list of blocked hosts" in refused.text
        outcome = await browser.navigate(site.url("/form", "127.0.0.1"))
        assert outcome.title == "Form", outcome


async def test_webrtc_sends_no_datagrams(browser: SessionBrowser, site: Site):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as canary:
        canary.bind(("127.0.0.1", 0))
        canary.setblocking(False)
        url = site.add(
            "/webrtc",
            f"""<title>asking</title><script>(async () => {{
            const peer = new RTCPeerConnection({{iceServers: [{{urls: 'stun:127.0.0.1:{canary.getsockname()[1]}'}}]}});
            peer.createDataChannel('x'); await peer.setLocalDescription();
            setTimeout(() => document.title = 'asked', 1500) }})()</script>""",
        )
        await browser.navigate(url)
        await browser.wait(2000)
        with pytest.raises(BlockingIOError):
            canary.recv(1)


async def test_a_page_opens_one_tab_for_a_click_and_the_agent_stays_in_its_own(
    browser: SessionBrowser, site: Site
):
    await browser.navigate(site.url("/popups"))
    await browser.click(element(await browser.observe(), "Open"))
    seen = await browser.observe()
    assert len(await browser.tabs()) == 2
    assert seen.page.url == site.url("/popups")
    for tab in reversed((await browser.tabs())[1:]):
        await browser.call("browser_tabs", {"action": "close", "index": tab.index})


async def test_more_tabs_than_allowed_are_closed_and_told(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/form"))
    outcomes = [
        await browser.call("browser_tabs", {"action": "new", "url": site.url("/links")}) for _ in range(7)
    ]
    tabs = await browser.tabs()
    assert len(tabs) <= 5
    assert "more than 5 tabs" in notes_of(*outcomes)
    for tab in reversed(tabs[1:]):
        await browser.call("browser_tabs", {"action": "close", "index": tab.index})


async def test_permissions_are_denied(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/permissions"))
    assert "granted" not in (await browser.observe()).page.title
    assert "denied" in (await browser.observe()).page.title


async def test_a_download_is_kept_under_a_harmless_name(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/downloads"))
    seen = await browser.observe()
    clicks = [await browser.click(element(seen, name)) for name in ("Report", "Evil name")]
    await eventually(
        lambda: [path for path in browser.files.iterdir() if path.is_file()],
        lambda it: len(it) == 2,
        message="two downloads are kept",
    )
    assert sorted(path.name for path in browser.files.iterdir()) == ["evil.html", "report.txt"]
    assert "Downloaded report.txt (1000 bytes)" in notes_of(*clicks, await browser.observe())


async def test_an_endless_download_is_cancelled_and_told(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/downloads"))
    outcome = await browser.click(element(await browser.observe(), "Endless"))
    notes = [notes_of(outcome)]

    async def all_notes() -> list[str]:
        notes.append(notes_of(await browser.observe()))
        return notes

    await eventually(
        all_notes, lambda it: "a file may have 25 MB" in "".join(it), message="it is cancelled", interval=0.2
    )
    assert not list(browser.files.glob("endless*"))


async def test_downloads_can_be_switched_off(tmp_path, site: Site):
    async with open_pool(tmp_path, downloads=False) as pool:
        browser = await pool.get("a")
        await browser.navigate(site.url("/downloads"))
        await browser.click(element(await browser.observe(), "Report"))
        await browser.wait(500)
        assert not list(browser.files.iterdir())
