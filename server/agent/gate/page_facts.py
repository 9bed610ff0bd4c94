"""What the page says of the place and the surroundings of an act. Pure."""

from __future__ import annotations

from server.agent.actions import (
    Action,
    AimedAction,
    CallToolAction,
    ClickAction,
    NavigateAction,
    PressAction,
    TypeAction,
)
from server.agent.gate.keys import read_key
from server.agent.policy import guess_language
from server.agent.policy.address import read_address
from server.agent.policy.fields import TYPED_ROLES
from server.browser.addresses import joined, site_of
from server.browser.observation import Element, Observation

CONTEXT_SEPARATOR = " · "


def focused_element(observation: Observation, used: str | None = None) -> Element | None:
    """The element that keys go to: as the page reports it, else the one with the ref `used`, which was used last."""
    ref = observation.focused or used
    return next((element for element in observation.interactive if element.ref == ref), None) if ref else None


def place_of(aimed: AimedAction) -> str:
    """The origin that an action has its effect on: where it navigates or submits to, else the page's URL."""
    action, here = aimed.action, aimed.observation.page.url
    if isinstance(action, CallToolAction):
        return action.place
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
    if not _presses_enter(action, target):
        return ""
    button = next(
        (other for other in controls_in_same_group(target, aimed.observation) if other.submits), target
    )
    return button.sends_to or target.sends_to


def _presses_enter(action: Action, focused: Element) -> bool:
    if isinstance(action, PressAction):
        return read_key(action.key or "Tab", focused) == "press_enter"
    return isinstance(action, TypeAction) and action.submit


def other_site(aimed: AimedAction) -> str | None:
    """The site that a form is submitted to, if it is not the page's own."""
    if not destination_of(aimed):
        return None
    site = site_of(place_of(aimed))
    return site if site != site_of(aimed.observation.page.url) else None


def controls_in_same_group(element: Element, observation: Observation) -> list[Element]:
    """The other controls of the same form, dialog or row."""
    group = element.group
    return [
        other
        for other in observation.interactive
        if group and other.group == group and other.eid != element.eid
    ]


def context_of(element: Element, observation: Observation) -> str:
    """The text around a control; of a field in no form, with the nearest text before it."""
    if element.group or element.role not in TYPED_ROLES or element.eid not in observation.order:
        return element.context
    before = observation.order[: observation.order.index(element.eid)]
    texts = (int(key[1:]) for key in reversed(before) if key.startswith("t") and key[1:].isdigit())
    nearest = next((observation.text_blocks[at] for at in texts if at < len(observation.text_blocks)), "")
    return CONTEXT_SEPARATOR.join(filter(None, (element.context, nearest)))


def language_of(observation: Observation) -> str:
    names = (element.name for element in observation.interactive)
    return guess_language("\n".join([observation.page.title, *observation.text_blocks, *names]))
