"""Middleware that gates the assistant's tool calls and asks the user by interrupt."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AnyMessage, ToolMessage
from langgraph.runtime import get_runtime
from langgraph.types import Command, interrupt

from server.agent.actions import AimedAction, CallToolAction, ToolAction, aim
from server.agent.assistant.proof import LED_ON
from server.agent.assistant.tool_actions import LOOKS_AT_PAGE, read_call, refs_of
from server.agent.context import RunContext
from server.agent.gate.approval import approval_digest, confirm_question
from server.agent.gate.gate import MAX_ASKS, REFUSED_BEFORE, Gate
from server.agent.gate.grantable import scopes_of, sure_amount
from server.agent.gate.holding import (
    agreed_terms,
    judge_held,
    question_about,
    refused_line,
    terms_of,
)
from server.agent.gate.logins import LOGIN_ALLOWED, count_login, is_of_login
from server.agent.gate.masking import SECRETS, secrets_of
from server.agent.gate.page_facts import focused_element
from server.agent.gate.rulings import publish_ruling, ruling_of
from server.agent.gate.shown_page import ShownPage
from server.agent.gate.taint import (
    LEAK,
    TAKEOVER,
    carries_private_words,
    count_arguments,
    count_bits,
    gives_private_words,
    private_sites,
    remembering,
)
from server.agent.gate.tool_calls import call_of, find_tool, judge_call
from server.agent.operator.ask.answers import is_refusal
from server.agent.policy import Judgement, Verdict
from server.agent.trail import JUDGED, JudgedAct
from server.browser.browser import BROWSER, ToolSpec
from server.browser.mcp.tool_schema import find_fault
from server.browser.observation import NOTHING, Observation, Page
from server.browser.outgoing.held import ActTerms, HeldRequest, named
from server.clock import steady_time
from server.events import Answer, ConfirmQuestion, ManualQuestion, now
from server.ops.json_types import JsonObject

_UNSEEN_TARGET = Judgement(Verdict.ASK, "acts on something that cannot be seen on the page", "unknown")
_FOREIGN = Judgement(Verdict.ASK, "uses a tool that may change something", "tool")

_SEEN_AGAIN = ("truncated,", "console:", "HTTP status:", "Page status:", "open now:", NOTHING)
"""Prefixes of notes that every observation repeats."""

_GATE, _DENIED, _WORDS_MARK = "gate", "denied", "words"
"""Marks of a tool result: whether the user was asked, the digest of what they refused, and what they said to it."""
_ASKED_MARK, _PAUSED_MARK = "asked", "paused"
_MAX_WAITING = 200
JUDGED_TOOL: ContextVar[ToolSpec] = ContextVar("called")
"""Another server's tool as the gate has judged it, for the call that follows."""
_Handler = Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
_DO_OTHERWISE = "Do not try it again: do otherwise, or finish and say that it was refused."


class GateMiddleware(AgentMiddleware[AgentState[Any], RunContext]):
    """Asks by interrupt. A refused call is an error for the model. `Turns` ensures one call at a time."""

    def __init__(self, gate: Gate, specs: Sequence[ToolSpec], *, timeout: float) -> None:
        super().__init__()
        self._gate = gate
        self._specs = {spec.name: spec for spec in specs}
        self._timeout = timeout
        self._waiting: dict[tuple[str, str], _HeldCall] = {}
        """By run and call: what is asked about. An interrupt makes the call again from the top."""

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: _Handler,
    ) -> ToolMessage | Command[Any]:
        call = request.tool_call
        spec = self._specs.get(call["name"])
        if spec is None or (spec.server == BROWSER and not spec.acts):
            return await handler(request)
        context = get_runtime(RunContext).context
        call_id = _id_of(request)
        if waiting := self._waiting.get((context.run_id, call_id)):
            for _ in range(waiting.interrupts):  # in order: those that were answered before
                interrupt(None)
            return await self._ask_about_held(waiting, request, handler, context)
        fault = find_fault(spec, call["args"])
        if spec.server != BROWSER:
            found = find_tool(await context.tools.offered(), spec.name, call["args"])
            spec, fault = found.spec or spec, found.problem
        if fault:  # do not ask the user about an impossible call
            return _not_made(request, fault)
        memory = {**request.state, "notes": ()}
        ruling = await self._rule(spec, call["args"], call_id, memory)
        if ruling.refusal is None:
            state = {**request.state, SECRETS: ruling.secrets, JUDGED: ruling.judged}
            called = request.override(state=state)
            if spec.server == BROWSER and ruling.judged:
                return await self._act(called, handler, ruling, memory["notes"], context)
            JUDGED_TOOL.set(spec)
            result = await handler(called)
            if spec.server != BROWSER and isinstance(result, ToolMessage) and result.status != "error":
                ruling = replace(ruling, marks={**ruling.marks, LED_ON: "yes"})
        else:
            result = _not_made(request, ruling.refusal)
        return _annotated(result, ruling, memory["notes"])

    async def _act(
        self,
        request: ToolCallRequest,
        handler: _Handler,
        ruling: _Ruling,
        notes: Sequence[str],
        context: RunContext,
    ) -> ToolMessage | Command[Any]:
        """Make the call on the terms of the ruling, and ask about what it was about to send."""
        assert ruling.judged is not None
        judged = ruling.judged
        is_approved = ruling.marks.get(_GATE) == _ASKED_MARK
        kinds = judged.ruling.approved_kinds(is_approved=is_approved)
        terms = terms_of(
            judged.aimed, kinds, context.private.sites, by_grant=not is_approved,
            is_doubted=judged.ruling.is_doubted,
        )  # fmt: skip
        browser = await context.browser()
        with browser.under(terms):
            result = _annotated(await handler(request), ruling, notes)
        if not (held := browser.held()):
            return result
        waiting = _HeldCall(judged, held, terms, ruling.interrupts)
        self._waiting[context.run_id, _id_of(request)] = waiting
        if len(self._waiting) > _MAX_WAITING:  # of runs that were cancelled
            del self._waiting[next(iter(self._waiting))]
        return await self._ask_about_held(waiting, request, handler, context)

    async def _ask_about_held(
        self, waiting: _HeldCall, request: ToolCallRequest, handler: _Handler, context: RunContext
    ) -> ToolMessage | Command[Any]:
        """Called again after each interrupt: `waiting` is then as it was."""
        held, tool = waiting.held, request.tool_call["name"]
        key, browser = (context.run_id, _id_of(request)), await context.browser()
        judgement = judge_held(held, await context.grants.held(), now())
        covered = bool(judgement.uses) and await context.grants.use(judgement.uses, tool)
        judgement = judgement if covered else replace(judgement, uses=())
        marks: dict[str, str] = {}
        if not covered:
            refusal = await self._refusal_of_held(waiting, judgement, request, context)
            if refusal is not None:
                self._waiting.pop(key, None)
                await browser.refuse_held()
                return _annotated(_not_made(request, refusal.refusal or ""), refusal, ())
            marks = {_GATE: _ASKED_MARK}
        judged = replace(waiting.judged, ruling=ruling_of(judgement))
        if any(one.is_further for one in held) and not await browser.held_waits():
            self._waiting.pop(key, None)
            text = f"Not sent: {named(held)}. A part of this act was sent before, so it is not done again: look at the page."
            return _not_made(request, text)
        terms = agreed_terms(held, waiting.terms)
        with browser.under(terms):
            result = await handler(request.override(state={**request.state, JUDGED: judged}))
        self._waiting.pop(key, None)
        if further := browser.held():
            more = _HeldCall(judged, further, terms, waiting.interrupts + (not covered))
            self._waiting[key] = more
            return await self._ask_about_held(more, request, handler, context)
        return _annotated(result, _Ruling(None, marks), ())

    async def _refusal_of_held(
        self, waiting: _HeldCall, judgement: Judgement, request: ToolCallRequest, context: RunContext
    ) -> _Ruling | None:
        """None after a yes."""
        call, held, messages = request.tool_call, waiting.held, request.state["messages"]
        call_id = call["id"] or call["name"]
        if any(one.shape in _denied_acts(messages) for one in held):
            return _Ruling(f"Not done, and not asked about again: {refused_line(held)}. {_DO_OTHERWISE}")
        asks = _count_asks(messages)
        if asks >= MAX_ASKS:
            return _ask_how_to_go_on(call_id, asks)
        if waiting.question is None:
            await publish_ruling(call_id, waiting.judged.aimed, judgement)
            plain = await self._question(context, waiting.judged.aimed, judgement, call_id)
            mark = sha256("".join(one.binding for one in held).encode()).hexdigest()[:16]
            waiting.question = question_about(plain, held, f"{call_id}:sends:{mark}")
        answer = Answer.model_validate(interrupt(waiting.question.to_json()))
        if answer.reference != waiting.question.reference or answer.expired:
            return _Ruling(
                f"Not done: nobody has agreed in time. {refused_line(held)}.", {_GATE: _ASKED_MARK}
            )
        if answer.confirmed:
            return None
        refusal = _refused(answer, held[0].shape)
        return replace(refusal, refusal=f"{refusal.refusal} ({refused_line(held)})")

    async def _rule(self, spec: ToolSpec, args: JsonObject, call_id: str, memory: JsonObject) -> _Ruling:
        """Decide on the call. `memory` is the agent's state; data of the current page is added to it.

        An interrupt runs this again from the top, so each round observes the page again: a yes counts only
        for the page it was given for, and a changed page needs a new question.
        """
        context = get_runtime(RunContext).context
        asks, denied = _count_asks(memory["messages"]), _denied_acts(memory["messages"])
        answered = 0
        for _ in range(MAX_ASKS):
            observation = await self._observation(context, spec, args)
            action = (
                read_call(spec.name, args, observation) if spec.server == BROWSER else call_of(spec, args)
            )
            memory |= remembering(memory, context.private)
            memory["private_sites"] = private_sites(memory["private_sites"], observation)
            context.private.add(memory["private_sites"])
            memory["notes"] = observation.notes
            aimed = aim(action or ToolAction(tool=spec.name, args=args), observation)
            judgement = await self._judge(spec, args, aimed, context, memory)
            secrets, judged = secrets_of(aimed), JudgedAct(_focused(aimed), ruling_of(judgement))
            digest = approval_digest(context.run_id, aimed)
            if judgement.verdict is Verdict.ASK and digest in denied:
                ruled = replace(judgement, verdict=Verdict.DENY, reason=REFUSED_BEFORE)
                await publish_ruling(call_id, aimed, ruled)
                return _Ruling(f"Not done, and not asked about again: {_DO_OTHERWISE}")
            await publish_ruling(call_id, aimed, judgement)
            if judgement.verdict is not Verdict.ASK:
                if judgement.uses and not await context.grants.use(judgement.uses, spec.name):
                    continue  # used up or taken back since it was read
                if judgement.verdict is Verdict.ALLOW:
                    self._count(spec, args, aimed, context, memory, approved=False)
                refusal = None if judgement.verdict is Verdict.ALLOW else f"Not allowed: {judgement.reason}."
                return _Ruling(refusal, secrets=secrets, judged=judged, interrupts=answered)
            if asks >= MAX_ASKS:
                return _ask_how_to_go_on(call_id, asks)
            question = await self._question(context, aimed, judgement, call_id)
            answer = Answer.model_validate(interrupt(question.to_json()))
            answered += 1
            if answer.reference != question.reference or answer.expired:
                continue
            if not answer.confirmed:
                return _refused(answer, digest)
            self._count(spec, args, aimed, context, memory, approved=True)
            return _Ruling(None, {_GATE: _ASKED_MARK}, secrets, judged, answered)
        return _Ruling("Not done: the page changed after every approval.", {_GATE: _ASKED_MARK})

    async def _judge(
        self,
        spec: ToolSpec,
        args: JsonObject,
        aimed: AimedAction,
        context: RunContext,
        memory: JsonObject,
    ) -> Judgement:
        if isinstance(aimed.action, CallToolAction):
            known = self._results_of(spec.server, memory["messages"])
            leaks = gives_private_words(args, memory, spec.server, known)
            return judge_call(aimed.action, spec, await context.grants.held(), leaks=leaks)
        if isinstance(aimed.action, ToolAction):
            return _UNSEEN_TARGET if spec.name in LOOKS_AT_PAGE else _FOREIGN
        leak = LEAK if carries_private_words(_focused(aimed), memory) else None
        judgement = self._gate.judge(aimed, also=leak)
        if leak is None and is_of_login(aimed, judgement, context.logins):
            return LOGIN_ALLOWED
        if judgement.verdict is not Verdict.ASK:
            return judgement
        return self._gate.judge(aimed, grants=await context.grants.held(), also=leak)

    def _count(
        self,
        spec: ToolSpec,
        args: JsonObject,
        aimed: AimedAction,
        context: RunContext,
        memory: JsonObject,
        *,
        approved: bool,
    ) -> None:
        if isinstance(aimed.action, CallToolAction):
            known = self._results_of(spec.server, memory["messages"])
            count_arguments(args, memory, spec.server, known, context.private, approved=approved)
        elif not isinstance(aimed.action, ToolAction):
            count_login(aimed, context.logins, approved=approved)
            count_bits(_focused(aimed), memory, context.private, approved=approved)

    def _results_of(self, server: str, messages: Sequence[AnyMessage]) -> list[str]:
        """The texts of the server's own results."""
        names = {spec.name for spec in self._specs.values() if spec.server == server}
        return [m.text for m in messages if isinstance(m, ToolMessage) and m.name in names]

    async def _observation(self, context: RunContext, spec: ToolSpec, args: JsonObject) -> Observation:
        """The page that the call is judged by. A tool of another server starts no browser."""
        if spec.server == BROWSER and spec.name in LOOKS_AT_PAGE:
            return await (await context.browser()).observe(refs_of(args))
        return Observation(page=Page(url="", title=""))

    async def _question(
        self,
        context: RunContext,
        aimed: AimedAction,
        judgement: Judgement,
        call_id: str,
    ) -> ConfirmQuestion:
        is_of_page = context.has_browser() and not isinstance(aimed.action, CallToolAction)
        picture = await (await context.browser()).screenshot() if is_of_page else None
        screenshot = await context.keep(picture) if picture else None
        size = (picture.width, picture.height) if picture else None
        question = confirm_question(
            replace(aimed, action=aimed.action.model_copy(update={"id": call_id})),
            ShownPage(aimed.observation, screenshot, size),
            run_id=context.run_id, reason=judgement.reason, risk=judgement.kind,
            asked_at=steady_time(), timeout=context.patience or self._timeout, spends=sure_amount(aimed), scopes=scopes_of(judgement, aimed),
        )  # fmt: skip
        return question.model_copy(update={"reference": f"{call_id}:{question.digest[:16]}"})


def _focused(aimed: AimedAction) -> AimedAction:
    """The action with the element that the page reports as focused, where its keys go."""
    observation = aimed.observation
    return aim(aimed.action, observation, focused_element(observation))


@dataclass(frozen=True, slots=True)
class _Ruling:
    """`refusal` is the result for the model instead of a call; `marks` are kept with the result, see `_GATE`.

    `secrets` are the call's texts that must not be shown.
    """

    refusal: str | None
    marks: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    judged: JudgedAct | None = None
    interrupts: int = 0
    """How many questions were asked on the way to it, at most."""


@dataclass(slots=True)
class _HeldCall:
    """A call that was about to send something it was not approved for."""

    judged: JudgedAct
    held: tuple[HeldRequest, ...]
    terms: ActTerms
    interrupts: int
    """Questions of this call that were answered before."""
    question: ConfirmQuestion | None = None


def _refused(answer: Answer, digest: str) -> _Ruling:
    """The user's no, with their words if they gave any. Words that do not refuse leave it open."""
    words = answer.message.strip()
    if not is_refusal(answer):
        return _Ruling(
            f'Not done: the person has not agreed yet and said: "{words}".',
            {_GATE: _ASKED_MARK, _WORDS_MARK: words},
        )
    said = f' and said: "{words}"' if words else ""
    marks = {_GATE: _ASKED_MARK, _DENIED: digest} | ({_WORDS_MARK: words} if words else {})
    return _Ruling(f"Not done: the person refused this{said}. {_DO_OTHERWISE}", marks)


def _denied_acts(messages: Sequence[AnyMessage]) -> set[str]:
    """Digests of the acts that the user refused, since their last words: a message or words with an answer."""
    denied: set[str] = set()
    for message in reversed(messages):
        marks = message.additional_kwargs
        if (message.type == "human" and TAKEOVER not in marks) or marks.get(_GATE) == _PAUSED_MARK:
            break
        if digest := marks.get(_DENIED):
            denied.add(digest)
        if _WORDS_MARK in marks:
            break
    return denied


def _ask_how_to_go_on(call_id: str, asks: int) -> _Ruling:
    """Ask the user how to continue: after so many questions a yes may be given without reading."""
    text = f"I have asked for your approval {asks} times in this task. How shall I go on?"
    question = ManualQuestion(reference=f"{call_id}:pause", reason=text, wants="answer")
    answer = Answer.model_validate(interrupt(question.to_json()))
    said = answer.for_agent or "go on"
    return _Ruling(f"Not done. The person was asked how to go on and said: {said}", {_GATE: _PAUSED_MARK})


def _count_asks(messages: Sequence[AnyMessage]) -> int:
    """Questions asked since the user's last message, the last pause, or the last approved act that led on."""
    asks = 0
    for message in reversed(messages):
        mark = message.additional_kwargs.get(_GATE)
        if message.type == "human" or mark == _PAUSED_MARK or message.additional_kwargs.get(LED_ON):
            break
        asks += mark == _ASKED_MARK
    return asks


def _id_of(request: ToolCallRequest) -> str:
    return request.tool_call["id"] or request.tool_call["name"]


def _not_made(request: ToolCallRequest, why: str) -> ToolMessage:
    call = request.tool_call
    return ToolMessage(why, tool_call_id=call["id"] or "", name=call["name"], status="error")


def _annotated(
    result: ToolMessage | Command[Any], ruling: _Ruling, notes: Sequence[str]
) -> ToolMessage | Command[Any]:
    """Add the gate's marks, and prepend the notes of the observation before the call.

    The notes are added because a browser reports a restart only once.
    """
    if not isinstance(result, ToolMessage):
        return result
    update: JsonObject = {}
    if ruling.marks:
        update["additional_kwargs"] = {**result.additional_kwargs, **ruling.marks}
    if isinstance(text := result.content, str):
        new_notes = [note for note in notes if not note.startswith(_SEEN_AGAIN) and note not in text]
        update["content"] = "\n".join([*new_notes, text])
    return result.model_copy(update=update)
