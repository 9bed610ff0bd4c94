"""A session as a terminal sees it: the fold of events, and what is drawn of it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from rich.console import Console
from rich.text import Text

from cli.client.address import Address
from cli.commands.answers import read_effects
from cli.errors import UsageError
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
)
from cli.screen.live import bar, draw_live, last_lines
from cli.screen.render import THEME, draw, until
from cli.screen.screen import PlainScreen, RichScreen
from cli.screen.tables import Sessions, state
from cli.screen.view import View

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ANSWER = {"id": "m2", "role": "assistant", "content": "It is **blue**."}


class Story:
    """A view with a scripted clock; events are numbered in the order in which it gets them."""

    def __init__(self) -> None:
        self.clock = 100.0
        self.view = View(Address("http://pilot.example"), clock=lambda: self.clock)
        self._seq = 0

    def tell(self, type: str, *, epoch: int = 1, **fields: Any) -> list[Item]:
        self._seq += 1
        ts = (START + timedelta(seconds=self._seq)).isoformat()
        head = {"type": type, "run_id": "r1", "epoch": epoch, "seq": self._seq, "ts": ts}
        return self.view.apply(head | fields)

    def run(self, status: str = "running", **fields: Any) -> list[Item]:
        return self.tell(
            "run", status=status, **({"agent": "operator", "model": "m", "step": 1, "max_steps": 10} | fields)
        )


def session(**fields: Any) -> dict[str, Any]:
    return {
        "id": "s1",
        "title": "Kettles",
        "status": "idle",
        "updated_at": START.isoformat(),
        "messages": [],
    } | fields


def tool_row(call_id: str, id: str = "t1") -> dict[str, Any]:
    meta = {"name": "click", "call_id": call_id, "args": {"eid": "e1"}, "ok": True, "duration_ms": 300}
    return {"id": id, "role": "tool", "content": "Clicked.", "meta_json": meta}


class TestFold:
    def test_an_answer_comes_block_by_block_and_once(self) -> None:
        story = Story()
        story.run()
        assert story.tell("token", message_id="m2", text="One.\n\nTw\n") == [Spoken("One.\n\n")]
        assert story.tell("token", message_id="m2", text="o.") == []
        assert story.view.speech.tail == "Tw\no."
        story.clock += 3
        items = story.tell(
            "done", message={"id": "m2", "role": "assistant", "content": "One.\n\nTw\no."}, usage={}
        )
        assert items == [Spoken("Tw\no.", ends=True), Finished("", 3.0)]
        assert not story.view.is_busy

    def test_an_answer_that_was_not_streamed_is_shown_whole(self) -> None:
        usage = {"input_tokens": 10, "output_tokens": 2}
        items = Story().tell("done", message=ANSWER, usage=usage)
        assert items == [Spoken("It is **blue**.", ends=True), Finished("12 tokens", 0.0)]

    def test_an_answer_to_a_task_that_was_not_done_says_so(self) -> None:
        message = ANSWER | {"meta_json": {"outcome": "blocked"}}
        (_, finished) = Story().tell("done", message=message, usage={})
        assert finished == Finished("", 0.0, unmet=True)
        assert "! not done" in text_of(finished)
        assert "not done" not in text_of(Finished("", 1.0))

    def test_a_repeated_event_does_nothing(self) -> None:
        story = Story()
        event = {"type": "token", "epoch": 2, "seq": 5, "message_id": "m", "text": "a", "run_id": "r1"}
        story.view.apply(event)
        story.view.apply(event)
        story.view.apply(event | {"seq": 4})
        assert story.view.speech.tail == "a"

    def test_a_tool_is_going_on_until_its_end_tells_how_it_went(self) -> None:
        story = Story()
        story.tell("tool_start", call_id="c1", name="click", args={"eid": "e1"})
        assert story.view.current_tool
        assert story.view.current_tool.since == 100.0
        items = story.tell(
            "tool_end",
            call_id="c1",
            name="click",
            ok=False,
            summary="gone",
            duration_ms=90,
            screenshot="/api/files/x.jpg",
        )
        assert items == [
            ToolRan("click", {"eid": "e1"}, False, "gone", 90, "http://pilot.example/api/files/x.jpg")
        ]
        assert story.view.current_tool is None

    def test_a_live_tool_row_says_nothing_twice(self) -> None:
        story = Story()
        story.tell("tool_start", call_id="c1", name="click", args={})
        assert story.tell("message", message=tool_row("c1")) == []
        assert (
            len(story.tell("tool_end", call_id="c1", name="click", ok=True, summary="", duration_ms=1)) == 1
        )

    def test_the_plan_is_shown_when_it_changes_and_its_steps_as_they_are_reached(self) -> None:
        story = Story()
        plan = ["Look", "Compare", "Answer"]
        assert story.tell("state", plan=plan, progress={"current": 0}) == [Plan(tuple(plan))]
        assert story.tell("state", plan=plan, progress={"current": 1, "done": ["Look"]}) == [
            StepReached(2, 3, "Compare")
        ]
        assert story.tell("state", plan=plan, progress={"current": 1, "done": ["Look"]}) == []
        assert story.tell("state", plan=[*plan, "Rest"], progress={"current": 3}) == [
            Plan((*plan, "Rest"), current=3)
        ]

    def test_a_proposed_plan_is_shown_once_with_how_to_answer_it(self) -> None:
        story = Story()
        story.tell("state", plan=["Mine", "Answer"], progress={"current": 0})
        told = {"plan": ["Mine", "Answer"], "proposed_plan": ["Theirs", "Answer"], "progress": {"current": 0}}
        (plan,) = story.tell("state", **told)
        assert isinstance(plan, Plan)
        assert plan.proposed == ("Theirs", "Answer")
        assert story.tell("state", **told) == []
        Console(file=(out := StringIO()), width=80, theme=THEME).print(draw(plan))
        assert "The agent suggests another plan" in out.getvalue()
        assert "1 Theirs" in out.getvalue()
        assert "/plan accept" in out.getvalue()

    def test_the_last_step_does_not_tear_the_answer_that_is_it(self) -> None:
        story = Story()
        story.tell("state", plan=["Look", "Answer"], progress={"current": 0})
        story.tell("token", message_id="m2", text="It says:\n\nBlue")
        assert story.tell("state", plan=["Look", "Answer"], progress={"current": 1}) == []
        assert story.view.plan.current == 1

    def test_a_question_is_pending_until_it_is_decided(self) -> None:
        story = Story()
        (asked,) = story.tell(
            "interrupt", reference="q1", kind="confirm", reason="It orders.", url="https://shop"
        )
        assert asked == story.view.pending == Question("q1", "confirm", "It orders.", url="https://shop")
        assert story.view.status == "waiting_user"
        assert story.tell("decision", reference="q1", confirmed=False) == [Answered("no")]
        assert story.view.pending is None

    def test_the_words_of_an_answer_are_shown_with_it(self) -> None:
        story = Story()
        story.tell("interrupt", reference="q1", kind="confirm", reason="It orders.")
        (said,) = story.tell("decision", reference="q1", confirmed=False, message="Use the red one")
        assert "✗ Refused: “Use the red one”" in text_of(said)

    def test_a_question_and_the_call_that_it_is_about_are_both_told(self) -> None:
        story = Story()
        assert story.tell("interrupt", reference="a1", kind="confirm", reason="It orders.")
        assert story.tell("interrupt", reference="a1", kind="confirm", reason="It orders.") == []
        story.tell("tool_start", call_id="a1", name="click", args={})
        assert story.tell("tool_end", call_id="a1", name="click", ok=True, summary="Clicked", duration_ms=1)

    def test_a_page_is_told_when_it_is_another_one(self) -> None:
        story = Story()
        page = {"url": "https://shop", "title": "Shop", "counts": {}}
        assert story.tell("observation", overlays=[], **page) == [Visited("Shop", "https://shop")]
        assert story.tell("observation", overlays=[], **page) == []
        assert story.tell("observation", overlays=["cookie banner"], **page) == [
            Visited("Shop", "https://shop", ("cookie banner",))
        ]

    def test_a_failure_marks_what_was_said_but_not_kept(self) -> None:
        story = Story()
        story.run()
        story.tell("token", message_id="m2", text="Half")
        assert story.tell("error", code="model_timeout", message="Too slow.") == [
            Spoken("Half", ends=True),
            Failed("model_timeout", "Too slow.", torn=True),
        ]

    def test_missed_events_are_admitted_and_the_answer_told_whole_at_its_end(self) -> None:
        story = Story()
        story.run()
        story.tell("token", message_id="m2", text="It ")
        (note,) = story.tell("resync", reason="buffer")
        assert isinstance(note, Note)
        assert story.tell("token", message_id="m2", text="e**.") == []
        assert story.tell("done", message=ANSWER, usage={})[0] == Spoken("It is **blue**.", ends=True)

    def test_a_pause_is_told_once(self) -> None:
        story = Story()
        story.run()
        assert len(story.run("paused")) == 1
        assert story.run("paused") == []

    def test_what_a_newer_server_sends_is_passed_over(self) -> None:
        assert Story().tell("weather", temperature=3) == []


class TestAttaching:
    def test_history_and_the_runs_buffer_are_shown_once(self) -> None:
        story = Story()
        messages = [{"id": "m1", "role": "user", "content": "Buy it"}, tool_row("c1")]
        run = {"id": "r1", "status": "running", "attempt": 1}
        later = (START + timedelta(seconds=3)).isoformat()
        items = story.view.load(session(messages=messages, run=run, status="running", updated_at=later))
        assert items == [UserSaid("Buy it"), ToolRan("click", {"eid": "e1"}, True, "Clicked.", 300)]
        replayed = [
            story.tell("message", message=messages[0]),
            story.tell("tool_start", call_id="c1", name="click", args={}),
            story.tell("state", plan=["a"], progress={}),
            story.tell("tool_end", call_id="c1", name="click", ok=True, summary="", duration_ms=1),
            story.tell("token", message_id="m2", text="New.\n\n\nWords\n"),
        ]
        assert replayed == [[], [], [], [], [Spoken("New.\n\n\n")]]
        assert story.view.plan.steps == ("a",)

    def test_the_buffer_of_a_run_that_is_over_tells_nothing_but_a_retry_does(self) -> None:
        story = Story()
        ended = (START + timedelta(seconds=1)).isoformat()
        run = {
            "id": "r1",
            "status": "failed",
            "error_code": "boom",
            "error": "It broke.",
            "finished_at": ended,
        }
        assert story.view.load(session(run=run)) == [Failed("boom", "It broke.")]
        assert story.tell("token", message_id="m9", text="x\n\ny") == []
        assert story.tell("error", code="boom", message="It broke.") == []
        story.tell("run", status="running")
        assert story.tell("error", epoch=2, code="boom", message="Again.") == [Failed("boom", "Again.")]

    def test_a_failure_seen_live_is_not_told_again_by_a_reload(self) -> None:
        story = Story()
        story.tell("error", code="boom", message="It broke.")
        run = {"id": "r1", "status": "failed", "error_code": "boom", "error": "It broke."}
        assert story.view.load(session(run=run)) == []

    def test_the_open_question_and_the_plan_are_there_at_once(self) -> None:
        story = Story()
        pending = {"reference": "q1", "kind": "manual", "reason": "Log in."}
        items = story.view.load(session(status="waiting_user", pending=pending, state={"plan": ["a", "b"]}))
        assert items == [Plan(("a", "b")), Question("q1", "manual", "Log in.")]
        assert story.tell("interrupt", **pending) == []

    def test_a_long_history_is_cut_and_says_so(self) -> None:
        messages = [{"id": f"m{n}", "role": "user", "content": str(n)} for n in range(50)]
        items = Story().view.load(session(messages=messages), last=5)
        assert "45 earlier messages" in str(items[0])
        assert items[-1] == UserSaid("49")
        assert len(items) == 6


def text_of(item: Item, width: int = 80) -> str:
    console = Console(file=StringIO(), width=width, theme=THEME, force_terminal=False)
    console.print(draw(item))
    return console.file.getvalue()  # type: ignore[attr-defined]


class TestDrawing:
    def test_a_question_shows_what_would_happen_where_and_why(self) -> None:
        asked = Question(
            "q1",
            "confirm",
            "Submits an order.",
            action={"kind": "click", "eid": "e7"},
            target={"role": "button", "name": "Place order"},
            url="https://shop.example/checkout",
            amount="€43.90",
            sends_to="bank.example",
            expires_at=datetime.now(UTC) + timedelta(minutes=9, seconds=30),
        )
        shown = text_of(asked)
        for words in (
            "Click the button “Place order”",
            "amount   €43.90",
            "shop.example",
            "Submits an order.",
        ):
            assert words in shown
        assert "e7" not in shown
        assert "sent to  bank.example" in shown
        assert "/yes does it" in shown
        assert "9 min" in shown

    def test_an_act_without_a_known_element_says_what_is_known(self) -> None:
        asked = Question("q1", "confirm", "why", action={"name": "files_delete", "args": {"path": "/a b"}})
        assert "Files delete  path /a b" in text_of(asked)
        asked = Question("q1", "confirm", "why", action={"kind": "type", "eid": "e3", "text": "hi"})
        assert "Type into  e3  “hi”" in text_of(asked)
        fields = [{"eid": "e1", "name": "Name", "text": "Ada"}, {"eid": "e2", "text": "Riga"}]
        asked = Question("q1", "confirm", "why", action={"kind": "type", "fields": fields})
        assert "Name: “Ada”, “Riga”" in text_of(asked)

    @pytest.mark.parametrize("width", [40, 80])
    def test_the_address_of_a_picture_stays_in_one_line(self, width: int) -> None:
        address = f"http://127.0.0.1:8000/api/files/screenshots/{'a' * 40}/{'b' * 60}.jpg"
        out = StringIO()
        screen = RichScreen(out)
        screen.console.width = width
        screen.show(Question("q1", "confirm", "It orders.", screenshot=address))
        plain = re.sub(r"\x1b\][^\x1b]*\x1b\\|\x1b\[[0-9;]*m", "", out.getvalue())
        assert any(line.endswith(address) for line in plain.splitlines())

    def test_a_manual_step_asks_for_done(self) -> None:
        shown = text_of(Question("q1", "manual", "Please log in."))
        assert "Please log in." in shown
        assert "/done" in shown

    def test_an_expired_question_says_so(self) -> None:
        assert until(START, START + timedelta(seconds=1)).endswith("(expired)")

    def test_a_tool_line_has_arguments_time_and_result(self) -> None:
        replaced = "google:b failed (key refused): openai:a answers for it."
        assert (
            text_of(ToolRan("second_model", {"model": "openai:a"}, True, replaced, 0)).strip()
            == f"⇄ {replaced}"
        )
        shown = text_of(ToolRan("type", {"eid": "e3", "text": "kettle", "submit": None}, True, "Typed.", 420))
        assert "✓ type  e3  “kettle”  0.4 s" in shown
        assert "Typed." in shown
        assert "✗ click  e3" in text_of(ToolRan("click", {"eid": "e3"}, False))
        refused = ToolRan("click", {"eid": "e3"}, True, "Request refused: POST a/b 403.", effect="refused")
        assert "! click  e3" in text_of(refused)

    def test_the_plan_shows_what_is_done_current_open_and_blocked(self) -> None:
        plan = Plan(("a", "b", "c", "d"), current=1, done=frozenset({"a"}), blocked=frozenset({"d"}))
        assert [line.strip() for line in text_of(plan).strip().split("\n")] == [
            "Plan",
            "✓ a",
            "▸ b",
            "○ c",
            "✗ d (blocked)",
        ]

    def test_words_of_a_page_are_never_markup(self) -> None:
        assert "[red]x[/red]" in text_of(Failed("c", "[red]x[/red]"))
        assert "[bold]" in text_of(UserSaid("[bold]"))
        assert "[link=x]" in text_of(Visited("[link=x]", "https://a"))

    def test_an_address_in_an_answer_stays_in_sight(self) -> None:
        assert "https://evil.example" in text_of(Spoken("[your bank](https://evil.example)"))

    def test_a_stop_is_no_error(self) -> None:
        assert text_of(Failed("cancelled", "Task cancelled")).strip() == "■ Task cancelled"

    def test_plain_text_keeps_the_answer_and_the_activity_apart(self) -> None:
        out, log = StringIO(), StringIO()
        screen = PlainScreen(out, log)
        for item in (
            UserSaid("hi"),
            ToolRan("click", {"eid": "e1"}, True),
            Spoken("# A\n\n"),
            Spoken("**b**", ends=True),
        ):
            screen.show(item)
        screen.show(Question("q1", "confirm", "Orders."))
        assert out.getvalue() == "# A\n\n**b**\n"
        assert "click  e1" in log.getvalue()
        assert "Orders." in log.getvalue()
        assert "\x1b" not in log.getvalue()


def live_of(story: Story, rows: int = 10, width: int = 80) -> str:
    return Text.from_ansi(draw_live(story.view, story.clock, width, rows)).plain


class TestLive:
    def test_nothing_goes_on_nothing_is_drawn(self) -> None:
        assert draw_live(Story().view, 0, 80, 10) == ""

    def test_an_answer_in_the_making_has_whole_addresses_too(self) -> None:
        story = Story()
        story.run()
        story.tell("token", message_id="m2", text="See [models](/settings/models)")
        assert f"models ({story.view.site}/settings/models)" in live_of(story)

    def test_the_tool_at_work_is_shown_with_its_time_and_the_step_of_the_plan(self) -> None:
        story = Story()
        story.run()
        story.tell("state", plan=["Look", "Answer"], progress={"current": 0})
        story.tell("tool_start", call_id="c1", name="click", args={"eid": "e1"})
        story.clock += 2
        shown = live_of(story)
        assert "click  e1  2.0 s" in shown
        assert "▸ 1/2 Look" in shown

    def test_a_long_answer_shows_its_end_and_leaves_room_for_the_rest(self) -> None:
        story = Story()
        story.run()
        story.tell("token", message_id="m", text="\n".join(f"line {n}  " for n in range(40)))
        lines = live_of(story, rows=8).split("\n")
        assert len(lines) == 8
        assert "line 39" in lines[-3]

    def test_of_long_code_only_the_end_is_drawn_as_code(self) -> None:
        code = "```python\n" + "\n".join(f"x = {n}" for n in range(99))
        assert last_lines(code, 3) == "```python\nx = 96\nx = 97\nx = 98"
        assert last_lines("- a\n" * 99, 3) == "- a\n" * 99

    def test_what_it_waits_for_is_said(self) -> None:
        story = Story()
        story.run("queued", note="place 2 in the queue for a browser")
        assert "place 2 in the queue" in live_of(story)
        story.tell("interrupt", reference="q", kind="manual", reason="Log in.")
        assert "/done" in live_of(story)

    def test_a_lost_line_is_said(self) -> None:
        story = Story()
        story.view.connection(lost=True)
        assert "connection is lost" in live_of(story)
        assert "offline" in bar(story.view, "chat", "host")

    def test_the_bar_tells_mode_session_step_and_usage(self) -> None:
        story = Story()
        story.view.load(session())
        story.run(step=3)
        story.tell("usage", call={}, total={"input_tokens": 1500, "output_tokens": 0, "cost": 0.002})
        assert bar(story.view, "chat", "h:1") == [
            "chat", "Kettles", "running", "action 3/10", "1.5k tokens · $0.0020", "h:1",
        ]  # fmt: skip


NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
SESSION = {
    "id": "0123456789ab", "status": "idle", "title": "A kettle for the kitchen", "agent": "operator",
    "model": "anthropic:claude-haiku-5-5", "updated_at": NOW.isoformat(),
}  # fmt: skip


def test_a_narrow_terminal_still_names_the_sessions() -> None:
    def drawn(width: int) -> str:
        out = StringIO()
        Console(file=out, width=width, theme=THEME).print(Sessions([SESSION], NOW))
        return out.getvalue()

    assert "01234567" in drawn(40)
    assert "A kettle for" in drawn(40)
    assert "claude" not in drawn(40)
    assert "claude" not in drawn(80), "the width of a usual terminal is for the titles"
    assert "anthropic:claude-haiku-5-5" in drawn(100)


def test_the_state_says_what_each_model_has_used() -> None:
    story, out = Story(), StringIO()
    story.run(model="ollama:x:7b")
    total = {
        "input_tokens": 9900,
        "output_tokens": 100,
        "cost": 0.02,
        "models": {"openai:b": {"input_tokens": 300, "output_tokens": 40, "cost": 0.0051}},
    }
    story.tell("usage", total=total)
    Console(file=out, width=80, theme=THEME).print(state(story.view))
    assert "operator · ollama:x:7b" in out.getvalue()
    assert re.search(
        r"used +10.0k tokens · \$0.0200 *\n +of it openai:b: 340 tokens · \$0.0051", out.getvalue()
    )


def test_names_are_never_read_as_markup_or_emoji() -> None:
    out = StringIO()
    item = SESSION | {"title": "[bold]Sale[/bold] :x:", "model": "ollama:x:7b", "id": "[/]:b:00"}
    RichScreen(out).print(Sessions([item], NOW))
    plain = re.sub("\x1b\\[[0-9;]*m", "", out.getvalue())
    for name in (item["title"], item["id"]):
        assert name in plain


class TestDialogue:
    """Frames of the WebSocket in addition to the event stream: each fact is shown once, from the one that is first."""

    def test_the_stream_counts_where_it_has_come_so_far(self) -> None:
        story = Story()
        story.run()
        story.tell("token", message_id="m2", text="It is")
        frame = {"type": "agent_message", "text": "It is", "message_id": "m2", "event_id": "1-2"}
        assert story.view.receive(frame) == []
        assert story.view.speech.tail == "It is"

    def test_an_answer_in_the_making_is_completed_and_not_shown_again(self) -> None:
        story = Story()
        story.run()
        shown = story.tell("token", message_id="m2", text="# Kettles\n\nIt is ")
        frame = {"type": "agent_message", "text": "# Kettles\n\nIt is **blue**.", "message_id": "m2"}
        shown += story.view.receive(frame | {"event_id": "1-9"})
        assert "".join(item.text for item in shown if isinstance(item, Spoken)) == frame["text"]
        assert story.tell("token", message_id="m2", text="**blue**.") == []
        late = story.tell("done", message=ANSWER | {"content": frame["text"]}, usage={})
        assert [type(item) for item in late] == [Finished]

    def test_an_old_question_told_again_opens_nothing(self) -> None:
        story = Story()
        story.run()
        frame = {"type": "agent_question", "reference": "q", "kind": "confirm", "text": "It orders."}
        assert [type(item) for item in story.view.receive(frame | {"event_id": "1-5"})] == [Question]
        story.tell("interrupt", reference="q", kind="confirm", reason="It orders.")
        story.tell("decision", reference="q", confirmed=True)
        assert story.view.receive(frame | {"event_id": "1-5"}) == []
        assert story.view.pending is None

    def test_a_run_that_goes_on_waits_for_nobody(self) -> None:
        story = Story()
        story.run()
        frame = {"type": "agent_question", "reference": "q", "kind": "confirm", "text": "It orders."}
        story.view.receive(frame | {"event_id": "1-5"})
        story.view.receive({"type": "status", "status": "running", "event_id": "2-1"})
        assert story.view.pending is None
        assert story.view.status == "running"

    def test_an_end_is_told_once(self) -> None:
        story = Story()
        story.run()
        frame = {"type": "status", "status": "error", "code": "db", "message": "Away.", "run_id": "r1"}
        assert story.view.receive(frame | {"event_id": "1-4"}) == [Failed("db", "Away.")]
        assert story.tell("error", code="db", message="Away.") == []
        assert story.view.status == "idle"

    def test_what_has_no_place_is_left_to_the_session_that_was_loaded(self) -> None:
        story = Story()
        story.run("waiting_user")
        assert story.view.receive({"type": "status", "status": "idle"}) == []
        assert story.view.status == "waiting_user"


class TestUnattended:
    """Questions that are put off or asked before a run begins, and answers that are compared with the last one."""

    START = {
        "reference": "q1", "kind": "confirm", "reason": "this run asks before it starts", "risk": "start",
        "action": {"kind": "start"},
        "start": {
            "plan": ["Look", "Order it"],
            "effects": [
                {"site": "shop.example", "kind": "order", "count": 2}, {"site": "x.example", "kind": "delete", "count": 1}
            ],
        },
    }  # fmt: skip

    def test_a_question_that_is_put_off_is_told_once_and_keeps_its_new_time(self) -> None:
        story = Story()
        asked = {"reference": "q1", "kind": "confirm", "reason": "It orders."}
        assert len(story.tell("interrupt", **asked)) == 1
        later = {"later_at": "2026-01-02T18:00:00+00:00", "expires_at": "2026-01-02T18:10:00+00:00"}
        assert story.tell("interrupt", **asked, **later) == []
        frame = {"type": "agent_question", "text": "It orders.", "event_id": "1-9", **asked, **later}
        assert story.view.receive(frame) == []  # the dialogue may be ahead of the stream
        assert story.view.pending
        assert story.view.pending.expires_at == datetime(2026, 1, 2, 18, 10, tzinfo=UTC)

    def test_a_run_that_asks_first_shows_its_plan_and_numbers_what_a_yes_allows(self) -> None:
        (asked,) = Story().tell("interrupt", **self.START)
        text = text_of(asked)
        assert "Start this run?" in text
        assert re.search(r"1\. Look\s.*2\. Order it", text, re.DOTALL)
        assert re.search(r"1 order ×2 +shop\.example\s.*2 delete +x\.example", text, re.DOTALL)
        assert "run|session" not in text

    @pytest.mark.parametrize(
        ("text", "expected"), [("none", []), ("2", [1]), ("1, 2", [0, 1]), ("1 2", [0, 1])]
    )
    def test_what_a_yes_to_the_start_allows_is_chosen_by_number(self, text: str, expected: list[int]) -> None:
        assert read_effects(text, 2) == expected

    @pytest.mark.parametrize("text", ["3", "0", "run", "1 x"])
    def test_what_is_no_number_of_an_effect_is_refused(self, text: str) -> None:
        with pytest.raises(UsageError):
            read_effects(text, 2)

    def test_an_answer_tells_what_has_changed_since_the_last_run(self) -> None:
        change = {
            "kind": "changed", "columns": ["name", "price"], "counts": {"added": 1, "changed": 1, "removed": 0},
            "added": [{"name": "b", "price": None}],
            "changed": [{"before": {"name": "a", "price": 5}, "after": {"name": "a", "price": 6}}],
        }  # fmt: skip
        message = ANSWER | {"meta_json": {"change": change}}
        spoken, told, rows = Story().tell("message", message=message)
        assert isinstance(spoken, Spoken)
        assert told == Note("Since the last run: 1 added, 1 changed")
        assert rows == ResultTable(
            ("change", "name", "price"), (("changed", "a", "5 → 6"), ("added", "b", "–"))
        )  # fmt: skip
        (_, same) = Story().tell("message", message=ANSWER | {"meta_json": {"change": {"kind": "same"}}})
        assert same == Note("Since the last run: nothing has changed")
        (_, first) = Story().tell("message", message=ANSWER | {"meta_json": {"change": {"kind": "first"}}})
        assert first == Note("First result: later ones are compared with it")


def test_a_link_into_the_web_ui_has_the_address_of_the_server() -> None:
    out = StringIO()
    screen = RichScreen(out, site="http://pilot.example")
    screen.show(
        Spoken("See [Settings, Models](/settings/models), [a site](https://a.example/b) and [c](//c/d).")
    )
    shown = Text.from_ansi(out.getvalue()).plain.replace("\n", " ")
    assert "Settings, Models (http://pilot.example/settings/models)" in " ".join(shown.split())
    assert "a site (https://a.example/b) and c (//c/d)" in " ".join(shown.split())


@pytest.mark.parametrize(
    ("lang", "said"), [("C", "down  by 600 pixels"), ("ru_RU.UTF-8", "вниз  на 600 пикс.")]
)
def test_a_direction_is_told_in_words(monkeypatch: pytest.MonkeyPatch, lang: str, said: str) -> None:
    monkeypatch.setenv("LC_ALL", lang)
    assert said in text_of(ToolRan("scroll", {"direction": "down", "amount": 600}, True))
