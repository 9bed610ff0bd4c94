"""The operator's state: frozen groups, read from the graph's channels before a node and written back after it.

What is saved stays plain: a channel for each field, with JSON values and messages, no pictures, and no page except the
current one. So a checkpoint of an earlier version is read as it is (a channel that it lacks has its default), a process
of that version can continue one of this, and PostgreSQL stores only the fields that changed.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Any, Generic, Literal, NotRequired, TypedDict, TypeVar

from langchain_core.messages import BaseMessage
from langgraph.graph.message import add_messages
from pydantic import BaseModel, TypeAdapter

from server.agent.actions import Action, BaseAction
from server.agent.gate.approval import Approval
from server.agent.gate.rulings import Ruling
from server.agent.operator.memory.batch import Batch
from server.agent.operator.memory.table import Collected
from server.browser.observation import Observation
from server.browser.outgoing.held import HeldRequest
from server.events import BaseQuestion, Effect, Question
from server.ops.json_types import Json, JsonObject

Method = Literal["tool", "schema", "json"]
"""How a move is asked for: a forced tool; a JSON schema; JSON by the rules alone."""

Node = Literal[
    "maybe_observe", "plan_action", "validate_action", "policy_gate", "confirm_interrupt", "manual_interrupt",
    "execute_action", "continue_batch", "finalize_done", "finalize_denied", "finalize_cancelled", "finalize_blocked",
    "finalize_limit",
]  # fmt: skip
"""The nodes that another one chooses."""
Route = Node | Literal[""]
"""No name: a later node chooses."""
Outcome = Literal["", "done", "denied", "cancelled", "blocked", "limit"]

BLANK = ("", "about:blank")
"""Addresses at which no page is open."""
MAX_KNOWN_PAGES = 64


class Input(TypedDict):
    """Input that starts a run."""

    user_message: str
    message_id: str
    result_schema: NotRequired[JsonObject | None]
    """The table that the message asks for, as `ResultSchema.to_json`."""


class PlanProgress(BaseModel, frozen=True):
    current: int = 0
    """Index in the plan."""
    done: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()


class NotedFact(BaseModel, frozen=True):
    """A fact in one sentence, the page it came from ("" for a file) and the time, ISO 8601 in UTC."""

    fact: str
    url: str = ""
    at: str = ""


class StoredPicture(BaseModel, frozen=True):
    """A kept screenshot; sizes in CSS pixels."""

    address: str
    width: int
    height: int
    moment: str = ""
    """As in `Observation`."""


class ShownLines(BaseModel, frozen=True):
    """What the model was shown before its last act."""

    page: str
    """`observing.page_key`"""
    steps: int
    marks: tuple[str, ...]


class TriedAct(BaseModel, frozen=True):
    """An act whose effect is still to be seen: what is compared with the page after it."""

    key: str
    """`limits.attempt_key`"""
    what: str
    is_click: bool
    marks: tuple[str, str]
    """`limits.marks_of`"""
    steps: int


@dataclass(frozen=True, slots=True)
class AskedTask:
    """What the user asks for."""

    user_message: str = ""
    message_id: str = ""
    result_schema: JsonObject | None = None
    last_user_message: str | None = None
    task: str = ""
    """The newest message with a request, in the user's words."""
    task_id: str = ""
    current_goal: str | None = None


@dataclass(frozen=True, slots=True)
class WorkState:
    """Plan and findings, which outlive a run, and its steps."""

    plan: tuple[str, ...] = ()
    plan_edited: bool = False
    """The user edited the plan: the model's new plans are only proposed."""
    proposed_plan: tuple[str, ...] = ()
    """A plan of the model that awaits the user's approval; empty if there is none."""
    models_plan: tuple[str, ...] = ()
    """The model's newest plan, followed or not: a plan that the user has dismissed is not proposed again."""
    is_plan_of_earlier: bool = False
    """The plan was made for an earlier task, which was not finished: a new plan begins at its first item."""
    progress: PlanProgress | None = None
    """None for a task of which no move was made yet."""
    works_plan: bool = False
    """The model planned or reported progress in this run: its answer then completes the plan."""
    facts: tuple[NotedFact, ...] = ()
    facts_before: int = 0
    """Number of facts before the newest move."""
    result: Collected | None = None
    """None if the task asks for no table."""
    steps: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    did: tuple[str, ...] = ()
    """What the steps that worked did, in words of a person and the language of the task."""
    gives_up: bool = False
    """The model's last move ends the run and says what does not work."""
    outcome: Outcome = ""
    """How the last run ended; "" while a run has not ended."""


@dataclass(frozen=True, slots=True)
class PageState:
    """The last observation of the page, and what the model was shown of it."""

    last_observation: Observation | None = None
    last_screenshot: StoredPicture | None = None
    needs_observe: bool = True
    pictured_page: str = ""
    """The page, as `observing.page_key`, that the model was last shown a picture of."""
    shown_page: str = ""
    """`Observation.digest` of the page in the last prompt."""
    shown_lines: ShownLines | None = None
    is_pictured: bool = False
    """`last_screenshot` was taken at the end of the last step and nothing happened since."""
    reading: str | None = None
    """Text that the last action has read from the page; cleared by the next move, except `record`."""
    reading_file: str = ""
    """Name of the file that `reading` comes from; "" for the page."""
    unshown_notes: tuple[str, ...] = ()
    """Notes of an observation that was replaced before the model was shown it: a browser reports a loss once."""
    focused: str | None = None
    """The browser's ref of the element that was last clicked, typed into or selected from: keys go there."""
    private_sites: tuple[str, ...] = ()
    """Sites where something private was seen: a login, a secret field, a takeover by the user."""


@dataclass(frozen=True, slots=True)
class TurnState:
    """The planned action on its way through the gate, and the model's answer that it comes from."""

    planned_action: Action | None = None
    batch: Batch | None = None
    """The acts that follow the planned action."""
    is_further: bool = False
    """The planned action comes from the batch: it was planned on an observation taken just now."""
    ruling: Ruling = field(default_factory=Ruling)
    """How the planned action was judged."""
    pending: Question | None = None
    """The open question."""
    approval: Approval | None = None
    """Used once."""
    held: tuple[HeldRequest, ...] = ()
    """What the last act was about to send and is asked about."""
    route: Route = ""
    """The next node, chosen by the last one."""
    problem: str | None = None
    """Why the model's last answer could not be used."""
    repairs: int = 0
    """Consecutive retries after unusable answers."""
    method: Method | Literal[""] = ""
    """How the model is asked after an unusable answer; "" for the usual way."""
    is_cut: bool = False
    """The model's last answer was cut."""
    final_response: str | None = None
    spoken: str = ""
    """The part of the answer that was already streamed."""


@dataclass(frozen=True, slots=True)
class RunCounts:
    """What is counted against the limits of a run."""

    tool_steps: int = 0
    invalid_actions: int = 0
    asks: int = 0
    tokens: int = 0
    cost: float = 0.0
    """US dollars, as far as the model's price is known."""
    deadline: float = math.inf
    """Unix time at which the run's time budget ends; waiting for the user does not count."""
    tried: Mapping[str, int] = field(default_factory=dict)
    """Attempts of an action that changed nothing, by `limits.attempt_key`."""
    attempt: TriedAct | None = None
    moving: str = ""
    """The `attempt_key` of an act after which only numbers or the picture changed: perhaps by themselves."""
    captcha_tries: int = 0
    """Actions with a possible effect since a captcha came into view."""
    captcha_done: str = ""
    """URL of the page whose captcha the user was asked to solve."""
    timeouts: Mapping[str, int] = field(default_factory=dict)
    """Consecutive timeouts per site."""


@dataclass(frozen=True, slots=True)
class ProofState:
    """What acts with an effect have sent, and what the user has refused."""

    sent: tuple[str, ...] = ()
    """Keys of the requests that acts with an effect have sent, `SentRequest.key`."""
    refused: tuple[Effect, ...] = ()
    """The requests of such acts that were refused, and not accepted later."""
    is_turned_back: bool = False
    """The model's answer was sent back because of `refused`; this happens once."""
    denied: Mapping[str, int] = field(default_factory=dict)
    """Acts that the user refused, by `approval_digest`, with how often each was planned again. Emptied by the
    user's next words."""


@dataclass(frozen=True, slots=True)
class State:
    """The state as nodes read it. A node returns another one; what differs is saved."""

    messages: tuple[BaseMessage, ...] = ()
    """The conversation as it was before the node."""
    added: tuple[BaseMessage, ...] = ()
    """What the node adds to it, and `RemoveMessage`s."""
    asked: AskedTask = AskedTask()
    work: WorkState = WorkState()
    page: PageState = PageState()
    turn: TurnState = TurnState()
    limits: RunCounts = RunCounts()
    proof: ProofState = ProofState()

    @classmethod
    def read(cls, saved: Mapping[str, Any]) -> State:
        """From the graph's channels, by the names of the fields. Raises pydantic.ValidationError."""
        return cls(
            messages=tuple(saved.get("messages") or ()),
            **{name: _read_group(kind, saved) for name, kind in _GROUPS.items()},
        )

    def to_saved(self, before: State, known: Collection[str] = ()) -> JsonObject:
        """The channels that are to change: fields that differ from `before`, and those of which nothing is saved yet.

        `known` names the channels that have a value.
        """
        changed: JsonObject = {"messages": list(self.added)} if self.added else {}
        for group in _GROUPS:
            old, new = getattr(before, group), getattr(self, group)
            for one in fields(new):
                value = getattr(new, one.name)
                was = getattr(old, one.name)
                if one.name not in known or (value is not was and value != was):
                    changed[one.name] = _to_json(value)
        if changed.get("progress", {}) is None:  # as the versions before wrote it
            changed["progress"] = {}
        return changed

    @property
    def observation(self) -> Observation:
        """The last observation. Raises ValueError before the first one."""
        if self.page.last_observation is None:
            raise ValueError("no page was observed")
        return self.page.last_observation

    @property
    def url(self) -> str:
        """Of the last observation; "" before the first one."""
        return self.page.last_observation.page.url if self.page.last_observation else ""

    @property
    def action(self) -> Action:
        """The current step's action. Raises ValueError if none is planned."""
        if self.turn.planned_action is None:
            raise ValueError("no action is planned")
        return self.turn.planned_action

    @property
    def memory(self) -> Mapping[str, Any]:
        """What the gate asks of what was seen: `taint.Memory`."""
        return {"messages": self.messages, "private_sites": list(self.page.private_sites)}

    def planning(self, action: Action | None) -> State:
        return replace(self, turn=replace(self.turn, planned_action=action))


def fresh_run(state: State) -> State:
    """With the initial values of everything that belongs to one run."""
    page = replace(
        state.page, reading=None, focused=None, unshown_notes=(), needs_observe=True, is_pictured=False,
        pictured_page="", shown_page="", shown_lines=None,
    )  # fmt: skip
    work = replace(state.work, steps=(), failures=(), did=(), works_plan=False, gives_up=False, outcome="")
    return replace(state, page=page, work=work, turn=TurnState(), limits=RunCounts(), proof=ProofState())


_GROUPS: Mapping[str, type[Any]] = {
    "asked": AskedTask, "work": WorkState, "page": PageState, "turn": TurnState, "limits": RunCounts,
    "proof": ProofState,
}  # fmt: skip
_GROUP_READERS: Mapping[type, TypeAdapter[Any]] = {kind: TypeAdapter(kind) for kind in _GROUPS.values()}
T = TypeVar("T")


class _KnownPages:
    """Observations next to their JSON, by its identity: a page is not validated again in each node of a process."""

    def __init__(self) -> None:
        self._pages: OrderedDict[int, tuple[JsonObject, Observation]] = OrderedDict()

    def read(self, stored: JsonObject) -> Observation:
        """The observation that was stored as this very object, else a new one."""
        found = self._pages.get(id(stored))
        return found[1] if found else self._keep(stored, Observation.model_validate(stored))

    def store(self, observation: Observation) -> JsonObject:
        stored = observation.model_dump(mode="json", exclude_defaults=True)
        self._keep(stored, observation)
        return stored

    def _keep(self, stored: JsonObject, observation: Observation) -> Observation:
        self._pages[id(stored)] = (stored, observation)
        if len(self._pages) > MAX_KNOWN_PAGES:
            self._pages.popitem(last=False)
        return observation


_KNOWN_PAGES = _KnownPages()


def _read_group(kind: type[T], saved: Mapping[str, Any]) -> T:
    given = {
        name: value
        for name in kind.__dataclass_fields__  # type: ignore[attr-defined]
        if (value := saved.get(name)) is not None and value != {}
    }
    if isinstance(page := given.get("last_observation"), dict):
        given["last_observation"] = _KNOWN_PAGES.read(page)
    read: T = _GROUP_READERS[kind].validate_python(given)
    return read


def _to_json(value: object) -> Json:
    match value:
        case Observation():
            return _KNOWN_PAGES.store(value)
        case BaseAction() | Batch() | BaseQuestion():
            return value.to_json()
        case Effect():
            return value.model_dump(exclude_none=True)
        case Ruling():
            return value.model_dump(mode="json", exclude_defaults=True)
        case BaseModel():
            return value.model_dump(mode="json")
        case tuple():
            return [_to_json(one) for one in value]
        case Mapping():
            return dict(value)
    plain: Json = value  # type: ignore[assignment]
    return plain


class Saved(TypedDict, total=False):
    """The channels of the graph: the conversation, and each field of the groups as JSON. Their names are saved, so they
    stay."""

    messages: Annotated[list[BaseMessage], add_messages]
    route: str


Saved.__annotations__.update({one.name: Any for kind in _GROUPS.values() for one in fields(kind)})

To = TypeVar("To", bound=Route, covariant=True)


@dataclass(frozen=True, slots=True)
class Next(Generic[To]):
    """What a node returns that chooses the next one: `To` are the nodes that it may lead to."""

    state: State
    node: To
