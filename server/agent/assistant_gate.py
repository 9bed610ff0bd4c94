"""The gate around the assistant's tool calls: a middleware that asks by interrupt."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired
from weakref import WeakValueDictionary

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AnyMessage, ToolMessage
from langgraph.runtime import get_runtime
from langgraph.types import Command, interrupt

from server.agent.approval import (
    SECRETS,
    Action,
    Sight,
    confirm_question,
    place_of,
    secrets_of,
    site_of,
    targets_of,
)
from server.agent.context import Grants, RunContext
from server.agent.gate import MOST_ASKS, Gate
from server.agent.policy import Judgement, Verdict
from server.agent.taint import LEAK, carries_private_words, private_sites
from server.agent.tool_actions import LOOKS_AT_PAGE, read_call
from server.browser.browser import Browser, ToolSpec
from server.browser.observation import NOTHING, Observation, Page

_UNSEEN = Judgement(Verdict.ASK, "acts on something that cannot be seen on the page", "unknown")
_FOREIGN = Judgement(Verdict.ASK, "uses a tool that may change something", "tool")

_SEEN_AGAIN = ("truncated,", "console:", "HTTP status:", "Page status:", "open now:", NOTHING)
"""Beginnings of notes that every look at the page brings."""

_ASKED, _PAUSED = "asked", "paused"


def _joined(known: list[str], more: list[str]) -> list[str]:
    return list(dict.fromkeys([*known, *more]))


class GateState(AgentState[Any]):
    private_sites: NotRequired[Annotated[list[str], _joined]]
    """Sites where something private was seen."""


class GateMiddleware(AgentMiddleware[GateState, RunContext]):
    """Asks by interrupt; what it refuses is an error for the model."""

    def __init__(self, gate: Gate, specs: Sequence[ToolSpec], *, timeout: float) -> None:
        super().__init__()
        self.state_schema = GateState
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._gate = gate
        self._specs = {spec.name: spec for spec in specs}
        self._timeout = timeout

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        call = request.tool_call
        spec = self._specs.get(call["name"])
        if spec is None or not spec.acts:
            return await handler(request)
        # Of several calls at once each is judged by the page that the one before it left.
        async with self._turns.setdefault(get_runtime(RunContext).context.session_id, asyncio.Lock()):
            memory = {"private_sites": [], **request.state}
            ruling = await self._rule(spec, call["args"], call["id"] or call["name"], memory)
            if ruling.refusal is None:
                state = {**request.state, SECRETS: ruling.secrets}
                result = await handler(request.override(state=state))
            else:
                result = ToolMessage(
                    ruling.refusal, tool_call_id=call["id"] or "", name=call["name"], status="error"
                )
        result = _noted(_marked(result, ruling.mark), memory.get("notes", ()))
        return _remembering(result, memory["private_sites"])

    async def _rule(
        self, spec: ToolSpec, args: dict[str, Any], call_id: str, memory: dict[str, Any]
    ) -> _Ruling:
        """May the call be made? `memory` is the agent's state; private sites that are seen are added to it.

        An interrupt runs this again from the top, so each round looks at the page anew: a yes counts only for
        the page it was given for, and a changed page is asked about again.
        """
        context, asks = get_runtime(RunContext).context, _count_asks(memory["messages"])
        for _ in range(MOST_ASKS):
            browser = await context.browser()
            observation = await self._observation(browser, spec.name)
            action = read_call(spec.name, args, observation)
            memory["private_sites"] = private_sites(memory["private_sites"], observation)
            memory["notes"] = observation.notes
            judgement = self._judge(spec, action, observation, context.grants, memory)
            secrets = secrets_of(action, observation) if action else ()
            if judgement.verdict is not Verdict.ASK:
                refusal = None if judgement.verdict is Verdict.ALLOW else f"Not allowed: {judgement.reason}."
                return _Ruling(refusal, secrets=secrets)
            if asks >= MOST_ASKS:
                return _ask_how_to_go_on(call_id, asks)
            question = await self._question(
                context, action or _as_action(spec, args), observation, judgement, call_id
            )
            answer = interrupt(question)
            if answer.get("reference") != question["reference"] or answer.get("expired"):
                continue
            is_yes = answer.get("confirmed") is True
            refusal = None if is_yes else f"Not done: the person said no. {_words(answer)}".strip()
            return _Ruling(refusal, _ASKED, secrets)
        return _Ruling("Not done: the page changed after every approval.", _ASKED)

    def _judge(
        self,
        spec: ToolSpec,
        action: Action | None,
        observation: Observation,
        grants: Grants,
        memory: dict[str, Any],
    ) -> Judgement:
        if action is None:
            return _UNSEEN if spec.name in LOOKS_AT_PAGE else _FOREIGN
        judgement = self._gate.judge(action, observation, grants=grants)
        if judgement.verdict is not Verdict.ALLOW or not carries_private_words(action, observation, memory):
            return judgement
        place = place_of(action, targets_of(action, observation), observation)
        return judgement if grants.allowed(site_of(place), LEAK.kind) else LEAK

    async def _observation(self, browser: Browser, tool: str) -> Observation:
        return await browser.observe() if tool in LOOKS_AT_PAGE else Observation(page=Page(url="", title=""))

    async def _question(
        self,
        context: RunContext,
        action: Action,
        observation: Observation,
        judgement: Judgement,
        call_id: str,
    ) -> dict[str, Any]:
        picture = await (await context.browser()).screenshot()
        screenshot = await context.keep(picture) if picture else None
        size = (picture.width, picture.height) if picture else None
        question = confirm_question(
            action | {"id": call_id}, targets_of(action, observation), Sight(observation, screenshot, size),
            run_id=context.run_id, reason=judgement.reason, risk=judgement.kind,
            asked_at=time.time(), timeout=self._timeout,
        )  # fmt: skip
        return question | {"reference": f"{call_id}:{question['digest'][:16]}"}


def _as_action(spec: ToolSpec, args: dict[str, Any]) -> Action:
    return {"kind": spec.name, **args}


@dataclass(frozen=True, slots=True)
class _Ruling:
    """`refusal` is what the model is told instead of a result; `mark` says whether the person was asked.

    `secrets` are the call's texts that nobody is shown.
    """

    refusal: str | None
    mark: str | None = None
    secrets: tuple[str, ...] = ()


def _ask_how_to_go_on(call_id: str, asks: int) -> _Ruling:
    """So many questions tire a person into yes: now they are asked what they want."""
    text = f"I have asked for your approval {asks} times in this task. How shall I go on?"
    answer = interrupt({"kind": "manual", "reference": f"{call_id}:pause", "reason": text, "text": text})
    return _Ruling(
        f"Not done. The person was asked how to go on and said: {_words(answer) or 'go on'}", _PAUSED
    )


def _count_asks(messages: Sequence[AnyMessage]) -> int:
    """Questions since the person last spoke."""
    asks = 0
    for message in reversed(messages):
        mark = message.additional_kwargs.get("gate")
        if message.type == "human" or mark == _PAUSED:
            break
        asks += mark == _ASKED
    return asks


def _marked(result: ToolMessage | Command[Any], mark: str | None) -> ToolMessage | Command[Any]:
    if mark is None or not isinstance(result, ToolMessage):
        return result
    return result.model_copy(update={"additional_kwargs": {**result.additional_kwargs, "gate": mark}})


def _noted(result: ToolMessage | Command[Any], notes: Sequence[str]) -> ToolMessage | Command[Any]:
    """With what the look before the call was told: a browser tells once that it was started again."""
    if not isinstance(result, ToolMessage) or not isinstance(result.content, str):
        return result
    news = [note for note in notes if not note.startswith(_SEEN_AGAIN) and note not in result.content]
    return result.model_copy(update={"content": "\n".join([*news, result.content])}) if news else result


def _remembering(result: ToolMessage | Command[Any], sites: list[str]) -> ToolMessage | Command[Any]:
    if not sites or not isinstance(result, ToolMessage):
        return result
    return Command(update={"messages": [result], "private_sites": sites})


def _words(answer: Any) -> str:
    return (
        str(answer.get("message") or answer.get("text") or "").strip()
        if isinstance(answer, dict)
        else str(answer)
    )
