"""The web UI in words of a person who uses it."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import httpx
from playwright.sync_api import BrowserContext, ConsoleMessage, Locator, Page, expect

from tests.support.eventually import eventually_sync
from tests.support.server import Server

T = TypeVar("T")

KEEP_STILL = """document.addEventListener('animationstart', event => event.target.getAnimations({subtree: true})
    .filter(it => it.effect.getComputedTiming().endTime === Infinity).forEach(it => it.pause()), true)"""


def keep_still(context: BrowserContext) -> None:
    """What turns or breathes for ever stands still on all pages: without a GPU it takes a sixth of a core for each."""
    context.add_init_script(KEEP_STILL)


class Screen:
    """One tab. `errors` collects what its console complains about; `expect_errors` forgives by pattern."""

    def __init__(self, page: Page, server: Server, api: httpx.Client) -> None:
        self.page = page
        self.server = server
        self.api = api
        self._complaints: list[str] = []
        self._forgiven: list[str] = []
        page.on("console", self._note)
        page.on("pageerror", lambda error: self._complaints.append(str(error)))

    def _note(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._complaints.append(f"{message.text} {message.location.get('url', '')}")

    def expect_errors(self, pattern: str) -> None:
        self._forgiven.append(pattern)

    @property
    def errors(self) -> list[str]:
        return [text for text in self._complaints if not any(re.search(p, text) for p in self._forgiven)]

    # Where things are

    @property
    def composer(self) -> Locator:
        return self.page.get_by_role("textbox", name="Message")

    @property
    def feed(self) -> Locator:
        return self.page.get_by_role("feed")

    @property
    def sidebar(self) -> Locator:
        return self.page.get_by_role("navigation", name="Sessions")

    def button(self, name: str | re.Pattern[str]) -> Locator:
        return self.page.get_by_role("button", name=name, exact=isinstance(name, str))

    @property
    def session_id(self) -> str:
        return self.page.url.rpartition("/s/")[2].partition("?")[0]

    # What one does

    def open(self, session_id: str | None = None) -> Screen:
        self.page.goto(f"/s/{session_id}" if session_id else "/")
        expect(self.composer).to_be_visible()
        return self

    def send(self, text: str) -> None:
        self.composer.fill(text)
        self.composer.press("Enter")

    def begin(self, text: str) -> str:
        """A new session with this first message, which the server has. Returns its id."""
        self.open().send(text)
        self.page.wait_for_url("**/s/*")
        self.wait_until_stored()
        return self.session_id

    def hide_panel(self) -> None:
        """The chat has the whole width, also after a reload, and the browser is not watched."""
        self.choose_layout("Chat only")
        expect(self.page.get_by_role("tablist")).to_have_count(0)
        self.wait_still()

    def choose_layout(self, layout: str) -> None:
        """In a wide window: what of the chat and the browser is shown."""
        self.button("Layout").click()
        self.page.get_by_role("menuitemradio", name=layout).click()

    def add(self, item: str) -> None:
        """Press an item of the menu of what a message can have besides its words."""
        self.button("Add to the message").click()
        self.page.get_by_role("menu").get_by_text(item, exact=True).click()

    def deny_with_note(self, card: Locator) -> Locator:
        """Open the field for what to do instead."""
        card.get_by_role("button", name="More about this question").click()
        self.page.get_by_role("menuitem", name="Deny with a note").click()
        return card.get_by_role("textbox")

    def wait_idle(self) -> None:
        """Wait until the run has ended."""
        busy = self.page.get_by_text(re.compile("^(Working|Waiting|Sending)"))
        expect(busy.or_(self.button("Stop"))).to_have_count(0)  # at one moment

    def pause_clock(self) -> None:
        """From here on, time passes on the page only by `page.clock`, which was installed before."""
        self.page.clock.pause_at(datetime.now(UTC) + timedelta(minutes=5))

    def choose_language(self, lang: str) -> None:
        """For the pages that are opened from now on."""
        script = (
            "lang => localStorage.setItem('pilothouse.prefs', JSON.stringify({state: {lang}, version: 0}))"
        )
        self.page.evaluate(script, lang)

    @contextmanager
    def patched(self, session_id: str) -> Iterator[None]:
        """What is done inside changes the session; outside, the server has kept it."""
        address = f"{self.server.api}/sessions/{session_id}"
        with self.page.expect_response(
            lambda answer: answer.url == address and answer.request.method == "PATCH"
        ) as kept:
            yield
        assert kept.value.ok

    # What the server knows, without the UI

    def new_session(self, **body: Any) -> str:
        answer = self.api.post("/sessions", json={"id": f"ui-{uuid.uuid4().hex[:12]}", **body})
        answer.raise_for_status()
        return str(answer.json()["id"])

    def tell(self, session_id: str, text: str) -> None:
        body = {"content": text, "client_id": uuid.uuid4().hex}
        self.api.post(f"/sessions/{session_id}/messages", json=body).raise_for_status()

    def hear_out(self, session_id: str) -> None:
        """Wait until the run of that session has ended."""
        with self.api.stream("GET", f"/sessions/{session_id}/stream") as stream:
            stream.read()

    def asking(self, text: str = "shop for a kettle", **body: Any) -> str:
        """A session whose run waits for an answer, begun without the UI. Returns its id."""
        session = self.new_session(**body)
        self.tell(session, text)
        self.wait_until(lambda: self.stored(session)["pending"], bool, "the session asks")
        return session

    def finished(self, text: str) -> str:
        """A session in which this was said and answered. Returns its id."""
        session = self.new_session()
        self.tell(session, text)
        self.hear_out(session)
        self.wait_until(lambda: self.stored(session)["status"], lambda it: it == "idle", "it is at rest")
        return session

    def stored(self, session_id: str) -> dict[str, Any]:
        answer = self.api.get(f"/sessions/{session_id}")
        answer.raise_for_status()
        return dict(answer.json())

    def wait_until_stored(self) -> None:
        """Until the server has the first message. The page shows a new session before that."""

        def message_count() -> int:
            answer = self.api.get(f"/sessions/{self.session_id}")
            return len(answer.json()["messages"]) if answer.is_success else 0

        self.wait_until(message_count, bool, "the server has the first message")

    def wait_for_run_after(self, run_id: str) -> None:
        """Wait until another run of the session has ended."""
        self.wait_until(
            lambda: self.stored(self.session_id)["run"],
            lambda it: it["id"] != run_id and it["finished_at"],
            "another run ends",
        )

    def wait_for_readers(self, count: int) -> None:
        """Until the server has this many streams open."""
        self.wait_until(
            lambda: self.api.get("/metrics").text,
            lambda it: f"pilothouse_stream_readers {count}.0\n" in it,
            f"{count} streams are open",
        )

    def wait_until(
        self, look: Callable[[], T], holds: Callable[[T], object], message: str, *, timeout: float = 60
    ) -> T:
        """As `eventually_sync`; the page handles its events between two checks."""
        return eventually_sync(
            look,
            holds,
            timeout=timeout,
            message=message,
            interval=0.05,
            pause=lambda seconds: self.page.wait_for_timeout(1000 * seconds),
        )

    def cancel(self, session_id: str | None = None) -> None:
        """End the run there, if there still is one."""
        answer = self.api.post(f"/sessions/{session_id or self.session_id}/cancel")
        assert answer.status_code in (202, 409), answer.text

    # What the feed measures

    def gap(self) -> float:
        """Pixels between what is in sight and the end of the feed."""
        return float(self.feed.evaluate("f => f.scrollHeight - f.clientHeight - f.scrollTop"))

    def rows(self) -> list[str]:
        """The texts of the rows in sight, times left out: what a reload must show again."""
        script = """feed => [...feed.querySelectorAll('[role=article]')]
            .sort((a, b) => a.dataset.index - b.dataset.index)
            .map(row => { const copy = row.cloneNode(true);
                          copy.querySelectorAll('time').forEach(time => time.remove());
                          return copy.textContent.trim() })"""
        return list(self.feed.evaluate(script))

    def wait_at_end(self) -> None:
        """Until the feed rests at its end."""
        self.wait_still()
        self.page.wait_for_function(
            "() => { const f = document.getElementById('feed');"
            " return f.scrollHeight - f.clientHeight - f.scrollTop < 2 }"
        )

    def wait_still(self) -> None:
        """Until the feed neither scrolls nor grows: for some frames, not for some time."""
        self.feed.evaluate(
            """feed => new Promise(done => {
                let seen = '', still = 0
                const look = () => {
                    const now = [feed.scrollTop, feed.scrollHeight, feed.clientHeight].join()
                    still = now === seen ? still + 1 : 0
                    seen = now
                    if (still < 20) requestAnimationFrame(look)
                    else done()
                }
                look()
            })"""
        )
