"""The client-side state of a session: folds its events into new items to show and the current activity.

Nothing is shown twice, although history and the buffered events of a run overlap and a reconnect may replay
events: items with an id are deduplicated by it, events by their place (epoch, seq) in the stream.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from cli.client import api_types as api
from cli.client.address import Address
from cli.client.open_types import Frame
from cli.screen.items import (
    Answered,
    Failed,
    Finished,
    Item,
    Note,
    Plan,
    Question,
    ResultTable,
    Spoken,
    StepReached,
    ToolRan,
    UserSaid,
    Visited,
    outcome_of,
)
from cli.screen.results import Results, change_words, changed_rows
from cli.screen.speech import Speech
from cli.text import moment, spent
from cli.words import localized, t

BUSY = frozenset({"queued", "running", "waiting_user", "paused"})
GRACE = timedelta(seconds=2)
"""A run's last event is sent shortly after the `finished_at` of its row."""
BROKEN = frozenset({"failed", "cancelled", "interrupted"})
KEPT = (UserSaid, Spoken, ToolRan, ResultTable)


@dataclass(frozen=True, slots=True)
class OpenTool:
    name: str
    args: Mapping[str, object]
    since: float


class View:
    """`load` takes a session, `apply` an event, `receive` a frame. All return the new items to show."""

    def __init__(self, address: Address, clock: Callable[[], float] = time.monotonic) -> None:
        self.title = self.agent = self.model = self.note = self.goal = ""
        self.status = "idle"
        self.step = self.max_steps = 0
        self.speech = Speech()
        self.tools: dict[str, OpenTool] = {}
        self.plan = Plan()
        self.results = Results()
        self.facts: Sequence[api.Fact] = []
        self.pending: Question | None = None
        self.usage: api.Usage | None = None
        self.is_lost = False
        self.since = 0.0
        self._address = address
        self._clock = clock
        self._shown: set[str] = set()
        self._ended: dict[str, datetime | None] = {}
        self._loaded: datetime | None = None
        self.place = (0, 0)
        """Epoch and seq of the newest event received."""
        self._page = ("", "")

    @property
    def site(self) -> str:
        return self._address.url

    @property
    def is_busy(self) -> bool:
        return self.status in BUSY

    @property
    def current_tool(self) -> OpenTool | None:
        return next(reversed(self.tools.values()), None)

    def load(self, session: api.SessionDetail, *, last: int = 30) -> list[Item]:
        """Load a session. Returns its new items; of its history only the `last` ones."""
        self.title, self.agent = session.get("title") or "", session.get("agent") or ""
        self.model, self.status = session.get("model") or "", session.get("status") or "idle"
        self.max_steps = session.get("max_tool_steps") or 0
        run = session.get("run")
        self.usage = run.get("usage") if run else None
        self._loaded = moment(session.get("updated_at"))
        new: list[Item] = []
        for message in session.get("messages", []):
            new += self._message(message)
            new += self._table(message["run_id"]) if message["role"] == "assistant" else []
        items: list[Item] = new[-last:]
        if len(new) > last:
            items.insert(
                0, Note(t("{n} earlier messages; pilothouse export has them all", n=len(new) - last))
            )
        if state := session.get("state"):
            items += self._state(state)
        items += self._run_ended(run)
        items += self._asked(session.get("pending"))
        return items

    def apply(self, event: api.Event) -> list[Item]:
        """Apply one event. An event that is old, unknown or already shown has no effect.

        For events from before the session was loaded, returns only messages and tool calls.
        """
        if self._is_old(event):
            return []
        items, happened = self._fold(event), moment(event.get("ts"))
        if self._loaded and happened and happened <= self._loaded:
            return [item for item in items if isinstance(item, KEPT)]
        return items

    def _fold(self, event: api.Event) -> list[Item]:
        match event["type"]:
            case "token" if event["message_id"] not in self._shown:
                return [*self.speech.add(event["message_id"], event["text"])]
            case "thinking":
                self.speech.think(event["text"])
                return []
            case "tool_start":
                return self._tool_started(event)
            case "tool_end":
                return self._tool_ended(event)
            case "message":
                return self._message(event["message"], live=True)
            case "run":
                return self._run(event)
            case "state":
                return self._state(event)
            case "observation":
                return self._observed(event)
            case "interrupt":
                return [*self._finish_text(), *self._asked(event)]
            case "decision":
                asked, self.pending = self.pending, None
                kind, wants = (asked.kind, asked.wants) if asked else ("confirm", None)
                outcome = event.get("outcome") or outcome_of(kind, wants, bool(event["confirmed"]))
                return [Answered(outcome, event.get("message") or "")]
            case "usage":
                self.usage = event["total"]
                return []
            case "resync" if self.speech.tear():
                text = "Some of this was missed; the whole answer follows when it is written."
                return [Note(t(text), "warning")]
            case "done":
                return self._done(event)
            case "error":
                return self._error(event)
        return []

    def receive(self, frame: Frame) -> list[Item]:
        """Apply one frame of the dialogue: an agent message, a question or a status.

        The event stream has the same information with more detail. A frame counts only if the stream is
        behind it; the stream's own event then adds nothing.
        """
        if place_of(frame) <= self.place:
            return []
        match frame.get("type"):
            case "agent_message":
                return self._said(frame["message_id"], frame["text"])
            case "agent_question" if _key_of(frame["reference"]) not in self._shown:
                return self._asked(cast(api.Interrupt, {**frame, "reason": frame["text"]}))
            case "status" if frame.get("message"):
                return self._failed(frame)
            case "status":
                self.status = frame["status"]
                self.pending = self.pending if self.status == "waiting_user" else None
        return []

    def _said(self, message_id: str, text: str) -> list[Item]:
        if message_id in self._shown:
            return []
        is_begun = message_id == self.speech.message_id
        items: list[Item] = [*self.speech.complete(text)] if is_begun else [Spoken(text, ends=True)]
        self._shown.add(message_id)
        return items

    def _failed(self, frame: Frame) -> list[Item]:
        self.status, self.pending = frame["status"], None
        ended = f"ended:{frame.get('run_id')}"
        if ended in self._shown:
            return []
        self._shown.add(ended)
        return [Failed(frame.get("code") or frame["status"], localized(frame, "message"))]

    def connection(self, *, lost: bool) -> None:
        self.is_lost = lost

    def _is_old(self, event: api.Published) -> bool:
        place = (event.get("epoch", 0), event.get("seq", 0))
        if place <= self.place:
            return True
        self.place = place
        ended, happened = self._ended.get(event.get("run_id", "")), moment(event.get("ts"))
        return ended is not None and happened is not None and happened <= ended

    def _finish_text(self) -> list[Item]:
        self._shown.add(self.speech.message_id)
        return [*self.speech.finish()]

    def _tool_started(self, event: api.ToolStart) -> list[Item]:
        if event["call_id"] in self._shown:
            return []
        items = self._finish_text()
        self.tools[event["call_id"]] = OpenTool(event["name"], event.get("args") or {}, self._clock())
        return items

    def _tool_ended(self, event: api.ToolEnd) -> list[Item]:
        opened = self.tools.pop(event["call_id"], None)
        if event["call_id"] in self._shown:
            return []
        self._shown.add(event["call_id"])
        return [self._tool_ran(event, opened.args if opened else {})]

    def _tool_ran(self, facts: Mapping[str, Any], args: Mapping[str, object]) -> ToolRan:
        return ToolRan(
            name=facts.get("name") or "tool",
            args=args,
            ok=bool(facts.get("ok", True)),
            summary=localized(facts, "summary"),
            duration_ms=int(facts.get("duration_ms") or 0),
            screenshot=self._picture(facts.get("screenshot")),
            effect=facts.get("effect"),
        )

    def _message(self, message: api.Message, *, live: bool = False) -> list[Item]:
        """The items of a message row. A live tool row has none: its `tool_end` has the same information."""
        message_id = message["id"]
        self.results.take(message)
        if message_id in self._shown:
            return []
        change = [*_remarks(message), *_change(message)]
        if message_id == self.speech.message_id:
            return [*self._finish_text(), *change]
        self._shown.add(message_id)
        match message["role"]:
            case "user":
                return [UserSaid(message["content"])]
            case "assistant":
                return [Spoken(message["content"], ends=True), *change]
        return [] if live else self._tool_row(message)

    def _table(self, run_id: str | None) -> list[Item]:
        """The table of the run that this event or message belongs to, once it has ended."""
        table, key = self.results.table_of(run_id), f"table:{run_id}"
        if table is None or key in self._shown:
            return []
        self._shown.add(key)
        return [table]

    def _tool_row(self, message: api.Message) -> list[Item]:
        meta = message.get("meta_json") or {}
        call_id = meta.get("call_id") or message["id"]
        if call_id in self._shown:
            return []
        self._shown.add(call_id)
        return [self._tool_ran(meta | {"summary": message["content"]}, meta.get("args") or {})]

    def _run(self, event: api.RunChanged) -> list[Item]:
        was, self.status = self.status, event["status"]
        self.agent, self.model = event.get("agent") or self.agent, event.get("model") or self.model
        self.step, self.max_steps = event.get("step", 0), event.get("max_steps", 0)
        self.note = localized(event, "note")
        if was not in BUSY:
            self.since = self._clock()
        if self.status != "waiting_user":
            self.pending = None
        if self.status == "paused" and was != "paused":
            return [Note(t("Paused: /resume goes on."))]
        return []

    def _run_ended(self, run: api.Run | None) -> list[Item]:
        """Record a loaded session's run if it has ended, to ignore its buffered events. Returns a failure."""
        if not run or run.get("status") in BUSY or run["id"] in self._ended:
            return []
        finished = moment(run.get("finished_at"))
        self._ended[run["id"]] = finished + GRACE if finished else None
        if run["status"] in BROKEN:
            return [Failed(run.get("error_code") or run["status"], run.get("error") or run["status"])]
        return []

    def _state(self, state: api.WorkingState | api.StateChanged) -> list[Item]:
        was, self.plan = self.plan, Plan.read(state)
        self.goal, self.facts = state.get("goal") or "", cast(list[api.Fact], state.get("facts") or [])
        if self.speech.message_id:
            return []  # an item here would interrupt the answer between two paragraphs
        if self.plan.steps != was.steps or (self.plan.proposed and self.plan.proposed != was.proposed):
            return [self.plan] if self.plan.steps else []
        if self.plan.current != was.current and self.plan.current < len(self.plan.steps):
            step = self.plan.current
            return [StepReached(step + 1, len(self.plan.steps), self.plan.steps[step])]
        return []

    def _observed(self, event: api.Observed) -> list[Item]:
        page, overlays = (event["url"], event["title"]), tuple(event.get("overlays") or ())
        if event["url"] == "about:blank" or (page == self._page and not overlays):
            return []
        self._page = page
        return [Visited(event["title"], event["url"], overlays)]

    def _asked(self, question: api.Pending | api.Interrupt | None) -> list[Item]:
        if not question:
            self.pending = None
            return []
        self.pending = Question.read(question, self._picture(question.get("screenshot")))
        self.status = "waiting_user"
        asked = _key_of(question["reference"])
        if asked in self._shown:
            return []
        self._shown.add(asked)
        return [self.pending]

    def _done(self, event: api.Done) -> list[Item]:
        items = [*self._finish_text(), *self._message(event["message"])]
        self.usage = event.get("usage") or self.usage
        self._rest(event)
        seconds = self._clock() - self.since if self.since else 0.0
        unmet = (event["message"].get("meta_json") or {}).get("outcome") == "blocked"
        return [*items, *self._table(event.get("run_id")), Finished(spent(self.usage), seconds, unmet)]

    def _error(self, event: api.Error) -> list[Item]:
        is_torn = bool(self.speech.message_id)
        items = self._finish_text()
        self._rest(event)
        ended = f"ended:{event.get('run_id')}"
        if ended in self._shown:
            return items
        self._shown.add(ended)
        return [
            *items,
            *self._table(event.get("run_id")),
            Failed(event["code"], localized(event, "message"), is_torn),
        ]

    def _rest(self, last: api.Published) -> None:
        self._ended[last.get("run_id", "")] = moment(last.get("ts"))
        self.status, self.note, self.pending = "idle", "", None
        self.tools.clear()

    def _picture(self, path: str | None) -> str | None:
        return self._address.absolute(path) if path else None


def place_of(frame: Frame) -> tuple[int, int]:
    """The place (epoch, seq) of a frame's event in the stream, from its `event_id`; (0, 0) without one."""
    epoch, _, seq = str(frame.get("event_id", "")).partition("-")
    return (int(epoch), int(seq)) if epoch.isdecimal() and seq.isdecimal() else (0, 0)


def _remarks(message: api.Message) -> list[Item]:
    """What a reader has to know of an answer."""
    meta = message.get("meta_json") or {}
    texts = {
        "continues": t("Goes on from the cut answer before") if meta.get("continues") else "",
        "without_browser": t("Answered without the browser") if meta.get("without_browser") else "",
        "cut": _cut_words(meta.get("cut")),
    }
    return [Note(text, "warning") for text in texts.values() if text]


def _cut_words(why: str | None) -> str:
    if why == "length":
        return t("Cut off at the length limit: say continue to go on")
    return t("Cut off, the connection to the model broke: say continue to go on") if why else ""


def _change(message: api.Message) -> list[Item]:
    """How the answer of an automation's run differs from the last one, where that is kept with it."""
    change = (message.get("meta_json") or {}).get("change")
    if not change:
        return []
    rows = changed_rows(change)
    if change["kind"] == "first":
        return [Note(t("First result: later ones are compared with it"))]
    note = Note(t("Since the last run: {what}", what=change_words(change)))
    return [note, rows] if rows else [note]


def _key_of(reference: str) -> str:
    """The key of a question among the shown ids: its reference is also the id of a call, hence the prefix."""
    return f"asked:{reference}"
