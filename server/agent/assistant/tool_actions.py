"""Map calls of MCP browser tools to the actions that the gate judges. Pure.

The model's own description of an element is never used: its target is looked up in the page.
"""

from __future__ import annotations

from collections.abc import Callable

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
from server.ops.json_types import Json, JsonObject

LOOKS_AT_PAGE = frozenset(
    {"browser_click", "browser_type", "browser_fill_form", "browser_select_option", "browser_press_key",
     "browser_handle_dialog", "browser_file_upload", "browser_drag", "browser_drop", "browser_navigate",
     "browser_tabs"}
)  # fmt: skip
"""Tools that are judged by the page's content."""


def read_call(name: str, args: JsonObject, observation: Observation) -> Action | None:
    """The action of a tool call; None if the tool is unknown or its target is not on the page."""
    read = _CALL_READERS.get(name)
    return read(storable(args), observation) if read else _PASSIVE_TOOLS.get(name)


def refs_of(args: JsonObject) -> list[str]:
    """The element references in a call's arguments, in the tool server's format."""
    fields = [field for field in args.get("fields") or [] if isinstance(field, dict)]
    named = [part.get(name) for part in (args, *fields) for name in _REFERENCES]
    return [str(ref) for ref in named if ref is not None]


_REFERENCES = ("target", "ref", "index", "startTarget", "endTarget")


def _click(args: JsonObject, observation: Observation) -> Action | None:
    keys = ", ".join(map(str, args.get("modifiers") or []))
    button = str(args.get("button") or "left")
    manner = ", ".join(filter(None, (button if button != "left" else "", keys))).lower()
    element, double = _target(args, observation), bool(args.get("doubleClick"))
    return ClickAction(eid=element.eid, double=double, manner=manner) if element else None


def _drag(args: JsonObject, observation: Observation) -> Action | None:
    start, end = (_named(args.get(name), observation) for name in ("startTarget", "endTarget"))
    return DragAction(start=start.eid, end=end.eid) if start and end else None


def _type(args: JsonObject, observation: Observation) -> Action | None:
    text = str(args.get("text") or "")
    types_keys = bool(args.get("slowly")) or "index" in args  # browser-use types key by key
    has_enter = types_keys and any(end in text for end in "\r\n")
    return _typing([(_target(args, observation), text)], submit=bool(args.get("submit")) or has_enter)


def _fill(args: JsonObject, observation: Observation) -> Action | None:
    fields = [field for field in args.get("fields") or [] if isinstance(field, dict)]
    return _typing([(_target(field, observation), field.get("value")) for field in fields])


def _select(args: JsonObject, observation: Observation) -> Action | None:
    element, option = _target(args, observation), "\n".join(map(str, args.get("values") or []))
    return SelectAction(eid=element.eid, option=option) if element else None


def _open_tab(args: JsonObject, _: Observation) -> Action:
    return NavigateAction(url=str(args["url"])) if args.get("url") else SwitchTabAction()


def _answer(args: JsonObject, _: Observation) -> Action:
    given = args.get("promptText")
    return DialogAction(accept=bool(args.get("accept")), text=None if given is None else str(given))


_CALL_READERS: dict[str, Callable[[JsonObject, Observation], Action | None]] = {
    "browser_click": _click,
    "browser_drag": _drag,
    "browser_type": _type,
    "browser_fill_form": _fill,
    "browser_select_option": _select,
    "browser_press_key": lambda args, _: PressAction(key=str(args.get("key", ""))),
    "browser_navigate": lambda args, _: NavigateAction(url=str(args.get("url", ""))),
    "browser_tabs": _open_tab,
    "browser_handle_dialog": _answer,
    "browser_file_upload": lambda args, _: UploadAction(file=", ".join(map(str, args.get("paths") or []))),
}


_PASSIVE_TOOLS: dict[str, Action] = {
    "browser_navigate_back": BackAction(), "browser_go_back": BackAction(),
    "browser_hover": HoverAction(), "browser_wait_for": WaitAction(), "browser_scroll": ScrollAction(),
    "browser_mouse_wheel": ScrollAction(), "browser_switch_tab": SwitchTabAction(),
    "browser_close_tab": SwitchTabAction(), "browser_resize": ScrollAction(),
}  # fmt: skip


def _typing(fields: list[tuple[Element | None, Json]], *, submit: bool = False) -> Action | None:
    if not fields or any(element is None for element, _ in fields):
        return None
    typed = [FieldText(eid=element.eid, text=str(text or "")) for element, text in fields if element]
    return TypeAction(fields=tuple(typed), submit=submit)


def _target(args: JsonObject, observation: Observation) -> Element | None:
    """Found by the server's reference, an index or a point; selectors and descriptions are ambiguous."""
    for name in ("target", "ref", "index"):
        if args.get(name) is not None:
            return _named(args[name], observation)
    x, y = args.get("coordinate_x"), args.get("coordinate_y")
    return _at(float(x), float(y), observation) if x is not None and y is not None else None


def _named(ref: Json, observation: Observation) -> Element | None:
    return next((element for element in observation.interactive if element.ref == str(ref)), None)


def _at(x: float, y: float, observation: Observation) -> Element | None:
    """The smallest element at a point of the viewport."""
    under: list[tuple[float, Element]] = []
    for element in observation.interactive:
        left, top, width, height = element.box or (0.0, 0.0, -1.0, -1.0)
        if left <= x <= left + width and top <= y <= top + height:
            under.append((width * height, element))
    return min(under, key=lambda one: one[0])[1] if under else None
