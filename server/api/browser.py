"""Manual browser commands, as in the CLI's cmd mode. Rejected while a run acts; judged by the same policy."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from server.agent.actions import Action, ClickAction, FieldText, TypeAction, aim
from server.agent.gate.approval import is_unchanged, retarget
from server.agent.gate.by_hand import ByHand, judge_by_hand
from server.agent.gate.taint import private_sites
from server.api.deps import Body, RuntimeDep, SessionId, Text
from server.api.schemas import Outcome, Picture
from server.browser.browser import Field as TypedField
from server.browser.outgoing.held import ActTerms, named
from server.errors import BadRequest, Conflict, NotFound
from server.ops.json_types import JsonObject
from server.runtime import Runtime
from wording.catalogue import parts_of, sentence

if TYPE_CHECKING:
    from server.browser.browser import Browser, ToolOutcome
    from server.browser.observation import Element, Observation

router = APIRouter(prefix="/api/sessions/{session_id}/browser")

Eid = Annotated[str, Field(pattern=r"^e\d{1,5}$")]


class Launch(Body):
    url: Annotated[Text, Field(max_length=4000)] | None = None


ObservationId = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
"""`id` of the observation that the eid belongs to, by default the newest observation."""


class Look(Body):
    mode: Literal["main", "focused"] = "main"
    target: Eid | None = None
    """The element that mode `focused` observes in detail."""
    observation: ObservationId | None = None


class Click(Body):
    eid: Eid
    observation: ObservationId | None = None
    confirmed: bool = False


class Type(Body):
    eid: Eid
    observation: ObservationId | None = None
    text: Annotated[Text, Field(max_length=10_000)]
    submit: bool = False
    confirmed: bool = False


class Scroll(Body):
    direction: Literal["up", "down", "left", "right"] = "down"
    amount: Annotated[int, Field(ge=1, le=20_000)] = 600


class Wait(Body):
    ms: Annotated[int, Field(ge=0, le=30_000)] = 1000


async def free_browser(session_id: str, runtime: Runtime) -> Browser:
    """The session's browser. Raises Conflict while a run acts with it or the user has taken it over."""
    await runtime.store.session(session_id)
    if await runtime.commands.is_acting(session_id):
        raise Conflict(sentence("agent.at_work"), code="run_in_progress")
    if runtime.browsers.live(session_id).is_held:
        raise Conflict(sentence("takeover.held"), code="takeover_held")
    return await runtime.browsers.get(session_id)


def observation_json(look: ByHand) -> JsonObject:
    observation = look.observation
    notes = [parts_of(note) for note in observation.notes]
    shown = observation.model_dump(mode="json") | {"notes_parts": notes, "text": observation.text()}
    return {"id": look.id, **shown}


@router.post("/leave", status_code=204, include_in_schema=False)
async def leave(session_id: SessionId, runtime: RuntimeDep) -> Response:
    """For the other processes: close the session's browser here. Raises Conflict while a run is executed with it."""
    if session_id in runtime.executor.executions:
        raise Conflict(sentence("browser.in_use"), code="run_in_progress")
    await runtime.cluster.leave_browser(session_id)
    return Response(status_code=204)


@router.post("/surroundings", status_code=204, include_in_schema=False)
async def renew_surroundings(session_id: SessionId, runtime: RuntimeDep) -> Response:
    """For the other processes: use what the person has changed."""
    await runtime.browsers.renew_surroundings(session_id)
    return Response(status_code=204)


@router.post("/launch")
async def launch(session_id: SessionId, runtime: RuntimeDep, body: Launch | None = None) -> Outcome:
    browser = await free_browser(session_id, runtime)
    runtime.by_hand.pop(session_id, None)
    url = body.url if body else None
    outcome = await browser.navigate(url or "about:blank")
    return _reported(outcome)


@router.post("/observe")
async def observe(session_id: SessionId, runtime: RuntimeDep, body: Look | None = None) -> JsonObject:
    browser = await free_browser(session_id, runtime)
    if body is None or body.mode == "main":
        observation = await browser.observe()
    elif body.target:
        element, _ = element_of(session_id, body.target, body.observation, runtime)
        observation = await browser.focus(element)
    else:
        raise BadRequest(sentence("element.not_said"), code="no_target")
    note_private(session_id, observation, runtime)
    look = runtime.by_hand[session_id] = ByHand(observation, secrets.token_hex(8))
    return observation_json(look)


def note_private(session_id: str, observation: Observation, runtime: Runtime) -> None:
    """A login by commands is private for the agent, too."""
    runtime.executor.private_sites(session_id).add(private_sites([], observation))


def element_of(
    session_id: str, eid: str, observation_id: str | None, runtime: Runtime
) -> tuple[Element, ByHand]:
    """The element and its observation. Raises NotFound unless the eid is of the newest observation."""
    look = runtime.by_hand.get(session_id)
    element = look.observation.find(eid) if look else None
    if look is None or element is None or observation_id not in (None, look.id):
        raise NotFound(sentence("element.unknown", eid=eid), code="eid_unknown")
    return element, look


async def approved_element(
    session_id: str, action: Action, body: Click | Type, browser: Browser, runtime: Runtime
) -> tuple[Element, ActTerms]:
    """The element of `body` on the current page, and the terms on which the policy allows the action.

    Raises NotFound if the page or the element has changed since, and the errors of `judge_by_hand`.
    """
    element, look = element_of(session_id, body.eid, body.observation, runtime)
    now = await browser.observe([element.ref])
    note_private(session_id, now, runtime)
    shown = aim(action, look.observation)
    renewed = retarget(shown, now)
    current = aim(renewed, now) if renewed else None
    found = current.target if current else None
    has_left = look.observation.page.url != now.page.url
    is_asked = body.confirmed and bool(look.held)  # the page may show that it waits
    if current is None or found is None or has_left or not (is_asked or is_unchanged(element, found)):
        runtime.by_hand.pop(session_id, None)
        raise NotFound(sentence("element.changed", eid=body.eid), code="eid_unknown")
    return found, await judge_by_hand(
        look, shown, current, runtime.current_settings, confirmed=body.confirmed
    )


async def perform(
    session_id: str,
    look: ByHand,
    browser: Browser,
    terms: ActTerms,
    act: Awaitable[ToolOutcome],
    runtime: Runtime,
) -> Outcome:
    """Perform a command on its terms. Raises Conflict if it was about to send what has to be confirmed."""
    with browser.under(terms):
        outcome = await act
    if held := browser.held():
        runtime.by_hand[session_id] = replace(look, held=held)
        raise Conflict(sentence("command.would_send", requests=named(held)), code="confirmation_required")
    return _reported(outcome)


def _reported(outcome: ToolOutcome) -> Outcome:
    return Outcome(
        ok=outcome.ok, text=outcome.text, text_parts=parts_of(outcome.text), url=outcome.url, title=outcome.title,
        notes=list(outcome.notes), notes_parts=[parts_of(note) for note in outcome.notes],
    )  # fmt: skip


@router.post("/click")
async def click(session_id: SessionId, body: Click, runtime: RuntimeDep) -> Outcome:
    browser = await free_browser(session_id, runtime)
    element, terms = await approved_element(session_id, ClickAction(eid=body.eid), body, browser, runtime)
    look = runtime.by_hand.pop(session_id)
    return await perform(session_id, look, browser, terms, browser.click(element), runtime)


@router.post("/type")
async def type_text(session_id: SessionId, body: Type, runtime: RuntimeDep) -> Outcome:
    browser = await free_browser(session_id, runtime)
    action = TypeAction(fields=(FieldText(eid=body.eid, text=body.text),), submit=body.submit)
    element, terms = await approved_element(session_id, action, body, browser, runtime)
    typing = browser.type([TypedField(element, body.text)], submit=body.submit)
    return await perform(session_id, runtime.by_hand[session_id], browser, terms, typing, runtime)


@router.post("/scroll")
async def scroll(session_id: SessionId, runtime: RuntimeDep, body: Scroll | None = None) -> Outcome:
    browser = await free_browser(session_id, runtime)
    body = body or Scroll()
    return _reported(await browser.scroll(body.direction, body.amount))


@router.post("/wait")
async def wait(session_id: SessionId, runtime: RuntimeDep, body: Wait | None = None) -> Outcome:
    browser = await free_browser(session_id, runtime)
    return _reported(await browser.wait((body or Wait()).ms))


@router.post("/screenshot")
async def screenshot(session_id: SessionId, runtime: RuntimeDep) -> Picture:
    browser = await free_browser(session_id, runtime)
    picture = await browser.screenshot()
    if picture is None:
        return Picture(ok=False, screenshot=None)
    address = await runtime.screenshots.keep(session_id, picture.data, picture.mime)
    return Picture(ok=True, screenshot=address)
