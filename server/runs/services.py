"""What the modules that accept, execute and end runs work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from server.agent.context import Knowledge, NoKnowledge, NoTools, ToolBox
from server.agent.logins import NoVault, Vault
from server.browser.browsers import Browsers
from server.database.models import RunRow
from server.files.screenshots import Screenshots
from server.runs.agents import AgentFactory
from server.runs.recorder import RunRecorder
from server.settings import Settings
from server.store import Store
from server.stream.bus import EventBus


@dataclass(frozen=True, slots=True)
class RunServices:
    """Made once by the composition root."""

    settings: Settings
    store: Store
    bus: EventBus
    agents: AgentFactory
    browsers: Browsers
    screenshots: Screenshots
    recorder: RunRecorder
    knowledge_of: Callable[[RunRow], Knowledge] = lambda _: NoKnowledge()
    vault: Vault = field(default_factory=NoVault)
    tools_of: Callable[[str], ToolBox] = lambda _: NoTools()
    """By session."""
