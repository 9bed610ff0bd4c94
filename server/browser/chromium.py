"""One Chromium process: its flags, its start and its end."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from server.browser.browser import BrowserUnavailable
from server.browser.cdp import Cdp, CdpError
from server.browser.egress import Egress
from server.browser.processes import Processes

VIEWPORT = (1280, 720)
START_DEADLINE = 20.0

_FLAGS = (
    "--remote-debugging-port=0",
    "--remote-debugging-address=127.0.0.1",
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
    "--noerrdialogs",
    "--password-store=basic",
    "--use-mock-keychain",
    # Pages that are not in front go on working, and can be pictured.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,HttpsUpgrades,"
    "AutofillServerCommunication,LensOverlay,AcceptCHFrame,GlobalMediaControls,PaintHolding,DestroyProfileOnBrowserClose",
    # Nothing goes round the proxy: no name is looked up here, and WebRTC sends no datagrams.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
)


class Chromium:
    """A running Chromium that belongs to us, with its DevTools connection."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        processes: Processes,
        socket: str,
        cdp: Cdp,
        egress: Egress,
        *,
        headless: bool,
    ) -> None:
        self.process = process
        self.processes = processes
        self.socket = socket
        """The address of its DevTools websocket."""
        self.cdp = cdp
        self.egress = egress
        self.headless = headless

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
    ) -> Chromium:
        """Start one on `profile`, which no other may be using; `egress` is its way out and ends with it.

        `restore` opens the pages that were open when it was closed in good order. Raises BrowserUnavailable.
        """
        _clear_stale_locks(profile)
        await egress.start()
        process = None
        try:
            flags = _flags(profile, egress.url, headless, restore, sandbox)
            process = await processes.start([str(executable), *flags], env=env)
            async with asyncio.timeout(START_DEADLINE):
                port, path = await _read_port(profile, process)
                socket = f"ws://127.0.0.1:{port}{path}"
                cdp = await Cdp.connect(socket)
            return cls(process, processes, socket, cdp, egress, headless=headless)
        except BaseException as error:
            await egress.close()
            if process is not None:
                await processes.end(process)
            if isinstance(error, OSError | CdpError):  # a TimeoutError is an OSError
                raise BrowserUnavailable(f"Chromium did not start: {error or 'it took too long'}") from None
            raise

    @property
    def port(self) -> int:
        return urlsplit(self.socket).port or 0

    @property
    def endpoint(self) -> str:
        """What an MCP server connects to."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def is_running(self) -> bool:
        return self.process.returncode is None and not self.cdp.closed.is_set()

    async def answers(self, *, deadline: float = 2) -> bool:
        """False when the process is frozen or gone."""
        try:
            await self.cdp.send("Browser.getVersion", deadline=deadline)
        except CdpError:
            return False
        return True

    async def close(self) -> None:
        """End it in good order, so that its profile is written down; by force when it does not follow."""
        if self.is_running:
            with contextlib.suppress(CdpError, TimeoutError):
                await self.cdp.send("Browser.close", deadline=1)
                async with asyncio.timeout(3):
                    await self.process.wait()
        await self.cdp.close()
        await self.processes.end(self.process, grace=1)
        await self.egress.close()


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


def _clear_stale_locks(profile: Path) -> None:
    """A killed Chromium leaves its locks; in a new container they look like another machine's."""
    profile.mkdir(parents=True, exist_ok=True)
    for name in ("SingletonLock", "SingletonCookie", "SingletonSocket", "DevToolsActivePort"):
        (profile / name).unlink(missing_ok=True)


async def _read_port(profile: Path, process: asyncio.subprocess.Process) -> tuple[int, str]:
    """The port and the path of the DevTools socket, from the file that Chromium writes when it is ready."""
    while process.returncode is None:
        lines = _lines(profile / "DevToolsActivePort")
        if len(lines) >= 2:
            return int(lines[0]), lines[1]
        await asyncio.sleep(0.02)
    raise BrowserUnavailable(f"Chromium ended at once with exit code {process.returncode}.")


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except FileNotFoundError:
        return []
