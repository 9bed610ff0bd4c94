"""Response models of the routes, which also appear in the OpenAPI description. Times are UTC."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from server.agent.models.catalog import OfferedModel
from server.events import (
    Activity,
    Box,
    InterruptKind,
    LoginAsked,
    Message,
    QuestionOutcome,
    RunStatus,
    StartPlan,
    Target,
    Usage,
    Wanted,
)
from server.grants.coverage import Amount, GrantScope
from server.ops.json_types import JsonObject
from server.results.rows import ResultRow
from server.store.notes import NoteSource
from wording.catalogue import Parts

SessionStatus = Literal["idle", "queued", "running", "waiting_user", "paused", "error"]


class ResponseModel(BaseModel):
    """Base of the response models; can be validated from a row's attributes."""

    model_config = ConfigDict(from_attributes=True)


class Session(ResponseModel):
    id: str
    title: str
    pinned: bool
    agent: str
    model: str
    max_tool_steps: int
    status: SessionStatus
    unread: bool
    usage: Usage
    created_at: datetime
    updated_at: datetime
    archived_at: datetime | None
    icon: str | None
    """The address of the icon of the site that it worked on last."""
    automation_id: str | None
    """The automation whose runs it has."""
    ask_first: bool
    """Its runs ask before they start."""
    queue_place: int | None = None
    """Its run's position in the queue for a browser, from 1; None if it does not wait for one."""


class Proxy(ResponseModel):
    address: str
    """Such as `socks5://proxy.example:1080`."""
    user: str
    has_password: bool


class SessionSurroundings(ResponseModel):
    """What a session's browser has of its own; null: as for all sessions, or no proxy."""

    time_zone: str | None
    locale: str | None
    proxy: Proxy | None


class ListedSession(Session):
    match: Message | None
    """In a search: the newest matching message, its content cut to an excerpt around the match."""


class Sessions(ResponseModel):
    """A page of the list; `next_cursor` selects the next page, null on the last one."""

    items: list[ListedSession]
    next_cursor: str | None


class Run(ResponseModel):
    id: str
    session_id: str
    message_id: str
    agent: str
    model: str
    status: RunStatus
    error_code: str | None
    error: str | None
    error_parts: Parts | None
    """The sentences of `error`, for other languages than English; null if it has none. So are all other `*_parts`."""
    usage: Usage | None
    attempt: int
    epoch: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class Pending(ResponseModel):
    """The open question; `reference` answers it."""

    reference: str
    kind: InterruptKind
    reason: str
    reason_parts: Parts | None
    wants: Wanted | None
    """Of a manual question: whether it is for an answer in words or for a step in the browser."""
    action: JsonObject | None
    target: Target | None
    url: str | None
    risk: str | None
    amount: str | None
    sends_to: str | None
    would_send: str | None
    """What the act was about to send when it was stopped; null: the question is asked before the act."""
    would_send_parts: Parts | None
    spends: Amount | None
    """`amount` as a number, in thousandths; null if the page leaves any doubt of what the act spends."""
    scopes: list[GrantScope] | None
    """In which acts like this one can be allowed together with a yes."""
    login: LoginAsked | None
    """Of a question about a login: which stored ones fit the form, without their values."""
    start: StartPlan | None
    """What the run wants to do, if it asks before it begins; null: the question is about one act."""
    screenshot: str | None
    expires_at: datetime | None
    later_at: datetime | None
    """The user has put it off until then."""
    position: int
    """Where it stands among the session's rows, as `seq` of a message."""


class Question(Pending):
    """A question of the session, with its status and decision."""

    run_id: str
    status: Literal["open", "decided", "expired", "cancelled"]
    confirmed: bool | None
    outcome: QuestionOutcome | None
    """What the person did; null unless it is decided."""
    message: str | None
    """The person's note to their answer; null if the answer was a message of its own."""
    created_at: datetime
    decided_at: datetime | None


class OpenQuestion(Question):
    session_id: str
    session_title: str


class Questions(ResponseModel):
    """A page of the inbox; `next_cursor` selects the next page, null on the last one."""

    items: list[OpenQuestion]
    next_cursor: str | None
    total: int
    """The number of all open questions; of decided ones, of those in this answer."""


class QuietHours(ResponseModel):
    """In local time of `zone`, as `22:00`."""

    model_config = ConfigDict(populate_by_name=True)
    begin: str = Field(alias="from")
    end: str = Field(alias="to")
    zone: str


ChannelKind = Literal["push", "webhook", "apprise"]
ChannelEvent = Literal["question", "manual", "done", "failed", "needs_you", "budget"]
ChannelMode = Literal["always", "away"]


class Digest(ResponseModel):
    """When the ends of runs are sent in one message: so long after the first of them, or at a time of each day."""

    minutes: int | None = None
    at: str | None = None
    zone: str | None = None


class Channel(ResponseModel):
    """A way to reach the person outside of the web UI."""

    id: str
    kind: ChannelKind
    address: str
    """Without what is secret in it; of a device its name."""
    device: str | None
    """SHA-256 of a device's address at its push service, so that the device finds itself here."""
    events: list[ChannelEvent]
    mode: ChannelMode
    """`away`: only while no page of this server is visible anywhere."""
    quiet: QuietHours | None
    digest: Digest | None
    links: bool
    """The links in its messages about questions need no login."""
    failing: str | None
    """Why the last message was given up; null if it was delivered."""
    last_delivery: datetime | None
    created_at: datetime


class NewlyAddedChannel(Channel):
    secret: str | None
    """The key of a webhook's signatures. It is shown this once."""


class ChannelList(ResponseModel):
    items: list[Channel]


class PushKey(ResponseModel):
    public_key: str
    """The `applicationServerKey` for the subscription of a device."""


class ChannelTested(ResponseModel):
    ok: bool
    detail: str


class Handoff(ResponseModel):
    """One session's browser, given to the first who opens the link."""

    id: str
    expires_at: datetime
    opened_at: datetime | None
    """null until the link is opened."""


class NewHandoff(Handoff):
    link: str
    """It is shown this once."""


class Handoffs(ResponseModel):
    items: list[Handoff]


class ReplayLink(ResponseModel):
    """A session as it was at `created_at`, for all who have the link."""

    id: str
    with_files: bool
    """Whether the session's files can be downloaded, too."""
    created_at: datetime
    expires_at: datetime


class NewReplayLink(ReplayLink):
    link: str
    """It is shown this once."""


class ReplayLinks(ResponseModel):
    items: list[ReplayLink]


class HandoffHeld(ResponseModel):
    session_id: str
    expires_at: datetime


class HandoffOpened(HandoffHeld):
    token: str
    """For the header `Pilothouse-Link`, and the second protocol of the WebSocket."""


FiringCause = Literal["time", "hand", "hook"]
FiringOutcome = Literal[
    "waiting", "running", "completed", "failed", "cancelled", "interrupted", "needs_you", "skipped", "missed"
]
Overlap = Literal["skip", "queue"]
MissedMode = Literal["once", "skip"]
SessionMode = Literal["same", "new"]


class AutomationBudget(ResponseModel):
    """What the runs of an automation may use: one of them, and all of a month together."""

    run_cost: float | None = None
    """US dollars, as `month_cost`; they count where the model's price is known."""
    month_cost: float | None = None
    run_tokens: int | None = None
    month_tokens: int | None = None


class FiringReceipt(ResponseModel):
    """Of a run that ended because its question was not answered in time."""

    done: list[str]
    left: list[str]
    waited_for: str
    waited_for_parts: Parts | None = None


class FiringChange(ResponseModel):
    """How the result differs from the last one, where only changes are reported."""

    kind: Literal["first", "same", "changed"]
    counts: dict[Literal["added", "removed", "changed"], int] | None = None
    """Of the rows of a table."""


class Firing(ResponseModel):
    """One due time of an automation, or one call of it, with what became of it."""

    id: str
    cause: FiringCause
    slot: datetime | None
    """The due time; the first one, if several were missed. Null if it did not begin by time."""
    until: datetime | None
    """The last one of several missed due times."""
    count: int
    """How many due times it stands for."""
    at: datetime
    outcome: FiringOutcome
    why: Literal["overlap", "paused", "failures", "budget"] | None
    """Of a skipped one."""
    session_id: str | None
    run_id: str | None
    usage: Usage | None
    receipt: FiringReceipt | None
    change: FiringChange | None
    finished_at: datetime | None


class Firings(ResponseModel):
    """The newest first; `next_cursor` selects the next page, null on the last one."""

    items: list[Firing]
    next_cursor: str | None


class ExportedAutomation(ResponseModel):
    """What a person sets of an automation."""

    name: str
    task: str
    agent: str
    model: str
    max_tool_steps: int
    start_url: str | None
    rule: str | None
    """The lines `DTSTART:...` and `RRULE:...`, in local time of `zone`; null if it does not begin by time."""
    zone: str
    overlap: Overlap
    missed: MissedMode
    patience: int
    """Seconds that a question waits for an answer; then the run ends with the outcome `needs_you`."""
    session_mode: SessionMode
    keep: int
    """How many sessions are kept with `session_mode` new."""
    budget: AutomationBudget | None
    ask_first: bool
    """Its runs ask before they start."""
    only_changes: bool
    """A run that is done is reported only if its result is not that of the last one."""
    only_first_model: bool
    """Its runs fail where their model does: the second model is not asked."""
    result_schema: JsonObject | None
    """The table that its runs fill."""


class Grant(ResponseModel):
    """What is allowed without asking."""

    id: str
    scope: GrantScope
    site: str
    kind: str
    """Of effect, such as `order`."""
    session_id: str | None
    """Of the scopes run and session."""
    session_title: str | None
    run_id: str | None
    automation_id: str | None
    automation_name: str | None
    count: int | None
    """How many acts it allows in total."""
    ends_at: datetime | None
    act_amount: float | None
    """The most that one act may spend."""
    month_amount: float | None
    """The most that its acts may spend in a calendar month (UTC)."""
    currency: str | None
    uses: int
    month_spent: float | None
    """What its acts have spent in this month; null without a limit for that."""
    last_use: datetime | None
    is_over: bool
    """It allows nothing any more: used up, or its end has passed."""
    created_at: datetime


class Automation(ExportedAutomation):
    """A task that begins by time, by a webhook or manually."""

    id: str
    next_at: datetime | None
    enabled: bool
    paused_by: Literal["person", "failures", "budget"] | None
    session_id: str | None
    failures: int
    """Its last runs that failed, in a row."""
    has_hook: bool
    instructions: str | None
    """What the person wants its runs to heed; in no export."""
    grants: list[Grant]
    """What its runs may do without asking. Not exported: a file grants nothing."""
    created_from: str | None
    created_at: datetime
    updated_at: datetime


class ListedAutomation(Automation):
    last: Firing | None
    used: Usage
    """Of its runs in this month."""


class AutomationList(ResponseModel):
    items: list[ListedAutomation]


class ExportedAutomations(ResponseModel):
    """All automations, without secrets, sessions and logs, as `POST /automations/import` takes them."""

    version: Literal[1]
    automations: list[ExportedAutomation]


class NewHook(ResponseModel):
    secret: str
    """It is shown this once."""
    path: str
    """The address of the webhook on this server."""


class Preview(ResponseModel):
    """The next due times."""

    items: list[datetime]


class UpcomingTime(ResponseModel):
    automation_id: str
    name: str
    at: datetime


class Upcoming(ResponseModel):
    items: list[UpcomingTime]


class Called(ResponseModel):
    """What became of the call of a webhook."""

    id: str
    outcome: FiringOutcome


class Failure(ResponseModel):
    """The end of a run without an answer."""

    run_id: str
    status: RunStatus
    code: str
    message: str
    message_parts: Parts | None
    finished_at: datetime | None
    position: int
    """Where it stands among the session's rows, as `seq` of a message."""


class Progress(ResponseModel):
    """Progress of the plan: `current` is an index from 0, equal to the plan's length when all is done."""

    current: int | None = None
    done: list[str] = []
    blocked: list[str] = []


class Fact(ResponseModel):
    """A finding of the agent, with the page and time of its source."""

    fact: str
    url: str | None = None
    at: datetime | None = None


class WorkingState(ResponseModel):
    goal: str | None = None
    plan: list[str]
    proposed_plan: list[str] = []
    progress: Progress
    facts: list[Fact]


class OpenCall(ResponseModel):
    """A tool call in progress."""

    call_id: str
    name: str
    args: JsonObject
    box: tuple[float, float, float, float] | None
    position: int | None
    """The `seq` that its message will have."""


class Live(ResponseModel):
    """Output in progress that is not yet a message, for a client that received `resync`."""

    event_id: str | None
    message_id: str
    text: str
    thinking: str
    tools: list[OpenCall]


class SessionDetail(Session):
    messages: list[Message]
    run: Run | None
    pending: Pending | None
    interrupts: list[Question]
    errors: list[Failure]
    activities: list[Activity]
    state: WorkingState
    live: Live | None
    instructions: str | None
    """What the person wants its runs to heed."""


class Accepted(ResponseModel):
    message: Message
    run: Run


class Result(ResponseModel):
    """The table of a run."""

    run_id: str
    status: RunStatus
    complete: bool
    """The run has ended with an answer and the table has as many rows as asked for."""
    result_schema: JsonObject
    """JSON Schema of the rows; its columns are in order."""
    rows: list[ResultRow]


class Decided(ResponseModel):
    reference: str
    confirmed: bool


class Grants(ResponseModel):
    items: list[Grant]


class Instructions(ResponseModel):
    """What the person wants all runs to heed; "" if nothing."""

    text: str


class Note(ResponseModel):
    """A short fact about a site."""

    id: str
    site: str
    """Registrable domain; an IP address or a local name with its port."""
    text: str
    source: NoteSource
    session_id: str | None
    """The session that has proposed it."""
    run_id: str | None
    pinned: bool
    used_count: int
    """In how many runs a model has read it."""
    last_used: datetime | None
    confirmed_at: datetime | None
    """When the person kept it, or changed it last; null while it is only proposed: then no model reads it."""
    created_at: datetime


class NoteList(ResponseModel):
    items: list[Note]


class ImportedNotes(NoteList):
    refused: int
    """How many of the file cannot be notes."""


class ExportedNote(ResponseModel):
    site: str
    text: str
    pinned: bool


class ExportedNotes(ResponseModel):
    version: Literal[1] = 1
    notes: list[ExportedNote]


class File(ResponseModel):
    name: str
    size: int
    """Size in bytes."""
    origin: Literal["download", "upload"]
    created_at: datetime
    url: str


class Files(ResponseModel):
    items: list[File]


class Health(ResponseModel):
    status: Literal["ok"] = "ok"
    version: str


class Me(ResponseModel):
    by: Literal["token", "cookie"]


class WaysToLogIn(ResponseModel):
    """Besides the password."""

    proxy_user: str | None
    """Whom a trusted proxy names in this request."""
    oidc: str | None
    """The host of the OpenID Connect provider."""


class Device(ResponseModel):
    """A login by cookie that has not ended."""

    id: str
    way: Literal["password", "proxy", "oidc"]
    browser: str
    """Such as `Firefox, Linux`; empty if unknown."""
    address: str
    """From which it logged in."""
    created_at: datetime
    last_used_at: datetime
    expires_at: datetime
    is_here: bool
    """It is that of this request."""


class KeptSite(ResponseModel):
    """A site that stays signed in for all sessions."""

    id: str
    site: str
    count: int
    """Of its cookies."""
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None
    """When a session's browser was last given them."""


class KeptSiteList(ResponseModel):
    items: list[KeptSite]


class Devices(ResponseModel):
    items: list[Device]
    can_change_password: bool
    """Not where the password is the setting `AUTH_TOKEN`."""


class AgentChoice(ResponseModel):
    id: str
    label: str


class Defaults(ResponseModel):
    agent: str
    model: str
    max_tool_steps: int


class Limits(ResponseModel):
    message_bytes: int
    """Maximum UTF-8 bytes of a message."""
    message_chars: int
    """Characters that always fit, whatever they are; a longer message fits while `message_bytes` allows it."""
    file_bytes: int
    files: int
    max_browsers: int
    token_budget: int
    cost_budget: float | None
    """US dollars per run."""


class Notice(ResponseModel):
    """A hint for the user, such as a missing key."""

    code: str
    text: str
    text_parts: Parts | None


class Config(ResponseModel):
    version: str
    mode: Literal["real", "mock"]
    agents: list[AgentChoice]
    models: list[OfferedModel]
    defaults: Defaults
    limits: Limits
    notices: list[Notice]
    headless: bool
    tells_presence: bool
    """A channel waits while a page is visible: pages are to say so by `POST /presence`."""
    has_display: bool
    """False if the server's machine cannot show a browser window."""
    time_zone: str | None
    """The person's; None if it is not known: that of the browser then."""
    sample_site: Literal["here", "out of reach", "off"]
    """Whether the browsers reach the sample site; `out of reach`: it is on, and they run elsewhere or may not."""


class ModelAbility(ResponseModel):
    name: Literal["streams", "calls", "tool", "required", "json_schema", "pictures", "context"]
    """`calls`: calls a tool by itself; `tool`: one that is named; `required`: calls some tool when it must."""
    works: bool | None
    """None: it could not be tried, or is not known."""
    detail: str
    """Tokens of the context, or why it does not work."""


class KeyTested(ResponseModel):
    ok: bool
    detail: str
    abilities: list[ModelAbility] = []
    """What the model and its server can do, each found out by a short call."""


class ServerModels(ResponseModel):
    address: str
    names: list[str]


class Connected(ResponseModel):
    ok: bool
    detail: str
    """Why not, in a sentence; "" if it is connected."""
    model: str
    calls_tools: bool = False
    """Whether it made the tool call that it was asked for."""
    task_cost: float | None = None
    """US dollars for a typical task; null if the model's price is not known."""


class Purged(ResponseModel):
    sessions: int
    """The number of deleted sessions."""


class Tool(ResponseModel):
    name: str
    description: str
    server: str
    parameters: JsonObject = Field(alias="schema")
    """JSON schema of the parameters."""
    acts: bool
    """True if the tool has side effects: the policy judges each call before it is executed."""


class Tools(ResponseModel):
    items: list[Tool]


class Outcome(ResponseModel):
    """The result of a manual browser action."""

    ok: bool
    text: str
    text_parts: Parts | None
    url: str | None
    title: str | None
    notes: list[str]
    notes_parts: list[Parts | None]


class Picture(ResponseModel):
    ok: bool
    screenshot: str | None
    """Its address; None if no screenshot could be taken."""


class PointedElement(ResponseModel):
    """What a user can point at."""

    id: str
    role: str
    name: str
    near: list[str]
    """Texts around it; the one that distinguishes it from similar elements comes first."""
    box: Box
    """In percent of the picture."""


class PointedPage(ResponseModel):
    """A picture, and the elements on it; none where only the picture is kept."""

    picture: str
    url: str
    elements: list[PointedElement]
    at: str | None
    """The id of the element at the place that was asked about."""
