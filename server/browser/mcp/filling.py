"""Fills fields, lists and editors, and says what they hold where it is not what was meant."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Any, Protocol

from server.browser.browser import HOLD_MS, Field, Manner, PagePoint, ToolOutcome
from server.browser.lease import wait_for_lease
from server.browser.mcp import drawn_lists, field_values, key_listeners, sliders, targets
from server.browser.mcp.field_values import FieldValue
from server.browser.mcp.key_listeners import Listens
from server.browser.mcp.tool_calls import HELD, CallFailed, ToolCalls, name_of
from server.browser.observation import Element
from server.browser.observation.snapshot import CHOICES, FIELD_ROLES
from server.ops.json_types import JsonView
from wording.catalogue import Wording, joined, sentence

_SLOWLY, _KEY_PAUSE = 40, 0.03
"""Signs of a text that is typed once more with a pause after each key, in seconds, where the field holds another."""


class FieldTools(Protocol):
    """What a tool server does with fields that are not filled over DevTools."""

    async def type(self, fields: Sequence[Field], *, submit: bool) -> ToolOutcome: ...
    async def select(self, element: Element, options: Sequence[str]) -> ToolOutcome: ...
    async def click(
        self, target: Element | PagePoint, *, manner: Manner = "", hold_ms: int = HOLD_MS
    ) -> ToolOutcome: ...


class Filling:
    def __init__(self, calls: ToolCalls, tools: FieldTools) -> None:
        self._calls = calls
        self._tools = tools
        self._listens: Sequence[Listens] = ()

    def by_name(self, name: str, args: JsonView) -> Callable[[], Coroutine[Any, Any, ToolOutcome]] | None:
        """A tool server's own act of filling that a model called, as the same act here; None for another, or if its
        target is none of the page that the model was shown."""
        target = self.shown_target
        text, submit = str(args.get("text") or ""), bool(args.get("submit"))
        if "index" in args and text.endswith("\n"):  # which is Enter for that server
            text, submit = text.rstrip("\r\n"), True
        match name:
            case "browser_type" if not args.get("slowly"):
                meant = [(target(args), text)]
            case "browser_fill_form":
                meant = [(target(one), str(one.get("value") or "")) for one in args.get("fields") or ()]
            case "browser_select_option" if (element := target(args)) and args.get("values"):
                return partial(self.select, element, [str(one) for one in args["values"]])
            case _:
                return None
        fields = [Field(element, text) for element, text in meant if element]
        return partial(self.type, fields, submit=submit) if meant and len(fields) == len(meant) else None

    def shown_target(self, args: JsonView) -> Element | None:
        """What the arguments of a tool server's own act name, of the page that the model was shown."""
        ref = str(args.get("target") or args.get("index"))
        shown = self._calls.shown.interactive if self._calls.shown else ()
        return next((one for one in shown if one.ref == ref), None)

    async def type(self, fields: Sequence[Field], *, submit: bool) -> ToolOutcome:
        here = self._calls.here
        here.hide(field.text for field in fields if field.element.secret)
        before = await field_values.hold(here, [field.element for field in fields])
        self._listens = await key_listeners.listeners(here)
        for field, held in zip(fields, before, strict=True):
            if field.adds and (held is None or held.value is None or held.parts or held.slides):
                return self._calls.outcome(False, sentence("field.unreadable", target=name_of(field.element)))
        fields = [_whole(field, held) for field, held in zip(fields, before, strict=True)]
        done: list[ToolOutcome] = []
        for kind, group in groupby(range(len(fields)), lambda at: self._kind(fields[at], before[at], at)):
            places = list(group)
            enters = submit and places[-1] == len(fields) - 1
            if kind == "field":
                done.append(await self._fill(fields, before, places, submit=enters))
            for at in places if kind != "field" else ():
                done.append(
                    await self._fill_one(kind, fields[at], before[at], at, enters and at == places[-1])
                )
                if not done[-1].ok:
                    break
            if not done[-1].ok:
                break
        return _as_one(done)

    async def _fill(
        self, fields: Sequence[Field], before: Sequence[FieldValue | None], places: Sequence[int], *, submit: bool
    ) -> ToolOutcome:  # fmt: skip
        chosen = [fields[at] for at in places]
        outcome = await self._tools.type(chosen, submit=submit)
        if outcome.ok and not submit:
            await key_listeners.make_noticed(self._calls.here, self._listens, places, is_typed=False)
        # What is sent may be taken out of its fields.
        is_shown = not (submit and outcome.ok) and not self._calls.here.dialog
        now = await field_values.read(self._calls.here) if is_shown else []
        if now and not outcome.ok and len(places) > 1:
            left = [at for at in places if not field_values.holds(now[at], fields[at])]
            return await self._fill_singly(fields, before, left, submit=submit)
        after = [now[at] for at in places] if now else []
        return field_values.after_typing(outcome, chosen, [before[at] for at in places], after)

    async def _fill_singly(
        self, fields: Sequence[Field], before: Sequence[FieldValue | None], places: Sequence[int], *, submit: bool
    ) -> ToolOutcome:  # fmt: skip
        """Fill what one refused field has kept from being filled; nothing is sent if one is refused."""
        done: list[ToolOutcome] = []
        for at in places:
            enters = submit and at == places[-1] and all(one.ok for one in done)
            done.append(await self._fill(fields, before, [at], submit=enters))
        notes = _as_one(done).notes
        return replace(_as_one([one for one in done if not one.ok] or done), notes=notes)

    async def _fill_one(
        self, kind: str, field: Field, before: FieldValue | None, at: int, submit: bool
    ) -> ToolOutcome:
        if kind == "locked":
            problem = sentence("field.read_only", target=name_of(field.element))
            return self._calls.outcome(False, problem)
        if kind == "keys":
            return await self._type_keys(field, before, at, submit=submit)
        if kind == "slider":
            return await self._slide(field, at)
        if kind == "unreadable":
            return self._calls.outcome(False, sentence("field.unreadable", target=name_of(field.element)))
        if kind == "list":
            return await self._choose(field.element, field.text.split("\n"), before, at)
        if kind == "other":  # such as the box around a field
            clicked = await self._tools.click(field.element)
            takes = await field_values.hold_focused(self._calls.here, at) if clicked.ok else ""
            if clicked.ok and not takes:
                problem = sentence("field.takes_no_text", target=name_of(field.element))
                return replace(clicked, ok=False, text=problem)
            if takes != "text":
                return await self._tools.type([field], submit=submit) if takes else clicked
        if kind == "parts" and before:
            return await self._fill_parts(field, before, at, submit=submit)
        return await self._replace(field, before, at, submit=submit)

    async def _slide(self, field: Field, at: int) -> ToolOutcome:
        name, wanted = name_of(field.element), sliders.number_in(field.text)
        if wanted is None:
            return self._calls.outcome(False, sentence("field.takes_number", target=name))
        await self._take_turn()
        here = self._calls.here
        by_mouse = at not in here.held_in and not field.element.frame
        held = await sliders.set_value(here, at, wanted, by_mouse=by_mouse)
        if held is None:
            return self._calls.outcome(False, sentence("field.gone"))
        outcome = self._calls.outcome(True, sentence("did.set", target=name, value=f"{held:g}"))
        return outcome if held == wanted else field_values.with_held(outcome, field, f"{held:g}")

    async def _type_keys(
        self, field: Field, before: FieldValue | None, at: int, *, submit: bool
    ) -> ToolOutcome:
        await self._take_turn()
        here, name = self._calls.here, name_of(field.element)
        if not await field_values.fill_by_keys(here, at, field.text, submit=submit):
            return self._calls.outcome(False, sentence("field.takes_no_keys", target=name))
        if not submit:
            await key_listeners.make_noticed(here, self._listens, [at], is_typed=True)
        now = await field_values.read(here) if not (submit or here.dialog) else []
        held = now[at] if at < len(now) else None
        if held and not field_values.holds(held, field) and len(field.text) <= _SLOWLY:
            # Masks put the cursor where it belongs a moment after each key.
            await field_values.fill_by_keys(here, at, field.text, submit=False, pause=_KEY_PAUSE)
            now = await field_values.read(here)
        outcome = self._calls.outcome(True, _typed(name, submit=submit))
        return field_values.after_typing(outcome, [field], [before], now[at : at + 1])

    async def _fill_parts(self, field: Field, before: FieldValue, at: int, *, submit: bool) -> ToolOutcome:
        await self._take_turn()
        held = await field_values.fill_parts(self._calls.here, at, before.parts, field.text, submit=submit)
        name = name_of(field.element)
        if held is None:
            return self._calls.outcome(False, sentence("field.takes_signs", target=name, n=sum(before.parts)))
        outcome = self._calls.outcome(True, _typed(name, submit=submit))
        return field_values.after_filling_parts(outcome, field, held)

    async def _replace(
        self, field: Field, before: FieldValue | None, at: int, *, submit: bool
    ) -> ToolOutcome:
        await self._take_turn()
        held_before = (before.value or "") if field.adds and before else None
        held = await field_values.replace_content(
            self._calls.here, at, field.text, submit=submit, added_to=held_before
        )
        if held_before:
            field = replace(field, text=held_before + field.text)
        name = name_of(field.element)
        if held is None:
            return self._calls.outcome(False, sentence("field.takes_no_keys", target=name))
        outcome = self._calls.outcome(True, _typed(name, submit=submit))
        return field_values.after_replacing(outcome, field, held)

    async def click(
        self, target: Element | PagePoint, *, manner: Manner = "", hold_ms: int = HOLD_MS
    ) -> ToolOutcome:
        """Click, an element only while it is the one that was meant; of a check box and the like, say it where that has
        changed nothing."""
        if not isinstance(target, Element):
            return await self._tools.click(target, manner=manner, hold_ms=hold_ms)
        return await self.press_kept(target, partial(self._click, target, manner, hold_ms))

    async def press_kept(
        self, element: Element, press: Callable[[], Coroutine[Any, Any, ToolOutcome]]
    ) -> ToolOutcome:
        outcome = await targets.press_kept(self._calls.here, element, press)
        return outcome or self._calls.outcome(False, targets.OTHER_THERE)

    async def _click(self, target: Element, manner: Manner, hold_ms: int) -> ToolOutcome:
        if target.role == "media" and not manner:
            return await self._play(target)
        if target.role not in CHOICES or manner:
            return await self._tools.click(target, manner=manner, hold_ms=hold_ms)
        (before,) = await field_values.hold(self._calls.here, [target])
        outcome = await self._tools.click(target)
        now = [] if self._calls.here.dialog else await field_values.read(self._calls.here)
        return field_values.after_click(outcome, target, before, now[0] if now else None)

    async def _play(self, element: Element) -> ToolOutcome:
        """Start or stop a film or sound, as its own button does."""
        here = self._calls.here
        (before,) = await field_values.hold(here, [element])
        if before is None or before.playing is None:
            return await self._tools.click(element)
        await self._take_turn()
        async with here.until_quiet(typed=True):
            await field_values.play(here, 0)
        (now,) = await field_values.read(here) or [None]
        if now is None or now.playing is before.playing:
            return self._calls.outcome(False, sentence("did_not.play", target=name_of(element)))
        name = name_of(element)
        did = sentence("did.started", target=name) if now.playing else sentence("did.paused", target=name)
        return self._calls.outcome(True, did)

    async def select(self, element: Element, options: Sequence[str]) -> ToolOutcome:
        """Choose by place: the tool servers take the words for a value, too, or the first of equal ones."""
        (held,) = await field_values.hold(self._calls.here, [element])
        if (held is None or not held.options) and not element.frame:
            await self._take_turn()
            drawn = await drawn_lists.choose(self._calls, self._tools.click, element, options)
            if drawn is not None:
                return drawn
        if held is None or not held.options:
            return await self._tools.select(element, options)
        return await self._choose(element, options, held, 0)

    async def _choose(
        self, element: Element, options: Sequence[str], held: FieldValue | None, at: int
    ) -> ToolOutcome:
        here = self._calls.here
        choices = field_values.choices_of(held or FieldValue(), options)
        if held is None or isinstance(choices, str):
            return self._calls.outcome(False, str(choices))
        await self._take_turn()
        await field_values.choose(here, at, choices)
        now = [] if here.dialog else await field_values.read(here)
        outcome = self._calls.outcome(True, field_values.chosen_text(held, choices, element))
        return field_values.after_choice(outcome, element, choices, now[at] if at < len(now) else None)

    async def _take_turn(self) -> None:
        """Wait until this process may act on the browser. Raises CallFailed while a person has it."""
        await wait_for_lease()
        if self._calls.is_held:
            raise CallFailed(HELD)

    def _kind(self, field: Field, held: FieldValue | None, at: int) -> str:
        """How it is filled: as an `editor`, a `list`, `parts` of a text, by `keys`, a `field` of the page, or what is
        none of them and may hold one; `locked` if it cannot be filled."""
        listens = self._listens[at] if at < len(self._listens) else ""
        takes_keys = listens == "own" and 0 < len(field.text) <= key_listeners.MAX_TYPED_KEYS
        if held is not None:
            known = (
                ("keys", held.line and takes_keys),
                ("editor", held.editor),
                ("parts", held.parts),
                ("list", held.options),
                ("slider", held.slides),
                ("locked", held.locked),
            )
            return next((kind for kind, is_it in known if is_it), "field")
        if field.element.frame:
            return "field"
        if field.element.role == "slider":
            return "unreadable"
        return "field" if field.element.role in FIELD_ROLES | CHOICES else "other"


def _as_one(done: Sequence[ToolOutcome]) -> ToolOutcome:
    """The last of several outcomes, with the words and notes of all."""
    notes = tuple(note for one in done for note in one.notes)
    return replace(done[-1], text=joined(one.text for one in done), notes=notes)


def _whole(field: Field, held: FieldValue | None) -> Field:
    """A field that is added to, with all that it shall hold. To an editor its text is added as it is."""
    if not field.adds or held is None or held.editor:
        return field
    return replace(field, text=f"{held.value or ''}{field.text}", adds=False)


def _typed(name: Wording, *, submit: bool) -> Wording:
    return joined(
        (sentence("did.typed", target=name), sentence("did.pressed", key="Enter") if submit else "")
    )
