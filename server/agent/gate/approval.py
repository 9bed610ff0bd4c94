"""The content of a question to the user, and what an approval is bound to. Pure, and from page facts only."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import reduce
from typing import Any
from urllib.parse import urljoin, urlsplit

from pydantic import BaseModel, ConfigDict

from server.agent.actions import (
    Action,
    AimedAction,
    ClickAction,
    DialogAction,
    DragAction,
    FieldText,
    NavigateAction,
    Point,
    PressAction,
    ToolAction,
    TypeAction,
)
from server.agent.gate.keys import read_key
from server.agent.policy import Subject, guess_language
from server.agent.policy.address import read_address
from server.agent.policy.fields import FIELDS, is_secret
from server.agent.policy.money import find_sums
from server.agent.policy.names import Commitment, read_name
from server.agent.policy.page_context import names_total
from server.browser.addresses import without_login
from server.browser.observation import Element, Observation
from server.browser.observation.points import is_same_hit
from server.events import Box, ConfirmQuestion, Target
from server.grants.coverage import Amount, GrantScope
from server.ops.json_types import JsonObject
from server.text import OVERRIDE, cut, in_addresses
from wording.catalogue import parts_of

MASK = "•••"
CONTEXT_SEPARATOR = " · "
SHORT = 2
"""Characters. Masking so short a secret everywhere would make lines unreadable, and so reveal it."""
_FILLED = frozenset(
    {"textbox", "searchbox", "combobox", "spinbutton", "slider", "checkbox", "radio", "switch"}
)
_WRITTEN = frozenset({"textbox", "searchbox", "combobox", "spinbutton"})
_MAX_SHOWN, _SHOWN_CHARS = 8, 300
"""Texts of a form on a card, and their characters."""
SPENDING, MAY_SPEND = frozenset({"pay", "order"}), frozenset({"account", "legal", "unknown_submit"})
"""Kinds of effects that cost money, or may."""
_CLOCK = re.compile(
    r"\b\d{1,2}:\d{2}:\d{2}\b|\b\d+\s?(?:s|sec|secs|seconds?|sekunden?|secondes?|segundos?|секунд\w*)(?!\w)",
    re.IGNORECASE,
)
"""What counts down or up by itself."""
MARKER = 24
"""CSS pixels: the side of the square that marks a point on a picture."""
SECRETS = "secrets"
"""State key of the texts that must be masked in the report of a tool call."""


def focused_element(state: Mapping[str, Any], observation: Observation) -> Element | None:
    """The element that keys go to: as the page reports it, else by the ref in `state["focused"]`."""
    ref = observation.focused or state.get("focused")
    return next((element for element in observation.interactive if element.ref == ref), None) if ref else None


def site_of(url: str) -> str:
    """The host of a URL, with its port if the URL has one; "" if it has no host."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    host = (parts.hostname or "").removeprefix("www.")
    try:
        return f"{host}:{parts.port}" if host and parts.port else host
    except ValueError:
        return host


def joined(here: str, href: str) -> str:
    """Where a link leads; an address that cannot be parsed is returned unchanged."""
    try:
        return urljoin(here, href)
    except ValueError:
        return href


def place_of(aimed: AimedAction) -> str:
    """The origin that an action has its effect on: where it navigates or submits to, else the page's URL."""
    action, here = aimed.action, aimed.observation.page.url
    wanted: list[str] = []
    if isinstance(action, NavigateAction):
        wanted = [action.url]
    elif isinstance(action, ClickAction):
        wanted = [joined(here, element.href) for element in aimed.targets if element.href]
    places = (read_address(url) for url in (*wanted, destination_of(aimed)) if url)
    return next((f"{place.scheme}://{place.host}:{place.port}" for place in places if place.host), here)


def destination_of(aimed: AimedAction) -> str:
    """The URL that the action submits a form to, as far as the page shows it; "" if it submits none."""
    action, target = aimed.action, aimed.target
    if target is None:
        return ""
    if target.submits:
        return target.sends_to if isinstance(action, ClickAction | PressAction) else ""
    presses_enter = (isinstance(action, TypeAction) and action.submit) or (
        isinstance(action, PressAction) and read_key(action.key or "Tab", target) == "press_enter"
    )
    if not presses_enter:
        return ""
    button = next((other for other in beside(target, aimed.observation) if other.submits), target)
    return button.sends_to or target.sends_to


def other_site(aimed: AimedAction) -> str | None:
    """The site that a form is submitted to, if it is not the page's own."""
    if not destination_of(aimed):
        return None
    site = site_of(place_of(aimed))
    return site if site != site_of(aimed.observation.page.url) else None


def approval_digest(run_id: str, aimed: AimedAction) -> str:
    """Hash that an approval is bound to: the run, the action, the URL, the elements as the user sees them,
    their form and its destination, the amount.

    Ids of the page are excluded: they change without any visible change.
    """
    observation = aimed.observation
    seen: list[Any] = [run_id, arguments_of(aimed.action), observation.page.url]
    seen += [[_identity(element), _form_of(element, observation)] for element in aimed.targets]
    seen.append(_bound_amount(aimed))
    if isinstance(aimed.action, DialogAction):
        seen.append(observation.notes[-1:])  # the open dialog; older notes are reported only once
    return hashlib.sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()


def arguments_of(action: Action) -> JsonObject:
    """The action's arguments without its targets and without what the model says of it."""
    left_out = ("id", "reason", "commits", "eid", "fields", "start", "end")
    plain = {name: value for name, value in action.to_json().items() if name not in left_out}
    return plain | {"texts": [field.text for field in _fields_of(action)]}


def _fields_of(action: Action) -> tuple[FieldText, ...]:
    return action.fields if isinstance(action, TypeAction) else ()


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
    others = beside(element, observation)
    if not element.group:
        others = [other for other in observation.interactive if not other.group and other.role in _FILLED]
    return [[other.role, other.name, other.value, str(other.checked), other.sends_to] for other in others]


def beside(element: Element, observation: Observation) -> list[Element]:
    """The other controls of the same form, dialog or row."""
    group = element.group
    return [
        other
        for other in observation.interactive
        if group and other.group == group and other.eid != element.eid
    ]


def retarget(aimed: AimedAction, observation: Observation) -> Action | None:
    """Map the action onto a new observation; None if a target is missing.

    A target is found by the browser's ref, else as the only element that looks the same. At a point the same
    thing must be at the same place, in the same view of the page.
    """
    if aimed.action.points:
        hits = aimed.hits, replace(aimed, observation=observation).hits
        is_same_view = bool(observation.view) and observation.view == aimed.observation.view
        is_whole = len(hits[0]) == len(hits[1]) == len(aimed.action.points)
        is_same = is_same_view and is_whole and all(map(is_same_hit, *hits))
        return aimed.action if is_same else None
    found = [_find_again(element, observation) for element in aimed.targets]
    fresh = tuple(element.eid for element in found if element is not None)
    wanted = len(aimed.action.eids) or len(aimed.targets)
    if len(fresh) < wanted:
        return None
    return aimed.action.with_eids(fresh) if aimed.action.eids else aimed.action


def _find_again(element: Element, observation: Observation) -> Element | None:
    same = [other for other in observation.interactive if _identity(other) == _identity(element)]
    exact = next((other for other in observation.interactive if other.ref == element.ref), None)
    return exact or (same[0] if len(same) == 1 else None)


@dataclass(frozen=True, slots=True)
class ShownPage:
    """What a question shows: the page and its screenshot, with the size in CSS pixels."""

    observation: Observation
    screenshot: str | None = None
    size: tuple[int, int] | None = None

    def target_of(self, aimed: AimedAction) -> Box | None:
        """Where the action goes to: its last element or point."""
        points = aimed.action.points
        return self.marker(points[-1]) if points else self.box(aimed.target)

    def start_of(self, aimed: AimedAction) -> Box | None:
        """Where a drag begins; None for other actions."""
        if not isinstance(aimed.action, DragAction):
            return None
        return self.marker(aimed.action.at) if aimed.action.at else self.box(aimed.targets[0])

    def marker(self, point: Point) -> Box:
        """A small square around the point, in percent of the picture."""
        left, top = max(0, point.x - MARKER // 2), max(0, point.y - MARKER // 2)
        return self._in_percent((left, top, MARKER, MARKER))

    def box(self, element: Element | None) -> Box | None:
        """The element's box in percent of the picture; None if it is not in it."""
        if element is None or element.box is None or not element.visible:
            return None
        return self._in_percent(element.box)

    def _in_percent(self, box: Box) -> Box:
        wide, high = self.size or self.observation.viewport
        left, top, width, height = box
        x, y, w, h = (round(100 * part, 2) for part in (left / wide, top / high, width / wide, height / high))
        return x, y, w, h


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
        one for one in (target, *beside(target, aimed.observation))
        if one.role in _WRITTEN and one.value and one.eid not in {field.eid for field in _fields_of(action)}
    ]  # fmt: skip
    return [
        {"eid": one.eid, "name": one.name, "text": MASK if takes_secret(one, one.value or "", aimed.observation) else cut(one.value or "", _SHOWN_CHARS)}
        for one in filled
    ]  # fmt: skip


def amount_of(aimed: AimedAction) -> str | None:
    """The price of the action: on the control, around it, else the total on the page, else the last sum on it.

    None if letters of its name run backwards: what is read then need not be what is seen. Sums that are not painted
    do not count.
    """
    target, hidden = aimed.target, hidden_sums(aimed)
    texts = [text for block in aimed.observation.text_blocks for text in block.split(" | ")]
    if target and OVERRIDE in target.name + target.shows:
        return None
    totals = [text for text in texts if find_sums(text) and names_total(text)]
    for text in (*_own_texts(target), *reversed(totals), *reversed(texts)):
        if sums := [one for one in find_sums(text) if one not in hidden]:
            return sums[-1]
    return None


def hidden_sums(aimed: AimedAction) -> set[str]:
    """The sums that are on the page and not painted."""
    return {one for text in aimed.observation.hidden for one in find_sums(text)}


def _own_texts(target: Element | None) -> list[str]:
    return [target.name, target.shows, target.context] if target else []


def shown_amount(aimed: AimedAction, kind: str) -> str | None:
    """The sum on the card: only where the act spends, or where it may and its own words name one."""
    is_named = any(map(find_sums, _own_texts(aimed.target)))
    return amount_of(aimed) if kind in SPENDING or (kind in MAY_SPEND and is_named) else None


def _bound_amount(aimed: AimedAction) -> str | None:
    """The sum that a yes is bound to; None where the name says that the act spends nothing (`Send reply`).

    A price that ticks elsewhere on the page voids no yes to such an act.
    """
    target = aimed.target
    meaning = read_name(target.shows or target.name) if target else None
    says = meaning is not None and meaning.commitment >= Commitment.LIKELY
    spends_nothing = says and meaning is not None and meaning.kind not in (*SPENDING, *MAY_SPEND, "")
    return None if spends_nothing else amount_of(aimed)


def secrets_of(aimed: AimedAction) -> tuple[str, ...]:
    """The texts that must not be shown, logged or stored: what the gate asks about as a secret is masked everywhere."""
    secret = _secret_fields(aimed)
    return tuple(field.text for field in _fields_of(aimed.action) if field.text and field.eid in secret)


def _secret_fields(aimed: AimedAction) -> set[str]:
    texts = {field.eid: field.text for field in _fields_of(aimed.action)}
    return {one.eid for one in aimed.targets if takes_secret(one, texts.get(one.eid, ""), aimed.observation)}


def takes_secret(element: Element, text: str, observation: Observation) -> bool:
    """Whether the field takes a password, code, card or identity number, or the text is one.

    The boxes of one code are secret together: fields of one form that are called alike, or not at all.
    """
    others = [one for one in beside(element, observation) if one.role == element.role]
    if any(one.secret and _is_box(one, element) for one in others):
        return True
    subject = Subject(
        "type", role=element.role, name=element.name, value=text, context=context_of(element, observation),
        secret=element.secret, lang=language_of(observation),
    )  # fmt: skip
    return is_secret(subject)


def _is_box(one: Element, other: Element) -> bool:
    """Whether both are boxes of one code: of one width, with names that differ by a number only."""
    names = {re.sub(r"[\d\W]+", " ", element.name).strip() for element in (one, other)}
    widths = [element.box[2] for element in (one, other) if element.box]
    return (len(names) == 1 or "" in names) and len(set(widths)) <= 1


def context_of(element: Element, observation: Observation) -> str:
    """The text around a control; of a field in no form, with the nearest text before it."""
    if element.group or element.role not in FIELDS or element.eid not in observation.order:
        return element.context
    before = observation.order[: observation.order.index(element.eid)]
    texts = (int(key[1:]) for key in reversed(before) if key.startswith("t") and key[1:].isdigit())
    nearest = next((observation.text_blocks[at] for at in texts if at < len(observation.text_blocks)), "")
    return CONTEXT_SEPARATOR.join(filter(None, (element.context, nearest)))


def language_of(observation: Observation) -> str:
    names = (element.name for element in observation.interactive)
    return guess_language("\n".join([observation.page.title, *observation.text_blocks, *names]))


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
    if len(secret) > SHORT:
        for spelling in sorted({secret, *in_addresses(secret)}, key=len, reverse=True):
            text = text.replace(spelling, MASK)
        return text
    return re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", MASK, text)


def masked(aimed: AimedAction) -> Action:
    """The action as it may be shown, logged and stored: without secret field texts and logins in URLs."""
    action = aimed.action
    if isinstance(action, NavigateAction):
        return action.model_copy(update={"url": without_login(action.url)})
    if isinstance(action, ToolAction):
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
