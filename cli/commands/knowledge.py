"""`/instructions` and `/notes`."""

from __future__ import annotations

from cli.client import api_types as api
from cli.commands.syntax import Call
from cli.conversation import Conversation
from cli.screen import tables
from cli.words import t

CLEAR = "-"


async def show_or_set_instructions(conversation: Conversation, call: Call) -> None:
    words = call.text("words")
    if words:
        text = "" if words == CLEAR else words
        given: api.Instructions = await conversation.client.call("PUT", "/instructions", {"text": text})
    else:
        given = await conversation.client.call("GET", "/instructions")
    conversation.note(given["text"] or t("There are no instructions."))


async def show_or_change_notes(conversation: Conversation, call: Call) -> None:
    what = call.text("what")
    if not what:
        conversation.screen.print(tables.NoteList(await conversation.client.notes()))
        return
    note = await conversation.client.find_note(call.text("id"))
    if what == "keep":
        await conversation.client.call("PATCH", f"/notes/{note['id']}", {"kept": True})
        conversation.note(t("Kept for {site}: {text}", site=note["site"], text=note["text"]))
    else:
        await conversation.client.call("DELETE", f"/notes/{note['id']}")
        conversation.note(t("Dropped for {site}: {text}", site=note["site"], text=note["text"]))
