"""One Chromium process: command line flags, start and end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from server.browser.browser import BrowserUnavailable
from server.browser.chromium.cdp import Cdp, CdpError
from server.browser.chromium.devtools import PIPES_SCRIPT, DevTools
from server.browser.chromium.downloads import Fetch
from server.browser.chromium.egress import Egress
from server.browser.chromium.hold import ChromiumHold
from server.browser.chromium.locality import UNKNOWN_LOCALITY, Locality
from server.browser.chromium.processes import Processes
from server.browser.chromium.relay import Relay
from server.ops.json_types import JsonObject
from wording.catalogue import sentence

VIEWPORT = (1280, 720)
START_DEADLINE = 20.0
END_SECONDS = 1.0
"""From the end of one of a process's pipes to that of the other, at most: they are reported in either order."""

_FLAGS = (
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-client-side-phishing-detection",
    "--disable-search-engine-choice-screen",
    "--disable-infobars",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-quic",
    "--gaia-url=http://127.0.0.1:9/",
    "--disable-dev-shm-usage",
    "--hide-crash-restore-bubble",
    "--metrics-recording-only",
    "--no-pings",
    "--disk-cache-size=100000000",
    "--media-cache-size=100000000",
    "--noerrdialogs",
    "--password-store=basic",
    "--use-mock-keychain",
    # Background pages keep running, and screenshots of them work.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,HttpsUpgrades,"
    "AutofillServerCommunication,LensOverlay,AcceptCHFrame,GlobalMediaControls,PaintHolding,DestroyProfileOnBrowserClose,"
    # The pages behind the address bar: a third of a start's CPU time, and a process for each browser.
    "WebUIOmniboxPopup,WebUIOmniboxAimPopup,PreloadTopChromeWebUI,"
    # A process for a next page of another site, started with each browser and after each such page.
    "SpareRendererForSitePerProcess,"
    # A request of a service worker that starts ahead of it would not be held.
    "ServiceWorkerAutoPreload",
    # Nothing bypasses the proxy: Chromium resolves no names, and WebRTC sends no datagrams.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
)


class Chromium:
    """A running Chromium that this server started, with its DevTools connection."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        processes: Processes,
        devtools: DevTools,
        relay: Relay,
        cdp: Cdp,
        egress: Egress,
        *,
        profile: Path,
        headless: bool,
        outgoing: ChromiumHold,
    ) -> None:
        self.process = process
        self.processes = processes
        self.devtools = devtools
        self.relay = relay
        self.cdp = cdp
        self.egress = egress
        self.profile = profile
        self.headless = headless
        self.outgoing = outgoing

    @classmethod
    async def start(
        cls,
        executable: Path,
        profile: Path,
        processes: Processes,
        egress: Egress,
        *,
        headless: bool,
        restore: bool = False,
        sandbox: bool | None = None,
        env: Mapping[str, str] | None = None,
        locality: Locality = UNKNOWN_LOCALITY,
    ) -> Chromium:
        """Start Chromium on `profile`, which no other may be using; `egress` is its proxy and ends with it.

        `restore` loads the pages that were open at its last regular exit again. Raises BrowserUnavailable.
        """
        _clear_stale_locks(profile)
        await asyncio.to_thread(_load_nothing_ahead, profile / "Default" / "Preferences")
        if restore:  # it would show them as they were, however old its copies are
            await asyncio.to_thread(shutil.rmtree, profile / "Default" / "Cache", ignore_errors=True)
        process = devtools = relay = None
        try:
            await egress.start()
            flags = [*locality.flags, *_flags(profile, egress.url, headless, restore, sandbox)]
            command = ("/bin/sh", "-c", PIPES_SCRIPT, "sh", str(executable), *flags)
            process = await processes.start(command, env={**(env or {}), **locality.environment}, talks=True)
            assert process.stdin is not None
            assert process.stdout is not None
            devtools = DevTools(process.stdout, process.stdin)
            relay = Relay(devtools)
            await relay.start()
            async with asyncio.timeout(START_DEADLINE):
                cdp = await Cdp.connect(devtools, deadline=START_DEADLINE)
                outgoing = ChromiumHold(cdp, egress=egress, devtools=devtools)
                await outgoing.start()
            return cls(
                process, processes, devtools, relay, cdp, egress, profile=profile, headless=headless, outgoing=outgoing
            )  # fmt: skip
        except BaseException as error:
            is_over = devtools is not None and isinstance(error, CdpError) and await _has_ended(devtools)
            await _end(process, processes, devtools, relay, egress)
            if not isinstance(error, OSError | CdpError):  # a TimeoutError is an OSError
                raise
            if process is not None and is_over:
                why = sentence("chromium.ended", code=process.returncode or 0)
            else:
                why = sentence("chromium.no_start", why=str(error) or sentence("chromium.too_slow"))
            raise BrowserUnavailable(why) from None

    is_remote = was_kept = False
    fetch: Fetch | None = None
    kept_tab: str | None = None

    def follow_tab(self, current: Callable[[], str | None]) -> None:
        """Do nothing: it ends with this process."""

    @property
    def ports(self) -> set[int]:
        """Local ports that this server opened for it: DevTools relay and egress proxy."""
        return {self.relay.port, self.egress.port}

    @property
    def endpoint(self) -> str:
        """The DevTools URL for an MCP server. It is a secret: never pass it on a command line."""
        return self.relay.url

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def is_running(self) -> bool:
        return self.process.returncode is None and not self.cdp.closed.is_set()

    async def answers(self, *, deadline: float = 2) -> bool:
        """Return False if the process is frozen or gone."""
        try:
            await self.cdp.send("Browser.getVersion", deadline=deadline)
        except CdpError:
            return False
        return True

    async def quit(self) -> None:
        """Request an exit that saves the profile, and wait up to 4 s for it."""
        if self.is_running:
            with contextlib.suppress(CdpError, TimeoutError):
                await self.outgoing.fail()  # a browser that closes sends what is held
                await self.cdp.send("Browser.close", deadline=1)
                async with asyncio.timeout(3):
                    await self.process.wait()

    async def close(self) -> None:
        """Quit Chromium, and kill it if it does not exit."""
        await self.quit()
        self.outgoing.close()
        self.cdp.close()
        await _end(self.process, self.processes, self.devtools, self.relay, self.egress)

    async def leave(self) -> None:
        await self.close()


async def _has_ended(devtools: DevTools) -> bool:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(END_SECONDS):
            await devtools.closed.wait()
    return devtools.closed.is_set()


async def _end(
    process: asyncio.subprocess.Process | None,
    processes: Processes,
    devtools: DevTools | None,
    relay: Relay | None,
    egress: Egress,
) -> None:
    if process is not None:
        await processes.end(process, grace=1)
    if devtools is not None:
        await devtools.close()
    if relay is not None:
        await relay.close()
    await egress.close()


def _flags(profile: Path, proxy: str, headless: bool, restore: bool, sandbox: bool | None) -> list[str]:
    flags = [
        *_FLAGS,
        f"--user-data-dir={profile}",
        f"--window-size={VIEWPORT[0]},{VIEWPORT[1] + 90}",
        f"--proxy-server={proxy}",
        "--proxy-bypass-list=<-loopback>",
    ]
    if headless:
        flags += ["--headless", "--hide-scrollbars", "--mute-audio", "--disable-gpu"]
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if sandbox is False or (sandbox is None and is_root):
        flags.append("--no-sandbox")
    return [*flags, "--restore-last-session" if restore else "about:blank"]


def _load_nothing_ahead(preferences: Path) -> None:
    """Pages that are loaded ahead send their requests before an act could hold them."""
    known: JsonObject = {}
    with contextlib.suppress(OSError, ValueError):
        known = dict(json.loads(preferences.read_text()))
    preferences.parent.mkdir(parents=True, exist_ok=True)
    preferences.write_text(
        json.dumps(known | {"net": {**known.get("net", {}), "network_prediction_options": 2}})
    )


def _clear_stale_locks(profile: Path) -> None:
    """Delete the locks of a killed Chromium; in a new container they look like another machine's."""
    profile.mkdir(parents=True, exist_ok=True)
    for name in ("SingletonLock", "SingletonCookie", "SingletonSocket", "DevToolsActivePort"):
        (profile / name).unlink(missing_ok=True)
