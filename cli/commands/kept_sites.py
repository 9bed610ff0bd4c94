"""`/stay` and `/kept-sites`."""

from __future__ import annotations

from datetime import datetime

from cli.commands.syntax import Call
from cli.conversation import Conversation
from cli.screen import tables
from cli.words import t

STAY_DAYS = 30


async def keep(conversation: Conversation, call: Call) -> None:
    days = int(call.args.get("days", STAY_DAYS))
    session_id = await conversation.require_session()
    kept = await conversation.client.browse(session_id, "keep", {"days": days})
    site = kept["site"]
    conversation.note(t("For {n} days all sessions stay signed in at {site}.", n=days, site=site))


async def show_or_end(conversation: Conversation, call: Call) -> None:
    if call.text("what") == "end":
        kept = await conversation.client.find_kept_site(call.text("id"))
        await conversation.client.call("DELETE", f"/kept-sites/{kept['id']}")
        conversation.note(t("No longer kept: {site}", site=kept["site"]))
    else:
        now = datetime.now().astimezone()
        conversation.screen.print(tables.KeptSites(await conversation.client.kept_sites(), now))
