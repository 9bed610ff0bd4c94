"""The composition root: opens and closes everything. The only place that asks for mock mode."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from server.agent import policy
from server.agent.gate import Gate, judge_command
from server.agent_runner import AgentRunner
from server.agents import AgentFactory
from server.browser.browser import Browsers
from server.browser.observation import Observation
from server.bus import InProcessBus
from server.checkpoints import Checkpoints, DatabaseTables, MemoryTables
from server.chores import chores_of
from server.database import Database
from server.errors import BadRequest, Conflict, Forbidden, Unavailable
from server.executor import Executor
from server.files import Files
from server.journal import Journal
from server.migrate import prepare_database
from server.preferences import Preferences
from server.recovery import Recovery
from server.screenshots import Screenshots
from server.settings import Settings
from server.stall import stalls_told
from server.store import Store, process_name

logger = logging.getLogger(__name__)

MOCK_MODEL = "mock:scripted"
MODEL_CHARS = 200


@dataclass
class Runtime:
    """Everything that routes and the runner work with."""

    settings: Settings
    database: Database
    store: Store
    bus: InProcessBus
    screenshots: Screenshots
    browsers: Browsers
    agents: AgentFactory
    executor: Executor
    runner: AgentRunner
    preferences: Preferences
    files: Files
    by_hand: dict[str, Observation] = field(default_factory=dict)
    """The newest observation of each session whose browser is driven by hand."""

    @property
    def current_settings(self) -> Settings:
        return self.preferences.current

    @property
    def default_model(self) -> str:
        """The configured model, or the built-in demo where its key is missing."""
        from server.agent.chat_model import DEMO, is_ready

        if self.settings.is_mock:
            return MOCK_MODEL
        name = self.current_settings.agent_model
        return name if is_ready(name, self.current_settings) else DEMO

    def check_model(self, name: str, field: str) -> None:
        """Raises BadRequest, its words after the name of the `field`, for a name that leads to no provider."""
        from server.agent.chat_model import is_known, unknown_words

        is_scripted = self.settings.is_mock and name.partition(":")[0] == MOCK_MODEL.partition(":")[0]
        if len(name) > MODEL_CHARS:
            raise BadRequest(f"{field}: A model's name has at most {MODEL_CHARS} characters.")
        if not is_scripted and not is_known(name):
            raise BadRequest(f"{field}: {unknown_words(name)}")

    def models(self) -> list[dict[str, Any]]:
        from server.agent.chat_model import DEMO, model_choices

        if self.settings.is_mock:
            return [{"id": MOCK_MODEL, "label": "Mock (scripted)", "provider": "mock", "ready": True}]
        choices = model_choices(self.current_settings)
        return [asdict(choice) | {"demo": choice.id == DEMO} for choice in choices]

    def notices(self) -> list[dict[str, str]]:
        """What is missing, in words."""
        if self.settings.is_mock:
            return [{"code": "mock", "text": "Mock mode: the model and the browser are scripted."}]
        if self.default_model == self.current_settings.agent_model:
            return []
        from server.agent.chat_model import is_known, unknown_words

        name = self.current_settings.agent_model
        why = f"There is no key for {name}." if is_known(name) else unknown_words(name)
        text = f"{why} The built-in demo model answers: it follows plain commands, it is no LLM."
        return [{"code": "no_model_key", "text": text}]

    async def problem(self) -> str | None:
        """Why messages cannot be taken now; None when they can."""
        if self.executor.is_draining:
            return "The server is going down."
        return await self.database.problem() or await self.browsers.ready()

    async def judge_by_hand(
        self, action: dict[str, Any], observation: Observation, *, confirmed: bool
    ) -> None:
        """The same policy as for the agent. Raises Forbidden, or Conflict where a confirmation is missing."""
        settings = self.current_settings
        gate = Gate(settings.blocked_hosts, settings.allowed_hosts)
        await asyncio.to_thread(policy.warm_up)
        judgement = judge_command(gate, action, observation)
        if judgement.verdict == "deny":
            raise Forbidden(judgement.reason, code="denied")
        if judgement.verdict == "ask" and not confirmed:
            raise Conflict(judgement.reason, code="confirmation_required")

    async def delete(self, session_id: str, *, purge: bool) -> None:
        """Cancel, close the browser, archive; with `purge` nothing of the session is left."""
        if purge:
            await self.purge([session_id])
        else:
            await self.runner.delete(session_id, purge=False)

    async def purge(self, session_ids: Sequence[str]) -> None:
        """Remove sessions for good, out of the database's files, too."""
        for session_id in session_ids:
            await self.runner.delete(session_id, purge=True)
            self.by_hand.pop(session_id, None)
        try:
            await self.store.erase_deleted()
        except Unavailable as error:
            logger.warning("words of purged sessions are overwritten later: %s", error.detail)

    async def try_provider(self, provider: str, model: str | None) -> dict[str, Any]:
        """One short call, so that a key is known to work before it is needed."""
        name = model or next((c["id"] for c in self.models() if c["provider"] == provider), "")
        try:
            await self.agents.model(name).ainvoke("Answer with one word: ready?")
        except Exception as error:  # whatever a provider's client raises is told in words
            return {"ok": False, "detail": self.agents.failure(error)[1]}
        return {"ok": True, "detail": f"{name} answers."}


@asynccontextmanager
async def open_runtime(settings: Settings) -> AsyncIterator[Runtime]:
    """Build the world, and take it down in reverse order. Raises NotReady."""
    async with AsyncExitStack() as stack:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        database = Database(settings)
        stack.push_async_callback(database.aclose)
        await prepare_database(database, settings)
        store = Store(database, process_name())
        preferences = Preferences(settings, store)
        await preferences.load()
        browsers = _open_browsers(preferences.current)
        stack.push_async_callback(browsers.aclose)
        checkpoints = _open_checkpoints(settings, database)
        stack.push_async_callback(checkpoints.aclose)
        bus = InProcessBus()
        stack.callback(bus.close)
        screenshots = Screenshots(settings.screenshots, settings.screenshot_url_prefix)
        agents = AgentFactory(
            lambda: preferences.current,
            _model_builder(preferences),
            browsers,
            checkpoints,
        )
        preferences.listeners += [browsers.configure, lambda _: agents.rebuild()]
        journal = Journal(settings, store, bus)
        executor = Executor(settings, store, bus, agents, browsers, screenshots, journal)
        runner = AgentRunner(store, bus, agents, browsers, screenshots, journal, executor)
        recovery = Recovery(store, bus, journal, executor)
        await recovery.recover()
        files = Files(lambda session_id: settings.downloads_dir / session_id)
        runtime = Runtime(
            settings,
            database,
            store,
            bus,
            screenshots,
            browsers,
            agents,
            executor,
            runner,
            preferences,
            files,
        )
        stack.enter_context(stalls_told())
        for chore in chores_of(runtime, recovery):
            stack.callback(asyncio.create_task(chore).cancel)
        stack.push_async_callback(executor.drain, 0)
        yield runtime


def _open_browsers(settings: Settings) -> Browsers:
    if settings.is_mock:
        from server.browser.mock import MockBrowsers

        return MockBrowsers(settings)
    from server.browser.pool import BrowserPool

    return BrowserPool(settings)


def _model_builder(preferences: Preferences) -> Any:
    if preferences.base.is_mock:
        from server.agent.mock import ScriptedChatModel

        return lambda name: ScriptedChatModel()
    from server.agent.chat_model import build_chat_model

    return lambda name: build_chat_model(name, preferences.current)


def _open_checkpoints(settings: Settings, database: Database) -> Checkpoints:
    return Checkpoints(MemoryTables() if settings.checkpointer == "memory" else DatabaseTables(database))
