"""Graph state: plain JSON values and messages; no pictures, and no page except the current one."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict, cast

from langchain_core.messages import BaseMessage
from langgraph.graph.message import add_messages

from server.agent.actions import Action, read_action
from server.browser.observation import Observation
from server.ops.json_types import JsonObject

Method = Literal["tool", "schema", "json"]
"""How a move is asked for: a forced tool; a JSON schema; JSON by the rules alone."""


class Input(TypedDict):
    """Input that starts a run."""

    user_message: str
    message_id: str
    result_schema: NotRequired[JsonObject | None]
    """The table that the message asks for, as `ResultSchema.to_json`."""


class State(TypedDict, total=False):
    # Conversation and working state: they live as long as the session.
    messages: Annotated[list[BaseMessage], add_messages]
    last_user_message: str | None
    task: str
    """The newest message with a request, in the user's words."""
    task_id: str
    current_goal: str | None
    plan: list[str]
    plan_edited: bool
    """The user edited the plan: the model's new plans are only proposed."""
    proposed_plan: list[str]
    """A plan of the model that awaits the user's approval; [] if there is none."""
    models_plan: list[str]
    """The model's newest plan, followed or not: a plan that the user has dismissed is not proposed again."""
    is_plan_of_earlier: bool
    """The plan was made for an earlier task, which was not finished: a new plan begins at its first item."""
    progress: JsonObject
    """`{current: index in the plan, done: [text], blocked: [text]}`"""
    facts: list[JsonObject]
    result: JsonObject | None
    """The `Collected` rows as JSON; None if the task asks for no table."""
    facts_before: int
    """Number of facts before the newest move."""
    outcome: str
    """How the last run ended: done, denied, cancelled, blocked, limit; "" while a run has not ended."""
    private_sites: list[str]
    """Sites where something private was seen: a login, a secret field, a takeover by the user."""

    # The last observation of the page.
    last_observation: JsonObject | None
    last_screenshot: dict[str, str] | None
    needs_observe: bool
    pictured_page: str
    """The page, as `observing.page_key`, that the model was last shown a picture of."""
    shown_page: str
    """`Observation.digest` of the page in the last prompt."""
    shown_lines: JsonObject | None
    """What the model was shown before its last act: `{page: observing.page_key, steps, marks}`."""
    is_pictured: bool
    """`last_screenshot` was taken at the end of the last step and nothing happened since."""
    reading: str | None
    """Text that the last action has read from the page; cleared by the next move, except `record`."""
    reading_file: str
    """Name of the file that `reading` comes from; "" for the page."""

    unshown_notes: list[str]
    """Notes of an observation that was replaced before the model was shown it: a browser reports a loss once."""

    # One run.
    user_message: str
    message_id: str
    result_schema: JsonObject | None
    planned_action: JsonObject | None
    """An `Action` as JSON."""
    batch: JsonObject | None
    """The `Batch` of acts that follow the planned action, as JSON; None if there are none."""
    is_further: bool
    """The planned action comes from the batch: it was planned on an observation taken just now."""
    ruling: JsonObject | None
    """How the planned action was judged: `{verdict, kind}`, as in `Trail`."""
    pending: JsonObject | None
    """The open `Question` as JSON."""
    approval: JsonObject | None
    """The user's `Approval` as JSON; used once."""
    held: list[JsonObject]
    """What the last act was about to send and is asked about, `HeldRequest`s as JSON."""
    route: str
    """The next node, chosen by the last one."""
    steps: list[str]
    failures: list[str]
    tool_steps: int
    invalid_actions: int
    problem: str | None
    """Why the model's last answer could not be used."""
    repairs: int
    """Consecutive retries after unusable answers."""
    method: Method | Literal[""]
    """How the model is asked after an unusable answer; "" for the usual way."""
    is_cut: bool
    """The model's last answer was cut."""
    works_plan: bool
    """The model planned or reported progress in this run: its answer then completes the plan."""
    asks: int
    denied: dict[str, int]
    """Acts that the user refused, by `approval_digest`, with how often each was planned again. Emptied by the
    user's next words."""
    tokens: int
    cost: float
    """US dollars, as far as the model's price is known."""
    deadline: float
    """Unix time at which the run's time budget ends; waiting for the user does not count."""
    sent: list[str]
    """Keys of the requests that acts with an effect have sent, `SentRequest.key`."""
    refused: list[JsonObject]
    """The requests of such acts that were refused, `Effect` as JSON, and not accepted later."""
    is_turned_back: bool
    """The model's answer was sent back because of `refused`; this happens once."""
    tried: dict[str, int]
    """Attempts of an action that changed nothing, by `limits.attempt_key`."""
    attempt: JsonObject | None
    """The act whose effect is still to be seen, `limits.attempted`."""
    moving: str
    """The `attempt_key` of an act after which only numbers or the picture changed: perhaps by themselves."""
    gives_up: bool
    """The model's last move ends the run and says what does not work."""
    captcha_tries: int
    """Actions with a possible effect since a captcha came into view."""
    captcha_done: str
    """URL of the page whose captcha the user was asked to solve."""
    timeouts: dict[str, int]
    """Consecutive timeouts per site."""
    focused: str | None
    """The browser's ref of the element that was last clicked, typed into or selected from: keys go there."""
    final_response: str | None
    spoken: str
    """The part of the answer that was already streamed."""


Update = JsonObject
"""A node's result: the keys of `State` that changed."""


def fresh_run() -> Update:
    """Initial values of everything that belongs to one run."""
    return {
        "planned_action": None,
        "batch": None,
        "is_further": False,
        "ruling": None,
        "pending": None,
        "approval": None,
        "held": [],
        "route": "",
        "steps": [],
        "failures": [],
        "tool_steps": 0,
        "invalid_actions": 0,
        "problem": None,
        "repairs": 0,
        "method": "",
        "is_cut": False,
        "works_plan": False,
        "asks": 0,
        "denied": {},
        "tokens": 0,
        "cost": 0.0,
        "sent": [],
        "refused": [],
        "is_turned_back": False,
        "tried": {},
        "attempt": None,
        "moving": "",
        "gives_up": False,
        "captcha_tries": 0,
        "captcha_done": "",
        "timeouts": {},
        "outcome": "",
        "final_response": None,
        "spoken": "",
        "reading": None,
        "focused": None,
        "unshown_notes": [],
        "needs_observe": True,
        "is_pictured": False,
        "pictured_page": "",
        "shown_page": "",
        "shown_lines": None,
    }


def merged(state: State, update: Update) -> State:
    """The state after the update, messages excluded."""
    return cast(State, {**state, **{name: value for name, value in update.items() if name != "messages"}})


def planned(state: State) -> Action:
    """The current step's action. Raises ValueError if none is planned."""
    if state["planned_action"] is None:
        raise ValueError("no action is planned")
    return read_action(state["planned_action"])


BLANK = ("", "about:blank")
"""Addresses at which no page is open."""


def last_url(state: State) -> str:
    """URL of the last observation; "" before the first one."""
    page = (state.get("last_observation") or {}).get("page") or {}
    return str(page.get("url", ""))


def seen(state: State) -> Observation:
    """The last observation."""
    return Observation.model_validate(state["last_observation"])
