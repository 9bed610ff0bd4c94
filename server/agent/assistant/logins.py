"""The assistant's tool `login`: as the operator's act, with the same rules, question and fill (`agent/stored_logins.py`)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from langchain.agents.middleware.types import ToolCallRequest
from langgraph.runtime import get_runtime
from langgraph.types import interrupt

from server.agent import stored_logins
from server.agent.actions import AimedAction, LoginAction, aim
from server.agent.assistant.knowledge import address_in
from server.agent.context import RunContext
from server.agent.gate.rulings import publish_ruling
from server.agent.gate.shown_page import ShownPage
from server.agent.middleware import CallModel, CallTool, Middleware, Request, Response, ToolResult, tool_error
from server.agent.stored_logins import PlannedLogin
from server.agent.today import with_today
from server.browser.browser import ToolOutcome, ToolSpec
from server.clock import steady_time
from server.events import Answer, LoginAnswer, LoginQuestion, ManualQuestion
from wording.catalogue import sentence

LOGIN_TOOL = ToolSpec(
    "login",
    "Have a stored login of the person typed into the form of a field; the person is asked. Then press its button.",
    {
        "type": "object",
        "properties": {
            "target": {"type": "string", "description": "A field of the form"},
            "login": {"type": "string", "description": "Which, such as L1"},
        },
        "required": ["target"],
    },
    acts=False,
)
_MAX_ASKED = 3
_MAX_CALLS_HELD = 200


@dataclass(frozen=True, slots=True)
class _Waiting:
    """What is asked about. An interrupt makes the call again from the top."""

    aimed: AimedAction
    planned: PlannedLogin
    question: LoginQuestion | None


class StoredLogins(Middleware):
    """Offers the tool where a stored login fits the page, and asks before it fills."""

    def __init__(self, *, timeout: float) -> None:
        super().__init__()
        self._timeout = timeout
        self._waiting: dict[tuple[str, str], _Waiting] = {}
        """By run and call."""

    async def awrap_model_call(self, request: Request, handler: CallModel) -> Response:
        context = request.runtime.context
        line = ""
        if context.has_browser() and await stored_logins.may_fit(context, address_in(request.messages)):
            line = await stored_logins.logins_here(context, await (await context.browser()).observe())
        if line:
            request = request.override(messages=with_today(request.messages, line))
        else:
            others = [one for one in request.tools if getattr(one, "name", "") != LOGIN_TOOL.name]
            request = request.override(tools=others)
        return await handler(request)

    async def awrap_tool_call(self, request: ToolCallRequest, handler: CallTool) -> ToolResult:
        call = request.tool_call
        if call["name"] != LOGIN_TOOL.name:
            return await handler(request)
        context = get_runtime(RunContext).context
        key = context.run_id, call["id"] or ""
        for _ in range(_MAX_ASKED):
            waiting = self._waiting.get(key) or await self._plan(request, context)
            if isinstance(waiting, str):
                return tool_error(call, waiting)
            if waiting.question is None:
                return await self._fill(waiting.aimed, waiting, request, handler, context)
            self._waiting[key] = waiting
            if len(self._waiting) > _MAX_CALLS_HELD:  # of runs that were cancelled
                del self._waiting[next(iter(self._waiting))]
            answer = Answer.model_validate(interrupt(waiting.question.to_json()))
            del self._waiting[key]
            if answer.reference != waiting.question.reference or answer.expired:
                continue
            return await self._answered(answer, waiting, request, handler, context)
        return tool_error(call, "Not done: the page changed after every answer.")

    async def _plan(self, request: ToolCallRequest, context: RunContext) -> _Waiting | str:
        """What to ask or fill; a text says why there is nothing. A form against the rules is left to the person."""
        args, call_id = request.tool_call["args"], request.tool_call["id"] or ""
        browser = await context.browser()
        page = await browser.observe([str(args.get("target"))])
        element = next((one for one in page.interactive if one.ref == str(args.get("target"))), None)
        if element is None:
            return "Not done: there is no such field on the page."
        action = LoginAction(id=call_id, eid=element.eid, login=str(args.get("login") or ""))
        aimed = aim(action, page)
        planned = await stored_logins.plan_login(context, aimed)
        if planned.rule:
            reason = sentence("speech.login", why=planned.problem)
            asked = ManualQuestion(
                reference=f"{call_id}:login", reason=reason, url=page.page.url, wants="step"
            )
            answer = Answer.model_validate(interrupt(asked.to_json()))
            return (
                f"Not filled: {planned.problem} The person was asked to log in: {answer.for_agent or 'done'}"
            )
        aimed = replace(aimed, action=stored_logins.with_form(action, planned))
        if stored_logins.is_covered(context, planned):
            return _Waiting(aimed, planned, None)
        await publish_ruling(call_id, aimed, stored_logins.MAY_ASK)
        picture = await browser.screenshot()
        address = await context.keep(picture) if picture else None
        size = (picture.width, picture.height) if picture else None
        question = stored_logins.login_question(
            aimed, planned, ShownPage(page, address, size), run_id=context.run_id,
            reference=f"{call_id}:{planned.form.token[:16]}", asked_at=steady_time(),
            timeout=context.patience or self._timeout,
        )  # fmt: skip
        return _Waiting(aimed, planned, question)

    async def _answered(
        self,
        answer: Answer,
        waiting: _Waiting,
        request: ToolCallRequest,
        handler: CallTool,
        context: RunContext,
    ) -> ToolResult:
        given = answer.login or LoginAnswer()
        if not answer.confirmed:
            by_hand = given.choice == "by_hand"
            said = answer.message.strip()
            who = (
                "the person logs in themselves: ask them to tell when it is done"
                if by_hand
                else "the person refused"
            )
            return tool_error(
                request.tool_call, f"Not done: {who}." + (f' They said: "{said}"' if said else "")
            )
        action = waiting.aimed.action
        assert isinstance(action, LoginAction)
        known = [one.id for one in waiting.planned.offers]
        chosen = action.model_copy(update={"login": given.id if given.id in known else known[0]})
        await stored_logins.allow(context, chosen, given.choice)
        return await self._fill(replace(waiting.aimed, action=chosen), waiting, request, handler, context)

    async def _fill(
        self,
        aimed: AimedAction,
        waiting: _Waiting,
        request: ToolCallRequest,
        handler: CallTool,
        context: RunContext,
    ) -> ToolResult:
        context.filled.next = aimed, waiting.question is not None
        return await handler(request)


async def fill_next(context: RunContext) -> ToolOutcome:
    """The call itself: fill what the person, or a grant, has allowed."""
    planned, context.filled.next = context.filled.next, None
    if planned is None:
        return ToolOutcome(False, stored_logins.refusal("not_allowed"))
    aimed, is_approved = planned
    outcome = await stored_logins.fill(context, await context.browser(), aimed, is_approved=is_approved)
    return replace(outcome, text="\n".join(filter(None, (outcome.text, *outcome.notes))))
