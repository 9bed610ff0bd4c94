"""Replaces the whole content of an editor over DevTools by one paste, and reads what it then holds."""

from __future__ import annotations

import asyncio
import json
import sys

from server.browser.chromium.frames import Place
from server.browser.mcp.current_page import CurrentPage
from server.ops.json_types import JsonObject

_CONTROL, _COMMAND_MODIFIER = 2, 4
"""Modifiers of a key event."""
_KEY_CODES = {
    "a": 65, "Backspace": 8, "ArrowLeft": 37, "ArrowRight": 39, "End": 35, "Enter": 13, "Escape": 27, "Shift": 16, "Tab": 9,
}  # fmt: skip
_SIGN_KEY_CODES = {
    sign: code
    for signs, code in (
        (";:", 186), ("=+", 187), (",<", 188), ("-_", 189), (".>", 190), ("/?", 191), ("`~", 192), ("[{", 219),
        ("\\|", 220), ("]}", 221), ("'\"", 222), *((sign, 48 + at) for at, sign in enumerate(")!@#$%^&*(")),
    )
    for sign in signs
}  # fmt: skip
"""Of keys whose signs are no letters or digits, by their signs."""

# As a person's clipboard does: editors read the event, and prevent what the browser itself would do.
_CLIP = """(kind, text) => {
  let el = document.activeElement;
  for (let inner = el; inner; inner = (el.shadowRoot || el.contentDocument)?.activeElement) el = inner;
  const clipboardData = new DataTransfer();
  if (kind === 'paste') clipboardData.setData('text/plain', text);
  const event = new ClipboardEvent(kind, {clipboardData, bubbles: true, cancelable: true, composed: true});
  const isTaken = !el.dispatchEvent(event);
  const own = el.value === undefined ? getSelection().toString() : el.value.slice(el.selectionStart, el.selectionEnd);
  return {isTaken, text: clipboardData.getData('text/plain') || own};
}"""


async def replace(
    here: CurrentPage, text: str, *, submit: bool, place: Place | None, adds: bool = False
) -> None:
    """Put the text in place of all that the focused editor holds, in the frame with this place if there is one; with
    `adds`, after it; with `submit`, press Enter after it."""
    async with here.until_quiet(typed=True):
        await _select_all(here)
        if adds:
            await _press(here, "ArrowRight")  # to the end of what is selected
        if not text:
            if adds:
                return
            await _press(here, "Backspace")
        elif not (await _clip(here, "paste", text, place=place)).get("isTaken"):
            await here.send("Input.insertText", {"text": text})
    if submit:
        async with here.until_quiet(typed=True):
            await _press(here, "Enter")


async def clear(here: CurrentPage) -> None:
    """Take out all that the focused editor holds, by keys."""
    async with here.until_quiet(typed=True):
        await _select_all(here)
    async with here.until_quiet(typed=True):
        await _press(here, "Backspace")


async def content(here: CurrentPage, place: Place | None) -> str:
    """The whole text of the focused editor, also of lines that are out of view; "" if it gives none."""
    await _select_all(here)
    text = (await _clip(here, "copy", place=place)).get("text")
    await _press(here, "ArrowRight")
    return str(text or "").replace("\r\n", "\n")


async def type_signs(here: CurrentPage, text: str, *, pause: float = 0) -> None:
    """Press a key for each sign, with these seconds in between; none for an empty text, which clears what is selected."""
    if not text:
        await _press(here, "Backspace")
    for sign in text:
        key: JsonObject = {
            "key": "Enter" if sign == "\r" else sign,
            "windowsVirtualKeyCode": _SIGN_KEY_CODES.get(sign)
            or (ord(sign.upper()) if sign.isascii() and len(sign.upper()) == 1 else 0),
        }
        await here.send("Input.dispatchKeyEvent", {**key, "type": "keyDown", "text": sign})
        await here.send("Input.dispatchKeyEvent", {**key, "type": "keyUp"})
        await asyncio.sleep(pause)


async def type_keys(here: CurrentPage, text: str, *, submit: bool, pause: float = 0) -> None:
    """Type the text key by key in place of what is selected; with `submit`, press Enter after it."""
    async with here.until_quiet(typed=True):
        await type_signs(here, text, pause=pause)
    if submit:
        async with here.until_quiet(typed=True):
            await _press(here, "Enter")


async def press_key(here: CurrentPage, key: str) -> None:
    """Press a key that writes nothing."""
    await _press(here, key)


async def _clip(here: CurrentPage, kind: str, text: str = "", *, place: Place | None) -> JsonObject:
    found = await here.run(f"() => ({_CLIP})({json.dumps(kind)}, {json.dumps(text)})", place=place)
    return found if isinstance(found, dict) else {}


async def _select_all(here: CurrentPage) -> None:
    await _press(
        here,
        "a",
        modifiers=_COMMAND_MODIFIER if sys.platform == "darwin" else _CONTROL,
        commands=["selectAll"],
    )


async def _press(here: CurrentPage, key: str, modifiers: int = 0, commands: list[str] | None = None) -> None:
    code = f"Key{key.upper()}" if len(key) == 1 else key
    event: JsonObject = {
        "key": key,
        "code": code,
        "windowsVirtualKeyCode": _KEY_CODES[key],
        "modifiers": modifiers,
    }
    writes: JsonObject = {"text": "\r"} if key == "Enter" else {}
    down = "keyDown" if writes else "rawKeyDown"
    await here.send(
        "Input.dispatchKeyEvent", {**event, **writes, "type": down, "commands": list(commands or ())}
    )
    await here.send("Input.dispatchKeyEvent", {**event, "type": "keyUp"})
