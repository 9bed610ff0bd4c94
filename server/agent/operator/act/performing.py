"""Perform one step's tool call: publish start and end, take a screenshot, record one line."""

from __future__ import annotations

import logging
import time
from contextlib import suppress
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
    RecordAction,
    ScreenshotAction,
    SelectAction,
    SwitchTabAction,
    TypeAction,
    aim,
)
from server.agent.context import RunContext
from server.agent.custom_events import CallEnded, CallStarted, StepEnded, dispatch
from server.agent.effects import MAX_COMPARED_REQUESTS, ActEffect, effect_of, new_text, still_refused
from server.agent.gate.keys import may_move_focus
from server.agent.gate.masking import masked, secrets_of
from server.agent.gate.page_facts import focused_element
from server.agent.gate.taint import FILE_SOURCE
from server.agent.operator.act import acting
from server.agent.operator.act.batch import Batch
from server.agent.operator.act.limits import SILENT_SITE
from server.agent.operator.memory import collecting, records
from server.agent.operator.memory.state import State, Update, planned, seen
from server.agent.operator.see.observing import Observer, sight
from server.agent.policy import Verdict
from server.agent.trail import trail_of
from server.browser.addresses import site_of
from server.browser.browser import BrowserUnavailable, ToolOutcome
from server.browser.observation import Observation, Page
from server.browser.outgoing.held import ActTerms
from server.browser.reading.reader import Reading, read_file
from server.events import now
from server.ops.json_types import JsonObject
from wording.catalogue import Wording, joined, says, sentence

log = logging.getLogger(__name__)

WHAT_CHARS = 100
"""Maximum length of a failed step's description, so that the line has room for the reason."""


async def perform_step(state: State, context: RunContext, observer: Observer, terms: ActTerms) -> Update:
    """Execute the planned action on these terms. Returns the step's record and the state of the page after it."""
    aimed = aim(planned(state), seen(state))
    pressed = aim(
        aimed.action, seen(state), focused_element(state, seen(state))
    )  # a key goes to an element, too
    action, steps = aimed.action, state.get("tool_steps", 0) + 1
    box = sight(state).target_of(aimed)
    await dispatch(CallStarted(action.id, action.name, _shown_arguments(aimed), box))
    began = time.monotonic()
    recorded = collecting.record(state, action, now()) if isinstance(action, RecordAction) else None
    outcome, update, act = (
        (recorded.outcome, recorded.update, None)
        if recorded
        else await _do_and_prove(aimed, state, context, observer, terms)
    )
    milliseconds = round((time.monotonic() - began) * 1000)
    is_old = isinstance(action, FocusAction | ReadAction | ReadPageAction | ReadFileAction | RecordAction)
    is_looked_at = is_old or "last_screenshot" in update
    old = update.get("last_screenshot", state.get("last_screenshot"))
    screenshot = old if is_looked_at else await observer.picture(context)
    what = acting.describe(aimed)
    summary = _summary(outcome, act)
    proof = act.to_json() | {"page_says": _news(aimed, update)} if act else {}
    proof |= {"grants": (state.get("ruling") or {}).get("grants")}
    ended = CallEnded(
        action.id, outcome.ok, summary or sentence("did.done"), outcome.url, (screenshot or {}).get("address"), box,
        reason="timeout" if outcome.timed_out else None, trail=trail_of(pressed, state.get("ruling") or {}),
        result=recorded.result if recorded else None, **proof,
    )  # fmt: skip
    await dispatch(ended)
    await dispatch(StepEnded(steps, context.max_tool_steps))
    why = records.line(masked(aimed).reason)
    result = "ok" if outcome.ok and act is None else summary
    log.info("step %d: %s: %s (%d ms), because: %s", steps, what, result, milliseconds, why)
    if outcome.ok and ((act and act.outcome == "accepted") or any(map(_is_news, outcome.notes))):
        update |= {"tried": {}, "attempt": None}
    return update | _record(state, what, outcome, summary, act) | {
        "tool_steps": steps, "focused": _focus(state, aimed), "last_screenshot": screenshot,
        "is_pictured": screenshot is not None and not is_old,
        "asks": 0 if _moved_on(aimed, outcome, act) else state.get("asks", 0),
        "route": "continue_batch" if outcome.ok and state.get("batch") else "",
    }  # fmt: skip


def _is_news(note: str) -> bool:
    """Whether it reports an effect outside the page: a file or a tab."""
    return says(note, "download.done") or says(note, "note.new_tab")


async def _do_and_prove(
    aimed: AimedAction, state: State, context: RunContext, observer: Observer, terms: ActTerms
) -> tuple[ToolOutcome, Update, ActEffect | None]:
    """Make the tool call. Of an act that was judged to need approval, also record what it sent and observe the page."""
    if (state.get("ruling") or {}).get("verdict") != Verdict.ASK.value:
        return *await _do(aimed, state, context, observer, terms), None
    browser = await context.browser()
    async with browser.requests() as log_of_requests:
        outcome, update = await _do(aimed, state, context, observer, terms)
        sent = await log_of_requests.settled()
    urls = (aimed.observation.page.url, outcome.url or "")
    act = effect_of(sent, state.get("sent", []), urls, secrets_of(aimed))
    update |= {
        "sent": [*state.get("sent", []), *act.keys][-MAX_COMPARED_REQUESTS:],
        "refused": still_refused(state.get("refused", []), act),
    }
    # Not after reading: an observation would replace what was read. What is held is asked about on the page of the act.
    if update.get("needs_observe") and not browser.held():
        with suppress(BrowserUnavailable):  # the act is done all the same, and what it sent is known
            refs = Batch.model_validate(state["batch"]).refs if state.get("batch") else ()
            update |= await observer.look(context, {**state, "is_pictured": False}, refs)
    return outcome, update, act


def _moved_on(aimed: AimedAction, outcome: ToolOutcome, act: ActEffect | None) -> bool:
    """Whether an approved act led on: it sent what was taken, or to another page. Then the questions are no circle."""
    if act is None or not outcome.ok or act.refused:
        return False
    return bool(act.keys) or outcome.url != aimed.observation.page.url


def _news(aimed: AimedAction, update: Update) -> str | None:
    if update.get("last_observation") is None:
        return None
    return new_text(
        aimed.observation, Observation.model_validate(update["last_observation"]), secrets_of(aimed)
    )


async def _do(
    aimed: AimedAction, state: State, context: RunContext, observer: Observer, terms: ActTerms
) -> tuple[ToolOutcome, Update]:
    """Make the tool call. All except `focus` and those that read require a new observation."""
    here = aimed.observation.page
    if isinstance(aimed.action, ReadFileAction):
        return await _read_file(aimed.action, here, state, context, observer)
    browser = await context.browser()
    match aimed.action:
        case ScreenshotAction():
            blind = () if observer.see else (sentence("model.no_pictures"),)
            taken = ToolOutcome(True, sentence("did.took_picture"), here.url, here.title, blind)
            return taken, {"needs_observe": True}
        case ReadAction():
            text = await browser.text_near(aimed.targets[0])
            return ToolOutcome(True, "", here.url, here.title), {
                "reading": text, "reading_file": "",
            }  # fmt: skip
        case ReadPageAction(page=page, query=query):
            return _read(await browser.read_page(page, query), here)
        case FocusAction():
            return ToolOutcome(True, "", here.url, here.title), await observer.look_closer(
                context, state, aimed.targets[0]
            )
    files = acting.files_in(context.files)
    with browser.under(terms):
        return await acting.perform(browser, aimed, files), {"needs_observe": True}


async def _read_file(
    action: ReadFileAction, here: Page, state: State, context: RunContext, observer: Observer
) -> tuple[ToolOutcome, Update]:
    """Read a file of the session, without a browser. From now on its words are private."""
    path = acting.files_in(context.files).get(action.file)
    if path is None:
        return ToolOutcome(False, sentence("file.gone", file=action.file), here.url, here.title), {}
    reading = await read_file(path, page=action.page, query=action.query)
    if reading.picture and not observer.see:
        reading = Reading(False, f"It is {reading.about}. This model cannot see pictures.")
    if reading.picture:
        observer.show(context.session_id, action.id, reading.picture)
    outcome, update = _read(reading, here)
    if reading.ok:
        context.private.add([FILE_SOURCE])
        update["reading_file"] = action.file
        update["private_sites"] = list(dict.fromkeys([*state.get("private_sites", []), FILE_SOURCE]))
    return outcome, update


def _read(reading: Reading, here: Page) -> tuple[ToolOutcome, Update]:
    """The text is for the next prompt only; which part of all it is, is noted in the step's line."""
    outcome = ToolOutcome(reading.ok, "" if reading.ok else reading.about, here.url, here.title)
    if not reading.ok:
        return outcome, {}
    text = "\n\n".join((f"({reading.about})", reading.text)).strip()
    return replace(outcome, notes=(reading.about,)), {"reading": text, "reading_file": ""}


def _summary(outcome: ToolOutcome, act: ActEffect | None) -> Wording:
    """What is known of the requests comes first, so that it is not cut; of a failed call its reason does."""
    proof = act.said() if act else ""
    texts = (proof, outcome.text, *outcome.notes) if outcome.ok else (outcome.text, proof, *outcome.notes)
    return records.line_of(joined(texts))


def _record(state: State, what: str, outcome: ToolOutcome, summary: str, act: ActEffect | None) -> Update:
    """Record one line for the model, with the advice to leave a site that timed out twice in a row."""
    site = site_of(outcome.url or "")
    silent = state.get("timeouts", {}).get(site, 0) + 1 if outcome.timed_out else 0
    update: Update = {"timeouts": {**state.get("timeouts", {}), site: silent}}
    if not outcome.ok or (act and act.outcome == "refused"):
        warning = f"; {site} did not answer {silent} times: leave it" if silent >= SILENT_SITE else ""
        return update | records.failed(state, f"{records.line(what, WHAT_CHARS)}: {summary}{warning}")
    notes = records.line(" ".join(outcome.notes))
    result = "ok" if act is None else act.in_words()
    return update | records.step(state, f"{what}: {result}{'; ' + notes if notes else ''}")


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
    hidden = ("id", "kind", "eid", "fields", "commits", "start", "end", "at", "to", "double")
    shown = {name: value for name, value in action.to_json().items() if name not in hidden}
    if isinstance(action, RecordAction):
        shown["rows"] = len(action.rows)
    if action.points:
        shown["at"] = [[point.x, point.y] for point in action.points]
    if aimed.targets:
        shown["element"] = ", ".join(acting.label(element) for element in aimed.targets)
    if isinstance(action, TypeAction):
        texts = [field.text for field in action.fields]
        shown["text"] = texts[0] if len(texts) == 1 else texts
    return shown
