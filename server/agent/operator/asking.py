"""Interpret the user's answer to an open question. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from server.agent.operator.answers import SpokenAnswer, read_answer


@dataclass(frozen=True, slots=True)
class Said:
    """`no` is a bare no; `words` is a no or an unclear reply with text to replan with; `other` answers
    another question; `expired` came too late."""

    kind: Literal["yes", "no", "words", "other", "expired"]
    words: str = ""


def read_confirm(answer: Any, question: dict[str, Any], now: float) -> Said:
    """`answer` is the graph's resume value: `{reference, confirmed, message?}`, `{text}` or plain text."""
    given = answer if isinstance(answer, dict) else {"text": str(answer)}
    if given.get("reference") not in (None, question["reference"]):
        return Said("other")
    is_late = now > datetime.fromisoformat(question["expires_at"]).timestamp()
    if given.get("expired") or is_late:
        return Said("expired")
    said = _read(given)
    if said.confirmed:
        return Said("yes")
    return Said("words", said.feedback) if said.feedback else Said("no")


def _read(given: dict[str, Any]) -> SpokenAnswer:
    words = str(given.get("message") or given.get("text") or "")
    if "confirmed" not in given:
        return read_answer(words)
    return SpokenAnswer(given["confirmed"] is True, read_answer(words).feedback if words else None)


def manual_question(
    reference: str, text: str, *, url: str, screenshot: str | None, asked_at: float
) -> dict[str, Any]:
    """The payload of a manual interrupt."""
    return {
        "kind": "manual", "reference": reference, "reason": text, "text": text, "url": url, "screenshot": screenshot,
        "asked_at": asked_at,
    }  # fmt: skip


def read_manual(answer: Any) -> str:
    """The user's text after a manual step; "" if there is none."""
    if isinstance(answer, dict):
        answer = answer.get("message") or answer.get("text") or ""
    return answer.strip() if isinstance(answer, str) else ""
