"""Perform one step's tool call: publish start and end, take a screenshot, record one line."""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

from server.agent import stored_logins
from server.agent.actions import (
    AimedAction,
    BackAction,
    CallToolAction,
    ClickAction,
    FocusAction,
    LoginAction,
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
from server.agent.gate.taint import FILE_SOURCE, source_of_tool
from server.agent.gate.tool_calls import find_tool
from server.agent.language import language_of
from server.agent.operator.act import acting
from server.agent.operator.act.limits import SILENT_SITE
from server.agent.operator.memory import collecting, records
from server.agent.operator.memory.state import Next, State, StoredPicture
from server.agent.operator.see.observing import Observer, sight
from server.agent.trail import trail_of
from server.browser.addresses import site_of
from server.browser.browser import BrowserUnavailable, ToolOutcome
from server.browser.outgoing.held import ActTerms
from server.browser.reading.reader import Reading, read_file
from server.events import Box, now
from server.ops.json_types import JsonObject
from wording.catalogue import Wording, joined, says, sentence
from wording.step_words import step_words

log = logging.getLogger(__name__)

WHAT_CHARS = 100
"""Maximum length of a failed step's description, so that the line has room for the reason."""


@dataclass(frozen=True, slots=True)
class Performed:
    """A step's call, and the state after it."""

    outcome: ToolOutcome
    state: State
    effect: ActEffect | None = None
    """Of an act that was judged to need approval."""
    result: JsonObject | None = None
    """The rows that it recorded."""

    @property
    def summary(self) -> Wording:
        """What is known of the requests comes first, so that it is not cut; of a failed call its reason does."""
        proof, outcome = self.effect.said() if self.effect else "", self.outcome
        texts = (proof, outcome.text, *outcome.notes) if outcome.ok else (outcome.text, proof, *outcome.notes)
        return records.line_of(joined(texts))


async def perform_step(
    state: State, context: RunContext, observer: Observer, terms: ActTerms
) -> Next[Literal["continue_batch", ""]]:
    """Execute the planned action on these terms. Returns the state with the step's record and the page after it."""
    aimed, steps = aim(state.action, state.observation), state.limits.tool_steps + 1
    action, box = aimed.action, sight(state).target_of(aimed)
    await dispatch(CallStarted(action.id, action.name, _shown_arguments(aimed), box))
    began = time.monotonic()
    done = await _do_and_prove(aimed, state, context, observer, terms)
    milliseconds = round((time.monotonic() - began) * 1000)
    is_looked_at = isinstance(action, _READING_ACTIONS) or _has_looked(state, done)
    screenshot = done.state.page.last_screenshot if is_looked_at else await observer.picture(context)
    await dispatch(_call_ended(aimed, state, done, screenshot, box))
    await dispatch(StepEnded(steps, context.max_tool_steps))
    why = records.line(masked(aimed).reason)
    result = "ok" if done.outcome.ok and done.effect is None else done.summary
    log.info("step %d: %s: %s (%d ms), because: %s", steps, acting.describe(aimed), result, milliseconds, why)
    after = _recorded(aimed, done)
    page = replace(
        after.page, focused=_focus(state, aimed), last_screenshot=screenshot,
        is_pictured=screenshot is not None and not isinstance(action, _READING_ACTIONS),
    )  # fmt: skip
    after = replace(after, page=page, limits=replace(after.limits, tool_steps=steps))
    return Next(after, "continue_batch" if done.outcome.ok and state.turn.batch else "")


_READING_ACTIONS = (FocusAction, ReadAction, ReadPageAction, ReadFileAction, RecordAction, CallToolAction)
"""They change nothing of the page, so that the last screenshot still shows it."""


def _has_looked(before: State, done: Performed) -> bool:
    return done.state.page.last_observation is not before.page.last_observation


def _call_ended(
    aimed: AimedAction, state: State, done: Performed, screenshot: StoredPicture | None, box: Box | None
) -> CallEnded:
    outcome, ruling = done.outcome, state.turn.ruling
    # A key goes to an element, too.
    pressed = aim(aimed.action, aimed.observation, focused_element(aimed.observation, state.page.focused))
    proof = done.effect.to_json() | {"page_says": _news(aimed, state, done)} if done.effect else {}
    return CallEnded(
        aimed.action.id, outcome.ok, done.summary or sentence("did.done"), outcome.url,
        screenshot.address if screenshot else None, box, reason="timeout" if outcome.timed_out else None,
        trail=trail_of(pressed, ruling), result=done.result, grants=ruling.marks, title=outcome.title, **proof,
    )  # fmt: skip


def _recorded(aimed: AimedAction, done: Performed) -> State:
    """The state with the step's line, and what its outcome means for the limits."""
    outcome, act = done.outcome, done.effect
    state = _with_line(done, acting.describe(aimed))
    limits = state.limits
    if outcome.ok and not (act and act.outcome == "refused"):
        state = records.did(state, _did(aimed, done).to(language_of(state.asked.task)))
    if outcome.ok and ((act and act.outcome == "accepted") or any(map(_is_news, outcome.notes))):
        limits = replace(limits, tried={}, attempt=None)
    if _moved_on(aimed, outcome, act) or (isinstance(aimed.action, CallToolAction) and outcome.ok):
        limits = replace(limits, asks=0)
    return replace(state, limits=limits)


def _is_news(note: str) -> bool:
    """Whether it reports an effect outside the page: a file or a tab."""
    return says(note, "download.done") or says(note, "note.new_tab")


async def _do_and_prove(
    aimed: AimedAction, state: State, context: RunContext, observer: Observer, terms: ActTerms
) -> Performed:
    """Make the tool call. Of an act that was judged to need approval, also record what it sent and observe the page."""
    if isinstance(aimed.action, RecordAction):
        has_more = not state.page.reading_file and await (await context.browser()).has_more()
        recorded = collecting.record(state, aimed.action, now(), has_more=has_more)
        return Performed(recorded.outcome, recorded.state, result=recorded.result)
    if isinstance(aimed.action, CallToolAction):
        return Performed(*await _call_tool(aimed.action, state, context))
    if not state.turn.ruling.asks:
        return Performed(*await _do(aimed, state, context, observer, terms))
    browser = await context.browser()
    async with browser.requests() as log_of_requests:
        outcome, after = await _do(aimed, state, context, observer, terms)
        sent = await log_of_requests.settled()
    urls = (aimed.observation.page.url, outcome.url or "")
    act = effect_of(sent, state.proof.sent, urls, secrets_of(aimed))
    proof = replace(
        after.proof, sent=(*after.proof.sent, *act.keys)[-MAX_COMPARED_REQUESTS:],
        refused=still_refused(after.proof.refused, act),
    )  # fmt: skip
    after = replace(after, proof=proof)
    # Not after reading: an observation would replace what was read. What is held is asked about on the page of the act.
    if after.page.needs_observe and not browser.held():
        with suppress(BrowserUnavailable):  # the act is done all the same, and what it sent is known
            refs = state.turn.batch.refs if state.turn.batch else ()
            unpictured = replace(after, page=replace(after.page, is_pictured=False))
            after = await observer.look(context, unpictured, refs)
    return Performed(outcome, after, act)


def _moved_on(aimed: AimedAction, outcome: ToolOutcome, act: ActEffect | None) -> bool:
    """Whether an approved act led on: it sent what was taken, or to another page. Then the questions are no circle."""
    if act is None or not outcome.ok or act.refused:
        return False
    return bool(act.keys) or outcome.url != aimed.observation.page.url


def _news(aimed: AimedAction, before: State, done: Performed) -> str | None:
    if not _has_looked(before, done):
        return None
    return new_text(aimed.observation, done.state.observation, secrets_of(aimed))


async def _do(
    aimed: AimedAction, state: State, context: RunContext, observer: Observer, terms: ActTerms
) -> tuple[ToolOutcome, State]:
    """Make the tool call. All except `focus` and those that read require a new observation."""
    here = aimed.observation.page
    if isinstance(aimed.action, ReadFileAction):
        return await _read_file(aimed.action, state, context, observer)
    browser = await context.browser()
    changed = replace(state, page=replace(state.page, needs_observe=True))
    match aimed.action:
        case ScreenshotAction():
            blind = () if observer.see else (sentence("model.no_pictures"),)
            return ToolOutcome(True, sentence("did.took_picture"), here.url, here.title, blind), changed
        case ReadAction():
            text = await browser.text_near(aimed.targets[0])
            return ToolOutcome(True, "", here.url, here.title), _with_reading(state, text)
        case ReadPageAction(page=page, query=query):
            return _read(await browser.read_page(page, query), state)
        case FocusAction():
            closer = await observer.look_closer(context, state, aimed.targets[0])
            return ToolOutcome(True, "", here.url, here.title), closer
    files = acting.files_in(context.files)
    with browser.under(terms):
        if isinstance(aimed.action, LoginAction):
            is_approved = state.turn.ruling.asks and not state.turn.ruling.is_of_login
            return await stored_logins.fill(context, browser, aimed, is_approved=is_approved), changed
        return await acting.perform(browser, aimed, files), changed


async def _call_tool(call: CallToolAction, state: State, context: RunContext) -> tuple[ToolOutcome, State]:
    """Call a tool of another server, without a browser. Its result is for the next prompt only; its words are private."""
    here = state.observation.page
    found = find_tool(await context.tools.offered(), call.tool, call.args)
    if found.spec is None or found.spec.pin != call.pin:
        why = found.problem or str(sentence("tool.changed", tool=call.tool))
        return ToolOutcome(False, why, here.url, here.title), state
    outcome = await context.tools.call(found.spec, call.args)
    source = source_of_tool(call.server)
    context.private.add([source])
    sites = tuple(dict.fromkeys((*state.page.private_sites, source)))
    state = replace(state, page=replace(state.page, private_sites=sites))
    if not outcome.ok:
        return replace(outcome, url=here.url, title=here.title), state
    text = f"(result of {call.tool})\n\n{outcome.text}"
    return ToolOutcome(True, "", here.url, here.title, outcome.notes), _with_reading(state, text)


async def _read_file(
    action: ReadFileAction, state: State, context: RunContext, observer: Observer
) -> tuple[ToolOutcome, State]:
    """Read a file of the session, without a browser. From now on its words are private."""
    here = state.observation.page
    path = acting.files_in(context.files).get(action.file)
    if path is None:
        return ToolOutcome(False, sentence("file.gone", file=action.file), here.url, here.title), state
    reading = await read_file(path, page=action.page, query=action.query)
    if reading.picture and not observer.see:
        reading = Reading(False, sentence("file.no_pictures", what=reading.about))
    if reading.picture:
        observer.show(context.session_id, action.id, reading.picture)
    outcome, state = _read(reading, state)
    if reading.ok:
        context.private.add([FILE_SOURCE])
        sites = tuple(dict.fromkeys((*state.page.private_sites, FILE_SOURCE)))
        state = replace(state, page=replace(state.page, reading_file=action.file, private_sites=sites))
    return outcome, state


def _read(reading: Reading, state: State) -> tuple[ToolOutcome, State]:
    """The text is for the next prompt only; which part of all it is, is noted in the step's line."""
    here = state.observation.page
    outcome = ToolOutcome(reading.ok, "" if reading.ok else reading.about, here.url, here.title)
    if not reading.ok:
        return outcome, state
    text = "\n\n".join((f"({reading.about})", reading.text)).strip()
    return replace(outcome, notes=(reading.about,)), _with_reading(state, text)


def _with_reading(state: State, text: str) -> State:
    return replace(state, page=replace(state.page, reading=text, reading_file=""))


def _with_line(done: Performed, what: str) -> State:
    """One line for the model, with the advice to leave a site that timed out twice in a row."""
    outcome, act, state = done.outcome, done.effect, done.state
    site = site_of(outcome.url or "")
    silent = state.limits.timeouts.get(site, 0) + 1 if outcome.timed_out else 0
    state = replace(state, limits=replace(state.limits, timeouts={**state.limits.timeouts, site: silent}))
    if not outcome.ok or (act and act.outcome == "refused"):
        warning = f"; {site} did not answer {silent} times: leave it" if silent >= SILENT_SITE else ""
        return records.failed(state, f"{records.line(what, WHAT_CHARS)}: {done.summary}{warning}")
    notes = records.line(" ".join(outcome.notes))
    result = "ok" if act is None else act.in_words()
    return records.step(state, f"{what}: {result}{'; ' + notes if notes else ''}")


def _did(aimed: AimedAction, done: Performed) -> Wording:
    """What the step did and sent, in words of a person."""
    shown = {**_shown_arguments(aimed)}
    words = step_words(aimed.action.name, shown, done.outcome.title) or Wording(acting.describe(aimed))
    return joined((words, done.effect.said() if done.effect else ""), ". ")


def leave_batch(state: State) -> State:
    """Record what of the last move was not done, for the model; nothing if all of it was."""
    if not (batch := state.turn.batch):
        return state
    left = "; ".join(acting.describe(act.aimed(state.observation)) for act in batch.acts)
    state = records.step(state, f"not done of that move: {records.line(left)}")
    return replace(state, turn=replace(state.turn, batch=None))


def _focus(state: State, aimed: AimedAction) -> str | None:
    """The ref of the element that has the focus after the action, as far as the action shows it."""
    match aimed.action:
        case ClickAction() | TypeAction() | SelectAction() if aimed.target:
            return aimed.target.ref
        case NavigateAction() | BackAction() | SwitchTabAction():
            return None
        case PressAction(key=key) if may_move_focus(key):
            return None
    return state.page.focused


def _shown_arguments(aimed: AimedAction) -> JsonObject:
    """The call's arguments as shown to the user: names instead of eids, secrets masked."""
    action = masked(aimed)
    if isinstance(action, CallToolAction):
        return action.args
    hidden = (
        "id",
        "kind",
        "eid",
        "fields",
        "commits",
        "start",
        "end",
        "at",
        "to",
        "double",
        "login",
        "form",
        "host",
        "parts",
    )
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
