"""The operator: an explicit graph that plans, observes, asks and acts, one step at a time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace
from typing import Protocol, get_args

from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from server.agent.context import RunContext
from server.agent.gate.gate import Gate
from server.agent.models.catalog import CostOf
from server.agent.models.chat_model import takes_images
from server.agent.models.pictures import long_side_for
from server.agent.operator import finishing
from server.agent.operator.act.limits import OperatorLimits, before_timeout
from server.agent.operator.ask.consent import AfterConfirm, AfterGate, Consent
from server.agent.operator.memory.state import Input, Next, Route, Saved, State
from server.agent.operator.nodes import AfterCheck, AfterFurther, AfterPlan, AfterStep, Nodes
from server.agent.operator.plan.methods import Structured
from server.agent.operator.plan.second_planner import PlannerOfTwo
from server.agent.operator.see.observing import Observer, Vision
from server.agent.second_model import SecondModel
from server.clock import steady_time
from server.ops.json_types import JsonObject

FINALS = ("finalize_done", "finalize_denied", "finalize_cancelled", "finalize_blocked", "finalize_limit")

Operator = CompiledStateGraph[Saved, RunContext, Input, Saved]


class SavedNode(Protocol):
    """A node as the graph calls it."""

    async def __call__(self, state: Saved, runtime: Runtime[RunContext]) -> JsonObject: ...


def build_operator(
    model: BaseChatModel,
    *,
    gate: Gate | None = None,
    vision: Vision = "auto",
    points: bool = False,
    lacks: Collection[str] = (),
    token_budget: int = 2_000_000,
    cost_budget: float | None = None,
    cost_of: CostOf = lambda usage: None,
    second: SecondModel | None = None,
    run_timeout: float = 1800,
    decision_timeout: float = 600,
    structured: Structured = "auto",
    checkpointer: BaseCheckpointSaver[str] | None = None,
    clock: Callable[[], float] = steady_time,
) -> Operator:
    """Build a graph that all runs can share: what belongs to one run is passed as its context.

    `points`: whether the browser can act at a point of the picture; offered to models that see. `lacks`: the acts that its
    server cannot do, which are not offered.
    """
    observer = Observer(vision, model_sees=takes_images(model), long_side=long_side_for(model))
    consent = Consent(gate or Gate(), observer, decision_timeout, clock)
    limits = OperatorLimits(token_budget, before_timeout(run_timeout), cost_budget)
    planner = PlannerOfTwo(
        model, cost_of, second, points=points and observer.see, lacks=lacks, structured=structured
    )
    nodes = Nodes(planner, consent, observer, limits, clock)
    return assemble(nodes).compile(checkpointer=checkpointer, name="operator")


def assemble(nodes: Nodes) -> StateGraph[Saved, RunContext, Input, Saved]:
    """Add the nodes and edges; docs/operator.md shows the diagram."""
    graph = StateGraph(Saved, context_schema=RunContext, input_schema=Input)
    graph.add_node("ingest_user_input", _saving(nodes.ingest_user_input))
    graph.add_node("maybe_observe", _saving(nodes.maybe_observe))
    graph.add_node("plan_action", _saving(nodes.plan_action))
    graph.add_node("validate_action", _saving(nodes.validate_action))
    graph.add_node("policy_gate", _saving(nodes.consent.policy_gate))
    graph.add_node("confirm_interrupt", _saving(nodes.consent.confirm_interrupt))
    graph.add_node("manual_interrupt", _saving(nodes.consent.manual_interrupt))
    graph.add_node("execute_action", _saving(nodes.execute_action))
    graph.add_node("maybe_stop_or_continue", _saving(nodes.maybe_stop_or_continue))
    graph.add_node("continue_batch", _saving(nodes.continue_batch))
    graph.add_node("finalize_done", _saving(finishing.finalize_done))
    graph.add_node("finalize_denied", _saving(finishing.finalize_denied))
    graph.add_node("finalize_cancelled", _saving(finishing.finalize_cancelled))
    graph.add_node("finalize_blocked", _saving(finishing.finalize_blocked))
    graph.add_node("finalize_limit", _saving(nodes.finalize_limit))

    graph.add_edge(START, "ingest_user_input")
    graph.add_edge("ingest_user_input", "maybe_observe")
    graph.add_edge("maybe_observe", "plan_action")
    _route(graph, "plan_action", AfterPlan)
    _route(graph, "validate_action", AfterCheck)
    _route(graph, "policy_gate", AfterGate)
    _route(graph, "confirm_interrupt", AfterConfirm)
    graph.add_edge("manual_interrupt", "maybe_observe")
    graph.add_edge("execute_action", "maybe_stop_or_continue")
    _route(graph, "maybe_stop_or_continue", AfterStep)
    _route(graph, "continue_batch", AfterFurther)
    for final in FINALS:
        graph.add_edge(final, END)
    return graph


def _saving(work: Callable[[State, RunContext], Awaitable[State | Next[Route]]]) -> SavedNode:
    """The node on the saved state: it is read before and what the node changed is written after it."""

    async def node(state: Saved, runtime: Runtime[RunContext]) -> JsonObject:
        before = State.read(state)
        after = await work(before, runtime.context)
        if isinstance(after, Next):
            after = replace(after.state, turn=replace(after.state.turn, route=after.node))
        return after.to_saved(before, state)

    return node


def _route(graph: StateGraph[Saved, RunContext, Input, Saved], source: str, targets: object) -> None:
    """Add edges from `source` to each node of the literal type `targets`; the saved route selects one."""
    graph.add_conditional_edges(source, _chosen, list(get_args(targets)))


def _chosen(saved: Saved) -> str:
    return str(saved["route"])
