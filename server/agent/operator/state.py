"""What the graph remembers: plain JSON values and messages, never a picture, never a page but the present one."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict, cast

from langchain_core.messages import BaseMessage
from langgraph.graph.message import add_messages


class Input(TypedDict):
    """What starts a run."""

    user_message: str
    message_id: str


class State(TypedDict, total=False):
    # The conversation and the working state: they live as long as the session.
    messages: Annotated[list[BaseMessage], add_messages]
    last_user_message: str | None
    task: str
    """The newest message that asked for something, in the person's words."""
    task_id: str
    current_goal: str | None
    plan: list[str]
    plan_edited: bool
    """The plan is the person's own: the model's new plans are only proposed."""
    proposed_plan: list[str]
    """A plan of the model's that waits for the person's yes; [] when there is none."""
    models_plan: list[str]
    """The model's newest plan, followed or not: a plan that the person has already turned down is not proposed again."""
    progress: dict[str, Any]
    """`{current: index in the plan, done: [text], blocked: [text]}`"""
    facts: list[dict[str, Any]]
    outcome: str
    """How the last run ended: done, denied, cancelled, blocked, limit; "" for one that has not."""
    private_sites: list[str]
    """Sites where something private was seen: a login, a secret field, a person at the wheel."""

    # The page as it was last seen.
    last_observation: dict[str, Any] | None
    last_screenshot: dict[str, str] | None
    needs_observe: bool
    is_pictured: bool
    """`last_screenshot` was taken at the end of the last step and nothing happened since."""
    reading: str | None
    """Text around one element, asked for by the last action; gone after the next move."""

    # One run.
    user_message: str
    message_id: str
    planned_action: dict[str, Any] | None
    pending: dict[str, Any] | None
    """The open question: the payload of the interrupt."""
    approval: dict[str, Any] | None
    """A person's yes: `{reference, digest, expires_at}`; used once."""
    route: str
    """Where the last node wants the graph to go."""
    steps: list[str]
    failures: list[str]
    tool_steps: int
    invalid_actions: int
    problem: str | None
    """Why the model's last answer could not be used."""
    repairs: int
    """How often in a row it was asked again."""
    works_plan: bool
    """The model planned, or told of progress: then its answer completes the plan."""
    asks: int
    tokens: int
    cost: float
    """US dollars, as far as the model's price is known."""
    deadline: float
    """Unix time at which the run's time budget ends; waiting for a person does not count."""
    tried: dict[str, int]
    """How often an action was wanted on the very same page."""
    captcha_tries: int
    """Acts in a row on a page with a captcha in view."""
    captcha_done: str
    """Address of the page whose captcha the person was asked to answer."""
    timeouts: dict[str, int]
    """Per site, how often it did not answer in a row."""
    focused: str | None
    """The browser's own target of the element that was last clicked or typed into: keys go there."""
    final_response: str | None
    spoken: str
    """What of the answer was streamed already."""


Update = dict[str, Any]
"""What a node returns: the keys of `State` that changed."""


def fresh_run() -> Update:
    """Everything that belongs to one run, back at its beginning."""
    return {
        "planned_action": None,
        "pending": None,
        "approval": None,
        "route": "",
        "steps": [],
        "failures": [],
        "tool_steps": 0,
        "invalid_actions": 0,
        "problem": None,
        "repairs": 0,
        "works_plan": False,
        "asks": 0,
        "tokens": 0,
        "cost": 0.0,
        "tried": {},
        "captcha_tries": 0,
        "captcha_done": "",
        "timeouts": {},
        "outcome": "",
        "final_response": None,
        "spoken": "",
        "reading": None,
        "focused": None,
        "needs_observe": True,
        "is_pictured": False,
    }


def merged(state: State, update: Update) -> State:
    """The state as it will be, messages aside."""
    return cast(State, {**state, **{name: value for name, value in update.items() if name != "messages"}})


def planned(state: State) -> dict[str, Any]:
    """The present step's action."""
    return state["planned_action"] or {}


def last_url(state: State) -> str:
    """The address of the page as it was last seen; "" before the first look."""
    page = (state.get("last_observation") or {}).get("page") or {}
    return str(page.get("url", ""))
