"""The demo model's second interface: the operator's one typed move per step, from its prompt alone. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

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
    words, last, name = Words(work.task), work.steps[-1] if work.steps else "", page.title or page.url
    if last.startswith("record"):
        return _final(words.say("recorded", page=name), words)
    if not _READ_STEP.match(last):
        return answer, {"action": "read_page"}
    names = {key: str(column.get("description") or key).partition(";")[0] for key, column in columns.items()}
    wanted = {names[key]: column for key, column in columns.items()}
    table = read_table(work.reading or page.markdown(), wanted)
    if table.rows:
        return answer, {"action": "record", "rows": [_by_key(row, names) for row in table.rows]}
    seen = ", ".join(table.headings)
    said = "other table" if seen else "no table"
    text = words.say(said, page=name, columns=", ".join(names.values()), seen=seen)
    return _final(text, words, text)


def _final(text: str, words: Words, unmet: str = "") -> tuple[FinalAnswer, JsonObject]:
    return (answer := FinalAnswer(text, unmet)), _action(answer, words)


def _by_key(row: JsonObject, names: Mapping[str, str]) -> JsonObject:
    """The row with the keys of its columns instead of their names."""
    found = {key: row[name] for key, name in names.items() if name in row}
    missing = {key: row["missing"][name] for key, name in names.items() if name in row.get("missing", {})}
    return found | ({"missing": missing} if missing else {})


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
        items = re.findall(r"^([> ]) (\d+)\. (.*)$", head, re.MULTILINE)
        self.plan = [item for _, _, item in items]
        self.current = next((int(number) - 1 for mark, number, _ in items if mark == ">"), 0)
        self.is_edited = "Plan (edited" in head
        self.has_done = re.search(r"^Done: ", head, re.MULTILINE) is not None
        self.facts = re.findall(r"^- (.*?)(?: \(\S+\))?$", _section(head, "Facts:"), re.MULTILINE)
        self.is_first = not re.search(r"^You: ", _section(head, "Conversation:"), re.MULTILINE)
        reading = re.search(_FENCED.format(name="(?:untrusted-)?reading"), prompt, re.MULTILINE | re.DOTALL)
        self.reading = reading[2].partition("\n\n")[2] if reading else None
        listed_steps = head.partition("Steps so far:")[2]
        steps = re.findall(r"^(\d+)\. (.*)$", listed_steps, re.MULTILINE)
        self.steps = [step for _, step in steps if not step.startswith("failed: stop")]
        self.hidden = int(steps[0][0]) - 1 if steps else 0
        is_new = bool(_section(head, "Goal: ")) and not self.steps
        if is_new and read_request(self.task).commands:  # while earlier work is unfinished
            self.plan, self.current, self.has_done, self.is_edited = [], 0, False, False
        self._take_words()
        if self.is_edited:
            own = {Words(self.task).say(name) for name in ("answer", "check", "check found")}
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
        is_asked = bool(_READ_STEP.match(last)) and not self.choice
        return DemoProgress(
            done, _WHAT_FAILED.sub("", last) if has_failed and "nothing was done" not in last else None, is_asked, self.reading,
            self._notes(done - int(is_asked)), self.choice, self.files, self.is_first, _REFUSED in last, self._wish(), on_way,
        )  # fmt: skip

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
        asked = [one for one in self.request.commands[: max(0, done)] if one.kind in READING_COMMANDS]
        keys = [Words(self.task).key(one) for one in asked]
        notes = []
        for at, key in enumerate(keys):
            known = [fact for fact in self.facts if key in fact]
            notes += known[-keys[at:].count(key) :][:1]
        return tuple(notes)

    def record(self, step: Next) -> JsonObject:
        """Goal, plan and progress for the state shown to the user."""
        words, commands, done = Words(self.task), self.request.commands, self.progress().done
        titles = [words.did(command) for command in commands]
        unmet = step.unmet if isinstance(step, FinalAnswer) else ""
        is_end = done >= len(titles)
        item = min(done if not is_end else len(titles), MAX_PLAN_ITEMS - (not is_end))
        if unmet and is_end and not self.request.not_understood:  # the last question has no answer
            item, titles = max(0, min(len(titles), MAX_PLAN_ITEMS) - 1), []
        record: JsonObject = {"reason": "", "step": item + 1}
        if done < len(commands) and not isinstance(step, FinalAnswer):
            record["reason"] = words.say("because", n=done + 1, of=len(commands))
        if commands and not self.plan:
            record |= {"goal": self.task, "plan": _plan(self.request, words)}
        if 0 < done <= len(titles):
            record["done"] = titles[done - 1]
        note = step.note if isinstance(step, Act | Which) else ""
        return record | ({"facts": [note]} if note else {}) | ({"blocked": unmet} if unmet else {})


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
    eid = {"eid": step.thing.ref} if isinstance(step, Act) and step.thing else {}
    action = {"action": _ACTIONS.get(command.kind, command.kind), **eid}
    if command.kind == "log_in":
        return action | {"reason": words.say("log_in_please")}
    return action | (_MOVE_ARGUMENTS[command.kind](command) if command.kind in _MOVE_ARGUMENTS else {})


_MOVE_ARGUMENTS: dict[str, Callable[[DemoCommand], JsonObject]] = {
    "open": lambda command: {"url": command.target},
    "ask": lambda command: {"query": command.text},
    "type": lambda command: {"text": command.text, "submit": command.submit},
    "upload": lambda command: {"file": command.text},
    "select": lambda command: {"option": command.text},
    "press": lambda command: {"key": command.target},
    "scroll": lambda command: {"direction": command.target},
    "wait": lambda command: {"ms": round(float(command.target) * 1000)},
}


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
        if not here or command.kind not in ("click", *ERRANDS):
            continue
        judgement = assess(Subject(action="click", role="button", name=name, url=here))
        if judgement.verdict is Verdict.ASK:
            effects.append({"site": here, "kind": judgement.kind, "count": 1})
    return {"plan": _plan(request, words), "effects": effects}
