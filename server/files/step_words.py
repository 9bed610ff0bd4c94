"""What a step did, in words of a person, from the tool call: for reports. The web UI has the same in `toolWords.ts`."""

from __future__ import annotations

import re
from typing import Literal

from server.ops.json_types import JsonObject
from wording.steps import STEPS, direction_in

_SAME = {
    "fill": "type", "launch": "navigate", "open": "navigate", "navigate_back": "back", "press_key": "press",
    "select_option": "select", "wait_for": "wait", "take_screenshot": "screenshot", "snapshot": "observe",
    "get_state": "observe", "read_file": "read", "get_text_near": "read", "tabs": "switch_tab", "file_upload": "upload",
}  # fmt: skip
_OBJECT_ARGUMENTS = ("element", "target", "label", "field", "key", "option", "file", "query")
_NAMED = re.compile(r'[a-z]+ "(.+)"')
_PREFIX = re.compile(r"^(?:browser|playwright|browser_use)_+")


def step_words(name: str, args: JsonObject, language: Literal["en", "ru"]) -> str:
    """Such as `Clicked “Place order”`; "" for a tool that is not known here."""
    bare = _PREFIX.sub("", name)
    bare = _SAME.get(bare, bare)
    if bare == "read_page" and args.get("query"):
        bare = "find"
    words = STEPS[language]
    if bare not in words or bare == "quoted":
        return ""
    what = _object(args, words["quoted"]) or direction_in(language, args.get("direction"))
    return f"{words[bare]} {what}".strip()


def _object(args: JsonObject, quoted: str) -> str:
    for name in _OBJECT_ARGUMENTS:
        value = args.get(name)
        if isinstance(value, dict):
            value = value.get("name")
        if isinstance(value, str) and value:
            found = _NAMED.fullmatch(value)
            return quoted.format(found[1] if found else value)
    url = args.get("url")
    return url.partition("://")[2].rstrip("/") or url if isinstance(url, str) else ""
