"""What the assistant's models read of the person's knowledge, and its tool that proposes to remember something."""

from __future__ import annotations

from collections.abc import Sequence

from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AnyMessage, SystemMessage, ToolMessage
from langgraph.runtime import get_runtime

from server.agent.context import RunContext
from server.agent.middleware import CallModel, CallTool, Middleware, Request, Response, ToolResult
from server.agent.today import with_today
from server.browser.browser import ToolSpec
from server.browser.fence import SHOWS_PAGE

PROPOSE_NOTES = ToolSpec(
    "propose_notes",
    "Next to your last call: at most 2 short facts on how this site works, found by acting, of use in later tasks.",
    {
        "type": "object",
        "properties": {"notes": {"type": "array", "items": {"type": "string"}}},
        "required": ["notes"],
    },
    acts=False,
)
PROPOSED = "The person decides."


class PersonsKnowledge(Middleware):
    """Adds it to each call, and keeps it out of the state. A proposal is no step: the person sees it if the rules allow it."""

    async def awrap_model_call(self, request: Request, handler: CallModel) -> Response:
        read = next((one.text for one in reversed(request.messages) if isinstance(one, ToolMessage)), "")
        known = await request.runtime.context.knowledge.known(address_in(request.messages), read)
        if known.instructions:
            rules = request.system_message.text if request.system_message else ""
            request = request.override(system_message=SystemMessage(f"{rules}\n{known.instructions}"))
        if known.notes:
            request = request.override(messages=with_today(request.messages, known.notes))
        return await handler(request)

    async def awrap_tool_call(self, request: ToolCallRequest, handler: CallTool) -> ToolResult:
        call = request.tool_call
        if call["name"] != PROPOSE_NOTES.name:
            return await handler(request)
        notes = call["args"].get("notes")
        texts = [text for text in notes if isinstance(text, str)] if isinstance(notes, list) else []
        knowledge = get_runtime(RunContext).context.knowledge
        await knowledge.propose(address_in(request.state["messages"]), texts)
        return ToolMessage(PROPOSED, tool_call_id=call["id"] or "", name=call["name"])


def address_in(messages: Sequence[AnyMessage]) -> str:
    """Of the newest page that a tool has shown; "" if none has."""
    shown = (SHOWS_PAGE.search(one.text) for one in reversed(messages) if isinstance(one, ToolMessage))
    return next((page[1] for page in shown if page), "")
