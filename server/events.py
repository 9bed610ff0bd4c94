"""The events of a run as one closed union, and their two wire formats."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, ClassVar, Literal, TypeVar, get_args

import orjson
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
)  # fmt: skip

from server.grants.coverage import Amount, GrantMark, GrantScope
from server.ops.json_types import JsonObject
from server.text import with_words
from wording.catalogue import Parts

RunStatus = Literal[
    "queued", "running", "waiting_user", "paused", "completed", "failed", "cancelled", "interrupted"
]
InterruptKind = Literal["confirm", "manual", "login"]
Wanted = Literal["answer", "step"]
"""What a manual question is for: the user's words, or something that they do in the browser."""
QuestionOutcome = Literal["yes", "no", "replan", "answered", "done"]
"""What the user did with a question: `replan` is a wish for another plan instead of a start, `answered` and `done`
are of manual questions, and `done` of those for a login that the user makes themselves."""


Box = tuple[float, float, float, float]
"""x, y, width, height in percent of a picture or of the page's viewport."""


class Payload(BaseModel):
    """Base of all events. Fields that are None are left out in the wire formats."""

    model_config = ConfigDict(frozen=True)
    is_terminal: ClassVar[bool] = False


class Token(Payload):
    type: Literal["token"] = "token"
    message_id: str
    text: str


class Thinking(Payload):
    type: Literal["thinking"] = "thinking"
    message_id: str
    text: str


EffectOutcome = Literal["accepted", "refused", "unknown", "none"]
"""What came of an act that may have an effect: its requests were answered; at least one was refused or could not
be sent; it is not known; it sent none."""


class Effect(BaseModel):
    """One request that an act sent, or several equal ones. Never with a query or a body."""

    model_config = ConfigDict(frozen=True)
    method: str
    host: str
    path: str
    status: int | None = None
    failure: Literal["blocked", "unreachable", "cors", "aborted", "dropped", "no_answer"] | None = None
    """Why there is no status, see `server/browser/sent.py`."""
    outcome: Literal["accepted", "refused", "unknown"]
    times: int = 1
    repeated: bool = False
    """An equal request, its body included, was sent before in this run."""


class ToolStart(Payload):
    type: Literal["tool_start"] = "tool_start"
    call_id: str
    name: str
    args: JsonObject
    box: Box | None = None
    """Target of the action: x, y, width, height in percent of the page's viewport."""
    position: int | None = None
    """Where its row stands: the `seq` that its message will have. None until it is stored."""


class ToolEnd(Payload):
    type: Literal["tool_end"] = "tool_end"
    call_id: str
    name: str
    ok: bool
    summary: str
    summary_parts: Parts | None = None
    """The sentences of `summary`, for other languages than English; None if it has none. So are all other `*_parts`."""
    duration_ms: int
    url: str | None = None
    title: str | None = None
    """Of the page at `url`, shortened. It is the page's: untrusted."""
    screenshot: str | None = None
    box: Box | None = None
    """Target of the action: x, y, width, height in percent of the screenshot."""
    reason: str | None = None
    """Why the call failed, as a code: `timeout`, or the code of the run's end (`cancelled`, ...)."""
    trail: JsonObject | None = None
    """What was acted on, in words, and how it was judged: `server.agent.trail.Trail`. Stored; published with the message only."""
    result: JsonObject | None = None
    """`{schema, rows}` of a `record`: the rows that it added. Stored; published with the message only."""
    effect: EffectOutcome | None = None
    """Of an act that needs approval, also if a grant allowed it; None for all others."""
    effects: list[Effect] | None = None
    """The requests of such an act, at most 20: those with another method than GET and HEAD, and the page it opened."""
    page_says: str | None = None
    """Text that was new on the page after such an act: alerts and headings first. It is the page's: untrusted."""
    grants: list[GrantMark] | None = None
    """The grants that allowed such an act; None if the user was asked."""


PROVIDER = "provider"
"""In the stored `meta_json` of a tool call: `Message.provider`."""


POINTERS = "pointers"
"""Key in a message's `meta_json`: what the user points at, as JSON of `agent.pointing.pointer.Pointer`."""


class Message(BaseModel):
    """A message, as returned to clients."""

    model_config = ConfigDict(frozen=True)
    id: str
    session_id: str
    run_id: str | None
    seq: int
    role: Literal["user", "assistant", "tool"]
    content: str
    meta_json: JsonObject | None = None
    client_id: str | None = None
    created_at: datetime
    provider: JsonObject | None = Field(None, exclude=True)
    """Of a tool call: what its model's provider wants back, as `server.agent.assistant.input.kept_for` gives it. Stored in
    `meta_json`; for the agent only, never sent to clients."""


U = TypeVar("U", bound="ModelUsage")

SECOND_MODEL = "second_model"
"""The name of a step at which the second model begins to answer; it is no tool."""


class ModelUsage(BaseModel):
    """Tokens of the calls of one model; `cost` in US dollars, if the price is known."""

    model_config = ConfigDict(frozen=True)
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    model_calls: int = 0
    cost: float | None = None


class Usage(ModelUsage):
    """Tokens of the model calls so far. `models`: what of it other models than the run's own have used."""

    models: dict[str, ModelUsage] | None = Field(None, exclude_if=lambda models: not models)


def sum_usage(one: Usage, other: Usage) -> Usage:
    ones, others = one.models or {}, other.models or {}
    models = {
        name: _sum(ModelUsage, ones.get(name), others.get(name))
        for name in sorted(ones.keys() | others.keys())
    }
    return _sum(Usage, one, other).model_copy(update={"models": models or None})


def _sum(kind: type[U], one: ModelUsage | None, other: ModelUsage | None) -> U:
    one, other = one or ModelUsage(), other or ModelUsage()
    cost = None if one.cost is None and other.cost is None else (one.cost or 0) + (other.cost or 0)
    return kind(
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        cached_tokens=one.cached_tokens + other.cached_tokens,
        model_calls=one.model_calls + other.model_calls,
        cost=cost,
    )


class Done(Payload):
    type: Literal["done"] = "done"
    is_terminal: ClassVar[bool] = True
    message: Message
    usage: Usage


class Error(Payload):
    type: Literal["error"] = "error"
    is_terminal: ClassVar[bool] = True
    code: str
    message: str
    message_parts: Parts | None = None
    position: int | None = None
    """Where the end of the run stands among the session's rows, as `seq` of a message."""


class RunChanged(Payload):
    type: Literal["run"] = "run"
    status: RunStatus
    agent: str
    model: str
    step: int
    max_steps: int
    note: str | None = None
    """Text: what the run waits for, such as the model or a free browser (with its position in the queue)."""
    note_parts: Parts | None = None
    queue_place: int | None = None
    """Its position in the queue for a browser, from 1; None if it does not wait for one."""


class StateChanged(Payload):
    type: Literal["state"] = "state"
    goal: str | None = None
    plan: list[str] = Field(default_factory=list)
    proposed_plan: list[str] = Field(default_factory=list)
    """A new plan of the agent, proposed because the user edited the current one; followed once the user
    accepts it. Empty if there is none."""
    progress: JsonObject = Field(default_factory=dict)
    facts: list[JsonObject] = Field(default_factory=list)


def with_plan(state: StateChanged, plan: Sequence[str]) -> StateChanged:
    """The state after the user has set the plan; the proposal is removed if it equals that plan."""
    left = [] if list(plan) == state.proposed_plan else state.proposed_plan
    return state.model_copy(update={"plan": list(plan), "proposed_plan": left})


class Observed(Payload):
    type: Literal["observation"] = "observation"
    url: str
    title: str
    counts: dict[str, int]
    overlays: list[str]
    screenshot: str | None = None


class Target(BaseModel):
    """The target of an action; the boxes are x, y, width, height in percent of the screenshot."""

    model_config = ConfigDict(frozen=True)
    role: str
    name: str
    box: Box | None = None
    start: Box | None = None
    """Where a drag begins; None for other actions."""


class PolicyRuled(Payload):
    """The policy's verdict on an action before it is executed, also if it is allowed."""

    type: Literal["policy"] = "policy"
    call_id: str
    """The same as in the action's `tool_start`, if the action is executed."""
    action: str
    """The kind of action; for a tool without a kind in the policy, the tool's name."""
    verdict: Literal["allow", "ask", "deny"]
    reason: str
    reason_parts: Parts | None = None
    kind: str | None = None
    """The kind of effect, such as `order`; None if the policy found none."""
    target: Target | None = None
    url: str | None = None
    """The URL that the action opens, else the URL of the page."""
    grants: list[GrantMark] | None = None
    """The grants that allow it, where the policy alone would ask."""


class ForeseenEffect(BaseModel):
    """An effect that a run foresees."""

    model_config = ConfigDict(frozen=True)
    site: str
    kind: str
    """As in a grant."""
    count: int
    """How many acts of this kind."""


class StartPlan(BaseModel):
    """What a run wants to do, shown before it begins."""

    model_config = ConfigDict(frozen=True)
    plan: list[str]
    effects: list[ForeseenEffect]
    """A yes allows for the run those of them that the person chooses."""


class LoginChoice(BaseModel):
    """A stored login that fits the form, without its values."""

    model_config = ConfigDict(frozen=True)
    id: str
    title: str
    site: str
    account: str
    """The user name, masked."""
    is_exact_host: bool = True
    """False if it was stored for another host of the same site."""


class LoginAsked(BaseModel):
    """What a question about a login is about."""

    model_config = ConfigDict(frozen=True)
    host: str
    """Of the form, in punycode, with its port if it has one."""
    site: str
    """The part of the host that says whose it is."""
    has_odd_letters: bool = False
    """The host has letters beyond ASCII: it may only look like another one."""
    fields: list[Literal["user", "password", "code"]]
    choices: list[LoginChoice]
    """The first one is meant unless the answer names another."""


class Interrupt(Payload):
    type: Literal["interrupt"] = "interrupt"
    reference: str
    kind: InterruptKind
    reason: str
    reason_parts: Parts | None = None
    wants: Wanted | None = None
    """Of a manual question."""
    action: JsonObject | None = None
    target: Target | None = None
    url: str | None = None
    risk: str | None = None
    amount: str | None = None
    """The price of the action, as shown on the page."""
    sends_to: str | None = None
    """The site that receives the form; None if it is the page's own site."""
    would_send: str | None = None
    """As in `ConfirmQuestion`."""
    would_send_parts: Parts | None = None
    spends: Amount | None = None
    scopes: list[GrantScope] | None = None
    """As in `ConfirmQuestion`."""
    login: LoginAsked | None = None
    """Of a question about a login."""
    start: StartPlan | None = None
    """Of a question before a run begins."""
    screenshot: str | None = None
    expires_at: datetime | None = None
    later_at: datetime | None = None
    """The user has put it off until then."""
    position: int | None = None
    """Where the question stands among the session's rows, as `seq` of a message."""


class LoginAnswer(BaseModel):
    """How a login may be used, with a yes; `by_hand` is a no: the user logs in themselves."""

    model_config = ConfigDict(frozen=True)
    choice: Literal["once", "session", "automation", "by_hand"] = "once"
    id: str | None = None
    """Of another login than the first of the question's `choices`."""


class Answer(BaseModel):
    """The user's answer to a question, as stored and as passed to the agent."""

    model_config = ConfigDict(frozen=True)
    reference: str | None = None
    """Of the question; None for a question that had none of its own."""
    confirmed: bool = False
    message: str = ""
    """The user's words besides yes or no."""
    changes: str = ""
    """What they changed in the browser before they handed it back, for the agent."""
    in_words: bool = False
    """It was given by a message, not by a button: `message` may agree, refuse or do neither."""
    expired: bool = False
    """The answer came too late: it confirms nothing."""
    valid_until: datetime | None = None
    """When a yes expires, if the question was put off; None: as the question says."""
    effects: list[int] | None = None
    """Of a yes to a run's start: the effects that are allowed, by their place in `StartPlan.effects`; None: all."""
    login: LoginAnswer | None = None
    """Of a question about a login; None: once, as it was asked."""

    @property
    def for_agent(self) -> str:
        """The user's words, together with what they changed."""
        words = self.message.strip()
        return with_words(self.changes, words) if self.changes else words


class BaseQuestion(BaseModel):
    """Base of what an agent asks the user. Stored as JSON in an interrupt and in the graph's checkpoint."""

    model_config = ConfigDict(frozen=True)
    reference: str
    reason: str
    reason_parts: Parts | None = None
    url: str = ""
    screenshot: str | None = None
    asked_at: float = 0.0
    """Unix time."""
    said: str = ""
    """The text of the answer up to the question."""
    step: int = 0
    """The run's step at the question."""
    plan: list[str] | None = None
    """The plan as the user edited it while the question was open; None if they did not."""
    start: StartPlan | None = None
    """What is approved if the question is asked before the run begins; None: it is about one act."""
    answer: Answer | None = None
    """None while the question is open."""

    def to_json(self) -> JsonObject:
        return self.model_dump(mode="json")

    @property
    def note(self) -> str | None:
        """The user's words with their answer; None if the answer was a message, which is a row of its own."""
        if self.answer is None or self.answer.in_words:
            return None
        return self.answer.message.strip() or None

    def outcome(self, confirmed: bool) -> QuestionOutcome:
        """What the user did; `confirmed` is their decision as it is stored with the question."""
        is_replan = self.start is not None and self.answer is not None and bool(self.answer.message.strip())
        return "yes" if confirmed else "replan" if is_replan else "no"


class ConfirmQuestion(BaseQuestion):
    """Asks for the approval of one action on one page."""

    kind: Literal["confirm"] = "confirm"
    risk: str
    """The kind of effect, such as `order`."""
    action: JsonObject
    """The action as JSON, without secrets."""
    target: Target | None = None
    place: str = ""
    """The origin on which the action has its effect."""
    sends_to: str | None = None
    would_send: str | None = None
    """What the act was about to send when it was stopped, without values: `invite member to shop.example (role, email)`;
    None: the question is asked before the act."""
    would_send_parts: Parts | None = None
    amount: str | None = None
    spends: Amount | None = None
    """`amount` as a number; None if the page leaves any doubt of what the act spends."""
    scopes: list[GrantScope] = Field(default_factory=list)
    """In which the user may allow acts like this one; empty if each is asked about."""
    digest: str
    """What the approval is bound to, see `approval_digest`."""
    expires_at: datetime


class ManualQuestion(BaseQuestion):
    """Asks for a step that only the user can do, such as a login, or for their advice."""

    kind: Literal["manual"] = "manual"
    wants: Wanted | None = None
    """None where it was stored before there was this field, see `wanted`."""

    @property
    def wanted(self) -> Wanted:
        """`wants`; of an old question guessed: a request without a question mark was for a step."""
        return self.wants or ("answer" if _ASKS.search(self.reason) else "step")

    def outcome(self, confirmed: bool) -> QuestionOutcome:
        return "answered" if self.wanted == "answer" else "done"


_ASKS = re.compile("[?？؟]")


class LoginQuestion(BaseQuestion):
    """Asks whether a stored login may be typed into one form."""

    kind: Literal["login"] = "login"
    action: JsonObject
    target: Target | None = None
    login: LoginAsked
    scopes: list[GrantScope] = Field(default_factory=list)
    digest: str
    """What the yes is bound to, as in `ConfirmQuestion`."""
    expires_at: datetime

    def outcome(self, confirmed: bool) -> QuestionOutcome:
        is_by_hand = self.answer is not None and self.answer.login and self.answer.login.choice == "by_hand"
        return "yes" if confirmed else "done" if is_by_hand else "no"


Question = Annotated[ConfirmQuestion | ManualQuestion | LoginQuestion, Field(discriminator="kind")]
_QUESTION_ADAPTER: TypeAdapter[Question] = TypeAdapter(Question)


def read_question(stored: object) -> Question:
    """The inverse of `to_json`. Raises pydantic.ValidationError."""
    return _QUESTION_ADAPTER.validate_python(stored)


class Decision(Payload):
    type: Literal["decision"] = "decision"
    reference: str
    confirmed: bool
    outcome: QuestionOutcome | None = None
    """None from a server of an earlier version."""
    message: str | None = None
    """The user's note; None if the answer was a message, which is a row of its own."""


class MessageAdded(Payload):
    type: Literal["message"] = "message"
    message: Message


class MessageRemoved(Payload):
    """A queued message was taken back."""

    type: Literal["message_removed"] = "message_removed"
    message_id: str


class Drove(BaseModel):
    """The person had the browser."""

    model_config = ConfigDict(frozen=True)
    kind: Literal["drove"] = "drove"
    seconds: int
    pages: list[str] = []
    """Addresses of the pages, in order, without what follows `?` and `#`; at most 20."""
    was_handed_off: bool = False
    """The link of a hand-off had been opened: it may have been another person."""


class PlanEdited(BaseModel):
    """The person changed the plan. Edits without another row between them are one."""

    model_config = ConfigDict(frozen=True)
    kind: Literal["plan_edited"] = "plan_edited"
    before: list[str]
    plan: list[str]


class Resumed(BaseModel):
    """The person let a paused run go on."""

    model_config = ConfigDict(frozen=True)
    kind: Literal["resumed"] = "resumed"
    seconds: int
    """How long it was paused."""


class Branched(BaseModel):
    """The rows above were copied from another session."""

    model_config = ConfigDict(frozen=True)
    kind: Literal["branched"] = "branched"
    session_id: str
    title: str


What = Annotated[Drove | PlanEdited | Resumed | Branched, Field(discriminator="kind")]
ACTIVITY_KINDS = {one.model_fields["kind"].default for one in get_args(get_args(What)[0])}


class Activity(BaseModel):
    """A row of the conversation that is neither message nor question, as returned to clients."""

    model_config = ConfigDict(frozen=True)
    id: str
    run_id: str | None
    position: int
    """Where it stands among the session's rows, as `seq` of a message."""
    what: What
    created_at: datetime


class ActivityAdded(Payload):
    """A new activity, or one that has changed."""

    type: Literal["activity"] = "activity"
    activity: Activity


class UsageChanged(Payload):
    type: Literal["usage"] = "usage"
    call: Usage
    total: Usage


class Resync(Payload):
    type: Literal["resync"] = "resync"
    reason: str = "buffer"


Event = Annotated[
    Token
    | Thinking
    | ToolStart
    | ToolEnd
    | Done
    | Error
    | RunChanged
    | StateChanged
    | Observed
    | PolicyRuled
    | Interrupt
    | Decision
    | MessageAdded
    | MessageRemoved
    | ActivityAdded
    | UsageChanged
    | Resync,
    Field(discriminator="type"),
]


class SessionChanged(BaseModel):
    """The `session` event of `GET /stream`: the fields that a list of sessions shows."""

    model_config = ConfigDict(frozen=True)
    session_id: str
    status: str
    title: str
    unread: bool = False
    deleted: bool = False
    updated_at: datetime | None = None
    note: str | None = None
    queue_place: int | None = None
    icon: str | None = None
    """The address of the icon of its site."""
    usage: Usage | None = None
    """Total of all ended runs of the session."""


@dataclass(frozen=True, slots=True)
class Stamped:
    """An event with its position: run, epoch and seq. `id` is the value of `Last-Event-ID`."""

    session_id: str
    run_id: str
    epoch: int
    seq: int
    ts: datetime
    event: Event

    @property
    def id(self) -> str:
        return f"{self.epoch}-{self.seq}"


def now() -> datetime:
    return datetime.now(UTC)


def to_data(stamped: Stamped) -> JsonObject:
    """The event as a flat dict: its position, then the event's own fields."""
    head = {
        "type": stamped.event.type,
        "session_id": stamped.session_id,
        "run_id": stamped.run_id,
        "epoch": stamped.epoch,
        "seq": stamped.seq,
        "ts": stamped.ts,
    }
    return head | _fields(stamped.event)


def to_sse(stamped: Stamped) -> bytes:
    """First wire format: one block of `GET /sessions/{id}/stream`."""
    data = orjson.dumps(to_data(stamped))
    return b"event: %b\nid: %b\ndata: %b\n\n" % (stamped.event.type.encode(), stamped.id.encode(), data)


_OBSERVER_TYPES = {
    "tool_start": "tool_call",
    "tool_end": "tool_result",
    "policy": "policy_result",
    "decision": "policy_result",
    "done": "final",
    "observation": "observation",
    "error": "error",
    "resync": "resync",
}


_STAGES = {
    "llm": "model", "model": "model", "output": "model", "browser": "browser", "db": "database", "storage": "database",
}  # fmt: skip


def stage_of(code: str) -> str:
    """The part that failed, by error code: model, browser, database, or run for all other codes."""
    return _STAGES.get(code.partition("_")[0], "run")


def ruled_by(event: Event) -> Literal["policy", "person"]:
    """Who made the decision of a `policy_result`."""
    return "policy" if isinstance(event, PolicyRuled) else "person"


def to_observer(stamped: Stamped) -> JsonObject | None:
    """Second wire format: `{type, session_id, ts, payload}` of `/events/{session_id}`; None if not sent."""
    kind = _OBSERVER_TYPES.get(stamped.event.type)
    if isinstance(stamped.event, Interrupt):
        kind = "policy_request" if stamped.event.kind == "confirm" else None
    if kind is None:
        return None
    payload = _fields(stamped.event) | {"run_id": stamped.run_id}
    if isinstance(stamped.event, Error):
        payload["stage"] = stage_of(stamped.event.code)
    if kind == "policy_result":
        payload["by"] = ruled_by(stamped.event)
    return {"type": kind, "session_id": stamped.session_id, "ts": stamped.ts, "payload": payload}


def _fields(event: Event) -> JsonObject:
    """The event's fields without None values; a message keeps all its fields."""
    known = event.model_dump(mode="json", exclude={"type"}, exclude_none=True)
    if isinstance(event, Done | MessageAdded):
        known["message"] = event.message.model_dump(mode="json")
    return known
