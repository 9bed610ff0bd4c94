"""Fixed texts of the operator, used without the model, in the language of the user."""

from __future__ import annotations

from collections.abc import Sequence

from server.agent.language import language_of
from server.events import Effect
from wording.catalogue import Value, sentence


def phrase(name: str, like: str, **values: Value) -> str:
    """The text `name` in the language of `like`, the user's words."""
    return sentence(f"speech.{name}", **values).to(language_of(like))


def refusal_lines(like: str, refused: Sequence[Effect]) -> str:
    """Added to an answer, whatever the model wrote: it may not hide that a request was refused. "" if none was."""
    lines = []
    for effect in refused:
        answer = effect.status or phrase(f"not_sent_{effect.failure}", like)
        request = f"{effect.method} {effect.host}{effect.path}"
        lines.append(phrase("refused", like, request=request, answer=answer))
    return "\n\n".join(lines)


def limit_summary(
    like: str,
    reason: str,
    done: Sequence[str],
    facts: Sequence[str],
    failures: Sequence[str],
    following: str | None,
) -> str:
    """Summarise what was done, found and failed, and the next step, and ask whether to continue."""
    parts = [phrase("limit", like, reason=reason)]
    for title, items in (("done_so_far", done), ("worked", facts), ("failed", failures)):
        if items:
            parts.append(f"**{phrase(title, like)}**\n" + "\n".join(f"- {item}" for item in items))
    if following:
        parts.append(f"**{phrase('next', like)}**: {following}")
    return "\n\n".join([*parts, phrase("go_on", like)])
