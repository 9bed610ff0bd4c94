"""Perform one step's tool call: publish start and end, take a screenshot, record one line."""

from __future__ import annotations

import logging
import time
from dataclasses import replace

from server.agent.actions import (
    AimedAction,
    BackAction,
    ClickAction,
    FocusAction,
    NavigateAction,
    PressAction,
    ReadAction,
    ReadFileAction,
    ReadPageAction,
    ScreenshotAction,
    SelectAction,
    SwitchTabAction,
    TypeAction,
    aim,
)
from server.agent.context import RunContext
from server.agent.custom_events import CallEnded, CallStarted, StepEnded, dispatch
from server.agent.gate.approval import focused_element, masked, site_of
from server.agent.gate.keys import may_move_focus
from server.agent.gate.taint import FILES
from server.agent.operator import acting, records
from server.agent.operator.limits import SILENT_SITE
from server.agent.operator.observing import Eyes, seen, sight
from server.agent.operator.prompts import READING_CHARS
from server.agent.operator.state import State, Update, planned
from server.agent.trail import trail_of
from server.browser.browser import ToolOutcome
from server.browser.observation import Page
from server.browser.reading.reader import Reading, read_file
from server.ops.json_types import JsonObject

log = logging.getLogger(__name__)

WHAT_CHARS = 100
"""Maximum length of a failed step's description, so that the line has room for the reason."""


async def perform_step(state: State, context: RunContext, eyes: Eyes) -> Update:
    """Execute the planned action. Returns the step's record and the state of the page after it."""
    aimed = aim(planned(state), seen(state))
    pressed = aim(
        aimed.action, seen(state), focused_element(state, seen(state))
    )  # a key goes to an element, too
    action, steps = aimed.action, state.get("tool_steps", 0) + 1
    box = sight(state).box(aimed.target)
    await dispatch(CallStarted(action.id, action.kind, _shown_arguments(aimed), box))
    began = time.monotonic()
    outcome, update = await _do(aimed, state, context, eyes)
    milliseconds = round((time.monotonic() - began) * 1000)
    is_old = isinstance(action, FocusAction | ReadAction | ReadPageAction | ReadFileAction)
    old = update.get("last_screenshot", state.get("last_screenshot"))
    screenshot = old if is_old else await eyes.picture(context)
    what = acting.describe(aimed)
    summary = _summary(outcome)
    ended = CallEnded(
        action.id, outcome.ok, summary or "done", outcome.url, (screenshot or {}).get("address"), box,
        reason="timeout" if outcome.timed_out else None, trail=trail_of(pressed, state.get("ruling") or {}),
    )  # fmt: skip
    await dispatch(ended)
    await dispatch(StepEnded(steps, context.max_tool_steps))
    why = records.line(masked(aimed).reason)
    result = "ok" if outcome.ok else summary
    log.info("step %d: %s: %s (%d ms), because: %s", steps, what, result, milliseconds, why)
    return update | _record(state, what, outcome, summary) | {
        "tool_steps": steps, "focused": _focus(state, aimed), "last_screenshot": screenshot,
        "is_pictured": screenshot is not None and not is_old,
        "route": "continue_batch" if outcome.ok and state.get("batch") else "",
    }  # fmt: skip


async def _do(
    aimed: AimedAction, state: State, context: RunContext, eyes: Eyes
) -> tuple[ToolOutcome, Update]:
    """Make the tool call. All except `focus` and those that read require a new observation."""
    here = aimed.observation.page
    if isinstance(aimed.action, ReadFileAction):
        return await _read_file(aimed.action, here, state, context, eyes)
    browser = await context.browser()
    match aimed.action:
        case ScreenshotAction():
            blind = () if eyes.see else ("This model cannot see pictures.",)
            taken = ToolOutcome(True, "A picture was taken.", here.url, here.title, blind)
            return taken, {"needs_observe": True}
        case ReadAction():
            text = await browser.text_near(aimed.targets[0])
            return ToolOutcome(True, "", here.url, here.title), {"reading": text[:READING_CHARS]}
        case ReadPageAction(page=page, query=query):
            return _read(await browser.read_page(page, query), here)
        case FocusAction():
            return ToolOutcome(True, "", here.url, here.title), await eyes.look_closer(
                context, state, aimed.targets[0]
            )
    files = acting.files_in(context.files)
    return await acting.perform(browser, aimed, files), {"needs_observe": True}


async def _read_file(
    action: ReadFileAction, here: Page, state: State, context: RunContext, eyes: Eyes
) -> tuple[ToolOutcome, Update]:
    """Read a file of the session, without a browser. From now on its words are private."""
    path = acting.files_in(context.files).get(action.file)
    if path is None:
        return ToolOutcome(False, f"There is no file {action.file} any more.", here.url, here.title), {}
    reading = await read_file(path, page=action.page, query=action.query)
    if reading.picture and not eyes.see:
        reading = Reading(False, f"It is {reading.about}. This model cannot see pictures.")
    if reading.picture:
        eyes.show(context.session_id, action.id, reading.picture)
    outcome, update = _read(reading, here)
    if reading.ok:
        context.private.add([FILES])
        update["private_sites"] = list(dict.fromkeys([*state.get("private_sites", []), FILES]))
    return outcome, update


def _read(reading: Reading, here: Page) -> tuple[ToolOutcome, Update]:
    """The text is for the next prompt only; which part of all it is, is noted in the step's line."""
    outcome = ToolOutcome(reading.ok, "" if reading.ok else reading.about, here.url, here.title)
    if not reading.ok:
        return outcome, {}
    text = "\n\n".join((f"({reading.about})", reading.text)).strip()
    return replace(outcome, notes=(reading.about,)), {"reading": text}


def _summary(outcome: ToolOutcome) -> str:
    return records.line(" ".join((outcome.text, *outcome.notes)))


def _record(state: State, what: str, outcome: ToolOutcome, summary: str) -> Update:
    """Record one line for the model, with the advice to leave a site that timed out twice in a row."""
    site = site_of(outcome.url or "")
    silent = state.get("timeouts", {}).get(site, 0) + 1 if outcome.timed_out else 0
    update: Update = {"timeouts": {**state.get("timeouts", {}), site: silent}}
    if not outcome.ok:
        warning = f"; {site} did not answer {silent} times: leave it" if silent >= SILENT_SITE else ""
        return update | records.failed(state, f"{records.line(what, WHAT_CHARS)}: {summary}{warning}")
    notes = records.line(" ".join(outcome.notes))
    return update | records.step(state, f"{what}: ok{'; ' + notes if notes else ''}")


def _focus(state: State, aimed: AimedAction) -> str | None:
    """The ref of the element that has the focus after the action, as far as the action shows it."""
    match aimed.action:
        case ClickAction() | TypeAction() | SelectAction() if aimed.target:
            return aimed.target.ref
        case NavigateAction() | BackAction() | SwitchTabAction():
            return None
        case PressAction(key=key) if may_move_focus(key):
            return None
    return state.get("focused")


def _shown_arguments(aimed: AimedAction) -> JsonObject:
    """The call's arguments as shown to the user: names instead of eids, secrets masked."""
    action = masked(aimed)
    hidden = ("id", "kind", "eid", "fields", "commits")
    shown = {name: value for name, value in action.to_json().items() if name not in hidden}
    if aimed.targets:
        shown["element"] = ", ".join(acting.label(element) for element in aimed.targets)
    if isinstance(action, TypeAction):
        texts = [field.text for field in action.fields]
        shown["text"] = texts[0] if len(texts) == 1 else texts
    return shown
