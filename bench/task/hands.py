"""How each agent is answered: what the player wants to do, as a move of our operator or as Playwright MCP's tools.

A hand reads each request: what of its last answer was done, and what the request shows of the page now.
"""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from PIL import Image

from bench.task.script import Act, Look, Place, Target
from bench.task.shown import Shown, fenced, one_line, read_observation, read_snapshot
from tests.support.model_reply import Asked, Reply, call, say

MAX_ACTS = 5
"""Most acts in one move of the operator."""
WINDOW_WIDTH = 1280
SCROLL = 900
"""Pixels: a little more than a window, for the observation also shows what is below it."""
MAX_JOINED = MAX_ACTS - 1
"""Acts that leave room for a reading in the same move."""
PARTS = 12
"""Most parts of a text that are read."""


@dataclass(frozen=True, slots=True)
class Sent:
    """An answer, and the acts that it asks for."""

    reply: Reply
    acts: Sequence[Act] = ()


class Hand(Protocol):
    shown: Shown | None
    """What the request shows of the page as it is now; None if the page must be looked at first."""

    def take(self, asked: Asked) -> int | None:
        """Read a request; how many acts of the last answer were done, None if it asked for none."""

    def look(self) -> Sent:
        """Have the page shown."""

    def act(self, acts: Sequence[Act], look: Look | None) -> Sent | None:
        """Do as many of the acts as can be done in one turn; None if the first cannot be done on what is shown.
        `look`: what will be looked for after all of them."""

    def scroll(self, act: Act | None, words: str) -> Sent:
        """Scroll down: the window, or the list of `act`, to `words`, where the agent can."""

    def read(self, look: Look) -> Sent | None:
        """Read more of the text than is shown, the next part of it; None if there is no more."""

    def remembers(self, text: str) -> bool:
        """Whether something found earlier is in this request."""

    def answer(self, text: str) -> Sent: ...


class CannotBeDone(Exception):
    """The agent has no action for it."""


_READ = Act("read")
_JOINED = ("click", "check", "fill", "choose", "press")
"""What a move can join."""


_NOT_DONE = ("failed: ", "not done of that move: ", "the user ")
"""How the lines of steps begin in which no act was done."""


class OperatorHand:
    def __init__(self) -> None:
        self.shown: Shown | None = None
        self.facts: list[str] = []
        """For the next move: what was found, which the operator's prompt repeats."""
        self._asked: Asked | None = None
        self._sent: Sequence[Act] = ()
        self._lines = 0
        self._moves = 0
        self._read: tuple[Look, int] | None = None
        self._wants_picture = False
        self._searched: set[str] = set()

    def take(self, asked: Asked) -> int | None:
        self._asked, text = asked, asked.last_text
        page, reading = fenced(text, "page") or "", fenced(text, "reading")
        shown = read_observation(page)
        words = " ".join((shown.text, one_line(reading))) if reading is not None else shown.text
        self.shown = Shown(shown.items, words, shown.is_partial)
        head = text.partition("\n<page")[0].partition("\nSteps so far:\n")[2]
        numbered = [(int(number), line) for number, line in re.findall(r"^(\d+)\. (.*)$", head, re.MULTILINE)]
        new = [line for number, line in numbered if number > self._lines]
        self._lines = max([self._lines, *(number for number, _ in numbered)])
        if not self._sent:
            return None
        return sum(not line.startswith(_NOT_DONE) for line in new)

    def look(self) -> Sent:
        raise AssertionError("every request of the operator shows the page")

    def act(self, acts: Sequence[Act], look: Look | None) -> Sent | None:
        found: list[dict[str, Any]] = []
        for act in acts[:MAX_ACTS]:
            if found and (
                act.verb not in ("click", "check", "fill", "choose", "press") or len(act.targets) > 1
            ):
                break
            arguments = self._arguments(act)
            if arguments is None:
                break
            found.append(arguments)
            if act.verb not in _JOINED:
                break
        if not found:
            return None
        done = tuple(acts[: len(found)])
        joins = look is not None and look.how in ("query", "all", "page") and not look.file
        reads = joins and len(found) == len(acts) <= MAX_JOINED and self._offers("read_page", "then")
        if reads and look is not None:
            found.append({"action": "read_page"} | ({} if look.how == "all" else {"query": look.query}))
            done = (*done, _READ)
        leader, *then = found
        sent = self._move(leader | ({"then": then} if then else {}), done)
        self._read = (look, 1) if reads and look is not None else None
        return sent

    def scroll(self, act: Act | None, words: str) -> Sent:
        assert self.shown is not None
        down: dict[str, Any] = {"action": "scroll", "direction": "down"}
        item = self.shown.find(Target(act.list_item)) if act and act.list_item else None
        if words and words not in self._searched and self._is_told("scroll(query)"):
            self._searched.add(words)
            return self._move(down | {"query": words} | ({"eid": item} if item else {}), (Act("scroll"),))
        down["amount"], at = SCROLL, act.list_at if act else None
        if item and self._is_told("scroll(eid)"):
            return self._move(down | {"eid": item}, (Act("scroll"),))
        if at is not None and not self._sees():
            return self._move({"action": "screenshot"})
        if at is not None and self._offers("at"):
            down["at"] = self._on_picture((at,))[0]
        return self._move(down, (Act("scroll"),))

    def read(self, look: Look) -> Sent | None:
        assert self._asked is not None
        if look.how == "page" and not (self.shown and self.shown.is_partial):
            return None
        last, part = self._read or (None, 0)
        if last != look or fenced(self._asked.last_text, "reading") is None:
            part = 0
        if look.how in ("query", "page") and part:
            return None
        if part:
            of = re.findall(r"page \d+ of (\d+)", fenced(self._asked.last_text, "reading") or "")
            if not of or part >= min(int(of[0]), PARTS):
                return None
        self._read = (look, part + 1)
        which = {"query": look.query} if look.how in ("query", "page") else {"page": part + 1}
        name = {"action": "read_file", "file": look.file} if look.file else {"action": "read_page"}
        return self._move(name | which)

    def remembers(self, text: str) -> bool:
        assert self._asked is not None
        assert self.shown is not None
        return text in self.shown.text or text in one_line(self._asked.last_text)

    def answer(self, text: str) -> Sent:
        return self._move({"action": "stop", "final_response": text})

    def mistake(self) -> Sent:
        """A move that names an element that does not exist."""
        return self._move({"action": "click", "eid": "e999"})

    def _move(self, arguments: dict[str, Any], acts: Sequence[Act] = ()) -> Sent:
        self._sent = acts
        self._read = None if acts else self._read
        self._moves += 1
        record: dict[str, Any] = {"reason": str(arguments["action"])}
        if self._moves == 1:
            record |= {"plan": ["Open the page", "Do what is asked", "Answer"], "step": 1}
        if self.facts:
            record["facts"] = self.facts
            self.facts = []
        return Sent(call("act", record | arguments), acts)

    def _arguments(self, act: Act) -> dict[str, Any] | None:
        """None if a target is not shown."""
        assert self.shown is not None
        eids = [self.shown.find(target) for target in act.targets]
        if None in eids and not act.places:
            return None
        match act.verb:
            case "open":
                return {"action": "navigate", "url": act.texts[0]}
            case "click" | "check":
                return {"action": "click", "eid": eids[0]}
            case "hover":
                return {"action": "hover", "eid": eids[0]}
            case "choose":
                return {"action": "select", "eid": eids[0], "option": act.texts[0]}
            case "press":
                return {"action": "press", "key": act.texts[0]}
            case "dialog":
                return {"action": "dialog", "accept": act.texts[0] == "yes"}
            case "drag" if None not in eids:
                self._needs("to_eid")
                return {"action": "drag", "eid": eids[0], "to_eid": eids[1]}
            case "point":
                self._needs("at")
                return {"action": "click", "at": self._on_picture(act.places)[0]}
            case "stroke" | "drag":
                self._needs("to")
                start, end = self._on_picture(act.places)
                return {"action": "drag", "at": start, "to": end}
        fields = [{"eid": eid, "text": text} for eid, text in zip(eids, act.texts, strict=True)]
        typed: dict[str, Any] = {"fields": fields} if len(fields) > 1 else dict(fields[0])
        return {"action": "type", **typed} | ({"submit": True} if act.submit else {})

    def _needs(self, argument: str) -> None:
        if not self._offers(argument):
            raise CannotBeDone(f"there is no act with {argument}")

    def _offers(self, argument: str, within: str = "") -> bool:
        """Whether the schema has it, behind the argument `within`."""
        assert self._asked is not None
        schema = json.dumps(self._asked.body.get("tools") or self._asked.body.get("response_format") or {})
        return f'"{argument}"' in schema.partition(f'"{within}"' if within else "{")[2]

    def _is_told(self, act: str) -> bool:
        """Whether the rules name an act."""
        assert self._asked is not None
        return act in self._asked.text

    def _sees(self) -> bool:
        """Whether the request has a picture; a model that was refused one does not ask again."""
        has_picture = bool(self._asked and self._asked.pictures)
        was_asked, self._wants_picture = self._wants_picture, not has_picture
        return has_picture or was_asked

    def _on_picture(self, places: Sequence[Place]) -> list[list[int]]:
        """The places in pixels of the picture in the request."""
        assert self._asked is not None
        match = re.search(r"data:image/\w+;base64,([A-Za-z0-9+/=]+)", json.dumps(self._asked.messages))
        scale = Image.open(io.BytesIO(base64.b64decode(match[1]))).width / WINDOW_WIDTH if match else 1.0
        return [[round(x * scale), round(y * scale)] for x, y in places]


_NO_TARGET = ("open", "press", "scroll", "dialog")
_FORM = {"fill": "textbox", "choose": "combobox", "check": "checkbox"}


@dataclass
class StockHand:
    """No snapshot comes back with an action. The last one is good for the other acts of a wish and after the fields of a
    form. One call a turn: several at once run in parallel, and a click that redraws the page makes the refs of the
    others void."""

    shown: Shown | None = None
    _last: Shown | None = None
    """The last snapshot, while its refs are still good."""
    _text: str = ""
    _sent: Sequence[Act] = ()
    facts: list[str] = field(default_factory=list)
    """Not used: all messages stay in the conversation."""

    def take(self, asked: Asked) -> int | None:
        self._text = asked.last_text
        found = re.search(r"### Snapshot\n```yaml\n(.*?)\n```", self._text, re.DOTALL)
        if found:
            self.shown = self._last = read_snapshot(found[1])
        if not self._sent:
            return None
        parts = [_text_of(message) for message in asked.messages if message.get("role") == "tool"]
        if "### Error" in parts[-1]:
            self._last = None
            return 0
        return len(self._sent)

    def look(self) -> Sent:
        return self._send(call("browser_snapshot", {}))

    def act(self, acts: Sequence[Act], look: Look | None) -> Sent | None:
        first = acts[0]
        if first.verb in _NO_TARGET:
            return self._send(call(*self._tool(first)), acts[:1])
        if self._last is None:
            return self.look()
        taken = self._together(acts)
        if not taken:
            return self.look() if self.shown is None else None
        if taken[0].verb in _FORM:
            return self._send(self._form(taken), taken, keeps=True)
        return self._send(call(*self._tool(first)), taken, keeps=len(acts) > 1)

    def _together(self, acts: Sequence[Act]) -> Sequence[Act]:
        """The fields of a form, or the first act, whose targets are all shown."""
        assert self._last is not None
        taken: list[Act] = []
        for act in acts if acts[0].verb in _FORM else acts[:1]:
            if (taken and act.verb not in _FORM) or any(
                self._last.find(target) is None for target in act.targets
            ):
                break
            taken.append(act)
        return taken

    def scroll(self, act: Act | None, words: str) -> Sent:
        """As models do it that have no action for it: the window, then what scrolls in it."""
        code = (
            "() => { window.scrollTo(0, document.body.scrollHeight); [...document.querySelectorAll('*')].filter(el => "
            "el.scrollHeight > el.clientHeight + 50 && /auto|scroll/.test(getComputedStyle(el).overflowY))"
            ".forEach(el => el.scrollBy(0, el.clientHeight)); }"
        )
        return self._send(call("browser_evaluate", {"function": code}), (Act("scroll"),))

    def read(self, look: Look) -> Sent | None:
        return None  # a snapshot has all there is

    def remembers(self, text: str) -> bool:
        return True  # all messages stay in the conversation

    def answer(self, text: str) -> Sent:
        return self._send(say(text))

    def _send(self, reply: Reply, acts: Sequence[Act] = (), *, keeps: bool = False) -> Sent:
        self._sent = acts
        if acts:
            self.shown = None
            self._last = self._last if keeps else None
        return Sent(reply, acts)

    def _form(self, acts: Sequence[Act]) -> Reply:
        only = acts[0]
        if len(acts) == 1 and len(only.targets) == 1:
            return call(*self._tool(only))
        fields = []
        for act in acts:
            texts = act.texts or ("true",)
            for target, text in zip(act.targets, texts, strict=True):
                role = self._role(target) if act.verb == "check" else _FORM[act.verb]
                fields.append(
                    {
                        "name": target.name,
                        "element": target.name,
                        "type": role,
                        **self._aim(target),
                        "value": text,
                    }
                )
        return call("browser_fill_form", {"fields": fields})

    def _tool(self, act: Act) -> tuple[str, dict[str, Any]]:
        match act.verb:
            case "open":
                return "browser_navigate", {"url": act.texts[0]}
            case "press":
                return "browser_press_key", {"key": act.texts[0]}
            case "dialog":
                return "browser_handle_dialog", {"accept": act.texts[0] == "yes"}
            case "choose":
                return "browser_select_option", {**self._named(act.targets[0]), "values": [act.texts[0]]}
            case "fill":
                typed = {**self._named(act.targets[0]), "text": act.texts[0]}
                return "browser_type", typed | ({"submit": True} if act.submit else {})
            case "hover":
                return "browser_hover", self._named(act.targets[0])
            case "drag":
                start, end = act.targets
                return "browser_drag", {
                    "startElement": start.name, "startTarget": self._ref(start),
                    "endElement": end.name, "endTarget": self._ref(end),
                }  # fmt: skip
            case "stroke":
                raise CannotBeDone("there is no tool for points of a picture")
        return "browser_click", self._named(act.targets[0])  # a canvas is clicked in its middle

    def _ref(self, target: Target) -> str:
        found = self._last.find(target) if self._last else None
        assert found is not None
        return found

    def _role(self, target: Target) -> str:
        assert self._last is not None
        ref = self._ref(target)
        return next(
            (item.role for item in self._last.items if item.id == ref and item.role == "radio"), "checkbox"
        )

    def _aim(self, target: Target) -> dict[str, str]:
        return {"target": self._ref(target)}

    def _named(self, target: Target) -> dict[str, str]:
        return {"element": target.name, **self._aim(target)}


def _text_of(message: dict[str, Any]) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
