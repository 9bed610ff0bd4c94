"""The server's sessions that the pictures show."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
from playwright.sync_api import Page, Route

from tests.e2e.screen import Screen
from tests.support.eventually import eventually_sync

AGES = {
    "Kettle for the office": 0,
    "Ferry to Tallinn in June": 1,
    "Renew my library card": 3,
    "Visa form, step two": 12,
}
"""Sessions that the list shows and how many days ago they were last used."""


@dataclass
class World:
    """Real sessions of the server that states look at."""

    asked: str
    """Waits for an approval."""
    bought: str
    """Went through: four steps, an approval, an answer."""
    failed: str

    @classmethod
    def on(cls, api: httpx.Client) -> World:
        for title in AGES:
            api.post("/sessions", json={"title": title}).raise_for_status()
        failed = begin(api, "error please", "Opening hours of the museum")
        bought = begin(api, "shop for a kettle", "Blue kettle for the kitchen")
        asked = wait_for(api, bought, "pending")["pending"]
        decision = {"reference": asked["reference"], "confirmed": True, "remember": True}
        api.post(f"/sessions/{bought}/decision", json=decision).raise_for_status()
        wait_for(api, bought, "finished")
        upload = {"file": ("offer-2026.pdf", b"%PDF-1.7" * 20_000)}
        api.post(f"/sessions/{bought}/files", files=upload).raise_for_status()
        waiting = begin(api, "shop for a kettle", "Order the blue kettle")
        wait_for(api, waiting, "pending")
        api.patch(f"/sessions/{failed}", json={"pinned": True}).raise_for_status()
        return cls(waiting, bought, failed)


def begin(api: httpx.Client, task: str, title: str) -> str:
    session = str(api.post("/sessions", json={"title": title}).json()["id"])
    api.post(f"/sessions/{session}/messages", json={"content": task}).raise_for_status()
    return session


def wait_for(api: httpx.Client, session: str, what: str) -> dict[str, Any]:
    """The session when a question is open in it, or its run is finished."""
    return eventually_sync(
        lambda: api.get(f"/sessions/{session}").json(),
        lambda it: it["pending"] if what == "pending" else it["run"]["finished_at"],
        timeout=30,
        message=f"{session} is {what}",
        interval=0.05,
    )


def with_ages(screen: Screen) -> None:
    """Lets the list show sessions of other days."""

    def answer(route: Route) -> None:
        page = route.fetch().json()
        for item in page["items"]:
            then = datetime.now(UTC) - timedelta(days=AGES.get(item["title"], 0))
            item["updated_at"] = then.isoformat()
        page["items"].sort(key=lambda item: (item["pinned"], item["updated_at"]), reverse=True)
        route.fulfill(json=page)

    screen.page.route(re.compile(r"/api/sessions\?"), answer)


def opened(screen: Screen, session: str) -> Page:
    with_ages(screen)
    screen.open(session)
    screen.wait_still()
    return screen.page
