"""The demo model's second interface: the operator's one typed move per step, from its prompt alone. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from server.agent.demo.commands import DemoCommand, read_request
from server.agent.demo.page import DemoPage, read_page
from server.agent.demo.planner import Act, DemoProgress, FinalAnswer, Next, plan_next
from server.agent.demo.words import Words
from server.ops.json_types import JsonObject

_ACTIONS = {"open": "navigate", "log_in": "need_user"}
_NOT_STEPS = re.compile(r"the user (?:edited|accepted|turned the proposed plan|had the browser)")
_HEARD = re.compile(r"the user said: (.*)")


def decide(prompt: str, fields: Iterable[str]) -> JsonObject:
    """The arguments of a move. `prompt` contains task, plan, steps and page; `fields` are the schema's."""
    work = _Work(prompt)
    step = plan_next(work.task, work.progress(), read_page(prompt) or DemoPage())
    args = work.record() | _action(step, Words(work.task))
    return {name: args[name] for name in fields if name in args}


class _Work:
    """The working state, parsed from the operator's prompt."""

    def __init__(self, prompt: str) -> None:
        head = re.split(r"^<page", prompt, maxsplit=1, flags=re.MULTILINE)[0]
        self.task = _section(head, "Task: ") or _section(head, "Goal: ")
        self.plan = re.findall(r"^[> ] \d+\. (.*)$", head, re.MULTILINE)
        marker = re.search(r"^> (\d+)\. ", head, re.MULTILINE)
        self.current = int(marker[1]) - 1 if marker else 0
        self.is_edited = "Plan (edited" in head
        self.has_done = re.search(r"^Done: ", head, re.MULTILINE) is not None
        self.steps = re.findall(r"^\d+\. (.*)$", head.partition("Steps so far:")[2], re.MULTILINE)
        first = re.search(r"^(\d+)\. ", head.partition("Steps so far:\n")[2])
        self.hidden = int(first[1]) - 1 if first else 0
        is_new = bool(_section(head, "Goal: ")) and not self.steps
        if is_new and read_request(self.task).commands:  # while earlier work is unfinished
            self.plan, self.current, self.has_done, self.is_edited = [], 0, False, False
        self._take_words()
        if self.is_edited:
            self.task = "; ".join(self.plan) or self.task

    def _take_words(self) -> None:
        """Take the user's last instruction during the run as the new task; steps count from there."""
        for at in reversed(range(len(self.steps))):
            said = _HEARD.match(self.steps[at])
            if said and read_request(said[1]).commands:
                self.task, self.steps, self.hidden, self.plan = said[1], self.steps[at + 1 :], 0, []
                self.current, self.has_done = 0, False
                return

    def progress(self) -> DemoProgress:
        """Progress from the steps of this run; for an earlier run, from the plan's marker only.

        The plan's current item is not done if the last step failed or the user interrupted it.
        """
        steps = [step for step in self.steps if not _NOT_STEPS.match(step) and not _HEARD.match(step)]
        done = self.hidden + sum(not step.startswith("failed:") for step in steps)
        last = self.steps[-1] if self.steps else ""
        if self.current or self.has_done:
            is_broken_off = last.startswith("failed:") or bool(_NOT_STEPS.match(last) or _HEARD.match(last))
            done = max(done, self.current + int(not is_broken_off))
        if last.startswith("failed:") and "nothing was done" not in last:
            return DemoProgress(done, last.removeprefix("failed:").strip())
        return DemoProgress(done)

    def record(self) -> JsonObject:
        """Goal, plan and progress for the state shown to the user."""
        words, actions, done = Words(self.task), read_request(self.task).actions, self.progress().done
        titles = [words.did(command) for command in actions]
        item = min(done, MOST_ITEMS - 1) if done < len(titles) else min(len(titles), MOST_ITEMS)
        record: JsonObject = {"reason": "demo rule", "step": item + 1}
        if not self.plan:
            record |= {"goal": self.task, "plan": _plan(actions, words)}
        if 0 < done <= len(titles):
            record["done"] = titles[done - 1]
        return record


MOST_ITEMS = 5
"""Most plan items, without the answer. Further actions are joined into the last one."""


def _plan(actions: Sequence[DemoCommand], words: Words) -> list[str]:
    """The plan's items. They contain every action, since an edited plan is parsed as a request."""
    items = [words.to_do(action) for action in actions]
    if len(items) > MOST_ITEMS:
        items[MOST_ITEMS - 1 :] = ["; ".join(items[MOST_ITEMS - 1 :])]
    return [*items, words.say("answer")]


def _section(text: str, name: str) -> str:
    """The text after `name` at the start of a line, up to the next section."""
    found = re.search(
        rf"^{re.escape(name)}(.*?)(?=^(?:Goal: |Conversation:|Plan|Done: |Blocked: |Facts:|Steps so far:)|\Z)",
        text, re.MULTILINE | re.DOTALL,
    )  # fmt: skip
    return found[1].strip() if found else ""


def _action(step: Next, words: Words) -> JsonObject:
    if isinstance(step, FinalAnswer):
        return {"action": "stop", "final_response": step.text}
    command = step.command if isinstance(step, Act) else DemoCommand("wait", "1")
    thing = step.thing if isinstance(step, Act) else None
    action: JsonObject = {"action": _ACTIONS.get(command.kind, command.kind)}
    if thing is not None:
        action["eid"] = thing.ref
    match command.kind:
        case "open":
            action["url"] = command.target
        case "type":
            action |= {"text": command.text, "submit": command.submit}
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
    done = [step for step in work.steps if not step.startswith("failed:")]
    words = Words(work.task)
    return f"{words.say('pause', done='; '.join(done) or '-')}\n\n{words.say('footer')}"
