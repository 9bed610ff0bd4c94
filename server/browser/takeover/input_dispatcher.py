"""Converts the user's input to DevTools commands that a page sees as real keyboard and mouse events."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from server.browser.takeover.user_input import KeyPress, Mouse, Stroke, Text, Wheel
from server.ops.json_types import JsonObject

Command = tuple[str, JsonObject]

ALT, CTRL, META = 1, 2, 4
_BUTTONS = ("left", "middle", "right", "back", "forward", "none")
"""By the number of a DOM MouseEvent's `button`; -1 is the last one."""
_BITS = {"left": 1, "right": 2, "middle": 4, "back": 8, "forward": 16}
_NO_KEYS = frozenset({"Process", "Dead", "Unidentified", "Compose"})
"""Keys reported while an input method composes a text; the text itself follows later."""

_NAMED_KEYS = {
    "Backspace": 8, "Tab": 9, "Enter": 13, "Shift": 16, "Control": 17, "Alt": 18, "AltGraph": 18, "Pause": 19,
    "CapsLock": 20, "Escape": 27, "Space": 32, " ": 32, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36,
    "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "PrintScreen": 44, "Insert": 45,
    "Delete": 46, "Meta": 91, "ContextMenu": 93, "NumpadMultiply": 106, "NumpadAdd": 107, "NumpadSubtract": 109,
    "NumpadDecimal": 110, "NumpadDivide": 111, "NumpadEnter": 13, "NumLock": 144, "ScrollLock": 145,
    "Semicolon": 186, "Equal": 187, "Comma": 188, "Minus": 189, "Period": 190, "Slash": 191, "Backquote": 192,
    "BracketLeft": 219, "Backslash": 220, "BracketRight": 221, "Quote": 222,
}  # fmt: skip
"""Virtual key codes by `code`, or by `key` if there is no code."""


class InputDispatcher:
    """Tracks pressed keys and buttons, so that none stays down after the user has gone."""

    def __init__(self) -> None:
        self._buttons: list[str] = []
        self._keys: dict[str, KeyPress] = {}
        self._at = (0.0, 0.0)

    def commands(self, stroke: Stroke) -> Iterator[Command]:
        match stroke:
            case Mouse():
                yield self._mouse(stroke)
            case Wheel():
                yield "Input.dispatchMouseEvent", {
                    "type": "mouseWheel", "x": stroke.x, "y": stroke.y, "deltaX": stroke.dx, "deltaY": stroke.dy,
                    "modifiers": stroke.modifiers,
                }  # fmt: skip
            case KeyPress():
                yield from self._key(stroke)
            case Text() if stroke.text:
                yield "Input.insertText", {"text": stroke.text}

    def lift(self) -> Iterator[Command]:
        """Yield the commands that release all pressed keys and buttons."""
        for key in list(self._keys.values()):
            yield from self._key(key.model_copy(update={"kind": "up", "modifiers": 0}))
        for button in list(self._buttons):
            yield self._mouse(Mouse(type="mouse", kind="up", x=self._at[0], y=self._at[1], button=button))

    def _mouse(self, mouse: Mouse) -> Command:
        button: str = mouse.button if isinstance(mouse.button, str) else _BUTTONS[mouse.button]
        self._at = (mouse.x, mouse.y)
        if mouse.kind == "down" and button not in self._buttons:
            self._buttons.append(button)
        if mouse.kind == "up" and button in self._buttons:
            self._buttons.remove(button)
        if mouse.kind == "move":
            button = self._buttons[0] if self._buttons else "none"
        kinds = {"move": "mouseMoved", "down": "mousePressed", "up": "mouseReleased"}
        return "Input.dispatchMouseEvent", {
            "type": kinds[mouse.kind], "x": mouse.x, "y": mouse.y, "button": button,
            "buttons": sum(_BITS.get(name, 0) for name in self._buttons),
            "clickCount": 0 if mouse.kind == "move" else max(1, mouse.clicks), "modifiers": mouse.modifiers,
        }  # fmt: skip

    def _key(self, key: KeyPress) -> Iterator[Command]:
        if key.key in _NO_KEYS:
            return
        name = key.code or key.key
        repeats = key.kind == "down" and name in self._keys
        if key.kind == "down":
            self._keys[name] = key
        else:
            self._keys.pop(name, None)
        modifiers = _modifiers(key)
        text = _text(key, modifiers) if key.kind == "down" else ""
        code = _key_code(key)
        params: JsonObject = {
            "type": "keyUp" if key.kind == "up" else "keyDown" if text else "rawKeyDown",
            "key": key.key, "code": key.code, "modifiers": modifiers, "windowsVirtualKeyCode": code,
            "nativeVirtualKeyCode": code, "autoRepeat": repeats, "isKeypad": key.code.startswith("Numpad"),
        }  # fmt: skip
        yield "Input.dispatchKeyEvent", params | ({"text": text, "unmodifiedText": text} if text else {})


def _modifiers(key: KeyPress) -> int:
    """Map modifiers to this machine's: Meta becomes Control except on macOS; AltGr is no modifier."""
    modifiers = key.modifiers
    if modifiers & META and key.key != "Meta" and sys.platform != "darwin":
        modifiers = modifiers & ~META | CTRL
    if len(key.key) == 1 and modifiers & ALT and (modifiers & CTRL or not key.key.isascii()):
        modifiers &= ~(CTRL | ALT)
    return modifiers


def _text(key: KeyPress, modifiers: int) -> str:
    if key.key == "Enter":
        return "\r"
    if modifiers & (ALT | CTRL | META):
        return ""
    return key.text or (key.key if len(key.key) == 1 else "")


def _key_code(key: KeyPress) -> int:
    code = key.code
    if len(code) == 4 and code.startswith("Key"):
        return ord(code[3])
    if code[:-1] in ("Digit", "Numpad") and code[-1].isdigit():
        return (48 if code.startswith("D") else 96) + int(code[-1])
    name = code.removesuffix("Left").removesuffix("Right") if code not in _NAMED_KEYS else code
    if name in _NAMED_KEYS:
        return _NAMED_KEYS[name]
    if key.key[:1] == "F" and key.key[1:].isdigit():
        return 111 + int(key.key[1:])
    is_plain = len(key.key) == 1 and key.key.isascii() and key.key.isalnum()
    return _NAMED_KEYS.get(key.key) or (ord(key.key.upper()) if is_plain else 0)
