"""Commands that use the session's browser without the agent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cli.client.open_types import CommandResult, Page
from cli.commands.syntax import Call
from cli.conversation import Conversation
from cli.errors import ServerRefused, UsageError
from cli.screen import tables
from cli.words import t


async def observe(conversation: Conversation, call: Call) -> None:
    page: Page = await _execute(conversation, call)
    conversation.elements, conversation.observation = page["interactive"], page.get("id")
    conversation.screen.print(tables.observation(page))
    await conversation.show_picture(page.get("screenshot"))


async def act(conversation: Conversation, call: Call) -> None:
    result: CommandResult = await _execute(conversation, call)
    shown = {name: value for name, value in call.args.items() if name not in ("text", "confirmed")}
    conversation.screen.print(tables.outcome(call.name, shown, result, conversation.client.address))
    await conversation.show_picture(result.get("screenshot"))


async def decide(conversation: Conversation, *, is_yes: bool) -> None:
    """Answer the confirmation that the policy requires for the user's own command."""
    call, conversation.unconfirmed = conversation.unconfirmed, None
    if call is None:
        raise UsageError(t("Nothing is waiting for an answer."))
    if is_yes:
        await conversation.do(replace(call, args={**call.args, "confirmed": True}))
    else:
        conversation.note(t("Left as it is."))


async def _execute(conversation: Conversation, call: Call) -> Any:
    conversation.unconfirmed, args = None, call.args
    if "eid" in args and conversation.observation is not None:
        args = {**args, "observation": conversation.observation}
    try:
        return await conversation.client.browse(await conversation.require_session(), call.name, args)
    except ServerRefused as error:
        if error.code != "confirmation_required":
            raise
        conversation.unconfirmed = call
        raise UsageError(t("{what}: /yes does it, /no leaves it.", what=error.detail)) from None
