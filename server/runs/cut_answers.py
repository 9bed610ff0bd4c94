"""Answers that are only a part, and the messages that ask to go on from them. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from server.agent.operator.ask.answers import is_continuation
from server.events import Message


def continued_by(history: Sequence[Message]) -> Message | None:
    """The cut answer from which the newest message asks to go on; None if it asks for something else."""
    said = [message for message in history if message.role in ("user", "assistant")]
    answer, newest = said[-2:] if len(said) > 1 else (None, None)
    if answer is None or newest is None or (answer.role, newest.role) != ("assistant", "user"):
        return None
    is_cut = bool((answer.meta_json or {}).get("cut"))
    return answer if is_cut and is_continuation(newest.content) else None
