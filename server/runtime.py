"""The composition root: creates and closes all components, and selects mocks in mock mode."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from server.agent import policy
from server.agent.actions import AimedAction
from server.agent.gate.approval import approval_digest
from server.agent.gate.gate import Gate
from server.agent_runner import AgentRunner
from server.browser.browsers import Browsers
from server.browser.chromium.reach import Reach
from server.browser.observation import Observation
from server.channels.channels import Channels
from server.channels.delivery import Delivery
from server.channels.presence import Presence
from server.checkpoints import Checkpoints, DatabaseTables, MemoryTables
from server.database import Database
from server.database.migrate import prepare_database
from server.errors import BadRequest, Conflict, Forbidden, Unavailable
from server.events import Event, Interrupt
from server.files.screenshots import Screenshots
from server.files.session_files import SessionFiles
from server.fs.disk import shortage
from server.fs.permissions import keep_private
from server.http.idempotency import Receipts
from server.maintenance import PlausibleClock, background_tasks
from server.ops.installation import held, owned_installation
from server.ops.json_types import JsonObject
from server.ops.loop_watchdog import log_stalls
from server.preferences import Preferences
from server.runs.agents import AgentFactory
from server.runs.commands import RunCommands
from server.runs.recorder import RunRecorder
from server.runs.recovery import Recovery
from server.runs.site_icons import SiteIcons
from server.settings import Settings
from server.store import Store, process_name
from server.stream.bus import InProcessBus

logger = logging.getLogger(__name__)

MOCK_MODEL = "mock:scripted"
MODEL_CHARS = 200


@dataclass
class ByHand:
    """The last observation shown to a user who controls a session's browser manually."""

    observation: Observation
    id: str
    """Identifies the observation in requests: an eid is valid only within its observation."""
    asked: str = ""
    """Digest of the command that the user was asked to confirm; "" if there was none."""


@dataclass
class Runtime:
    """The components that routes and background tasks use."""

    settings: Settings
    database: Database
    store: Store
    bus: InProcessBus
    screenshots: Screenshots
    browsers: Browsers
    agents: AgentFactory
    runner: AgentRunner
    commands: RunCommands
    preferences: Preferences
    files: SessionFiles
    channels: Channels
    presence: Presence
    is_erased: bool = True
    """False while text of purged sessions may remain in the database's files."""
    by_hand: dict[str, ByHand] = field(default_factory=dict)
    """By session: the newest observation, if its browser is controlled manually."""
    receipts: Receipts = field(default_factory=Receipts)
    """Results of WebSocket frames that carry a client-chosen id."""

    @property
    def current_settings(self) -> Settings:
        return self.preferences.current

    @property
    def default_model(self) -> str:
        """The configured model, or the built-in demo model if that cannot be used, such as without a key."""
        from server.agent.models.chat_model import DEMO, is_ready

        if self.settings.is_mock:
            return MOCK_MODEL
        name = self.current_settings.agent_model
        return name if is_ready(name, self.current_settings) else DEMO

    def check_model(self, name: str, field: str) -> None:
        """Raises BadRequest, its text prefixed with `field`, if the name is too long or has no provider."""
        from server.agent.models.chat_model import is_known, unknown_words

        is_scripted = self.settings.is_mock and name.partition(":")[0] == MOCK_MODEL.partition(":")[0]
        if len(name) > MODEL_CHARS:
            raise BadRequest(f"{field}: A model's name has at most {MODEL_CHARS} characters.")
        if not is_scripted and not is_known(name):
            raise BadRequest(f"{field}: {unknown_words(name)}")

    def models(self) -> list[JsonObject]:
        from server.agent.models.chat_model import DEMO, model_choices

        if self.settings.is_mock:
            return [{"id": MOCK_MODEL, "label": "Mock (scripted)", "provider": "mock", "ready": True}]
        choices = model_choices(self.current_settings)
        return [asdict(choice) | {"demo": choice.id == DEMO} for choice in choices]

    def notices(self) -> list[dict[str, str]]:
        """Codes and texts for the user: mock mode, a missing model key, a missing agent tool."""
        if self.settings.is_mock:
            return [{"code": "mock", "text": "Mock mode: the model and the browser are scripted."}]
        problem = self.current_settings.agent_tool_problem
        notices = [{"code": "no_agent_tool", "text": problem}] if problem else []
        if self.default_model == self.current_settings.agent_model:
            return notices
        from server.agent.models.chat_model import is_known, unknown_words

        name = self.current_settings.agent_model
        why = f"There is no key for {name}." if is_known(name) else unknown_words(name)
        text = f"{why} The built-in demo model answers: it follows plain commands, it is no LLM."
        return [{"code": "no_model_key", "text": text}, *notices]

    async def problem(self) -> str | None:
        """Why messages cannot be accepted now; None if they can."""
        if self.runner.is_draining:
            return "The server is going down."
        if problem := await self.database.problem():
            return problem
        return shortage(self.settings.data_dir, self.settings.min_free_disk) or await self.browsers.ready()

    async def judge_by_hand(
        self, known: ByHand, shown: AimedAction, current: AimedAction, *, confirmed: bool
    ) -> None:
        """Apply the agent's policy to a manual command. Raises Forbidden, or Conflict to ask for confirmation.

        `shown` is the command on the observation that the user was shown, `current` the same on the current
        page. A confirmation is valid only for the page that the user was shown, or was asked about.
        """
        settings = self.current_settings
        gate = Gate(settings.blocked_hosts, settings.allowed_hosts)
        await asyncio.to_thread(policy.warm_up)
        judgement = gate.judge(current)
        if judgement.verdict == "deny":
            raise Forbidden(judgement.reason, code="denied")
        if judgement.verdict != "ask":
            return
        digest = approval_digest("by hand", current)
        if not confirmed or digest not in (known.asked, approval_digest("by hand", shown)):
            known.asked = digest
            raise Conflict(judgement.reason, code="confirmation_required")

    async def delete(self, session_id: str, *, purge: bool) -> None:
        """Cancel the session's runs, close its browser and archive it; with `purge`, delete all its data."""
        if purge:
            await self.purge([session_id])
        else:
            await self.commands.delete(session_id, purge=False)

    async def purge(self, session_ids: Sequence[str]) -> None:
        """Delete sessions permanently, also from the database's files."""
        for session_id in session_ids:
            await self.commands.delete(session_id, purge=True)
            self.by_hand.pop(session_id, None)
        self.is_erased = False
        try:
            await self.erase()
        except Unavailable as error:
            logger.warning("words of purged sessions are overwritten later: %s", error.detail)

    async def erase(self) -> None:
        """Erase purged data from the database's files, if that is pending. Raises Unavailable."""
        if not self.is_erased:
            self.is_erased = True  # a purge during this call sets it back
            try:
                await self.store.erase_deleted()
            except Unavailable:
                self.is_erased = False
                raise

    async def try_provider(self, provider: str, model: str | None) -> JsonObject:
        """Make one short model call, to check that the provider's key works."""
        name = model or next((c["id"] for c in self.models() if c["provider"] == provider), "")
        try:
            await self.agents.model(name).ainvoke("Answer with one word: ready?")
        except Exception as error:  # any error of the provider's client is returned as text
            return {"ok": False, "detail": self.agents.failure(error)[1]}
        return {"ok": True, "detail": f"{name} answers."}


@asynccontextmanager
async def open_runtime(settings: Settings) -> AsyncIterator[Runtime]:
    """Create all components; close them in reverse order on exit. Raises NotReady."""
    async with AsyncExitStack() as stack:
        keep_private(settings.data_dir)
        installation = stack.enter_context(owned_installation(settings.data_dir))
        database = Database(settings)
        stack.push_async_callback(database.aclose)
        await prepare_database(database, settings)
        is_alone = False
        # One server uses an SQLite file: while this process holds its lock, all others are gone.
        if settings.is_sqlite:
            is_alone = stack.enter_context(held(database.file.with_name(f"{database.file.name}.lock")))
        store = Store(database, process_name(installation), is_alone=is_alone)
        preferences = Preferences(settings, store)
        await preferences.load()
        browsers = _open_browsers(preferences.current)
        stack.push_async_callback(browsers.aclose)
        in_memory = settings.checkpointer == "memory"
        checkpoints = Checkpoints(
            MemoryTables() if in_memory else DatabaseTables(store.database, store.is_executed_here)
        )
        stack.push_async_callback(checkpoints.aclose)
        bus = InProcessBus()
        stack.callback(bus.close)
        screenshots = Screenshots(settings.screenshots, settings.screenshot_url_prefix)
        agents = AgentFactory(lambda: preferences.current, _model_builder(preferences), browsers, checkpoints)
        preferences.listeners += [browsers.configure, lambda _: agents.rebuild()]
        recorder = RunRecorder(settings, store, bus)
        icons = SiteIcons(store, browsers, screenshots, recorder)
        stack.callback(icons.close)
        recorder.page_listeners.append(icons.note_page)
        runner = AgentRunner(settings, store, bus, agents, browsers, screenshots, recorder)
        commands = RunCommands(store, bus, agents, browsers, screenshots, recorder, runner)
        recovery = Recovery(store, bus, recorder, runner)
        clock = PlausibleClock(await store.last_touched())  # before recovery, which stores the current time
        await recovery.recover()
        files = SessionFiles(lambda session_id: settings.downloads_dir / session_id)
        presence = Presence()
        channels = Channels(store, preferences, lambda: Reach.of(preferences.current, browsers.own_ports))
        delivery = Delivery(store, channels, presence, lambda: preferences.current.public_address)
        bus.listeners.append(lambda stamped: delivery.wake() if is_for_channels(stamped.event) else None)
        runtime = Runtime(
            settings, database, store, bus, screenshots, browsers, agents, runner, commands, preferences, files, channels,
            presence,
        )  # fmt: skip
        stack.enter_context(log_stalls())
        stack.callback(asyncio.create_task(delivery.run()).cancel)
        for task in background_tasks(runtime, recovery, clock):
            stack.callback(asyncio.create_task(task).cancel)
        stack.push_async_callback(runner.drain, 0)
        yield runtime


def is_for_channels(event: Event) -> bool:
    """Whether a message for channels may have been stored with it."""
    return isinstance(event, Interrupt) or event.is_terminal


def _open_browsers(settings: Settings) -> Browsers:
    if settings.is_mock:
        from server.browser.mock.pool import MockBrowsers

        return MockBrowsers(settings)
    from server.browser.pool import BrowserPool

    return BrowserPool(settings)


def _model_builder(preferences: Preferences) -> Any:
    if preferences.base.is_mock:
        from server.agent.mock_model import ScriptedChatModel

        return lambda name: ScriptedChatModel()
    from server.agent.models.chat_model import build_chat_model

    return lambda name: build_chat_model(name, preferences.current)
