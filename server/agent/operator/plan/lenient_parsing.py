"""Parse a move leniently, as models fill it in. Empty values, arguments of other actions and ill-typed record
fields never invalidate a sound action. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping

from server.agent.storable import storable
from server.ops.json_types import Json, JsonObject

ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "click": ("eid", "at", "manner", "ms", "commits"),
    "double_click": ("eid", "at", "commits"),
    "drag": ("eid", "to_eid", "at", "to", "commits"),
    "type": ("eid", "text", "fields", "submit", "append", "commits"),
    "login": ("eid", "login"),
    "select": ("eid", "option", "commits"),
    "press": ("key", "commits"),
    "hover": ("eid", "at"),
    "scroll": ("direction", "amount", "eid", "query", "at"),
    "wait": ("ms",),
    "navigate": ("url",),
    "focus": ("eid",),
    "read": ("eid",),
    "read_page": ("page", "query"),
    "read_file": ("file", "page", "query"),
    "switch_tab": ("tab",),
    "upload": ("eid", "file"),
    "dialog": ("accept", "text", "commits"),
    "record": ("rows",),
    "call_tool": ("tool", "args"),
    "stop": ("final_response", "notes"),
}
"""The arguments of each action. Only record fields are kept in addition to them."""

TEXT_MEANS: Mapping[str, str] = {
    "select": "option",
    "press": "key",
    "scroll": "query",
    "navigate": "url",
    "read_page": "query",
    "read_file": "query",
    "stop": "final_response",
}
"""The argument that some models write as `text`, by action."""

FOLLOWERS = ("click", "type", "select", "press", "hover")
"""Actions that may follow others on the same page."""
LEADS = (*FOLLOWERS, "double_click", "drag")
"""Actions that may be followed by such."""
_OPENERS = ("navigate", "back", "switch_tab", "scroll")
"""Actions that only a reading may follow."""
LOOKS = ("read_page", "read", "focus", "screenshot", "wait")
"""Actions that only look. An answer next to one is kept: some models give the answer with a look that they do not need."""
READING = "read_page"
"""May end a move, also on another page than the one that the move was planned on."""
MAX_FURTHER = 4
"""Maximum number of acts after the first one of a move."""

FENCE = "```"

_RECORD_LISTS = ("plan", "facts")
_RECORD_TEXTS = ("goal", "done", "blocked", "reason")
_RECORD = (*_RECORD_LISTS, *_RECORD_TEXTS, "step")
_NOTHING = frozenset({"", "null", "none", "n/a", "undefined"})

_AROUND_EID = "[](){}<>`'\"# "
"""Characters that models put around an eid."""


def read_object(text: str) -> JsonObject | None:
    """The JSON object that is the whole text, also if it is written as a JSON string; None if it is none.

    Raw line breaks in strings are accepted. Takes linear time whatever the text is.
    """
    value: Json = text
    for _ in range(2):
        try:
            value = json.loads(value, strict=False) if isinstance(value, str) else value
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


def without_fence(text: str) -> str:
    """The text without a Markdown fence around all of it."""
    text = text.strip()
    if not (text.startswith(FENCE) and text.endswith(FENCE) and len(text) > 2 * len(FENCE)):
        return text
    head, _, body = text[len(FENCE) : -len(FENCE)].partition("\n")
    return body.strip() if not head.strip() or head.strip().isalnum() else f"{head}\n{body}".strip()


def forgive(data: JsonObject) -> JsonObject:
    """Return the action, its own arguments and the valid part of the record; drop everything else."""
    action = data.get("action")
    if not isinstance(action, str):
        return {"action": action, **_kept(data, _RECORD)}
    kind = action.strip().lower()
    data = _completed(kind, data)
    kept = _kept(data, (*_RECORD, *ARGUMENTS.get(kind, ())))
    if kind in LOOKS and not _is_nothing(data.get("final_response")):
        kept |= _kept(data, ("final_response",))
    if kind == "click":
        kept |= _manner(data)
    if kind in (*LEADS, *_OPENERS) and not kept.get("at"):
        then = _further(data.get("then"))
        if kind in _OPENERS:
            then = [act for act in then[:1] if act["action"] == READING]
        kept |= {"then": then or None}
    return {"action": kind, **{name: value for name, value in kept.items() if value is not None}}


def _completed(kind: str, data: JsonObject) -> JsonObject:
    """With arguments under their own names that models give under others."""
    meant = TEXT_MEANS.get(kind, "")
    if meant and data.get(meant) in (None, "") and data.get("text") not in (None, ""):
        data = {**data, meant: data["text"]}
    if kind == "drag" and data.get("to_eid") is None and _pair(data.get("to")) is None:
        data = {**data, "to_eid": data.get("to")}
    return data


def _kept(data: JsonObject, names: Iterable[str]) -> JsonObject:
    return {name: _read(name, storable(data[name])) for name in names if name in data}


_MANNERS: Mapping[str, str] = {
    **{word: word for word in ("double", "right", "hold", "ctrl", "shift", "alt")},
    **dict.fromkeys(("control", "controlormeta", "meta", "cmd", "command"), "ctrl"),
    "true": "double",
}
_PLAIN = frozenset({"", "left", "none", "false", "0", "[]", "{}"})


def _manner(data: JsonObject) -> JsonObject:
    """How a click is meant other than plainly, also in the words of other tools: `button right`, `modifiers ['Shift']`,
    `hold 1000`. What no click here can be is kept in its words: it must be no plain click."""
    given: list[tuple[str, Json]] = []
    for name in ("manner", "button", "modifiers", "hold", "doubleClick"):
        values = data.get(name)
        given += [
            (name, one) for one in (values if isinstance(values, list) else [values]) if one is not None
        ]
    said = [(name, str(one).strip().lower()) for name, one in given]
    said = [(name, word) for name, word in said if word not in _PLAIN]
    held = [word for name, word in said if name == "hold"]
    words = {"hold" if name == "hold" else _MANNERS.get(word, "") for name, word in said}
    manner = words.pop() if len(words) == 1 else ""
    if said and not manner:
        manner = ", ".join(word if name == "manner" else f"{name} {word}" for name, word in said)[:80]
    milliseconds = str(data.get("ms") or "").strip() if not held else held[0]
    is_timed = manner == "hold" and milliseconds.isdecimal()
    return {"manner": manner or None, "ms": int(milliseconds) if is_timed else None}


def _further(value: Json) -> list[JsonObject]:
    """The acts that follow the first one, up to the first that cannot: what comes after it waits for its result."""
    acts: list[JsonObject] = []
    for entry in value[:MAX_FURTHER] if isinstance(value, list) else []:
        act = (
            forgive({name: given for name, given in entry.items() if name not in ("then", "at")})
            if isinstance(entry, dict)
            else {}
        )
        if act.get("action") not in (*FOLLOWERS, READING):
            break
        acts.append({name: given for name, given in act.items() if name not in _RECORD})
        if act["action"] == READING:
            break
    return acts


def bare_eid(value: object) -> object:
    """Normalise `[e12]`, `E12`, `12`, 12 and the page's own line `[e12] button "Buy"` to `e12`."""
    if not isinstance(value, str | int):
        return value
    text = str(value).strip()
    in_brackets, bracket, rest = text.partition("]")
    eid = (in_brackets if bracket and "[" not in rest else text).strip(_AROUND_EID).lower()
    if "[" in eid or "]" in eid:
        return text.lower()
    return f"e{eid}" if eid.isdecimal() else eid


def _read(name: str, value: Json) -> Json:
    if read := _ARGUMENT_READERS.get(name):
        return read(value)
    return None if _is_nothing(value) else value


def _text(value: Json) -> Json:
    return value if isinstance(value, str) and not _is_nothing(value) else None


def _fields(value: Json) -> Json:
    """The entries of a list that name a field or a text."""
    if not isinstance(value, list):
        return None if _is_nothing(value) else value
    return [one for one in value if not (isinstance(one, dict) and _is_empty(one))]


def _is_empty(field: JsonObject) -> bool:
    return _is_nothing(field.get("eid")) and _is_nothing(field.get("text"))


def _rows(value: Json) -> Json:
    if isinstance(value, list):
        return value
    return [value] if isinstance(value, dict) else None


def _pair(value: Json) -> Json:
    """A point as `[x, y]`, also from `{x, y}` and "x, y"; None if it is none."""
    if isinstance(value, str):
        value = re.findall(r"-?\d+(?:\.\d+)?", value)
    elif isinstance(value, dict):
        value = [value.get("x"), value.get("y")]
    try:
        numbers = [round(float(one)) for one in value] if isinstance(value, list) else []
    except (TypeError, ValueError, OverflowError):
        return None
    return numbers if len(numbers) == 2 else None


def _lines(value: Json) -> list[str] | None:
    items = value.split("\n") if isinstance(value, str) else value
    if not isinstance(items, list):
        return None
    return [str(item) for item in items if isinstance(item, str | int) and not _is_nothing(item)] or None


def _is_nothing(value: object) -> bool:
    return value is None or (isinstance(value, str) and value.strip().lower() in _NOTHING)


_ARGUMENT_READERS: Mapping[str, Callable[[Json], Json]] = {
    **dict.fromkeys(_RECORD_LISTS, _lines),
    **dict.fromkeys(_RECORD_TEXTS, _text),
    **dict.fromkeys(("at", "to"), _pair),
    **dict.fromkeys(("text", "final_response"), lambda value: value),
    "step": lambda value: value if type(value) is int and value > 0 else None,
    "fields": _fields,
    "option": lambda value: "\n".join(map(str, value)) if isinstance(value, list) else value,
    "rows": _rows,
}
"""What is kept of the values of these names. Of texts for a page or a user also "none", which may be meant literally."""
