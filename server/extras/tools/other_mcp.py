"""Configured MCP servers: additional ones (`EXTRA_MCP`) or one in place of the browser's (`BROWSER_MCP`)."""

from __future__ import annotations

import logging
import os
import re
import shlex
from collections.abc import Collection, Sequence

from mcp.types import CallToolResult, TextContent, Tool

from server.browser.browser import BROWSER, ToolOutcome, ToolSpec
from server.browser.chromium.processes import Processes
from server.browser.fence import fence
from server.browser.mcp.client import Http, McpClient, Stdio, ToolRefused, ToolServerLost, ToolTimeout
from server.browser.mcp.tool_schema import make_safe, safe_name
from server.ops.json_types import JsonView
from server.settings import Settings
from wording.catalogue import sentence

log = logging.getLogger(__name__)

MAX_TOOLS = 64
MAX_TEXT = 12_000
_SERVER_NAME = re.compile(r"^([A-Za-z][A-Za-z0-9_-]{0,31})=(?=\S)")
_VARIABLE = re.compile(r"^([A-Z_][A-Z0-9_]*)=(.*)$")


def read_server(text: str) -> tuple[str, Stdio | Http]:
    """Parse `[name=]https://host/mcp` or `[name=][VARIABLE=value ...] command arguments`.

    Returns a name and a server. A value that starts with `$` is taken from our own environment, which is not
    passed on otherwise. Raises ValueError if the name is reserved or there is no command.
    """
    named = _SERVER_NAME.match(text)
    name = named[1] if named and not _VARIABLE.match(text.split()[0]) else ""
    rest = text[len(name) + 1 :].strip() if name else text.strip()
    if name == BROWSER:
        raise ValueError(f"the name {BROWSER!r} is taken: give the MCP server {text!r} another one")
    if rest.startswith(("http://", "https://")):
        return name or "other", Http(rest)
    words = shlex.split(rest)
    env: dict[str, str] = {}
    while words and (variable := _VARIABLE.match(words[0])):
        value = variable[2]
        env[variable[1]] = os.environ.get(value[1:], "") if value.startswith("$") else value
        words.pop(0)
    if not words:
        raise ValueError(f"no command in the MCP server {text!r}")
    return name or safe_name(os.path.basename(words[0]).split(".")[0]), Stdio(tuple(words), env)


def tools_of(tools: Sequence[Tool], server: str, allowed: Collection[str] = ()) -> tuple[ToolSpec, ...]:
    """Return a server's tools as offered to the model: names prefixed, schemas safe.

    Only tools whose prefixed names are `allowed` are called without approval. A server's own annotations,
    such as `readOnlyHint`, are ignored: they may be wrong, and reading can also leak text of a private page.
    """
    return tuple(
        ToolSpec(
            name := safe_name(tool.name, server),
            (tool.description or tool.name)[:2000],
            make_safe(tool.inputSchema, tool=tool.name),
            server=server,
            acts=name not in allowed,
        )
        for tool in tools[:MAX_TOOLS]
    )


class OtherServer:
    """One further server of one chat session: started at its first call, restarted after it was lost."""

    def __init__(
        self, name: str, server: Stdio | Http, processes: Processes,
        *, deadline: float, allowed: Collection[str] = (),
    ) -> None:  # fmt: skip
        self.name = name
        self._allowed = allowed
        self._server = server
        self._processes = processes
        self._deadline = deadline
        self._client: McpClient | None = None
        self._names: dict[str, str] = {}

    async def discover(self) -> tuple[ToolSpec, ...]:
        """Start the server and return its tools. Raises ToolServerLost."""
        client = await self._open()
        return tools_of(client.tools, self.name, self._allowed)

    async def call(self, name: str, args: JsonView) -> ToolOutcome:
        """Call a tool by its `ToolSpec.name`."""
        try:
            client = await self._open()
            result = await client.call(self._names.get(name, name), args, deadline=self._deadline)
        except ToolTimeout:
            return ToolOutcome(
                False, sentence("tool_server.no_answer", tool=name, seconds=round(self._deadline))
            )
        except (ToolServerLost, ToolRefused) as error:
            return ToolOutcome(False, sentence("tool_server.failed", tool=name, why=str(error)))
        return ToolOutcome(not result.isError, text_of(result))

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    async def _open(self) -> McpClient:
        if self._client is None or not self._client.is_open:
            await self.close()
            self._client = McpClient(self.name, self._server, self._processes)
            await self._client.open()
            self._names = {safe_name(tool.name, self.name): tool.name for tool in self._client.tools}
        return self._client


def text_of(result: CallToolResult) -> str:
    """Return the text of a result, truncated and fenced as untrusted."""
    text = "\n".join(
        part.text for part in result.content if isinstance(part, TextContent) and part.text.strip()
    )
    if len(text) > MAX_TEXT:
        text = f"{text[:MAX_TEXT]}\n... truncated, {len(text) - MAX_TEXT} more characters"
    return fence(text or "Done.", "untrusted-result", 2 * MAX_TEXT)


def further_servers(settings: Settings, processes: Processes) -> list[OtherServer]:
    """Create the clients of the further MCP servers (EXTRA_MCP)."""
    deadline, allowed = settings.tool_timeout, settings.extra_mcp_allow
    return [
        OtherServer(*read_server(text), processes, deadline=deadline, allowed=allowed)
        for text in settings.extra_mcp
    ]
