"""Actions on observed pages, written as in JSON, and questions about them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from server.agent.actions import AimedAction, aim, read_action
from server.browser.observation import Element, Observation
from server.events import ConfirmQuestion, now


def aimed(action: dict[str, Any], seen: Observation, focused: Element | None = None) -> AimedAction:
    """`eid` of a key press is the focused element."""
    if action["kind"] == "press" and "eid" in action:
        focused = seen.find(action["eid"])
        action = {name: value for name, value in action.items() if name != "eid"}
    return aim(read_action(action), seen, focused)


def question_about(**more: Any) -> ConfirmQuestion:
    """A question about a click, which expires in ten minutes."""
    given = {
        "reference": "", "reason": "places an order", "risk": "order", "action": {"kind": "click"}, "digest": "",
        "expires_at": now() + timedelta(minutes=10),
    }  # fmt: skip
    return ConfirmQuestion.model_validate(given | more)
