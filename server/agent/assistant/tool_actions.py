"""Map calls of MCP browser tools to the actions that the gate judges. Pure.

The model's own description of an element is never used: its target is looked up in the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.agent.gate.approval import Action
from server.browser.observation import Element, Observation

LOOKS_AT_PAGE = frozenset(
    {"browser_click", "browser_type", "browser_fill_form", "browser_select_option", "browser_press_key",
     "browser_handle_dialog", "browser_file_upload", "browser_drag", "browser_drop", "browser_navigate",
     "browser_tabs"}
)  # fmt: skip
"""Tools that are judged by the page's content."""


def read_call(name: str, args: Mapping[str, Any], observation: Observation) -> Action | None:
    """The action of a tool call; None if the tool is unknown or its target is not on the page."""
    match name:
        case "browser_click":
            return _on("click", _target(args, observation))
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
            return _on(
                "select", _target(args, observation), option=", ".join(map(str, args.get("values") or []))
            )
        case "browser_press_key":
            return {"kind": "press", "key": str(args.get("key", ""))}
        case "browser_navigate":
            return {"kind": "navigate", "url": str(args.get("url", ""))}
        case "browser_tabs":
            return (
                {"kind": "navigate", "url": str(args["url"])} if args.get("url") else {"kind": "switch_tab"}
            )
        case "browser_handle_dialog":
            return {"kind": "dialog", "accept": bool(args.get("accept")), "text": args.get("promptText")}
        case "browser_file_upload":
            return {"kind": "upload", "file": ", ".join(map(str, args.get("paths") or []))}
    return _PASSIVE.get(name)


def refs_of(args: Mapping[str, Any]) -> list[str]:
    """The element references in a call's arguments, in the tool server's format."""
    fields = [field for field in args.get("fields") or [] if isinstance(field, Mapping)]
    named = [part.get(name) for part in (args, *fields) for name in _REFERENCES]
    return [str(ref) for ref in named if ref is not None]


_REFERENCES = ("target", "ref", "index", "startTarget", "endTarget")

_PASSIVE: dict[str, Action] = {
    "browser_navigate_back": {"kind": "back"}, "browser_go_back": {"kind": "back"},
    "browser_hover": {"kind": "hover"}, "browser_wait_for": {"kind": "wait"}, "browser_scroll": {"kind": "scroll"},
    "browser_mouse_wheel": {"kind": "scroll"}, "browser_switch_tab": {"kind": "switch_tab"},
    "browser_close_tab": {"kind": "switch_tab"}, "browser_resize": {"kind": "scroll"},
}  # fmt: skip


def _on(kind: str, element: Element | None, **arguments: str) -> Action | None:
    return {"kind": kind, "eid": element.eid, **arguments} if element else None


def _typing(fields: list[tuple[Element | None, Any]], *, submit: bool = False) -> Action | None:
    if not fields or any(element is None for element, _ in fields):
        return None
    typed = [{"eid": element.eid, "text": str(text or "")} for element, text in fields if element]
    return {"kind": "type", "fields": typed, "submit": submit}


def _dragging(start: Element | None, end: Element | None) -> Action | None:
    """The dragged element and its drop target are judged alike."""
    return (
        {"kind": "drag", "fields": [{"eid": start.eid, "text": ""}], "eid": end.eid}
        if start and end
        else None
    )


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
