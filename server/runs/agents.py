"""Prepares the agent of a run: selects its graph, model, thread and input."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel, FakeListChatModel
from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.schema import StreamEvent
from langgraph.errors import GraphRecursionError
from langgraph.graph import START
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, StateSnapshot

from server import clock
from server.agent import foresight
from server.agent.assistant import continuing as assistant_resume
from server.agent.assistant.input import CONTINUE_CUT_ANSWER, first_input, recursion_limit
from server.agent.context import RunContext
from server.agent.custom_events import ModelReplaced
from server.agent.event_adapter import read_usage
from server.agent.gate.gate import Gate
from server.agent.models.chat_model import classify, usage_cost
from server.agent.models.providers import Endpoint, split_name
from server.agent.operator import continuing as operator_resume
from server.agent.operator.ask.user_input import take_plan
from server.agent.operator.graph import build_operator
from server.agent.operator.memory.state import State
from server.agent.second_model import SecondModel, answered
from server.agent.streaming import graph_events
from server.agent.titles import SCRIPTED, ask_title, namer_of, read_title
from server.browser.browser import BROWSER, ToolSpec
from server.browser.browsers import Browsers
from server.checkpoints import Checkpoints, Durability, OpenThread
from server.database.models import RunRow
from server.errors import AppError, Conflict, RunFailed
from server.events import Answer, Message, Question, StartPlan, StateChanged, Usage, now, read_question
from server.ops import stale_install
from server.ops.json_types import JsonObject
from server.results.rows import SCHEMA_KEY, TABLES_BY, schema_of
from server.runs.cut_answers import continued_by
from server.runs.events import interruption
from server.settings import Settings
from server.store import StartedRun
from wording.catalogue import Wording, sentence

log = logging.getLogger(__name__)

Graph = CompiledStateGraph[Any, Any, Any, Any]

LACKED = {"browser-use": ("press", "hover", "drag", "double_click", "manner")}
"""The operator's acts for which a browser's MCP server has no tool."""
ASSISTANT_LIBRARIES = ("langchain", "langgraph", "langchain-mcp-adapters")


class AssistantUnavailable(RunFailed):
    code = "assistant_unavailable"


class RunTaken(RunFailed):
    code = "interrupted"


class Interrupted(RunFailed):
    """Its former execution has left no checkpoint, although it has begun to act: a version before did not save any."""

    code = "interrupted"


@dataclass
class PreparedAgent:
    """A graph with its input, ready to run once."""

    graph: Graph
    input: Any
    thread: OpenThread
    recursion_limit: int
    context: RunContext
    checkpoints: Checkpoints
    said: str = field(default="", kw_only=True)
    """What former executions of the run have said, as far as their last checkpoint shows."""

    def astream_events(self, *, version: Literal["v2"]) -> AsyncGenerator[StreamEvent]:
        """The graph's events of this run. Raises the model's errors."""
        config: RunnableConfig = {**self.thread.config, "recursion_limit": self.recursion_limit}
        return graph_events(
            self.graph,
            self.input,
            config,
            version=version,
            context=self.context,
            durability=self.thread.durability,
        )

    async def addressed(self, answer: Answer) -> JsonObject:
        """The answer keyed by its interrupt's id, because a checkpoint can hold several interrupts."""
        interrupts = (await self.graph.aget_state(self.thread.config)).interrupts
        asked = [one.id for one in interrupts if one.value.get("reference") == answer.reference]
        given = answer.model_dump(mode="json")
        return {asked[0]: given} if asked else given

    async def question(self) -> Question | None:
        """The question of the graph's interrupt; None if it has finished.

        Raises RunTaken if the interrupt was not persisted because another process took the run over.
        """
        await self.thread.settle()
        if not self.thread.is_asking:
            return None
        interrupts = (await self.graph.aget_state(self.thread.config)).interrupts
        if not interrupts:
            raise RunTaken(sentence("run.question_lost"))
        return read_question(interrupts[0].value)

    def release(self) -> None:
        self.checkpoints.release(self.thread)


class AgentFactory:
    """Builds agents. Graphs do not depend on a run and are cached per agent and model."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        model: Callable[[str], BaseChatModel],
        browsers: Browsers,
        checkpoints: Checkpoints,
        is_replaced: Callable[[], bool] = stale_install.is_stale,
        load_module: Callable[[str], Any] = import_module,
        continues: bool = False,
    ) -> None:
        self._continues = continues
        """Another process may have to go on: then what is next is saved before it begins."""
        self._load_module = load_module
        self._is_replaced = is_replaced
        self._settings = settings
        self.model = model
        self._browsers = browsers
        self._checkpoints = checkpoints
        self._graphs: dict[tuple[str, ...], asyncio.Future[Graph]] = {}
        """By agent and model, and by the tools of other servers."""
        self._seconds: dict[str, SecondModel | None] = {}

    async def prepare(self, started: StartedRun, context: RunContext) -> PreparedAgent:
        """The agent of a run: at its start, or at its interrupt with the user's answer as input.

        A run that several processes may execute is continued from wherever its former execution has ended.
        """
        run, answer = started.run, _resumed_answer(started)
        if run.agent == "operator":
            return await self._operator_of(started, context, answer)
        if any(one.id == run.message_id and schema_of(one) for one in started.messages):
            raise AssistantUnavailable(TABLES_BY)  # the agent was changed before a retry
        if started.continues and not started.is_newly_answered:
            return await self._continued_assistant(started, context)
        if answer is None:
            first = _first_assistant_input(started)
            return await self._prepared_assistant(run, context, first, starts_over=True)
        prepared = await self._prepared_assistant(run, context, None, starts_over=False)
        prepared.input = Command(resume=await prepared.addressed(answer))
        return prepared

    async def _operator_of(
        self, started: StartedRun, context: RunContext, answer: Answer | None
    ) -> PreparedAgent:
        if started.continues:
            return await self._continued_operator(started, context)
        if answer is not None:  # "sync": an approved action is persisted before it is executed
            command: Command[Any] = Command(resume=answer.model_dump(mode="json"))
            return await self._prepared_operator(started.run, context, command, "sync")
        return await self._prepared_operator(
            started.run, context, _first_operator_input(started), "sync" if self._continues else "async"
        )

    async def warm_up(self, agent: str, model_name: str) -> None:
        """Build the graph in advance, so that the first message does not wait for it."""
        if agent == "operator":
            await self._operator(model_name)
        else:
            await self._assistant(model_name)

    async def _continued_operator(self, started: StartedRun, context: RunContext) -> PreparedAgent:
        run, answer = started.run, _resumed_answer(started)
        prepared = await self._prepared_operator(run, context, None, "sync")
        config = prepared.thread.config
        saved = await prepared.graph.aget_state(config)
        if _epoch_of(saved) < _first_epoch(run):
            prepared.input = _first_operator_input(started)  # nothing of this run is saved
        elif saved.interrupts:
            asked = {one.value.get("reference") for one in saved.interrupts}
            if answer is not None and answer.reference in asked:
                prepared.input = Command(resume=answer.model_dump(mode="json"))
        elif START in saved.next:
            prepared.input = _first_operator_input(started)
        elif update := operator_resume.restart(saved.values, saved.next):
            await prepared.graph.aupdate_state(config, update, as_node=operator_resume.RESTARTS_AFTER)
        return prepared

    async def _continued_assistant(self, started: StartedRun, context: RunContext) -> PreparedAgent:
        run, answer, first = started.run, _resumed_answer(started), _first_assistant_input(started)
        prepared = await self._prepared_assistant(run, context, None, starts_over=False)
        saved = await prepared.graph.aget_state(prepared.thread.config)
        if _epoch_of(saved) < _first_epoch(run) or START in saved.next:  # nothing of this run is saved
            if run.doing or any(one.role == "tool" and one.run_id == run.id for one in started.messages):
                raise Interrupted(interruption(run))
            return await self._prepared_assistant(run, context, first, starts_over=True)
        messages: list[AnyMessage] = saved.values["messages"]
        of_run = assistant_resume.of_run(messages, first["messages"])
        asked = {one.value.get("reference") for one in saved.interrupts}
        if answer is not None and answer.reference in asked and not answer.confirmed:
            prepared.input = Command(resume=await prepared.addressed(answer))  # no act follows from it
        elif assistant_resume.TOOLS_NODE in saved.next:
            if not asked or (answer is not None and answer.reference in asked):
                harmless = {spec.name for spec in await self._browsers.tools() if _is_harmless(spec)}
                left = assistant_resume.interrupted_call(
                    messages, started.messages, harmless=harmless | assistant_resume.OWN_TOOLS
                )
                prepared.context = replace(context, left=left)
        elif saved.next:
            heard = [one.content for one in started.messages if _was_read(one, run)]
            prepared.input = Command(update={"messages": assistant_resume.new_messages(of_run, heard)})
        else:
            update = assistant_resume.without_answer(messages)
            await prepared.graph.aupdate_state(
                prepared.thread.config, update, as_node=assistant_resume.ASKS_MODEL_AFTER
            )
            of_run = of_run[:-1]
        prepared.said = assistant_resume.text_of(of_run)
        return prepared

    async def _prepared_operator(
        self, run: RunRow, context: RunContext, input: Any, durability: Durability
    ) -> PreparedAgent:
        graph = await self._operator(run.model)
        thread = await self._checkpoints.open(run.session_id, run.epoch, durability)
        return PreparedAgent(
            graph, input, thread, 50 + 20 * context.max_tool_steps, context, self._checkpoints
        )

    async def _prepared_assistant(
        self, run: RunRow, context: RunContext, input: Any, *, starts_over: bool
    ) -> PreparedAgent:
        graph = await self._assistant(run.model, await context.tools.offered())
        thread_id = _assistant_thread(run.session_id)
        durability: Durability = "sync" if self._continues else "exit"
        thread = await self._checkpoints.open(thread_id, run.epoch, durability, starts_over=starts_over)
        limit = recursion_limit(context.max_tool_steps)
        return PreparedAgent(graph, input, thread, limit, context, self._checkpoints)

    async def _operator(self, model_name: str) -> Graph:
        settings = self._settings()

        def build() -> Graph:
            return build_operator(
                self.model(model_name),
                gate=_gate(settings),
                vision=settings.vision,
                points=settings.browser_mcp == "playwright",
                lacks=LACKED.get(settings.browser_mcp, ()),
                token_budget=settings.token_budget,
                cost_budget=settings.cost_budget,
                cost_of=partial(usage_cost, model_name),
                second=self._second(model_name),
                run_timeout=settings.run_timeout,
                decision_timeout=settings.decision_timeout,
                structured=settings.openai_structured,
                checkpointer=self._checkpoints,
            )

        return await self._built(("operator", model_name), build)

    async def _assistant(self, model_name: str, tools: Sequence[ToolSpec] = ()) -> Graph:
        """`tools`: of other servers."""
        key = ("assistant", model_name, *(f"{tool.name}@{tool.pin}" for tool in tools))
        if built := self._graphs.get(key):
            return await asyncio.shield(built)
        for older in [one for one in self._graphs if one[:2] == key[:2] and len(one) > 2]:
            del self._graphs[older]
        settings, specs = self._settings(), (*await self._browsers.tools(), *tools)

        def build() -> Graph:
            build_assistant = load_assistant(self._load_module)
            return build_assistant(
                self.model(model_name),
                specs,
                gate=_gate(settings),
                token_budget=settings.token_budget,
                cost_budget=settings.cost_budget,
                cost_of=partial(usage_cost, model_name),
                second=self._second(model_name),
                run_timeout=settings.run_timeout,
                decision_timeout=settings.decision_timeout,
                checkpointer=self._checkpoints,
            )

        return await self._built(key, build)

    def _second(self, first: str) -> SecondModel | None:
        """The model that answers where `first` fails; None if there is none, or no second for a scripted one.

        One for all agents, so that none asks again what has just failed for another.
        """
        if first not in self._seconds:
            self._seconds[first] = self._new_second(first)
        return self._seconds[first]

    def _new_second(self, first: str) -> SecondModel | None:
        name = self._settings().fallback_model
        if not name or name == first or first.partition(":")[0] in SCRIPTED:
            return None
        try:
            return SecondModel(first, name, self.model(name), partial(usage_cost, name))
        except RunFailed as error:
            log.warning("FALLBACK_MODEL is not used: %s", error.detail)
            return None

    async def _built(self, key: tuple[str, ...], build: Callable[[], Graph]) -> Graph:
        """The cached graph, built once for concurrent callers.

        Built in a thread, because importing the first model of a provider takes a second.
        """
        graphs = self._graphs
        if key not in graphs:
            graphs[key] = asyncio.ensure_future(asyncio.to_thread(build))
        try:
            return await asyncio.shield(graphs[key])
        except Exception:
            graphs.pop(key, None)
            raise

    def today(self, zone: str | None = None) -> str:
        """The line that says the day to a model. `zone` is an automation's own; None for the person's."""
        settings = self._settings()
        return clock.today(now(), zone or settings.time_zone, settings.locale)

    async def foresee(
        self, started: StartedRun, before: StartPlan | None, words: Sequence[str], instructions: str
    ) -> tuple[StartPlan, AIMessage, ModelReplaced | None]:
        """What the run will do; the model's reply, for its usage; and whether it is the second model's.

        Raises the model's errors.
        """
        name = started.run.model
        model = await asyncio.to_thread(self.model, name)
        second = None if started.only_first_model else await asyncio.to_thread(self._second, name)

        async def ask(model: BaseChatModel) -> tuple[AIMessage, ModelReplaced | None]:
            by_second = second.replaced() if second and model is second.model else None
            task, today = _asked(started).content, self.today(started.zone)
            return await foresight.ask_plan(model, task, before, words, today, instructions), by_second

        reply, by_second = await answered(
            partial(ask, model),
            second,
            partial(ask, second.model if second else model),
            has_said=lambda _: False,
        )
        return foresight.read_plan(reply.text), reply, by_second

    async def title(
        self, model_name: str, asked: str, answered: str, instructions: str = ""
    ) -> tuple[str | None, Usage]:
        settings = self._settings()
        name = namer_of(settings.summary_model, model_name)
        if name is None or settings.is_mock:
            return None, Usage()
        try:
            model = await asyncio.to_thread(self.model, name)
            reply = await ask_title(model, asked, answered, self.today(), instructions)
        except RunFailed as error:
            log.info("a session keeps its first words as its name: %s", error.code)
            return None, Usage()
        return read_title(reply), read_usage(reply, partial(cost_of, name))

    async def abilities(self, model_name: str) -> list[JsonObject]:
        """What a model can do, found out by short calls. Raises the model's errors."""
        from server.agent.models.abilities import find_abilities

        found = await find_abilities(model_name, await asyncio.to_thread(self.model, model_name))
        return [asdict(ability) for ability in found]

    def names_nearby(self, model_name: str) -> bool:
        """Whether a session is named by a server of one's own, which may answer one call at a time."""
        settings = self._settings()
        name = namer_of(settings.summary_model, model_name)
        return name is not None and Endpoint.of(*split_name(name), settings).is_near

    def failure(self, error: BaseException) -> tuple[str, Wording]:
        if isinstance(error, AppError):
            return error.code, error.detail
        if isinstance(error, GraphRecursionError):
            return "step_limit", sentence("run.step_limit")
        failure = classify(error)
        if failure.code == "internal" and self._is_replaced():
            return failure.code, stale_install.REPLACED_SENTENCE
        return failure.code, failure.message

    async def read_state(self, session_id: str) -> StateChanged | None:
        """The operator's last saved working state; None if it has not run in this session."""
        saved = await self._checkpoints.aget_tuple(_config(session_id))
        return to_state(saved.checkpoint["channel_values"]) if saved else None

    async def write_state(self, session_id: str, **values: Any) -> StateChanged:
        """Change plan or facts between two runs, or while a question is open.

        Raises Conflict if the operator has not run in this session.
        """
        config = _config(session_id)
        if await self._checkpoints.aget_tuple(config) is None:
            raise Conflict(sentence("session.no_plan"), code="no_plan")
        graph = await self._built(("operator", ""), self._unused_operator)
        saved = await graph.aget_state(config)
        if "plan" in values:
            before = State.read(saved.values)
            edited = replace(before, work=take_plan(before.work, values.pop("plan")))
            values |= edited.to_saved(before, saved.values)
        is_waiting = bool(saved.next)
        await graph.aupdate_state(config, values, as_node=None if is_waiting else "finalize_done")
        return await self.read_state(session_id) or StateChanged()

    def _unused_operator(self) -> Graph:
        """A graph through which saved states are changed. It never runs, so no model answers in it."""
        return build_operator(FakeListChatModel(responses=[]), checkpointer=self._checkpoints)

    def saves_steps(self, run: RunRow) -> bool:
        """Whether steps of the run are saved that no later run needs: an operator's plan is kept."""
        return run.agent == "assistant" and self._continues

    async def forget_run(self, run: RunRow) -> None:
        """Remove the saved steps of a run that has ended."""
        await self._checkpoints.remove_run(_assistant_thread(run.session_id), run.epoch)

    async def forget_session(self, session_id: str) -> None:
        for thread_id in (session_id, _assistant_thread(session_id)):
            await self._checkpoints.adelete_thread(thread_id)

    def rebuild(self) -> None:
        """Drop the cached graphs; called after settings or keys have changed."""
        self._graphs, self._seconds = {}, {}


def _assistant_thread(session_id: str) -> str:
    return f"assistant:{session_id}"


def _epoch_of(saved: StateSnapshot) -> int:
    """The epoch of the execution that saved it last; 0 if that is not known."""
    epoch: Any = (saved.metadata or {}).get("epoch")
    return int(epoch or 0)


def _first_epoch(run: RunRow) -> int:
    """Of the run's first execution."""
    return run.epoch - run.attempt + 1


def _is_harmless(spec: ToolSpec) -> bool:
    """Whether a call may be made again: it reads the page and changes nothing."""
    return spec.server == BROWSER and not spec.acts


def _was_read(message: Message, run: RunRow) -> bool:
    """Whether it is a message to the run that its agent has read."""
    return message.run_id == run.id and bool((message.meta_json or {}).get("heard"))


LAST_WORDS = 150
"""Characters of a cut answer that the operator continues from."""


def _resumed_answer(started: StartedRun) -> Answer | None:
    """The answer that the agent waits for; None where it has not begun, or was asked about its start only."""
    question = started.question
    return None if question is None or question.start else question.answer


def _first_operator_input(started: StartedRun) -> JsonObject:
    asked = _asked(started)
    words = (one.message for one in started.start_words)
    cut = continued_by(started.messages)
    before = f"…{cut.content[-LAST_WORDS:]} {CONTINUE_CUT_ANSWER}" if cut else ""
    return {
        "messages": [AIMessage(before, id=cut.id)] if cut else [],
        "user_message": "\n\n".join([asked.content, *words]),
        "message_id": asked.id,
        "result_schema": (asked.meta_json or {}).get(SCHEMA_KEY),
    }


def _first_assistant_input(started: StartedRun) -> JsonObject:
    """What the session's earlier runs have left, and the run's message."""
    run = started.run
    said = [one.message for one in started.start_words if not one.in_words]  # others are messages
    before = [one for one in started.messages if one.id == run.message_id or one.run_id != run.id]
    return first_input(before, said)


def _asked(started: StartedRun) -> Message:
    """The message that the run answers."""
    return next(message for message in reversed(started.messages) if message.id == started.run.message_id)


def load_assistant(load_module: Callable[[str], Any]) -> Callable[..., Graph]:
    """Import `build_assistant`. Raises AssistantUnavailable if the installed LangChain does not support it.

    Imported lazily: it imports all of LangChain's agents, which the operator does not need.
    """
    try:
        build: Callable[..., Graph] = load_module("server.agent.assistant.agent").build_assistant
    except (ImportError, AttributeError) as error:
        installed = ", ".join(f"{name} {_version(name)}" for name in ASSISTANT_LIBRARIES)
        raise AssistantUnavailable(
            sentence("assistant.unavailable", versions=installed, why=str(error))
        ) from error
    return build


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def _config(thread_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id}}


def _gate(settings: Settings) -> Gate:
    return Gate(settings.blocked_hosts, settings.allowed_hosts)


def to_state(values: Mapping[str, Any]) -> StateChanged:
    return StateChanged(
        goal=values.get("current_goal"),
        plan=values.get("plan") or [],
        proposed_plan=values.get("proposed_plan") or [],
        progress=values.get("progress") or {},
        facts=values.get("facts") or [],
    )


def cost_of(model_name: str, usage: Usage) -> float | None:
    """US dollars; None if the model's price is not known."""
    return usage_cost(
        model_name,
        {
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "input_token_details": {"cache_read": usage.cached_tokens},
        },
    )
