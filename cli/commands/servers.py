"""`/mcp`: the MCP servers of both agents."""

from __future__ import annotations

from typing import Any

from cli.commands.syntax import Call
from cli.conversation import Conversation
from cli.errors import UsageError
from cli.words import t

PATH = "/mcp-servers"


async def show_or_change(conversation: Conversation, call: Call) -> None:
    what, words = call.text("what"), call.text("words").split()
    if what == "add" and len(words) > 1:
        body = {"name": words[0], "address": " ".join(words[1:])}
        added: Any = await conversation.client.call("POST", PATH, body)
        await _test(conversation, added)
    elif what and what != "add":
        await _act(conversation, what, words)
    else:
        await _list(conversation)


async def _list(conversation: Conversation) -> None:
    servers: Any = await conversation.client.call("GET", PATH)
    for one in servers["items"]:
        counts = t(
            "{reads} read only, {asks} ask, {off} off",
            **{name: one[name] for name in ("reads", "asks", "off")},
        )
        conversation.note(" · ".join(filter(None, (one["name"], one["address"], counts, one["fault"]))))
    if not servers["items"]:
        conversation.note(t("There are no servers."))


async def _act(conversation: Conversation, what: str, words: list[str]) -> None:
    servers: Any = await conversation.client.call("GET", PATH)
    server = next((one for one in servers["items"] if words and one["name"] == words[0]), None)
    if server is None:
        raise UsageError(t("No server {name}; /mcp lists them.", name=words[0] if words else "?"))
    path = f"{PATH}/{server['id']}"
    if what == "test":
        await _test(conversation, server)
    elif what == "remove":
        await conversation.client.call("DELETE", path)
        await _list(conversation)
    else:
        tools: Any = await conversation.client.call("GET", f"{path}/tools")
        for tool in tools["items"]:
            conversation.note(f"{tool['mode']:5} {tool['name']}: {tool['description'][:80]}")


async def _test(conversation: Conversation, server: Any) -> None:
    tested: Any = await conversation.client.call("POST", f"{PATH}/{server['id']}/test")
    conversation.note(tested["detail"])
