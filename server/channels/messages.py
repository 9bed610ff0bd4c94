"""What leaves the server: kind, act, site, amount, title of the session and a link. Nothing of a page's text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from urllib.parse import quote

from server.ops.json_types import JsonObject
from wording.catalogue import ENGLISH, in_language, parts_of, sentence

MAX_DIGEST_ITEMS = 20
"""Items of a digest; the number of the others is added."""


def link_to(public_url: str, session_id: str) -> str:
    """The address of the session, where its card is. Opening it decides nothing."""
    return f"{public_url}/s/{quote(session_id, safe='')}"


def one_use_link(public_url: str, secret: str) -> str:
    """Browsers do not send what is behind `#`: no log and no fetcher of links sees the secret."""
    return f"{public_url}/q#{secret}"


def handoff_link(public_url: str, secret: str) -> str:
    return f"{public_url}/h#{secret}"


def replay_link(public_url: str, secret: str) -> str:
    return f"{public_url}/r#{secret}"


def body_of(
    *, type: str, id: str, session_id: str | None, session_title: str, about: str | None, facts: JsonObject,
    public_url: str, at: datetime,
) -> JsonObject:  # fmt: skip
    """The body of a webhook; the other kinds put it into words. `id` is the same at each try."""
    body: JsonObject = {"type": type, "id": id, "session_id": session_id, "session_title": session_title}
    if type in ("question", "manual"):
        body["reference"] = about
    page = f"{public_url}/automations" if facts.get("automation") else public_url
    link = link_to(public_url, session_id) if session_id else page
    return body | facts | {"link": link, "at": at.isoformat()}


def digest_of(bodies: Sequence[JsonObject], public_url: str, at: datetime) -> JsonObject:
    """One message instead of many: how many runs ended how, and the first of them."""
    count = {type: sum(body["type"] == type for body in bodies) for type in ("done", "failed")}
    fields = ("type", "session_id", "session_title", "automation", "action", "outcome", "link", "at")
    items = [{name: body[name] for name in fields if name in body} for body in bodies[:MAX_DIGEST_ITEMS]]
    ended = sentence("message.ended", **count)
    return {
        "type": "digest", "id": bodies[0]["id"], "session_id": None,
        "session_title": ended, "session_title_parts": parts_of(ended),
        "count": count, "items": items, "link": public_url, "at": at.isoformat(),
    }  # fmt: skip


def in_words(body: JsonObject, language: str = ENGLISH) -> tuple[str, str]:
    """Subject and text of a message for a person."""
    if body["type"] == "digest":
        lines = [*(_line_of(item, language) for item in body["items"]), *_rest_of(body, language)]
        return f"Pilothouse: {_said(body, 'session_title', language)}", "\n".join(lines)
    said = (_said(body, name, language) for name in ("action", "would_send", "site", "amount"))
    lines = [body.get("automation") or body["session_title"], " · ".join(filter(None, said)), body["link"]]
    return f"Pilothouse: {_subject_of(body, language)}", "\n".join(line for line in lines if line)


def _said(body: JsonObject, name: str, language: str) -> str:
    return in_language(language, str(body.get(name) or ""), body.get(f"{name}_parts"))


def _subject_of(body: JsonObject, language: str) -> str:
    return sentence(f"message.{body.get('outcome') or body['type']}").to(language)


def _line_of(item: JsonObject, language: str) -> str:
    name = item.get("automation") or item["session_title"]
    at = datetime.fromisoformat(item["at"])
    return f"{at:%Y-%m-%d %H:%M} {_subject_of(item, language)}: {name}"


def _rest_of(body: JsonObject, language: str) -> list[str]:
    more = sum(body["count"].values()) - len(body["items"])
    return [*([sentence("message.more", n=more).to(language)] if more else []), body["link"]]
