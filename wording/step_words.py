"""What a step did, in words of a person, from the tool call. The web UI has the same in `toolWords.ts`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from wording.catalogue import ENGLISH, Wording, joined, sentence, sentences

_SAME = {
    "fill": "type", "launch": "navigate", "open": "navigate", "navigate_back": "back", "press_key": "press",
    "select_option": "select", "wait_for": "wait", "take_screenshot": "screenshot", "snapshot": "observe",
    "get_state": "observe", "read_file": "read", "get_text_near": "read", "tabs": "switch_tab", "file_upload": "upload",
}  # fmt: skip
_OBJECT_ARGUMENTS = ("element", "target", "label", "field", "key", "option", "file", "query")
_NAMED = re.compile(r'[a-z]+ "(.+)"')
_PREFIX = re.compile(r"^(?:browser|playwright|browser_use)_+")


def step_words(name: str, args: Mapping[str, object], page: str | None = None) -> Wording:
    """Such as `Clicked “Place order”`; "" for a tool that is not known here. `page`: the title of what it opened."""
    bare = _PREFIX.sub("", name)
    bare = _SAME.get(bare, bare)
    if bare == "read_page" and args.get("query"):
        bare = "find"
    if f"step.{bare}" not in sentences(ENGLISH):
        return Wording()
    if bare == "navigate" and page:
        return joined((sentence("step.navigate"), sentence("quoted", text=page)))
    return joined((sentence(f"step.{bare}"), _object(args) or direction(args.get("direction"))))


def act_words(kind: str) -> Wording:
    """An act that is still to be done, such as `Click`."""
    known = f"act.{kind}" in sentences(ENGLISH)
    return (
        sentence(f"act.{kind}") if known else sentence("act.other", kind=kind.replace("_", " ").capitalize())
    )


def direction(value: object) -> Wording:
    """Up, down, left or right; "" for anything else."""
    known = isinstance(value, str) and f"direction.{value}" in sentences(ENGLISH)
    return sentence(f"direction.{value}") if known else Wording()


def _object(args: Mapping[str, object]) -> Wording:
    for name in _OBJECT_ARGUMENTS:
        value = args.get(name)
        if isinstance(value, dict):
            value = value.get("name")
        if isinstance(value, str) and value:
            found = _NAMED.fullmatch(value)
            return sentence("quoted", text=found[1] if found else value)
    url = args.get("url")
    return Wording(url.partition("://")[2].rstrip("/") or url) if isinstance(url, str) else Wording()
