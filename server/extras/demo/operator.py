"""The demo model's second interface: the operator's one typed move per step, from its prompt alone. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from server.agent.policy import Subject, Verdict, assess
from server.extras.demo.commands import ERRANDS, READING_COMMANDS, DemoCommand, DemoRequest, read_request
from server.extras.demo.errands import is_reached, read_table
from server.extras.demo.page import DemoPage, read_page
from server.extras.demo.planner import Act, DemoProgress, FinalAnswer, Next, Which, is_choice, plan_next
from server.extras.demo.words import Words
from server.ops.json_types import JsonObject
from server.text import split_attached

_ACTIONS = {"open": "navigate", "log_in": "need_user", **dict.fromkeys(READING_COMMANDS, "read_page")}
_NOT_STEPS = re.compile(r"the user (?:edited|accepted|turned the proposed plan|had the browser)")
_HEARD = re.compile(r"the user said: (.*)")
_DID_THEIR_PART = "the user has done their part"
_WHAT_FAILED = re.compile(r'^failed: (?:\w+ (?:"[^"]*"|[^"])*?: )?')
_READ_STEP, _UNREAD = re.compile(r"(?:failed: )?read_page\b"), re.compile(r"failed: read_page\b")
"""If a page cannot be read completely, questions are answered from its shown part."""
_FENCED = r"^<({name}(?:-\d{{1,6}})?)>\n(.*?)\n</\1>"
_REFUSED = "the user refused it"


def decide(prompt: str, fields: JsonObject) -> JsonObject:
    """The arguments of a move. `prompt` contains task, plan, steps, page and reading; `fields` are the schema's."""
    work = _Work(prompt)
    page = read_page(prompt) or DemoPage()
    step = plan_next(work.task, work.progress(), page)
    rows = (fields.get("rows") or {}).get("items", {}).get("properties", {})
    columns = {key: column for key, column in rows.items() if key != "missing"}
    action = _action(step, Words(work.task))
    if columns and isinstance(step, FinalAnswer) and not step.unmet:
        step, action = _collect(work, page, columns, step)
    args = work.record(step) | action
    return {name: args[name] for name in fields if name in args}


def _collect(
    work: _Work, page: DemoPage, columns: JsonObject, answer: FinalAnswer
) -> tuple[FinalAnswer, JsonObject]:
    """The move at the end of a task that asks for a table: read the page, record its rows, then answer."""
    words, last = Words(work.task), work.steps[-1] if work.steps else ""
    if last.startswith("record"):
        return (said := FinalAnswer(words.say("recorded", page=page.title or page.url))), _action(said, words)
    if not _READ_STEP.match(last):
        return answer, {"action": "read_page"}
    names = {key: str(column.get("description") or key).partition(";")[0] for key, column in columns.items()}
    table = read_table(
        work.reading or page.markdown(), {names[key]: column for key, column in columns.items()}
    )
    if not table.rows:
        asked, seen = ", ".join(names.values()), ", ".join(table.headings)
        text = words.say(
            "other table" if seen else "no table", page=page.title or page.url, columns=asked, seen=seen
        )
        return (said := FinalAnswer(text, text)), _action(said, words)
    keys = {name: key for key, name in names.items()} | {"missing": "missing"}
    rows = [{keys[name]: value for name, value in row.items()} for row in table.rows]
    for row in rows:
        row |= (
            {"missing": {keys[name]: why for name, why in row["missing"].items()}} if "missing" in row else {}
        )
    return answer, {"action": "record", "rows": rows}


def _is_choice(steps: Sequence[str], at: int) -> bool:
    """Whether step `at` is the user's choice between several matching elements."""
    heard = _HEARD.match(steps[at])
    return bool(heard and steps[at - 1 : at] == [_DID_THEIR_PART] and is_choice(heard[1]))


class _Work:
    """The working state, parsed from the operator's prompt."""

    def __init__(self, prompt: str) -> None:
        head = re.split(r"^<page", prompt, maxsplit=1, flags=re.MULTILINE)[0]
        self.task, attached = split_attached(_section(head, "Task: ") or _section(head, "Goal: "))
        listed = re.search(_FENCED.format(name="files"), head, re.MULTILINE | re.DOTALL)
        self.files = attached or (tuple(listed[2].split(", ")) if listed else ())
        self.plan = re.findall(r"^[> ] \d+\. (.*)$", head, re.MULTILINE)
        marker = re.search(r"^> (\d+)\. ", head, re.MULTILINE)
        self.current = int(marker[1]) - 1 if marker else 0
        self.is_edited = "Plan (edited" in head
        self.has_done = re.search(r"^Done: ", head, re.MULTILINE) is not None
        self.facts = re.findall(r"^- (.*?)(?: \(\S+\))?$", _section(head, "Facts:"), re.MULTILINE)
        self.is_first = not re.search(r"^You: ", _section(head, "Conversation:"), re.MULTILINE)
        reading = re.search(_FENCED.format(name="(?:untrusted-)?reading"), prompt, re.MULTILINE | re.DOTALL)
        self.reading = reading[2].partition("\n\n")[2] if reading else None
        self.steps = [
            step
            for step in re.findall(r"^\d+\. (.*)$", head.partition("Steps so far:")[2], re.MULTILINE)
            if not step.startswith("failed: stop")
        ]
        first = re.search(r"^(\d+)\. ", head.partition("Steps so far:\n")[2])
        self.hidden = int(first[1]) - 1 if first else 0
        is_new = bool(_section(head, "Goal: ")) and not self.steps
        if is_new and read_request(self.task).commands:  # while earlier work is unfinished
            self.plan, self.current, self.has_done, self.is_edited = [], 0, False, False
        self._take_words()
        if self.is_edited:
            words = Words(self.task)
            own = {words.say(name) for name in ("answer", "check", "check found")}
            self.task = "; ".join(item for item in self.plan if item not in own) or self.task
        self.request: DemoRequest = read_request(self.task)
        self.choice = self._take_choices()

    def _take_choices(self) -> str:
        """Remove the user's choices of an element from the steps. Returns the last one."""
        kept: list[str] = []
        choice = ""
        for at, step in enumerate(self.steps):
            kept.append(step)
            choice = ""
            command = self.request.commands[self._counted(kept[:-2])[0] :][:1]
            if _is_choice(self.steps, at) and command and command[0].kind != "log_in":
                kept[-2:] = []
                choice = _HEARD.sub(r"\1", step)
        self.steps = kept
        return choice

    def _take_words(self) -> None:
        """Add the user's instructions during the run to the task. With a refusal they replace the remaining task."""
        steps = self.steps
        for at, step in enumerate(steps):
            said = _HEARD.match(step)
            if not said or _is_choice(steps, at) or not read_request(said[1]).commands:
                continue
            if at and _REFUSED in steps[at - 1]:
                self.task, self.steps, self.hidden, self.plan = said[1], steps[at + 1 :], 0, []
                self.current, self.has_done = 0, False
            else:
                self.task = f"{self.task}; {said[1]}"
                self.plan = [*self.plan, said[1]] if self.is_edited else []

    def progress(self) -> DemoProgress:
        """Progress from the steps of this run; for an earlier run, from the plan's marker only.

        The plan's current item is not done if the last step failed or the user interrupted it.
        """
        done, on_way = self._counted(self.steps)
        done += self.hidden
        last = self.steps[-1] if self.steps else ""
        marked = self.request.commands[self.current : self.current + 1]
        if self.hidden and marked and any(one.kind in ERRANDS for one in self.request.commands):
            done, on_way = 0, on_way if is_reached(marked[0], last) else (last,)
        has_failed = last.startswith("failed:") and not _UNREAD.match(last)
        if self.current or self.has_done:
            is_broken_off = has_failed or bool(_NOT_STEPS.match(last) or _HEARD.match(last))
            done = max(done, self.current + int(not is_broken_off and not self.choice and not on_way))
        said = _WHAT_FAILED.sub("", last)
        failure = said if has_failed and "nothing was done" not in last else None
        is_asked = bool(_READ_STEP.match(last)) and not self.choice
        notes = self._notes(done - int(is_asked))
        return DemoProgress(
            done,
            failure,
            is_asked,
            self.reading,
            notes,
            self.choice,
            self.files,
            self.is_first,
            _REFUSED in last,
            self._wish(),
            on_way,
        )

    def _counted(self, steps: Sequence[str]) -> tuple[int, tuple[str, ...]]:
        """The number of commands that these steps have done, and the acts after that on the way to the next one."""
        done, on_way = 0, list[str]()
        for step in steps:
            is_done = not step.startswith("failed:") or bool(_UNREAD.match(step))
            if _NOT_STEPS.match(step) or _HEARD.match(step) or not is_done:
                continue
            command = self.request.commands[done + self.hidden : done + self.hidden + 1]
            if command and not is_reached(command[0], step):
                on_way.append(step)
            else:
                done, on_way = done + 1, []
        return done, tuple(on_way)

    def _wish(self) -> str:
        """The user's words with their last refusal."""
        pairs = zip(self.steps, self.steps[1:], strict=False)
        said = (_HEARD.match(step) for before, step in pairs if _REFUSED in before)
        return next((one[1] for one in reversed(list(said)) if one), "")

    def _notes(self, done: int) -> tuple[str, ...]:
        """The facts that answer the questions among the first `done` commands."""
        keys = [
            Words(self.task).key(one)
            for one in self.request.commands[: max(0, done)]
            if one.kind in READING_COMMANDS
        ]
        notes = []
        for at, key in enumerate(keys):
            known = [fact for fact in self.facts if key in fact]
            notes += known[-keys[at:].count(key) :][:1]
        return tuple(notes)

    def record(self, step: Next) -> JsonObject:
        """Goal, plan and progress for the state shown to the user."""
        words, commands, done = Words(self.task), self.request.commands, self.progress().done
        titles = [words.did(command) for command in commands]
        item = min(done, MAX_PLAN_ITEMS - 1) if done < len(titles) else min(len(titles), MAX_PLAN_ITEMS)
        is_unmet = isinstance(step, FinalAnswer) and bool(step.unmet)
        if (
            is_unmet and done >= len(titles) and not self.request.not_understood
        ):  # the last question has no answer
            item, titles = max(0, min(len(titles), MAX_PLAN_ITEMS) - 1), []
        record: JsonObject = {"reason": "", "step": item + 1}
        if done < len(commands) and not isinstance(step, FinalAnswer):
            record["reason"] = words.say("because", n=done + 1, of=len(commands))
        if commands and not self.plan:
            record |= {"goal": self.task, "plan": _plan(self.request, words)}
        if 0 < done <= len(titles):
            record["done"] = titles[done - 1]
        if isinstance(step, Act | Which) and step.note:
            record["facts"] = [step.note]
        if isinstance(step, FinalAnswer) and step.unmet:
            record["blocked"] = step.unmet
        return record


MAX_PLAN_ITEMS = 5
"""Most plan items, without the answer. Further commands are joined into the last one."""


def _plan(request: DemoRequest, words: Words) -> list[str]:
    """The plan's items. They contain every command, since an edited plan is parsed as a request."""
    commands = request.commands
    items = [*map(words.to_do, commands), *request.not_understood]
    if len(items) > MAX_PLAN_ITEMS:
        items[MAX_PLAN_ITEMS - 1 :] = ["; ".join(items[MAX_PLAN_ITEMS - 1 :])]
    if request.not_understood:
        return items
    check = "check found" if commands and commands[-1].kind in READING_COMMANDS else "check"
    return [*items, *([words.say(check)] if len(items) == 1 else []), words.say("answer")]


def _section(text: str, name: str) -> str:
    """The text after `name` at the start of a line, up to the next section."""
    found = re.search(
        rf"^{re.escape(name)}(.*?)(?=^(?:Goal: |Conversation:|Plan|Done: |Blocked: |Facts:|Steps so far:|Files:|Today: )|\Z)",
        text, re.MULTILINE | re.DOTALL,
    )  # fmt: skip
    return found[1].strip() if found else ""


def _action(step: Next, words: Words) -> JsonObject:
    if isinstance(step, FinalAnswer):
        return {"action": "stop", "final_response": step.text}
    if isinstance(step, Which):
        return {"action": "ask_user", "reason": step.question}
    command = step.command if isinstance(step, Act) else DemoCommand("wait", "1")
    thing = step.thing if isinstance(step, Act) else None
    action: JsonObject = {"action": _ACTIONS.get(command.kind, command.kind)}
    if thing is not None:
        action["eid"] = thing.ref
    match command.kind:
        case "open":
            action["url"] = command.target
        case "ask":
            action["query"] = command.text
        case "type":
            action |= {"text": command.text, "submit": command.submit}
        case "upload":
            action["file"] = command.text
        case "select":
            action["option"] = command.text
        case "press":
            action["key"] = command.target
        case "scroll":
            action["direction"] = command.target
        case "wait":
            action["ms"] = round(float(command.target) * 1000)
        case "log_in":
            action["reason"] = words.say("log_in_please")
    return action


def pause(prompt: str) -> str:
    """The reply to a call without tools: a summary at a limit, else the help text."""
    work = _Work(prompt)
    if "Why you pause:" not in prompt:
        return Words(prompt).say("help")
    done = work.request.commands[: work.progress().done]
    words = Words(work.task)
    return words.say("pause", done="; ".join(words.did(command) for command in done) or "-")


def foresee(prompt: str) -> JsonObject:
    """The plan and effects shown before a run begins; effects are the clicks that the policy would ask about."""
    task = prompt.removeprefix("Task: ")
    request, words = read_request(task), Words(task)
    here, effects = "", list[JsonObject]()
    for command in request.commands:
        here = command.target if command.kind == "open" else here
        name = command.target if command.kind == "click" else words.to_do(command)
        judgement = (
            assess(Subject(action="click", role="button", name=name, url=here))
            if command.kind in ("click", *ERRANDS)
            else None
        )
        if judgement and judgement.verdict is Verdict.ASK and here:
            effects.append({"site": here, "kind": judgement.kind, "count": 1})
    return {"plan": _plan(request, words), "effects": effects}
