"""What a model server does not take of a request: learnt from its refusals, then left out or replaced.

Each model has its own, so it holds for one address and one model name, for as long as the process runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from server.agent.models.errors import details_of, http_status, text_of
from server.ops.json_types import JsonObject

ToolChoice = Literal["named", "required", "auto", "none"]
_TOOL_CHOICES: tuple[ToolChoice, ...] = ("named", "required", "auto", "none")
"""From the most to the least that a server may be asked for; `none`: the field is left out."""

_NEEDED = frozenset(
    {"model", "messages", "input", "contents", "stream", "system", "tools", "response_format", "text", "format"}
)  # fmt: skip
"""Without one of them it would be another request; how an answer is structured is up to the caller."""
_LENGTHS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
_OTHER_NAME = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_OF_MESSAGES = ("reasoning_content", "reasoning_details", "extra_content")
"""Fields of earlier messages and their calls that a server may do without."""

_REFUSAL = re.compile(
    r"""unsupported|unrecogni[sz]ed|unknown|not[ ](supported|permitted|allowed|recogni[sz]ed|available|implemented)
    |(does|do|can|may)(n't|[ ]not|not)[ ](support|accept|allow|recogni[sz]e|be)|extra[ ](inputs|fields)|unexpected
    |cannot[ ]find|that[ ]support|invalid[ ](field|parameter|argument|value|key|option|\w+[ ]type)|incompatible|requires
    |is[ ]invalid|wrong[ ]type|must[ ]be[ ](one[ ]of|auto)""",
    re.I | re.X,
)
_UNFORCED = re.compile(r"thinking|reasoning|forc(ed?|ing|es)\b", re.I)
"""A server that takes no `tool_choice` that forces a call, in whichever form."""
_LIMIT_TOO_HIGH = re.compile(r"too (large|high|big)|at most|less than|maximum|range|exceed|\d+ > \d+", re.I)
_CONTEXT = re.compile(r"context (?:length|limit|size|window)\D{0,20}(\d+)|\d+ > (\d+) - \d+", re.I)
_PROMPT_TOKENS = re.compile(
    r"(\d+)(?: tokens)? (?:in|from) the (?:input )?messages|(\d+) (?:input|prompt) tokens", re.I
)


@dataclass
class RefusedFields:
    """`tool_choice` is the most that the server takes of it. `needed` are fields that cannot be left out."""

    needed: frozenset[str] = frozenset()
    tool_choice: ToolChoice = "named"
    _dropped: set[str] = field(default_factory=set)
    _renamed: dict[str, str] = field(default_factory=dict)
    _most: dict[str, int] = field(default_factory=dict)
    _sent: JsonObject = field(default_factory=dict)

    def apply(self, payload: JsonObject) -> JsonObject:
        """The payload with what the server takes; it is changed in place."""
        for old, new in self._renamed.items():
            if old in payload:
                payload[new] = payload.pop(old)
        for name in self._dropped:
            payload.pop(name, None)
        for name, most in self._most.items():
            if name in payload:
                payload[name] = min(payload[name], most)
        if "tool_choice" in payload:
            self._lower_tool_choice(payload)
        if fields := self._dropped.intersection(_OF_MESSAGES):
            for part in _parts(payload):
                for name in fields:
                    part.pop(name, None)
        self._sent = payload
        return payload

    def learn(self, error: BaseException) -> bool:
        """True if the error is about a field that was sent and that the next request does without."""
        links = [link for link in (error, error.__cause__) if link]
        status = next(filter(None, map(http_status, links)), None)
        if status not in (400, 404, 422, 500, 501):
            return False
        details = [detail for link in links for detail in details_of(link)]
        text = " ".join(map(text_of, links))
        names = [*self._sent_names()]
        refused = next((name for name in names if _points_at(name, details)), None)
        if refused is None or status >= 500:
            refused = next((name for name in names if _tells_of(name, text)), None)
        return refused is not None and self._adapt(refused, text)

    def _sent_names(self) -> Iterator[str]:
        top = sorted(self._sent.keys() - _NEEDED, key=lambda name: name != "tool_choice")
        yield from top
        held = {name for part in _parts(self._sent) for name in part}
        yield from (name for name in _OF_MESSAGES if name in held)

    def _adapt(self, name: str, text: str) -> bool:
        if name == "tool_choice":
            below = _TOOL_CHOICES.index(_level(self._sent[name])) + 1
            least = _TOOL_CHOICES.index("auto") if _UNFORCED.search(text) else below
            self.tool_choice = _TOOL_CHOICES[max(below, least)]
            return True
        if name in _LENGTHS and _LIMIT_TOO_HIGH.search(text) and not re.search(r"\binstead\b", text):
            return self._shorten(name, text)
        if name in self.needed:
            return False
        other = _OTHER_NAME.get(name)
        if other and name not in self._renamed.values():
            self._renamed = {name: other}
        else:
            self._renamed.pop(_OTHER_NAME.get(name, ""), None)
            self._dropped |= {name, other} if other else {name}
        return True

    def _shorten(self, name: str, text: str) -> bool:
        """For a length beyond what the server allows. A server whose context holds the prompt finds the rest itself."""
        context, prompt = _CONTEXT.search(text), _PROMPT_TOKENS.search(text)
        if context:
            if not prompt or name in self.needed or _number(prompt) >= _number(context):
                return False  # the prompt itself is too long
            self._dropped.add(name)
            return True
        fitting = [int(number) for number in re.findall(r"\d{2,9}", text) if int(number) < self._sent[name]]
        if fitting:
            self._most[name] = max(fitting)
        return bool(fitting)

    def _lower_tool_choice(self, payload: JsonObject) -> None:
        choice = payload["tool_choice"]
        if self.tool_choice == "none":
            del payload["tool_choice"]
        elif _TOOL_CHOICES.index(_level(choice)) < _TOOL_CHOICES.index(self.tool_choice):
            lower: JsonObject | str = self.tool_choice
            if isinstance(choice, dict) and choice.get("type") in ("tool", "any"):  # Anthropic's words
                rest = {key: value for key, value in choice.items() if key not in ("type", "name")}
                lower = {"type": "any" if lower == "required" else lower, **rest}
            payload["tool_choice"] = lower


def _level(choice: object) -> ToolChoice:
    kind = choice.get("type") if isinstance(choice, dict) else choice
    if kind in ("function", "tool"):
        return "named"
    return "required" if kind in ("required", "any") else "auto"


def _parts(payload: JsonObject) -> Iterator[JsonObject]:
    """The messages of a request and their calls."""
    for message in payload.get("messages") or ():
        if isinstance(message, dict):
            yield message
            yield from (call for call in message.get("tool_calls") or () if isinstance(call, dict))


def _points_at(name: str, details: Sequence[Mapping[str, Any]]) -> bool:
    """By `param`, or by `loc` as FastAPI writes it."""
    for detail in details:
        places: list[object] = [detail.get("param")]
        message = detail.get("message")
        listed = message.get("detail") if isinstance(message, Mapping) else detail.get("detail")
        for problem in listed if isinstance(listed, list) else ():
            if isinstance(problem, Mapping) and isinstance(problem.get("loc"), list):
                places += problem["loc"]
        if any(name in re.split(r"[.\[\]/]+", place) for place in places if isinstance(place, str)):
            return True
    return False


def _tells_of(name: str, text: str) -> bool:
    words = name.split("_")
    camel = words[0] + "".join(map(str.title, words[1:]))
    spelled = "|".join(map(re.escape, (name, camel, " ".join(words))))
    is_named = re.search(rf"(?<![A-Za-z_])({spelled})(?![A-Za-z_])", text)
    if name in _LENGTHS and (_PROMPT_TOKENS.search(text) or (is_named and _LIMIT_TOO_HIGH.search(text))):
        return True
    return bool(is_named and _REFUSAL.search(text))


def _number(found: re.Match[str]) -> int:
    return int(next(filter(None, found.groups())))
