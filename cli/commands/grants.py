"""`/grants` and `/revoke`."""

from __future__ import annotations

from datetime import datetime

from cli.commands.syntax import Call
from cli.conversation import Conversation
from cli.screen import tables
from cli.words import t


async def show_all(conversation: Conversation, call: Call) -> None:
    conversation.screen.print(
        tables.GrantList(await conversation.client.grants(), datetime.now().astimezone())
    )


async def revoke(conversation: Conversation, call: Call) -> None:
    grant = await conversation.client.find_grant(call.text("id"))
    await conversation.client.call("DELETE", f"/grants/{grant['id']}")
    conversation.note(t("Taken back: {kind} on {site}", kind=grant["kind"], site=grant["site"]))
