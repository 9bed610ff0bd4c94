"""Runs browsers for workers until SIGINT or SIGTERM."""

from __future__ import annotations

import logging
import os
import sys
from types import FrameType

import uvicorn
from pydantic import ValidationError

from server.browser.chromium.processes import Processes
from server.browser.chromium.profiles import Profiles
from server.browser.chromium.relay import MAX_MESSAGE
from server.browser.own_chromiums import OwnChromiums
from server.extras.hosts.app import HostService
from server.extras.hosts.hosted import HostedBrowsers
from server.fs.permissions import keep_private
from server.ops.installation import held
from server.ops.log_format import OneLine
from server.settings import Settings


class HostServer(uvicorn.Server):
    """Ends at the first signal with exit code 0."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # Not passed to uvicorn, which would raise the signal again on exit.
        self.force_exit = self.should_exit
        self.should_exit = True


FOLDER_IN_USE = "another browser host uses DATA_DIR; each needs a folder of its own"


def main() -> int:
    os.umask(0o077)  # files created from here on are private to this OS user
    try:
        settings = Settings()
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, it['loc'])).upper()}: {it['msg']}" for it in error.errors())
        print(f"pilothouse: {faults}", file=sys.stderr)
        return 1
    if settings.browser_secret is None:
        print("pilothouse: a browser host needs BROWSER_SECRET", file=sys.stderr)
        return 1
    lines = logging.StreamHandler()
    lines.setFormatter(OneLine("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=settings.log_level, handlers=[lines])
    for wire in ("websockets", "uvicorn.error"):  # they would log connections, or every frame: what is typed
        logging.getLogger(wire).setLevel(logging.WARNING)
    keep_private(settings.data_dir)
    with held(settings.data_dir / "browser_host.lock") as holder:
        if holder == "elsewhere":
            print(f"pilothouse: {FOLDER_IN_USE}", file=sys.stderr)
            return 1
        serve(settings)
    return 0


def serve(settings: Settings) -> None:
    processes, profiles = Processes(settings.browsers_dir / "processes"), Profiles(settings)
    profiles.sweep()
    if swept := processes.sweep():
        logging.getLogger(__name__).info("%d browsers of an earlier host were ended", swept)
    chromiums = OwnChromiums(settings, processes, profiles)
    app = HostService(settings, chromiums, HostedBrowsers(settings, chromiums, profiles)).app()
    print(f"Browser host: http://{settings.host}:{settings.port}", flush=True)
    config = uvicorn.Config(
        app, host=settings.host, port=settings.port, log_config=None, access_log=False, server_header=False,
        ws_max_size=MAX_MESSAGE, ws_per_message_deflate=False, ws_ping_interval=None, timeout_graceful_shutdown=3,
    )  # fmt: skip
    HostServer(config).run()
