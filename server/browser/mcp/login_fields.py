"""Writes stored logins into the fields of a page, over DevTools only: see `login_form.js` for what is checked there."""

from __future__ import annotations

import secrets

from pydantic import BaseModel, ValidationError

from server.browser.chromium.frames import Place
from server.browser.login_form import FieldValues, LoginForm, LoginRule
from server.browser.mcp import field_values
from server.browser.mcp.current_page import CurrentPage
from server.browser.observation import Element
from server.browser.observation.page_script import Box
from server.browser.scripts import script
from server.ops.json_types import Json, JsonObject

_LOGIN_FORM = script("login_form")
_SHOWN_VALUES = script("shown_values")
_SEEN_FIELD = "globalThis.pilothouseFields?.[0]?.input"
_HELD_FIELD = "globalThis.pilothouseLogin?.field"


async def look(here: CurrentPage, element: Element) -> LoginForm:
    """The login form that the element belongs to, or the rule by which it is none."""
    token = secrets.token_hex(16)
    await field_values.hold(here, [element])
    here.login_in = token, here.held_in.get(0)
    found = await _call(here, _SEEN_FIELD, token, fills=False)
    try:
        return LoginForm.model_validate({**found, "token": token})
    except ValidationError:
        return LoginForm(refused="unreachable")


async def fill(here: CurrentPage, form: LoginForm, given: FieldValues) -> LoginRule:
    """Write the values into the fields of that very form; "" if they are there, else the rule that kept them out."""
    if here.login_in[0] != form.token:
        return "changed"
    values = {name: given.values.get(name, "") for name in ("user", "password", "code")}
    done = await _call(here, _HELD_FIELD, form.token, fills=True, **values)
    if done.get("refused"):
        return LoginForm.model_validate({"refused": done["refused"]}).refused
    written = done.get("written")
    is_kept = isinstance(written, dict) and bool(written) and all(written.values())
    return "" if is_kept else "not_kept"


async def shown_boxes(here: CurrentPage) -> list[Box] | None:
    """Where the page shows values of stored logins outside of password fields; None if that cannot be found out."""
    values = here.filled
    if not values:
        return []
    places: list[Place | None] = [None, *(place for _, place in await here.run_inside(lambda _: "() => 0"))]
    boxes: list[Box] = []
    for place in places:
        try:
            found = _Shown.model_validate(
                await here.call_on("document.documentElement", _SHOWN_VALUES, [values], place=place)
            )
        except ValidationError:
            return None
        if not found.known:
            return None
        x, y = (place.x, place.y) if place else (0.0, 0.0)
        boxes += [(left + x, top + y, width, height) for left, top, width, height in found.boxes]
    return boxes


class _Shown(BaseModel, frozen=True):
    boxes: tuple[Box, ...]
    known: bool


async def _call(here: CurrentPage, field: str, token: str, *, fills: bool, **values: str) -> JsonObject:
    given: list[Json] = [token, fills, *values.values()]
    found = await here.call_on(field, _LOGIN_FORM, given, place=here.login_in[1])
    # A document that has gone took the field with it.
    return found if isinstance(found, dict) else {"refused": "changed" if fills else "unreachable"}
