"""A session that exists only in the browser: its history by a routed GET, its events by a staged stream.

For what mock mode does not do: long histories, fast streams, hostile texts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from playwright.sync_api import expect

from tests.e2e.screen import Screen

SESSION = "staged"
START = "2026-01-01T12:00:00Z"
STAGED_STREAM = """
    delete window.SharedWorker;
    window.EventSource = class extends EventTarget {
        constructor() { super(); window.stage = this; setTimeout(() => this.onopen?.(), 0) }
        close() {}
        play(events) {
            for (const event of events) {
                const place = `${event.session_id}/${event.epoch}-${event.seq}`;
                const data = JSON.stringify(event);
                this.dispatchEvent(new MessageEvent(event.type, {data, lastEventId: place}));
            }
        }
    };
"""


class Stage:
    """Opens the staged session and plays events to it."""

    def __init__(self, screen: Screen, messages: Iterable[dict[str, Any]] = (), **session: Any) -> None:
        self.screen = screen
        self._seq = 0
        detail = {
            "id": SESSION, "title": "Staged", "pinned": False, "agent": "operator", "model": "mock:scripted",
            "max_tool_steps": 10, "status": "idle", "unread": False, "created_at": START, "updated_at": START,
            "archived_at": None, "messages": list(messages), "run": None, "pending": None, "state": None,
        } | session  # fmt: skip
        screen.page.add_init_script(STAGED_STREAM)
        screen.page.route(f"**/api/sessions/{SESSION}", lambda route: route.fulfill(json=detail))
        screen.page.goto(f"/s/{SESSION}")
        expect(screen.page.locator("#composer")).to_be_visible()  # in any language

    def event(self, kind: str, /, **fields: Any) -> dict[str, Any]:
        self._seq += 1
        now = datetime.now(UTC).isoformat()
        head = {"type": kind, "session_id": SESSION, "run_id": "run", "epoch": 1, "seq": self._seq}
        return head | {"ts": now} | fields

    def play(self, *events: dict[str, Any]) -> None:
        self.screen.page.evaluate("events => window.stage.play(events)", list(events))

    def begin(self) -> None:
        self.play(self.event("run", status="running", agent="operator", model="m", step=1, max_steps=10))

    def say(self, text: str) -> None:
        self.play(self.event("token", message_id="answer", text=text))

    def tool(self, call_id: str, **result: Any) -> None:
        """One finished step."""
        name, args = result.pop("name", "click"), result.pop("args", {"element": f'button "{call_id}"'})
        end = {"ok": True, "summary": f"Clicked {call_id}", "duration_ms": 400} | result
        self.play(
            self.event("tool_start", call_id=call_id, name=name, args=args),
            self.event("tool_end", call_id=call_id, name=name, **end),
        )


def message(seq: int, role: str, content: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": f"m{seq}", "session_id": SESSION, "run_id": f"run{seq // 3}", "seq": seq, "role": role,
        "content": content, "meta_json": None, "client_id": None, "created_at": START,
    } | fields  # fmt: skip


def history(count: int) -> list[dict[str, Any]]:
    """Requests, steps and answers in turn."""
    meta = {"name": "click", "args": {"element": 'link "Next"'}, "ok": True, "duration_ms": 300}
    kinds: list[tuple[str, str]] = [
        ("user", "Please look at page {}"), ("tool", "Clicked Next"), ("assistant", "Page {} says **this**.\n\n- a\n- b")
    ]  # fmt: skip
    rows = []
    for seq in range(1, count + 1):
        role, text = kinds[(seq - 1) % 3]
        tool = {"meta_json": meta | {"call_id": f"call{seq}"}} if role == "tool" else {}
        rows.append(message(seq, role, text.format(seq), run_id=f"run{(seq - 1) // 3}", **tool))
    return json.loads(json.dumps(rows))
