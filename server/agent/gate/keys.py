"""The effect of a key, depending on the focused element. Pure."""

from __future__ import annotations

from typing import Literal

from server.browser.observation import Element

KeyKind = Literal["press_enter", "press", "click", "shortcut"]

_TEXT = frozenset({"textbox", "searchbox", "combobox", "spinbutton"})
_KEY_HELD_ROLES = frozenset({"radio", "slider", "switch", "menuitemradio"})
"""Roles whose value arrow keys change at once."""
_ENTER = frozenset({"enter", "return", "numpadenter", "space", "spacebar", "\n", "\r"})
_MOVES = frozenset(
    {"tab", "escape", "esc", "home", "end", "pageup", "pagedown", "shift", "arrowup", "arrowdown", "arrowleft",
     "arrowright", "insert", "contextmenu"}
)  # fmt: skip
_HARMLESS = frozenset("ac")
"""With Control: select all, copy."""
_EDITS = frozenset("vxyz")
"""With Control, in a text field: paste, cut, redo, undo."""


def read_key(key: str, focused: Element | None) -> KeyKind:
    """`press_enter` activates the focused element, `click` changes it, `press` has only effects in the page.

    A `shortcut` is a key that the page itself defines: an access key, or a letter outside of any text field or
    native select. In a list, a tree or a row of tabs a letter is whatever the page makes of it.
    """
    *modifiers, name = _split(key)
    role = focused.role if focused else ""
    takes_text = focused is not None and role in _TEXT and focused.field != "fixed"
    if name in _ENTER:
        return "press_enter"
    if (modifiers, name) == (["shift"], "f10"):  # opens the menu of what has the focus
        return "press"
    if modifiers not in ([], ["shift"]):
        known = _HARMLESS | _MOVES | (_EDITS if takes_text else frozenset())
        is_edit = modifiers in (["control"], ["meta"], ["controlormeta"]) and name in known
        return "press" if is_edit else "shortcut"
    if name in _MOVES:
        return "click" if role in _KEY_HELD_ROLES and name not in ("tab", "escape", "shift") else "press"
    is_select = focused is not None and bool(focused.options) and len(name) == 1
    return "press" if takes_text or is_select else "shortcut"


def _split(key: str) -> list[str]:
    """Split `Control+Shift+a` into its parts, modifiers sorted; the plus sign and the space are keys, too."""
    head, plus, name = key.rpartition("+")
    if plus and not name:
        head, name = head.removesuffix("+"), "+"
    parts = sorted(part.strip().casefold() for part in head.split("+") if part.strip())
    return [*parts, name.strip(" ").casefold() or "space"]


def may_move_focus(key: str) -> bool:
    """Whether another element may have the focus after this key."""
    return bool(key) and len(_split(key)[-1]) > 1


def is_paste(key: str) -> bool:
    """Whether the key brings the clipboard, whatever is in it."""
    *modifiers, name = _split(key)
    return (name == "v" and modifiers not in ([], ["shift"])) or (name == "insert" and bool(modifiers))


def moves(key: str) -> bool:
    """Whether it is an arrow or a like key, which a page can count."""
    return _split(key)[-1].startswith(("arrow", "home", "end", "page", "f"))


def brings_text(key: str) -> bool:
    """Whether the key enters text: a single character or the clipboard."""
    *modifiers, name = _split(key)
    is_plain = modifiers in ([], ["shift"])
    return is_paste(key) or (len(name) == 1 and is_plain)
