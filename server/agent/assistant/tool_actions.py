"""Map calls of MCP browser tools to the actions that the gate judges. Pure.

The model's own description of an element is never used: its target is looked up in the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.agent.actions import (
    Action,
    BackAction,
    ClickAction,
    DialogAction,
    DragAction,
    FieldText,
    HoverAction,
    NavigateAction,
    PressAction,
    ScrollAction,
    SelectAction,
    SwitchTabAction,
    TypeAction,
    UploadAction,
    WaitAction,
)
from server.agent.storable import storable
from server.browser.observation import Element, Observation

LOOKS_AT_PAGE = frozenset(
    {"browser_click", "browser_type", "browser_fill_form", "browser_select_option", "browser_press_key",
     "browser_handle_dialog", "browser_file_upload", "browser_drag", "browser_drop", "browser_navigate",
     "browser_tabs"}
)  # fmt: skip
"""Tools that are judged by the page's content."""


def read_call(name: str, args: Mapping[str, Any], observation: Observation) -> Action | None:
    """The action of a tool call; None if the tool is unknown or its target is not on the page."""
    args = storable(dict(args))
    match name:
        case "browser_click":
            element = _target(args, observation)
            return ClickAction(eid=element.eid) if element else None
        case "browser_drag":
            return _dragging(
                _named(args.get("startTarget"), observation), _named(args.get("endTarget"), observation)
            )
        case "browser_type":
            text = str(args.get("text") or "")
            has_enter = bool(args.get("slowly")) and any(end in text for end in "\r\n")
            is_sent = bool(args.get("submit")) or has_enter
            return _typing([(_target(args, observation), text)], submit=is_sent)
        case "browser_fill_form":
            fields = [field for field in args.get("fields") or [] if isinstance(field, Mapping)]
            return _typing([(_target(field, observation), field.get("value")) for field in fields])
        case "browser_select_option":
            element = _target(args, observation)
            option = ", ".join(map(str, args.get("values") or []))
            return SelectAction(eid=element.eid, option=option) if element else None
        case "browser_press_key":
            return PressAction(key=str(args.get("key", "")))
        case "browser_navigate":
            return NavigateAction(url=str(args.get("url", "")))
        case "browser_tabs":
            return NavigateAction(url=str(args["url"])) if args.get("url") else SwitchTabAction()
        case "browser_handle_dialog":
            given = args.get("promptText")
            return DialogAction(accept=bool(args.get("accept")), text=None if given is None else str(given))
        case "browser_file_upload":
            return UploadAction(file=", ".join(map(str, args.get("paths") or [])))
    return _PASSIVE.get(name)


def refs_of(args: Mapping[str, Any]) -> list[str]:
    """The element references in a call's arguments, in the tool server's format."""
    fields = [field for field in args.get("fields") or [] if isinstance(field, Mapping)]
    named = [part.get(name) for part in (args, *fields) for name in _REFERENCES]
    return [str(ref) for ref in named if ref is not None]


_REFERENCES = ("target", "ref", "index", "startTarget", "endTarget")

_PASSIVE: dict[str, Action] = {
    "browser_navigate_back": BackAction(), "browser_go_back": BackAction(),
    "browser_hover": HoverAction(), "browser_wait_for": WaitAction(), "browser_scroll": ScrollAction(),
    "browser_mouse_wheel": ScrollAction(), "browser_switch_tab": SwitchTabAction(),
    "browser_close_tab": SwitchTabAction(), "browser_resize": ScrollAction(),
}  # fmt: skip


def _typing(fields: list[tuple[Element | None, Any]], *, submit: bool = False) -> Action | None:
    if not fields or any(element is None for element, _ in fields):
        return None
    typed = [FieldText(eid=element.eid, text=str(text or "")) for element, text in fields if element]
    return TypeAction(fields=tuple(typed), submit=submit)


def _dragging(start: Element | None, end: Element | None) -> Action | None:
    """The dragged element and its drop target are judged alike."""
    return DragAction(start=start.eid, end=end.eid) if start and end else None


def _target(args: Mapping[str, Any], observation: Observation) -> Element | None:
    """Found by the server's reference, an index or a point; selectors and descriptions are ambiguous."""
    for name in ("target", "ref", "index"):
        if args.get(name) is not None:
            return _named(args[name], observation)
    point = (args.get("coordinate_x"), args.get("coordinate_y"))
    return _at(point, observation) if None not in point else None


def _named(ref: Any, observation: Observation) -> Element | None:
    return next((element for element in observation.interactive if element.ref == str(ref)), None)


def _at(point: tuple[Any, Any], observation: Observation) -> Element | None:
    """The smallest element at a point of the viewport."""
    x, y = float(point[0]), float(point[1])
    under = [element for element in observation.interactive if element.box and _holds(element.box, x, y)]
    return min(
        under, key=lambda element: element.box[2] * element.box[3] if element.box else 0.0, default=None
    )


def _holds(box: tuple[float, float, float, float], x: float, y: float) -> bool:
    return box[0] <= x <= box[0] + box[2] and box[1] <= y <= box[1] + box[3]
