"""`/schedule`, `/automations` and `/automation`."""

from __future__ import annotations

from datetime import datetime

from cli.client.api_types import Automation
from cli.client.client import Client
from cli.commands.schedule import SETTINGS, local_zone, read_schedule
from cli.commands.syntax import Call
from cli.conversation import Conversation
from cli.screen import tables
from cli.words import t


async def show_all(conversation: Conversation, call: Call) -> None:
    now = datetime.now().astimezone()
    conversation.screen.print(tables.AutomationList(await conversation.client.automations(), now))


async def add(conversation: Conversation, call: Call) -> None:
    now = datetime.now().astimezone()
    body: dict[str, object] = {**read_schedule(call.text("text"), now, local_zone())}
    if conversation.session_id:
        body["created_from"] = conversation.session_id
    if conversation.asked_table:
        body["result_schema"] = conversation.asked_table
    made: Automation = await conversation.client.call("POST", "/automations", body)
    conversation.asked_table = None
    conversation.screen.print(tables.AutomationList([made], now))


async def change(conversation: Conversation, call: Call) -> None:
    """Run, pause, resume, delete or set the automation, or show its log."""
    client, what = conversation.client, call.text("what")
    automation = await client.find_automation(call.text("id"))
    if what == "log":
        conversation.screen.print(tables.FiringLog(await client.firings(automation["id"])))
    else:
        conversation.note(await _change(client, automation, what))


async def _change(client: Client, automation: Automation, what: str) -> str:
    """Returns what was done, in words."""
    path, name = f"/automations/{automation['id']}", automation["name"]
    if what == "run":
        firing = await client.call("POST", f"{path}/run")
        return f"{name}: {tables.outcome_words(firing['outcome'])}"
    if what == "delete":
        await client.call("DELETE", path)
        return t("Deleted: {name}", name=name)
    if what in SETTINGS:
        field, is_on, text = SETTINGS[what]
        await client.call("PATCH", path, {field: is_on})
        return f"{name}: {t(text)}"
    is_resumed = what == "resume"
    await client.call("PATCH", path, {"enabled": is_resumed})
    return t("Resumed: {name}" if is_resumed else "Paused: {name}", name=name)
