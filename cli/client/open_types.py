"""Types of what the API's description leaves open: frames of the dialogue, and a page as `/observe` shows it."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from cli.client.api_types import Outcome, Parts


class Frame(TypedDict, total=False):
    """A frame of the server: agent_message, agent_question, status, ack or error, which `type` says."""

    type: str
    client_id: str
    event_id: str
    run_id: str
    message_id: str
    reference: str
    kind: Literal["confirm", "manual"]
    text: str
    status: Any
    """Of an error the HTTP status, otherwise that of the session."""
    code: str
    message: str
    message_parts: Parts | None
    retry_after: float | None


class Element(TypedDict):
    eid: str
    role: str
    name: NotRequired[str]
    value: NotRequired[str | bool | int]
    placeholder: NotRequired[str]
    context: NotRequired[str]
    same_as: NotRequired[str]
    disabled: NotRequired[bool]


class Overlay(TypedDict):
    text: str
    kind: str


class Where(TypedDict):
    url: str
    title: str


class Page(TypedDict):
    id: str
    page: Where
    interactive: list[Element]
    text_blocks: NotRequired[list[str]]
    overlays: NotRequired[list[Overlay]]
    notes: NotRequired[list[str]]
    notes_parts: NotRequired[list[Parts | None]]
    truncated: NotRequired[int]
    screenshot: NotRequired[str | None]


class CommandResult(Outcome):
    """Of `/screenshot` it has the picture only."""

    screenshot: NotRequired[str | None]
