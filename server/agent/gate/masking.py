"""Which texts of an act are secret, and how they are masked. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from server.agent.actions import (
    Action,
    AimedAction,
    CallToolAction,
    NavigateAction,
    Point,
    ToolAction,
    TypeAction,
    fields_of,
)
from server.agent.gate.page_facts import context_of, controls_in_same_group, language_of
from server.agent.policy import Subject
from server.agent.policy.fields import is_secret
from server.browser.addresses import without_login
from server.browser.observation import Element, Observation
from server.ops.json_types import JsonObject
from server.text import in_addresses

MASK = "•••"
SHORT_SECRET_CHARS = 2
"""Characters. Masking so short a secret everywhere would make lines unreadable, and so reveal it."""
SECRETS = "secrets"
"""State key of the texts that must be masked in the report of a tool call."""


def secrets_of(aimed: AimedAction) -> tuple[str, ...]:
    """The texts that must not be shown, logged or stored: what the gate asks about as a secret is masked everywhere."""
    secret = _secret_fields(aimed)
    return tuple(field.text for field in fields_of(aimed.action) if field.text and field.eid in secret)


def _secret_fields(aimed: AimedAction) -> set[str]:
    texts = {field.eid: field.text for field in fields_of(aimed.action)}
    return {one.eid for one in aimed.targets if takes_secret(one, texts.get(one.eid, ""), aimed.observation)}


def takes_secret(element: Element, text: str, observation: Observation) -> bool:
    """Whether the field takes a password, code, card or identity number, or the text is one.

    The boxes of one code are secret together: fields of one form that are called alike, or not at all.
    """
    others = [one for one in controls_in_same_group(element, observation) if one.role == element.role]
    if any(one.secret and _is_box(one, element) for one in others):
        return True
    subject = Subject(
        "type", role=element.role, name=element.name, value=text, context=context_of(element, observation),
        secret=element.secret, lang=language_of(observation),
    )  # fmt: skip
    return is_secret(subject)


def _is_box(one: Element, other: Element) -> bool:
    """Whether both are boxes of one code: in one row, of one width, with names that differ by a number only."""
    names = {re.sub(r"[\d\W]+", " ", element.name).strip() for element in (one, other)}
    looks = {(element.box[1], element.box[2]) for element in (one, other) if element.box}
    return (len(names) == 1 or "" in names) and len(looks) <= 1


def without(secrets: Sequence[str], value: Any) -> Any:
    """Mask each secret in a text, or in a list or dict of texts."""
    if isinstance(value, str):
        longest_first = sorted(secrets, key=len, reverse=True)  # one may be a prefix of another
        return reduce(_masking, longest_first, value)
    if isinstance(value, list):
        return [without(secrets, item) for item in value]
    if isinstance(value, dict):
        return {name: without(secrets, item) for name, item in value.items()}
    return value


def _masking(text: str, secret: str) -> str:
    """A secret of one or two characters is masked only as a whole word: within words it is just a letter."""
    if len(secret) > SHORT_SECRET_CHARS:
        for spelling in sorted({secret, *in_addresses(secret)}, key=len, reverse=True):
            text = text.replace(spelling, MASK)
        return text
    return re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", MASK, text)


def masked(aimed: AimedAction) -> Action:
    """The action as it may be shown, logged and stored: without secret field texts and logins in URLs."""
    action = aimed.action
    if isinstance(action, NavigateAction):
        return action.model_copy(update={"url": without_login(action.url)})
    if isinstance(action, ToolAction | CallToolAction):
        return action.model_copy(update={"args": without_logins(action.args)})
    if not isinstance(action, TypeAction):
        return action.with_points(Point(x=one.x, y=one.y, scale=one.scale) for one in action.points)
    secret = _secret_fields(aimed)
    hidden = (
        field.model_copy(update={"text": MASK}) if field.eid in secret else field for field in action.fields
    )
    shown = action.with_fields(hidden)
    return shown.model_copy(update={"reason": without(secrets_of(aimed), action.reason)})


def without_logins(args: Mapping[str, Any]) -> JsonObject:
    """A tool call's arguments, without a login in its `url`."""
    return {**args, "url": without_login(str(args["url"]))} if args.get("url") else dict(args)
