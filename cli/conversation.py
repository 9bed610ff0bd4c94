"""One session of one server: sends the user's input, shows the session's events on the screen.

Messages, answers and control go over the session's WebSocket, events come over SSE, everything else is HTTP.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from cli import tables
from cli.answers import read_effects, read_grant, read_time
from cli.automations import SETTINGS, local_zone, read_schedule
from cli.client import Client, Event
from cli.commands import REFERENCE_CHARS, Call, Words
from cli.errors import Misused, Refused, Trouble
from cli.items import OUTCOMES, Item, Note, Question, outcome_of
from cli.json_types import JsonObject
from cli.results import FORMATS, read_columns
from cli.screen import Screen
from cli.view import View, place_of
from cli.words import say

STEERED = frozenset({"queued", "running", "paused"})
"""Statuses in which a message steers the run: the agent reads it before its next step."""
LAG = 1.0
"""Seconds to wait for the event stream before a frame of the dialogue is shown without it."""
HANDOFF_MINUTES = 15
CONTROLS = {"stop": "cancel", "pause": "pause", "resume": "resume"}


class Conversation:
    """`options` (agent, model, max_tool_steps) apply to the session that the first input creates."""

    def __init__(
        self,
        client: Client,
        screen: Screen,
        session_id: str | None = None,
        options: Mapping[str, str | int] | None = None,
    ) -> None:
        self.client = client
        self.screen = screen
        self.view = View(client.address)
        self.session_id = session_id
        self.elements: list[JsonObject] = []
        self._observation: str | None = None
        """The id of the last printed observation, which the user's eids refer to."""
        self._options = dict(options or {})
        self._begun = asyncio.Event()
        self._taken = asyncio.Event()
        self._stream_lags = False
        """The wait for the event stream timed out, and it has sent nothing since."""
        self._unconfirmed: Call | None = None
        self._table: JsonObject | None = None
        """The table that the next message asks for."""

    def ask_for_table(self, columns: str) -> None:
        """Let the next message ask for a table with these columns. Raises Misused."""
        self._table = read_columns(columns)

    async def attach(self, *, silently: bool = False) -> JsonObject:
        """Load the session with its history; show it unless `silently`. Returns {} if there is none yet."""
        if self.session_id is None:
            return {}
        session = await self.client.session(self.session_id)
        items = self.view.load(session)
        if not silently:
            await self.show(items)
        self._begun.set()
        return session

    async def follow(self) -> None:
        """Show the session's events, whichever client causes them. Ends only by raising `Trouble`."""
        await self._begun.wait()
        async with aclosing(self.client.follow(await self._session())) as events:
            async for event in events:
                await self.take(event)

    async def take(self, event: Event) -> None:
        if event.type == "connection":
            self.view.connection(lost=event.data["lost"])
            return
        await self.show(self.view.apply(event.data))
        self._stream_lags = False
        self._taken.set()
        if event.type == "resync":
            await self.attach()

    async def listen(self) -> None:
        """Show the agent's messages and questions from the dialogue. Ends only by raising `Trouble`."""
        await self._begun.wait()
        dialogue = await self.client.dialogue(await self._session())
        async with aclosing(dialogue.frames()) as frames:
            async for frame in frames:
                await self.receive(frame)

    async def receive(self, frame: JsonObject) -> None:
        """Show one frame. Waits up to `LAG` for the event stream, which has it in order with tool calls."""
        try:
            async with asyncio.timeout(0 if self._stream_lags else LAG):
                while self.view.place < place_of(frame):
                    self._taken.clear()
                    await self._taken.wait()
        except TimeoutError:
            self._stream_lags = True
        await self.show(self.view.receive(frame))

    async def show(self, items: Iterable[Item]) -> None:
        for item in items:
            self.screen.show(item)
            if isinstance(item, Question):
                await self._show_picture(item.screenshot)

    async def do(self, entry: Words | Call) -> JsonObject:
        """Send the message or execute the command. Returns the server's response, {} if there is none."""
        if isinstance(entry, Words):
            return await self.say(entry.text)
        if entry.command.by_hand:
            return await self._browse(entry)
        match entry.name:
            case "yes" | "no" if elsewhere := await self._named_question(entry):
                return await self._decide_elsewhere(entry, elsewhere)
            case "later":
                return await self._put_off(entry)
            case "yes" | "no" | "done":
                return await self._decide(entry.name, entry.args)
            case "inbox":
                self.screen.print(tables.Inbox(await self.client.questions(), datetime.now(UTC)))
            case "schedule" | "automations" | "automation":
                return await self._automate(entry)
            case "grants" | "revoke":
                return await self._show_grants(entry.args.get("id"))
            case "handoff":
                return await self._hand_off(int(entry.args.get("minutes", HANDOFF_MINUTES)))
            case "ask-first":
                await self._set_ask_first(entry.args.get("what") != "off")
            case "stop" | "pause" | "resume":
                return await self._send({"type": "control", "action": CONTROLS[entry.name]})
            case "plan" if entry.args.get("what") in ("accept", "dismiss"):
                return await self._answer_proposal(entry.args["what"])
            case "plan":
                self.screen.show(
                    self.view.plan if self.view.plan.steps else Note(say("There is no plan yet."))
                )
            case "table" if "columns" in entry.args:
                self.ask_for_table(entry.args["columns"])
                self.screen.show(Note(say("Your next message asks for this table.")))
            case "table":
                table = self.view.results.table_of(self.view.results.newest_run)
                self.screen.show(table or Note(say("There is no table yet.")))
            case "save":
                await self._save_table(entry.args["file"])
            case "state":
                self.screen.print(tables.state(self.view))
            case "sessions":
                self.screen.print(tables.Sessions(await self.client.sessions(limit=20), datetime.now(UTC)))
            case "help":
                self.screen.print(tables.commands())
        return {}

    async def _show_grants(self, revoked: str | None) -> JsonObject:
        if revoked is not None:
            grant = await self.client.find_grant(revoked)
            await self.client.call("DELETE", f"/grants/{grant['id']}")
            self.screen.show(
                Note(say("Taken back: {kind} on {site}", kind=grant["kind"], site=grant["site"]))
            )
            return {}
        self.screen.print(tables.GrantList(await self.client.grants(), datetime.now().astimezone()))
        return {}

    async def _automate(self, entry: Call) -> JsonObject:
        now = datetime.now().astimezone()
        if entry.name == "schedule":
            body = read_schedule(entry.args["text"], now, local_zone())
            origin = {"created_from": self.session_id} if self.session_id else {}
            table = {"result_schema": self._table} if self._table else {}
            made = dict(await self.client.call("POST", "/automations", body | origin | table))
            self._table = None
            self.screen.print(tables.AutomationList([made], now))
            return made
        if entry.name == "automations":
            self.screen.print(tables.AutomationList(await self.client.automations(), now))
            return {}
        automation = await self.client.find_automation(entry.args["id"])
        path, what = f"/automations/{automation['id']}", entry.args["what"]
        if what == "log":
            firings = (await self.client.call("GET", f"{path}/firings", params={"limit": 20}))["items"]
            self.screen.print(tables.FiringLog(firings))
            return {}
        match what:
            case "run":
                firing = await self.client.call("POST", f"{path}/run")
                said = f"{automation['name']}: {tables.outcome_words(firing['outcome'])}"
            case _ if what in SETTINGS:
                name, is_on, text = SETTINGS[what]
                await self.client.call("PATCH", path, {name: is_on})
                said = f"{automation['name']}: {say(text)}"
            case "delete":
                await self.client.call("DELETE", path)
                said = say("Deleted: {name}", name=automation["name"])
            case _:
                is_resumed = what == "resume"
                await self.client.call("PATCH", path, {"enabled": is_resumed})
                said = say("Resumed: {name}" if is_resumed else "Paused: {name}", name=automation["name"])
        self.screen.show(Note(said))
        return {}

    async def _set_ask_first(self, is_on: bool) -> None:
        await self.client.call("PATCH", f"/sessions/{await self._session()}", {"ask_first": is_on})
        text = (
            "Runs of this session ask before they start."
            if is_on
            else "Runs of this session start without asking."
        )
        self.screen.show(Note(say(text)))

    async def _hand_off(self, minutes: int) -> JsonObject:
        path = f"/sessions/{await self._session()}/handoff"
        if minutes == 0:
            await self.client.call("DELETE", path)
            self.screen.show(Note(say("The browser is not handed off any more.")))
            return {}
        made = dict(await self.client.call("POST", path, {"minutes": minutes}))
        self.screen.show(
            Note(
                say(
                    "Whoever opens this first has the browser for {n} min: {link}",
                    n=minutes,
                    link=made["link"],
                )
            )
        )
        return made

    async def say(self, text: str) -> JsonObject:
        """Send a message. It steers a run in progress, answers an open question, or starts a run.

        Returns the acknowledgement: `{message_id, run_id}`.
        """
        frame: JsonObject = {"type": "user_message", "text": text, "client_id": uuid4().hex}
        if self._table:
            frame["result_schema"] = self._table
        if self.view.status in STEERED:
            frame["mode"] = "queue" if self._table else "steer"
        try:
            answer = await self._send_words(frame)
        except Refused as error:
            if error.code != "run_in_progress":
                raise
            answer = await self._send_words(frame | {"mode": "queue" if self._table else "steer"})
        self._table = None
        if not self.view.title and self.session_id:  # the server derives it from the first message
            self.view.title = (await self.client.session(self.session_id)).get("title") or ""
        return answer

    async def _send_words(self, frame: JsonObject) -> JsonObject:
        from cli.dialogue import FRAME_BYTES

        if len(json.dumps(frame, ensure_ascii=False).encode()) <= FRAME_BYTES:
            return await self._send(frame)
        body = {name: value for name, value in frame.items() if name not in ("type", "text")}
        path = f"/sessions/{await self._session()}/messages"
        answer = await self.client.call("POST", path, body | {"content": frame["text"]})
        return {"message_id": answer["message"]["id"], "run_id": answer["run"]["id"]}

    async def _send(self, frame: JsonObject) -> JsonObject:
        """Send a frame over the dialogue and return its acknowledgement."""
        return await (await self.client.dialogue(await self._session())).send(frame)

    async def _save_table(self, name: str) -> None:
        """Save the newest table to a file; its suffix selects the format."""
        path, run_id = Path(name), self.view.results.newest_run
        form = path.suffix.lstrip(".").lower()
        if form not in FORMATS:
            raise Misused(
                say("Name a file that ends in {endings}.", endings=", ".join(f".{one}" for one in FORMATS))
            )
        if run_id is None:
            raise Misused(say("There is no table that could be saved."))
        data = await self.client.fetch(f"/runs/{run_id}/result", format=form)
        try:
            await asyncio.to_thread(path.write_bytes, data)
        except OSError as error:
            raise Misused(say("{path} cannot be written: {why}", path=path, why=error.strerror)) from None
        self.screen.show(Note(say("{path} ({size} bytes)", path=path, size=f"{len(data):,}")))

    async def edit_plan(self, steps: list[str]) -> None:
        session_id = await self._session()
        await self.client.call("PUT", f"/sessions/{session_id}/plan", {"plan": steps})

    async def _answer_proposal(self, answer: str) -> JsonObject:
        if not self.view.plan.proposed:
            raise Misused(say("The agent has proposed no other plan."))
        if answer == "accept":
            await self.edit_plan(list(self.view.plan.proposed))
            return {}
        await self.client.call("DELETE", f"/sessions/{await self._session()}/plan/proposal")
        return {}

    async def _decide(self, answer: str, args: JsonObject) -> JsonObject:
        asked = self.view.pending
        if asked is None:
            return await self._decide_by_hand(answer)
        if asked.kind == "confirm" and answer == "done":
            raise Misused(say("This wants /yes or /no."))
        if asked.kind == "manual" and answer == "no":
            raise Misused(
                say("This wants /done when you have done it, plain words to go on otherwise, or /stop.")
            )
        frame: JsonObject = {"type": "user_confirm", "reference": asked.reference}
        frame |= {"confirmed": asked.kind == "manual" or answer == "yes"}
        frame |= {"text": args["words"]} if "words" in args else {}
        frame |= _granted(args, len(asked.start.effects) if asked.start else None)
        try:
            return await self._send(frame)
        except Refused as error:
            if error.code == "already_decided" and await self._is_decided_so(frame):
                return {}
            raise

    async def _named_question(self, entry: Call) -> JsonObject | None:
        """The open question of any session that the command names; None if it means the one of this session.

        The words of `/no` begin with a reference only if a question has it. Raises Misused.
        """
        name = str(entry.args.get("ref") or entry.args.get("words") or "").partition(" ")[0]
        if not name or (entry.name == "no" and len(name) < REFERENCE_CHARS):
            return None
        matches = [
            question
            for question in await self.client.questions()
            if name in (question["reference"], tables.short_reference(question))
        ]
        if len(matches) > 1:
            raise Misused(
                say(
                    "{name} is the beginning of {n} questions; give the whole reference.",
                    name=name,
                    n=len(matches),
                )
            )
        if not matches and entry.name != "no":
            raise Misused(say("No open question {name}; /inbox lists them.", name=name))
        return matches[0] if matches else None

    async def _decide_elsewhere(self, entry: Call, question: JsonObject) -> JsonObject:
        is_manual, is_yes = question["kind"] == "manual", entry.name == "yes"
        if is_manual and not is_yes:
            raise Misused(
                say(
                    "This wants your help: pilothouse chat {session}",
                    session=tables.short(question["session_id"]),
                )
            )
        note = str(entry.args.get("words") or "").partition(" ")[2].strip()
        body: JsonObject = {"reference": question["reference"]}
        body |= {"done": True} if is_manual else {"confirmed": is_yes}
        body |= {"message": note} if note else {}
        start = question.get("start")
        body |= _granted(entry.args, len(start["effects"]) if start else None)
        await self.client.call("POST", f"/sessions/{question['session_id']}/decision", body)
        title = question["session_title"] or say("untitled")
        outcome = outcome_of(question["kind"], question.get("wants"), is_yes)
        if question.get("start") and not is_yes and note:
            outcome = "replan"
        self.screen.show(Note(f"{say(OUTCOMES[outcome])}: {title}"))
        return {"session_id": question["session_id"]}

    async def _put_off(self, entry: Call) -> JsonObject:
        until = read_time(entry.args["time"], datetime.now().astimezone())
        elsewhere = await self._named_question(entry)
        asked = self.view.pending
        if elsewhere is None and asked is None:
            raise Misused(say("Nothing is waiting for an answer."))
        session = elsewhere["session_id"] if elsewhere else await self._session()
        reference = elsewhere["reference"] if elsewhere else asked.reference if asked else ""
        path = f"/sessions/{session}/questions/{reference}/later"
        answer = await self.client.call("POST", path, {"until": until.isoformat()})
        self.screen.show(Note(say("Put off until {time}", time=f"{until:%Y-%m-%d %H:%M}")))
        return dict(answer)

    async def _is_decided_so(self, frame: JsonObject) -> bool:
        """Whether the question was decided as in the frame: then only the acknowledgement was lost."""
        session = await self.client.session(await self._session())
        known = {question["reference"]: question for question in session.get("interrupts", [])}
        question = known.get(frame["reference"], {})
        return bool(question.get("status") == "decided" and question.get("confirmed") == frame["confirmed"])

    async def _decide_by_hand(self, answer: str) -> JsonObject:
        """Answer the confirmation that the policy requires for the user's own command."""
        call, self._unconfirmed = self._unconfirmed, None
        if call is None:
            raise Misused(say("Nothing is waiting for an answer."))
        if answer == "yes":
            return await self._browse(Call(call.command, call.args | {"confirmed": True}))
        self.screen.show(Note(say("Left as it is.")))
        return {}

    async def _browse(self, call: Call) -> JsonObject:
        self._unconfirmed, args = None, call.args
        if "eid" in args and self._observation is not None:
            args = args | {"observation": self._observation}
        try:
            answer = await self.client.browse(await self._session(), call.name, args)
        except Refused as error:
            if error.code != "confirmation_required":
                raise
            self._unconfirmed = call
            raise Misused(say("{what}: /yes does it, /no leaves it.", what=error.detail)) from None
        if "interactive" in answer:
            self.elements = answer["interactive"]
            self._observation = answer.get("id")
            self.screen.print(tables.observation(answer))
        else:
            args = {name: value for name, value in call.args.items() if name not in ("text", "confirmed")}
            self.screen.print(tables.outcome(call.name, args, answer, self.client.address))
        await self._show_picture(answer.get("screenshot"))
        return answer

    async def _show_picture(self, path: str | None) -> None:
        if not path or not self.screen.shows_pictures:
            return
        try:
            self.screen.picture(await self.client.picture(path))
        except (Trouble, OSError) as error:
            self.screen.show(Note(say("The picture cannot be shown: {why}", why=error), "warning"))

    async def _session(self) -> str:
        if self.session_id is None:
            session = await self.client.call("POST", "/sessions", self._options)
            self.session_id = str(session["id"])
            self.view.load(session)
            self._begun.set()
        return self.session_id


def _granted(args: JsonObject, foreseen: int | None) -> JsonObject:
    """What was written behind `/yes`, as a field of the decision: a grant, or which of the `foreseen` effects of a run
    that asks before it starts are allowed."""
    if foreseen is not None:
        return {"effects": read_effects(args["grant"], foreseen)} if "grant" in args else {}
    return {"grant": read_grant(args["grant"], datetime.now().astimezone())} if "grant" in args else {}
