"""Actions on observed pages, written as in JSON."""

from __future__ import annotations

from typing import Any

from server.agent.actions import AimedAction, aim, read_action
from server.browser.observation import Element, Observation


def aimed(action: dict[str, Any], seen: Observation, focused: Element | None = None) -> AimedAction:
    """`eid` of a key press is the focused element."""
    if action["kind"] == "press" and "eid" in action:
        focused = seen.find(action["eid"])
        action = {name: value for name, value in action.items() if name != "eid"}
    return aim(read_action(action), seen, focused)
