"""The text of a request, part by part: what of it is the same at every call, and what grows with page and history."""

from __future__ import annotations

import json
import re
from typing import Any

from bench.task.shown import fenced
from tests.support.model_reply import Asked

PARTS = ("rules", "schema", "task", "history", "page", "reading")
"""`task`: with plan and conversation; `history`: facts and lines about steps, or all earlier messages."""


def parts_of(asked: Asked) -> dict[str, str]:
    """The text of each part, as the model reads it: without the escapes of JSON around it, pictures left out.

    Tool schemas are compact JSON. Of stock's messages the newest snapshot is the page.
    """
    schema = asked.body.get("tools") or asked.body.get("response_format") or []
    parts = dict.fromkeys(PARTS, "") | {
        "schema": json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    }
    messages = [message for message in asked.messages if message.get("role") not in ("system", "developer")]
    parts["rules"] = "\n".join(map(_said, (one for one in asked.messages if one not in messages)))
    if asked.tools == ["act"]:
        return parts | _of_operator(_said(messages[-1]))
    newest = max(
        (at for at, one in enumerate(messages) if one["role"] == "tool" and "### Snapshot" in _said(one)),
        default=-1,
    )
    parts["task"] = _said(messages[0])
    parts["page"] = _said(messages[newest]) if newest >= 0 else ""
    parts["history"] = "\n".join(_said(one) for at, one in enumerate(messages) if at not in (0, newest))
    return parts


def _of_operator(text: str) -> dict[str, str]:
    page, reading = fenced(text, "page") or "", fenced(text, "reading") or ""
    head, _, _ = text.partition("\n<page")
    task = re.split(r"\n(?=Facts:\n|Steps so far:\n)", head)[0]
    history = text.replace(page, "", 1).replace(reading, "", 1)[len(task) :]
    return {"task": task, "history": history, "page": page, "reading": reading}


def _said(message: dict[str, Any]) -> str:
    """The texts of a message and the arguments of its calls."""
    content = message.get("content") or ""
    texts = [content] if isinstance(content, str) else [part.get("text", "") for part in content]
    for call in message.get("tool_calls") or ():
        texts += [call["function"]["name"], call["function"]["arguments"]]
    return "\n".join(filter(None, texts))
