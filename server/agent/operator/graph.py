"""The operator: an explicit graph that plans, observes, asks and acts, one step at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection

from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from server.agent.context import RunContext
from server.agent.gate.gate import Gate
from server.agent.models.catalog import CostOf
from server.agent.models.chat_model import takes_images
from server.agent.models.pictures import long_side_for
from server.agent.operator import finishing
from server.agent.operator.act.limits import OperatorLimits, before_timeout
from server.agent.operator.ask.consent import Consent
from server.agent.operator.memory.state import Input, State
from server.agent.operator.nodes import Nodes
from server.agent.operator.plan.methods import Structured
from server.agent.operator.plan.second_planner import PlannerOfTwo
from server.agent.operator.see.observing import Observer, Vision
from server.agent.second_model import SecondModel
from server.clock import steady_time

FINALS = ("finalize_done", "finalize_denied", "finalize_cancelled", "finalize_blocked", "finalize_limit")

Operator = CompiledStateGraph[State, RunContext, Input, State]


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


def assemble(nodes: Nodes) -> StateGraph[State, RunContext, Input, State]:
    """Add the nodes and edges; docs/operator.md shows the diagram."""
    graph = StateGraph(State, context_schema=RunContext, input_schema=Input)
    graph.add_node("ingest_user_input", nodes.ingest_user_input)
    graph.add_node("maybe_observe", nodes.maybe_observe)
    graph.add_node("plan_action", nodes.plan_action)
    graph.add_node("validate_action", nodes.validate_action)
    graph.add_node("policy_gate", nodes.consent.policy_gate)
    graph.add_node("confirm_interrupt", nodes.consent.confirm_interrupt)
    graph.add_node("manual_interrupt", nodes.consent.manual_interrupt)
    graph.add_node("execute_action", nodes.execute_action)
    graph.add_node("maybe_stop_or_continue", nodes.maybe_stop_or_continue)
    graph.add_node("continue_batch", nodes.continue_batch)
    graph.add_node("finalize_done", finishing.finalize_done)
    graph.add_node("finalize_denied", finishing.finalize_denied)
    graph.add_node("finalize_cancelled", finishing.finalize_cancelled)
    graph.add_node("finalize_blocked", finishing.finalize_blocked)
    graph.add_node("finalize_limit", nodes.finalize_limit)

    graph.add_edge(START, "ingest_user_input")
    graph.add_edge("ingest_user_input", "maybe_observe")
    graph.add_edge("maybe_observe", "plan_action")
    _route(graph, "plan_action", "validate_action", "plan_action")
    _route(graph, "validate_action", "policy_gate", "plan_action", "manual_interrupt", "finalize_blocked")
    _route(
        graph, "policy_gate",
        "execute_action", "confirm_interrupt", "manual_interrupt", "maybe_observe", "finalize_denied", "finalize_cancelled",
    )  # fmt: skip
    _route(graph, "confirm_interrupt", "execute_action", "maybe_observe", "finalize_cancelled")
    graph.add_edge("manual_interrupt", "maybe_observe")
    graph.add_edge("execute_action", "maybe_stop_or_continue")
    _route(
        graph, "maybe_stop_or_continue",
        "maybe_observe", "continue_batch", "confirm_interrupt", "manual_interrupt", "finalize_done", "finalize_limit",
    )  # fmt: skip
    _route(graph, "continue_batch", "validate_action", "maybe_observe")
    for final in FINALS:
        graph.add_edge(final, END)
    return graph


def _route(graph: StateGraph[State, RunContext, Input, State], source: str, *targets: str) -> None:
    """Add edges from `source` to each of `targets`; `state["route"]` selects one."""
    graph.add_conditional_edges(source, _chosen, list(targets))


def _chosen(state: State) -> str:
    return state["route"]
