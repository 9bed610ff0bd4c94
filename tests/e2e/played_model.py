"""A tab of a server whose models are played by a script over real HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser

from tests.e2e.conftest import DESKTOP
from tests.e2e.screen import Screen, keep_still
from tests.support.model_reply import Asked, Reply
from tests.support.model_server import providing
from tests.support.server import serving

MODEL = "anthropic:claude-haiku-4-5"
"""It has a known price."""


@contextmanager
def screen_of(
    chromium: Browser, folder: Path, script: Sequence[Reply] | Callable[[Asked], Reply], **settings: str
) -> Iterator[Screen]:
    with providing(script) as provider:
        chosen: dict[str, Any] = {name.lower(): value for name, value in provider.env.items()} | {
            "agent_mode": "real", "agent_model": MODEL, "browser_headless": "true", "drain_timeout": "0",
        }  # fmt: skip
        with (
            serving(folder, **chosen | settings) as server,
            httpx.Client(base_url=server.api, headers=server.headers, trust_env=False, timeout=30) as api,
            chromium.new_context(base_url=server.url, viewport=DESKTOP, locale="en-US") as context,
        ):
            context.request.post("/api/auth/login", data={"password": server.token})
            context.set_default_timeout(30_000)
            keep_still(context)
            screen = Screen(context.new_page(), server, api)
            yield screen
            assert screen.errors == []
        assert provider.refusals == []
