"""The JSON object that a model wrote: the arguments of a call, or an answer in the place of one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from server.ops.json_types import Json, JsonObject

CODE_BLOCK = re.compile(r"\s*```([\w-]*)[ \t]*\n(.*)", re.DOTALL)
_ARGUMENTS_DECODER = json.JSONDecoder(strict=False)


def read_arguments(text: str, *, strict: bool = True) -> JsonObject:
    """The arguments of a call: one JSON object, or a JSON string that contains one; {} for an empty text.

    Raises ValueError for anything else: arguments are never guessed.
    """
    return _object(json.loads, text) if text.strip() else {}


def find_object(text: str) -> JsonObject | None:
    """The JSON object with which a text begins, also in a string or a fence; None if it begins with something else.

    For text in which no call was asked for: strings may have line breaks, and anything may follow.
    """
    fence = CODE_BLOCK.match(text)
    try:
        return _object(
            lambda given: _ARGUMENTS_DECODER.raw_decode(given.strip())[0], fence[2] if fence else text
        )
    except ValueError:
        return None


def _object(decode: Callable[[str], Json], text: str) -> JsonObject:
    try:
        value = decode(text)
        if isinstance(value, str):
            value = decode(value)
    except RecursionError:
        raise ValueError("the arguments are nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("the arguments are no object")
    return value
