"""A session's browser driven through the Playwright MCP server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from server.browser import observation
from server.browser.browser import Direction, Field, Tab, ToolOutcome, ToolSpec
from server.browser.chromium.chromium import VIEWPORT
from server.browser.fence import fence
from server.browser.masking import mask_text
from server.browser.mcp.playwright_calls import PlaywrightCalls, Seen
from server.browser.mcp.playwright_reply import Reply
from server.browser.mcp.playwright_server import REPEATABLE, offered_of, server_at
from server.browser.mcp.session_browser import ToolServer
from server.browser.mcp.tool_calls import ToolCalls
from server.browser.observation import Element, Observation
from server.browser.observation.rendering import meant_option
from server.browser.off_loop import TookTooLong, off_loop
from server.ops.json_types import JsonView
from server.settings import Settings

_NOT_FILLABLE = "Element is not an <input>"


def _shares_chromium(settings: Settings) -> bool:
    return settings.browser_layout == "shared"


class PlaywrightAdapter:
    """Implements `Adapter`."""

    def __init__(self, calls: ToolCalls) -> None:
        self._calls = calls
        self._server = PlaywrightCalls(calls)
        self.picture = self._server.picture
        self.locate = self._server.locate
        self.return_to_page = self._server.return_to_page

    # Tools that a model calls by name

    async def call(self, spec: ToolSpec, args: JsonView) -> ToolOutcome:
        if not spec.acts:
            return await self._look_up(spec.name, args)
        if spec.name == "browser_handle_dialog" and not self._calls.here.dialog:
            return self._calls.outcome(False, "No dialog is open.")
        reply = await self._server.act(spec.name, args)
        return self._calls.outcome_with_page(reply.ok, reply.text, await self._shown())

    async def _look_up(self, name: str, args: JsonView) -> ToolOutcome:
        """Call a tool that changes nothing. The screenshot itself is taken by `screenshot`."""
        if name == "browser_take_screenshot":
            return self._calls.outcome(True, "A picture of the page was taken.")
        if name == "browser_snapshot":
            return self._calls.outcome_with_page(True, "", await self._shown(args.get("target")))
        reply = await self._server.use(name, args)
        secrets = (await self._calls.here.look()).secrets
        found = (
            await self._calls.parse(mask_text, reply.text, secrets, missing="") if reply.ok else reply.text
        )
        return self._calls.outcome(reply.ok, fence(found) if reply.ok else found)

    async def _shown(self, target: str | None = None) -> Observation | None:
        """Observe the page, or the surroundings of `target`, for a model that calls tools by name.

        None if the page cannot be read. Does not take the notes: they are for the outcome.
        """
        seen = await self._server.see()
        if not seen.raw:
            return None
        budget = observation.Budget(names_targets=True)
        if target:
            return await self._observe(observation.focus, seen, budget=budget, ref=target)
        return await self._observe(observation.observe_snapshot, seen, budget=budget)

    # Observations

    async def observe(self, keep: Sequence[str]) -> Observation:
        seen = await self._calls.look(self._server.see, Seen())
        notes = self._calls.notes.take()
        return await self._observe(observation.observe_snapshot, seen, notes=notes, keep=keep)

    async def focus(self, element: Element) -> Observation:
        seen = await self._calls.look(self._server.see, Seen())
        return await self._observe(observation.focus, seen, notes=self._calls.notes.take(), ref=element.ref)

    async def _observe(
        self,
        work: Callable[..., Observation],
        seen: Seen,
        *,
        budget: observation.Budget = observation.BUDGET,
        notes: Sequence[str] = (),
        **options: object,
    ) -> Observation:
        url, title = self._calls.here.url or "about:blank", self._calls.here.title or ""
        try:
            return await off_loop(
                work, seen.raw, url=url, title=title, viewport=VIEWPORT, budget=budget, notes=notes, extra=seen.extra,
                **options,
            )  # fmt: skip
        except TookTooLong as error:
            return observation.observe_snapshot(
                "", url=url, title=title, viewport=VIEWPORT, budget=budget, notes=(*notes, str(error))
            )

    async def text_near(self, element: Element) -> str:
        seen = await self._calls.look(self._server.see, Seen())
        return await self._calls.parse(
            observation.text_near, seen.raw, element.ref, extra=seen.extra, missing=""
        )

    # Actions

    async def navigate(self, url: str) -> ToolOutcome:
        return await self._do("browser_navigate", {"url": url}, "Opened the page.")

    async def back(self) -> ToolOutcome:
        return await self._do("browser_navigate_back", {}, "Went back.")

    async def click(self, element: Element) -> ToolOutcome:
        return await self._do("browser_click", _target(element), f"Clicked {_name(element)}.")

    async def type(self, fields: Sequence[Field], *, submit: bool) -> ToolOutcome:
        together = list(fields[:-1] if submit else fields)
        if together:
            form = {"fields": [_filled(field) for field in together]}
            outcome = await self._do("browser_fill_form", form, _typed(together))
            if not outcome.ok and _NOT_FILLABLE in outcome.text:
                outcome = await self._type_keys(together)
            if not outcome.ok or not submit:
                return outcome
        last, did = fields[-1], f"{_typed(fields)} Pressed Enter."
        args = {**_target(last.element), "text": last.text, "submit": True}
        outcome = await self._do("browser_type", args, did)
        if not outcome.ok and _NOT_FILLABLE in outcome.text:
            outcome = await self._type_lines(last, did, submit=True)
        return outcome

    async def _type_keys(self, fields: Sequence[Field]) -> ToolOutcome:
        """Type into elements that accept keys but are no form fields, such as rich text editors."""
        outcome = self._calls.outcome(False, "There is no field to type into.")
        for field in fields:
            outcome = await self._do("browser_click", _target(field.element), "")
            outcome = await self._type_lines(field, _typed(fields)) if outcome.ok else outcome
            if not outcome.ok:
                break
        return outcome

    async def _type_lines(self, field: Field, did: str, *, submit: bool = False) -> ToolOutcome:
        """Type key by key. Lines are separated by Shift+Enter, since Enter may submit the text."""
        *lines, last = field.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for line in lines:
            keys = {**_target(field.element), "text": line, "slowly": True}
            outcome = await self._do("browser_type", keys, did)
            outcome = (
                await self._do("browser_press_key", {"key": "Shift+Enter"}, did) if outcome.ok else outcome
            )
            if not outcome.ok:
                return outcome
        keys = {**_target(field.element), "text": last, "slowly": True, "submit": submit}
        return await self._do("browser_type", keys, did)

    async def select(self, element: Element, options: Sequence[str]) -> ToolOutcome:
        values = [meant_option(element, option) for option in options]
        args = {**_target(element), "values": values}
        return await self._do(
            "browser_select_option", args, f"Chose {', '.join(values)} in {_name(element)}."
        )

    async def hover(self, element: Element) -> ToolOutcome:
        return await self._do("browser_hover", _target(element), f"Pointed at {_name(element)}.")

    async def press(self, key: str) -> ToolOutcome:
        return await self._do("browser_press_key", {"key": key}, f"Pressed {key}.")

    async def scroll(self, direction: Direction, amount: int) -> ToolOutcome:
        width, height = VIEWPORT
        distance = -amount if direction in ("up", "left") else amount
        along_x = direction in ("left", "right")
        wheel = {"deltaX": distance if along_x else 0, "deltaY": 0 if along_x else distance}
        await self._server.act("browser_mouse_move_xy", {"x": width // 2, "y": height // 2})
        return await self._do("browser_mouse_wheel", wheel, f"Scrolled {direction} by {amount}.")

    async def upload(self, element: Element, files: Sequence[Path]) -> ToolOutcome:
        paths = [path.resolve() for path in files]
        folder = self._calls.files.resolve()
        if strange := [path.name for path in paths if not path.is_relative_to(folder) or not path.is_file()]:
            return self._calls.outcome(False, f"Not a file of this session: {', '.join(strange)}.")
        names = ", ".join(path.name for path in paths)
        asked = await self._server.use("browser_click", _target(element))
        if not asked.asks_for_file:
            return self._calls.outcome(False, f"{_name(element)} did not ask for a file.")
        reply = await self._server.use("browser_file_upload", {"paths": [str(path) for path in paths]})
        return self._done(reply, f"Gave {names} to {_name(element)}.")

    async def answer_dialog(self, accept: bool, text: str | None) -> ToolOutcome:
        if not self._calls.here.dialog:
            return self._calls.outcome(False, "No dialog is open.")
        return self._done(await self._server.answer(accept, text), "Accepted." if accept else "Dismissed.")

    async def tabs(self) -> Sequence[Tab]:
        return (await self._server.use("browser_tabs", {"action": "list"})).tabs

    async def switch_tab(self, index: int) -> ToolOutcome:
        return await self._do(
            "browser_tabs", {"action": "select", "index": index}, f"Switched to tab {index}."
        )

    async def _do(self, tool: str, args: JsonView, did: str) -> ToolOutcome:
        return self._done(await self._server.act(tool, args), did)

    def _done(self, reply: Reply, did: str) -> ToolOutcome:
        return self._calls.outcome(reply.ok, did if reply.ok else reply.text, timed_out=reply.timed_out)


PLAYWRIGHT = ToolServer(
    command=lambda settings, endpoint, scratch, files: server_at(
        endpoint, scratch, files, isolated=_shares_chromium(settings)
    ),
    offered=lambda settings, tools: offered_of(tools),
    adapter=PlaywrightAdapter,
    repeatable=REPEATABLE,
    shares_chromium=_shares_chromium,
)


def _target(element: Element) -> dict[str, str]:
    return {"target": element.ref, "element": element.name[:80] or element.role}


def _name(element: Element) -> str:
    return f'{element.role} "{element.name[:60]}"' if element.name else f"a {element.role} without a name"


def _filled(field: Field) -> dict[str, str]:
    kinds = {"checkbox": "checkbox", "switch": "checkbox", "radio": "radio", "slider": "slider"}
    kind = "combobox" if field.element.options else kinds.get(field.element.role, "textbox")
    return {
        **_target(field.element),
        "name": field.element.name[:80] or field.element.role,
        "type": kind,
        "value": meant_option(field.element, field.text),
    }


def _typed(fields: Sequence[Field]) -> str:
    return f"Typed into {', '.join(_name(field.element) for field in fields)}."
