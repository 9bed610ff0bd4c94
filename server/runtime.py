"""The composition root: opens and closes everything. The only place that asks for mock mode."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from server.agent import policy
from server.agent.gate import Gate, judge_command
from server.agent_runner import AgentRunner
from server.agents import AgentFactory
from server.browser.browser import Browsers
from server.browser.observation import Observation
from server.bus import InProcessBus
from server.checkpoints import Checkpoints, DatabaseTables, MemoryTables
from server.database import FAULTS, Database, words_of
from server.errors import AppError, BadRequest, Conflict, Forbidden, Unavailable
from server.events import now
from server.executor import Executor
from server.files import Files
from server.journal import Journal
from server.preferences import Preferences
from server.recovery import Recovery
from server.screenshots import Screenshots
from server.settings import Settings
from server.stall import stalls_told
from server.store import Store, process_name

logger = logging.getLogger(__name__)

LEASE_BEAT = 15.0
DATABASE_PATIENCE = 30.0
TIDY_SECONDS = 3600.0
QUIET_SECONDS = 2.0
MOCK_MODEL = "mock:scripted"
MODEL_CHARS = 200


class NotReady(Exception):
    """The world cannot be built now; the text says why and what to do."""


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
        chores = (_warm_up(runtime), _keep_alive(recovery, store), _keep_tidy(runtime), _keep_safe(database))
        for chore in chores:
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


async def prepare_database(database: Database, settings: Settings) -> None:
    """Migrate where the service may, then insist on the schema this code knows. Raises NotReady."""
    problem = await _patient_problem(database)
    if problem and settings.migrates_at_start:
        try:
            await asyncio.to_thread(migrate, database.url)
        except FAULTS as error:
            raise NotReady(f"the database of DATABASE_URL cannot be migrated: {words_of(error)}") from error
        problem = await database.problem()
    if problem:
        raise NotReady(problem)


async def _patient_problem(database: Database) -> str | None:
    """A database server that is just starting gets some time."""
    deadline = asyncio.get_running_loop().time() + (0 if database.is_sqlite else DATABASE_PATIENCE)
    while True:
        problem = await database.problem()
        if problem is None or database.answers or asyncio.get_running_loop().time() > deadline:
            return problem
        await asyncio.sleep(1)


def migrate(url: str) -> None:
    """`alembic upgrade head`. Alembic is imported here: a database that is at head does not need it.

    Raises NotReady for a schema that this code does not know.
    """
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    root = Path(__file__).parent.parent
    config = Config(root / "alembic.ini")
    config.set_main_option("sqlalchemy.url", url.replace("%", "%%"))
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise NotReady(
            f"the database cannot be migrated: {error}; was it used by a newer version?"
        ) from error


async def _warm_up(runtime: Runtime) -> None:
    """Beside the start, so that neither it nor the first message waits."""
    settings = runtime.current_settings
    with suppress(AppError):  # the first message will tell what is missing
        await runtime.agents.warm_up(settings.default_agent, runtime.default_model)
    await asyncio.sleep(QUIET_SECONDS)  # a message that waits for the start to be over comes first
    gc.freeze()  # what lives now lives for good: the collector need not look at it again


async def _keep_tidy(runtime: Runtime) -> None:
    """Remove sessions that were untouched for longer than the person wants to keep them."""
    while True:
        if days := runtime.current_settings.retention_days:
            try:
                await _remove_untouched(runtime, days)
            except AppError as error:
                logger.warning("sessions past RETENTION_DAYS are removed later: %s", error.detail)
        await asyncio.sleep(TIDY_SECONDS)


async def _remove_untouched(runtime: Runtime, days: int) -> None:
    doomed = await runtime.store.sessions_untouched_since(now() - timedelta(days=days))
    for session_id in doomed:
        logger.info("session %s was untouched for %d days and is removed", session_id, days)
    if doomed:
        await runtime.purge(doomed)


async def _keep_safe(database: Database) -> None:
    """What was confirmed is brought to the disk soon, and where that fails the log says so."""
    while True:
        await asyncio.sleep(LEASE_BEAT)
        try:
            await database.flush()
        except Unavailable as error:
            logger.error("what was kept last is not safe from a power cut: %s", error.detail)


async def _keep_alive(recovery: Recovery, store: Store) -> None:
    """Keep this process's leases, and end the runs of processes that are gone."""
    while True:
        await asyncio.sleep(LEASE_BEAT)
        try:
            await store.keep_leases()
            await recovery.end_orphans()
        except Unavailable as error:
            logger.warning("leases not renewed: %s", error.detail)
        except Exception:  # whatever it was, leases that lapse would end every run
            logger.exception("leases not renewed")
