"""`/devices` and `/sign-out`."""

from __future__ import annotations

from datetime import datetime

from cli.commands.syntax import Call
from cli.conversation import Conversation
from cli.screen import tables
from cli.words import t


async def show_all(conversation: Conversation, call: Call) -> None:
    conversation.screen.print(
        tables.DeviceList(await conversation.client.devices(), datetime.now().astimezone())
    )


async def end(conversation: Conversation, call: Call) -> None:
    device = await conversation.client.find_device(call.text("id"))
    await conversation.client.call("DELETE", f"/auth/devices/{device['id']}")
    conversation.note(t("Logged out: {device}", device=device["browser"] or device["address"]))
