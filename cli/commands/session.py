"""Commands on the conversation's session: control of its run, plan, table, state, and who has its browser."""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime
from pathlib import Path

from cli.commands.syntax import Answer, Call
from cli.conversation import Conversation
from cli.errors import UsageError
from cli.screen import tables
from cli.screen.results import FORMATS
from cli.words import t

HANDOFF_MINUTES = 15
PROXY_PASSWORD = "PILOTHOUSE_PROXY_PASSWORD"
"""The environment variable with the password that is sent with a proxy."""
SHARE_DAYS = 7


async def stop(conversation: Conversation, call: Call) -> None:
    await conversation.send({"type": "control", "action": "cancel"})


async def pause(conversation: Conversation, call: Call) -> None:
    await conversation.send({"type": "control", "action": "pause"})


async def resume(conversation: Conversation, call: Call) -> None:
    await conversation.send({"type": "control", "action": "resume"})


async def show_all(conversation: Conversation, call: Call) -> None:
    sessions = await conversation.client.sessions(limit=20)
    conversation.screen.print(tables.Sessions(sessions, datetime.now(UTC)))


async def show_state(conversation: Conversation, call: Call) -> None:
    conversation.screen.print(tables.state(conversation.view))


async def set_ask_first(conversation: Conversation, call: Call) -> None:
    is_on = call.text("what") != "off"
    path = f"/sessions/{await conversation.require_session()}"
    await conversation.client.call("PATCH", path, {"ask_first": is_on})
    text = (
        "Runs of this session ask before they start."
        if is_on
        else "Runs of this session start without asking."
    )
    conversation.note(t(text))


async def show_or_change_surroundings(conversation: Conversation, call: Call) -> None:
    """A proxy's password comes from the environment: lines of the prompt are kept."""
    path = f"/sessions/{await conversation.require_session()}/surroundings"
    what, value = call.text("what"), call.text("value")
    if what:
        address, _, user = value.partition(" ")
        proxy = {"address": address, "user": user.strip(), "password": os.environ.get(PROXY_PASSWORD)}
        names = {"zone": "time_zone", "language": "locale", "proxy": "proxy"}
        given = proxy if what == "proxy" else value
        own = await conversation.client.call("PATCH", path, {names[what]: given if value else None})
    else:
        own = await conversation.client.call("GET", path)
    used = own["proxy"]
    login = f" ({used['user']})" if used and used["user"] else ""
    conversation.note(
        t(
            "This session's browser: zone {zone}, language {locale}, proxy {proxy}.",
            zone=own["time_zone"] or t("as for all"),
            locale=own["locale"] or t("as for all"),
            proxy=f"{used['address']}{login}" if used else t("none"),
        )
    )


async def hand_off(conversation: Conversation, call: Call) -> Answer | None:
    minutes = int(call.args.get("minutes", HANDOFF_MINUTES))
    path = f"/sessions/{await conversation.require_session()}/handoff"
    if minutes == 0:
        await conversation.client.call("DELETE", path)
        conversation.note(t("The browser is not handed off any more."))
        return None
    link = str((await conversation.client.call("POST", path, {"minutes": minutes}))["link"])
    conversation.note(t("Whoever opens this first has the browser for {n} min: {link}", n=minutes, link=link))
    return {"link": link}


async def share(conversation: Conversation, call: Call) -> Answer | None:
    days = int(call.args.get("days", SHARE_DAYS))
    path = f"/sessions/{await conversation.require_session()}/replays"
    if days == 0:
        links = (await conversation.client.call("GET", path))["items"]
        for link in links:
            await conversation.client.call("DELETE", f"{path}/{link['id']}")
        conversation.note(t("No link shows this session any more."))
        return None
    link = str((await conversation.client.call("POST", path, {"days": days}))["link"])
    conversation.note(t("For {n} days this shows the session as it is now: {link}", n=days, link=link))
    return {"link": link}


async def show_or_change_plan(conversation: Conversation, call: Call) -> None:
    plan, answer = conversation.view.plan, call.text("what")
    if answer not in ("accept", "dismiss"):
        conversation.screen.show(plan) if plan.steps else conversation.note(t("There is no plan yet."))
    elif not plan.proposed:
        raise UsageError(t("The agent has proposed no other plan."))
    elif answer == "accept":
        await conversation.edit_plan(list(plan.proposed))
    else:
        session_id = await conversation.require_session()
        await conversation.client.call("DELETE", f"/sessions/{session_id}/plan/proposal")


async def show_or_ask_table(conversation: Conversation, call: Call) -> None:
    results = conversation.view.results
    if columns := call.text("columns"):
        conversation.ask_for_table(columns)
        conversation.note(t("Your next message asks for this table."))
    elif table := results.table_of(results.newest_run):
        conversation.screen.show(table)
    else:
        conversation.note(t("There is no table yet."))


async def save_table(conversation: Conversation, call: Call) -> None:
    """Save the newest table to a file; its suffix selects the format."""
    path, run_id = Path(call.text("file")), conversation.view.results.newest_run
    form = path.suffix.lstrip(".").lower()
    if form not in FORMATS:
        raise UsageError(
            t("Name a file that ends in {endings}.", endings=", ".join(f".{one}" for one in FORMATS))
        )
    if run_id is None:
        raise UsageError(t("There is no table that could be saved."))
    data = await conversation.client.fetch(f"/runs/{run_id}/result", format=form)
    try:
        await asyncio.to_thread(path.write_bytes, data)
    except OSError as error:
        raise UsageError(t("{path} cannot be written: {why}", path=path, why=error.strerror)) from None
    conversation.note(t("{path} ({size} bytes)", path=path, size=f"{len(data):,}"))
