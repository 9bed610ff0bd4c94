"""The content of a question to the user, and what an approval is bound to. Pure, and from page facts only."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, ConfigDict

from server.agent.actions import (
    Action,
    AimedAction,
    CallToolAction,
    ClickAction,
    DialogAction,
    PressAction,
    ToolAction,
    TypeAction,
    fields_of,
)
from server.agent.gate.amounts import bound_amount, shown_amount
from server.agent.gate.masking import MASK, masked, takes_secret
from server.agent.gate.page_facts import controls_in_same_group, destination_of, other_site, place_of
from server.agent.gate.shown_page import ShownPage
from server.browser.observation import Element, Observation
from server.browser.observation.points import is_same_hit
from server.events import ConfirmQuestion, Target
from server.grants.coverage import Amount, GrantScope
from server.ops.json_types import JsonObject
from server.text import cut
from wording.catalogue import parts_of

_FILLED = frozenset(
    {"textbox", "searchbox", "combobox", "spinbutton", "slider", "checkbox", "radio", "switch"}
)
_WRITTEN = frozenset({"textbox", "searchbox", "combobox", "spinbutton"})
_MAX_SHOWN, _SHOWN_TEXT_CHARS = 8, 300
"""Texts of a form on a card, and their characters."""
_CLOCK = re.compile(
    r"\b\d{1,2}:\d{2}:\d{2}\b|\b\d+\s?(?:s|sec|secs|seconds?|sekunden?|secondes?|segundos?|секунд\w*)(?!\w)",
    re.IGNORECASE,
)
"""What counts down or up by itself."""


def approval_digest(run_id: str, aimed: AimedAction) -> str:
    """Hash that an approval is bound to: the run, the action, the URL, the elements as the user sees them,
    their form and its destination, the amount.

    Ids of the page are excluded: they change without any visible change. So is what the fields hold whose text the
    action replaces: they hold it already when what it sends was held.
    """
    observation, targets = _without_replaced(aimed)
    seen: list[Any] = [run_id, arguments_of(aimed.action), observation.page.url]
    seen += [[_identity(element), _form_of(element, observation)] for element in targets]
    seen.append(bound_amount(aimed))
    if isinstance(aimed.action, DialogAction):
        seen.append(observation.notes[-1:])  # the open dialog; older notes are reported only once
    return hashlib.sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()


def _without_replaced(aimed: AimedAction) -> tuple[Observation, Sequence[Element]]:
    """The page and the targets, as if the fields were empty that the action types into."""
    action, observation = aimed.action, aimed.observation
    if not isinstance(action, TypeAction) or action.append:
        return observation, aimed.targets
    emptied = {
        one.eid: one.model_copy(update={"value": None, "shows": ""})
        for one in aimed.targets
        if not one.secret
    }
    shown = tuple(emptied.get(one.eid, one) for one in observation.interactive)
    page = observation.model_copy(update={"interactive": shown})
    return page, [emptied.get(one.eid, one) for one in aimed.targets]


def arguments_of(action: Action) -> JsonObject:
    """The action's arguments without its targets and without what the model says of it. Those of a tool are its own,
    whatever they are called."""
    if isinstance(action, ToolAction | CallToolAction):
        return action.model_dump(mode="json", include={"tool", "args", "server", "pin"})
    # `form` is new at each look; the fill itself compares it.
    left_out = ("id", "reason", "commits", "eid", "fields", "start", "end", "form")
    plain = {name: value for name, value in action.to_json().items() if name not in left_out}
    return plain | {"texts": [field.text for field in fields_of(action)]}


def _identity(element: Element) -> list[str | None]:
    context = _CLOCK.sub("", element.context)
    looks = [element.role, element.name, element.shows, element.value, context]
    return [*looks, element.href, element.sends_to]


def is_unchanged(element: Element, other: Element) -> bool:
    """Whether a user would take both for the same control; field values may differ."""
    return _looks(element) == _looks(other) and element.secret == other.secret


def _looks(element: Element) -> list[Any]:
    return [*_identity(element.model_copy(update={"value": None})), element.submits, element.options]


def _form_of(element: Element, observation: Observation) -> list[list[str | None]]:
    """What the action concerns: the controls around the element, their values and where they submit to.

    For a control outside of any form, dialog or row these are the fields that are also outside.
    """
    others = controls_in_same_group(element, observation)
    if not element.group:
        others = [other for other in observation.interactive if not other.group and other.role in _FILLED]
    return [[other.role, other.name, other.value, str(other.checked), other.sends_to] for other in others]


def retarget(aimed: AimedAction, observation: Observation) -> Action | None:
    """Map the action onto a new observation; None if a target is missing.

    A target is found by the browser's ref, else as the only element that looks the same. At a point the same
    thing must be at the same place, in the same view of the page.
    """
    if aimed.action.points:
        return aimed.action if _hits_same(aimed, observation) else None
    found = [_find_again(element, observation) for element in aimed.targets]
    fresh = tuple(element.eid for element in found if element is not None)
    wanted = len(aimed.action.eids) or len(aimed.targets)
    if len(fresh) < wanted:
        return None
    return aimed.action.with_eids(fresh) if aimed.action.eids else aimed.action


def _hits_same(aimed: AimedAction, observation: Observation) -> bool:
    hits = aimed.hits, replace(aimed, observation=observation).hits
    is_same_view = bool(observation.view) and observation.view == aimed.observation.view
    is_whole = len(hits[0]) == len(hits[1]) == len(aimed.action.points)
    return is_same_view and is_whole and all(map(is_same_hit, *hits))


def _find_again(element: Element, observation: Observation) -> Element | None:
    same = [other for other in observation.interactive if _identity(other) == _identity(element)]
    exact = next((other for other in observation.interactive if other.ref == element.ref), None)
    return exact or (same[0] if len(same) == 1 else None)


class Approval(BaseModel):
    """The user's yes to a question, valid for one act on the page that the question showed."""

    model_config = ConfigDict(frozen=True)
    reference: str
    digest: str
    expires_at: datetime


def confirm_question(
    aimed: AimedAction,
    shown: ShownPage,
    *,
    run_id: str,
    reason: str,
    risk: str,
    asked_at: float,
    timeout: float,
    spends: Amount | None = None,
    scopes: Sequence[GrantScope] = (),
) -> ConfirmQuestion:
    """`asked_at` is a Unix time, `timeout` in seconds."""
    element = aimed.target
    name = (element.shows or element.name) if element else ""
    return ConfirmQuestion(
        reference=aimed.action.id,
        reason=reason,
        reason_parts=parts_of(reason),
        risk=risk,
        action=_on_card(aimed),
        target=Target(role=element.role, name=name, box=shown.target_of(aimed), start=shown.start_of(aimed))
        if element
        else None,
        url=aimed.observation.page.url,
        place=place_of(aimed),
        sends_to=other_site(aimed),
        screenshot=shown.screenshot,
        amount=shown_amount(aimed, risk),
        spends=spends,
        scopes=list(scopes),
        digest=approval_digest(run_id, aimed),
        asked_at=asked_at,
        expires_at=datetime.fromtimestamp(asked_at + timeout, UTC),
    )


def _on_card(aimed: AimedAction) -> JsonObject:
    """The action as a question shows it: without secrets, with the name of each field.

    With an act that sends a form, what else its fields hold is shown: to whom a message goes, what it is about.
    """
    shown = masked(aimed).to_json()
    if isinstance(aimed.action, CallToolAction):
        return {
            "id": shown.get("id", ""),
            "kind": shown["tool"],
            "server": shown["server"],
            "args": shown.get("args", {}),
        }
    names = {element.eid: element.name for element in aimed.targets}
    fields = [field | {"name": names.get(field["eid"], "")} for field in shown.get("fields", [])]
    fields += _sent_along(aimed)[: max(0, _MAX_SHOWN - len(fields))]
    return shown | ({"fields": fields} if fields else {})


def _sent_along(aimed: AimedAction) -> list[JsonObject]:
    """The texts of the form that the act sends, except those that it types itself."""
    target, action = aimed.target, aimed.action
    is_sent = isinstance(action, ClickAction | PressAction | TypeAction) and (
        bool(target and target.submits and isinstance(action, ClickAction)) or bool(destination_of(aimed))
    )
    if target is None or not is_sent:
        return []
    filled = [
        one for one in (target, *controls_in_same_group(target, aimed.observation))
        if one.role in _WRITTEN and one.value and one.eid not in {field.eid for field in fields_of(action)}
    ]  # fmt: skip
    return [
        {"eid": one.eid, "name": one.name, "text": MASK if takes_secret(one, one.value or "", aimed.observation) else cut(one.value or "", _SHOWN_TEXT_CHARS)}
        for one in filled
    ]  # fmt: skip
