"""Types of what the server sends. Written by scripts/describe_cli_types.py: change the API's schemas instead."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

AnyObject = dict[str, Any]
"""An object whose keys the API's description does not say."""


class Published(TypedDict):
    """What each event of a stream has: its place there, its time and its run."""

    epoch: NotRequired[int]
    seq: NotRequired[int]
    ts: NotRequired[str]
    run_id: NotRequired[str]


class Activity(TypedDict):
    id: str
    run_id: str | None
    position: int
    what: Drove | PlanEdited | Resumed | Branched
    created_at: str


class AgentChoice(TypedDict):
    id: str
    label: str


class Amount(TypedDict):
    parts: int
    currency: str


class Automation(TypedDict):
    name: str
    task: str
    agent: str
    model: str
    max_tool_steps: int
    start_url: str | None
    rule: str | None
    zone: str
    overlap: Literal["skip", "queue"]
    missed: Literal["once", "skip"]
    patience: int
    session_mode: Literal["same", "new"]
    keep: int
    budget: AutomationBudget | None
    ask_first: bool
    only_changes: bool
    only_first_model: bool
    result_schema: AnyObject | None
    id: str
    next_at: str | None
    enabled: bool
    paused_by: Literal["person", "failures", "budget"] | None
    session_id: str | None
    failures: int
    has_hook: bool
    instructions: str | None
    grants: list[Grant]
    created_from: str | None
    created_at: str
    updated_at: str


class AutomationBudget(TypedDict):
    run_cost: NotRequired[float | None]
    month_cost: NotRequired[float | None]
    run_tokens: NotRequired[int | None]
    month_tokens: NotRequired[int | None]


class AutomationList(TypedDict):
    items: list[ListedAutomation]


class Branched(TypedDict):
    kind: Literal["branched"]
    session_id: str
    title: str


class Config(TypedDict):
    version: str
    mode: Literal["real", "mock"]
    agents: list[AgentChoice]
    models: list[OfferedModel]
    defaults: Defaults
    limits: Limits
    notices: list[Notice]
    headless: bool
    tells_presence: bool
    has_display: bool
    time_zone: str | None
    sample_site: Literal["here", "out of reach", "off"]


class Decision(Published):
    type: Literal["decision"]
    reference: str
    confirmed: bool
    outcome: NotRequired[Literal["yes", "no", "replan", "answered", "done"] | None]
    message: NotRequired[str | None]


class Defaults(TypedDict):
    agent: str
    model: str
    max_tool_steps: int


class Device(TypedDict):
    id: str
    way: Literal["password", "proxy", "oidc"]
    browser: str
    address: str
    created_at: str
    last_used_at: str
    expires_at: str
    is_here: bool


class Devices(TypedDict):
    items: list[Device]
    can_change_password: bool


class Done(Published):
    type: Literal["done"]
    message: Message
    usage: Usage


class Drove(TypedDict):
    kind: Literal["drove"]
    seconds: int
    pages: NotRequired[list[str]]
    was_handed_off: NotRequired[bool]


class EditedCell(TypedDict):
    column: str
    at: str
    value: NotRequired[str | int | float | bool | None]
    missing: NotRequired[str | None]
    unverified: NotRequired[bool]


class Effect(TypedDict):
    method: str
    host: str
    path: str
    status: NotRequired[int | None]
    failure: NotRequired[Literal["blocked", "unreachable", "cors", "aborted", "dropped", "no_answer"] | None]
    outcome: Literal["accepted", "refused", "unknown"]
    times: NotRequired[int]
    repeated: NotRequired[bool]


class Error(Published):
    type: Literal["error"]
    code: str
    message: str
    message_parts: NotRequired[Parts | None]
    position: NotRequired[int | None]


class Fact(TypedDict):
    fact: str
    url: NotRequired[str | None]
    at: NotRequired[str | None]


class Failure(TypedDict):
    run_id: str
    status: Literal[
        "queued", "running", "waiting_user", "paused", "completed", "failed", "cancelled", "interrupted"
    ]
    code: str
    message: str
    message_parts: Parts | None
    finished_at: str | None
    position: int


class Firing(TypedDict):
    id: str
    cause: Literal["time", "hand", "hook"]
    slot: str | None
    until: str | None
    count: int
    at: str
    outcome: Literal[
        "waiting",
        "running",
        "completed",
        "failed",
        "cancelled",
        "interrupted",
        "needs_you",
        "skipped",
        "missed",
    ]
    why: Literal["overlap", "paused", "failures", "budget"] | None
    session_id: str | None
    run_id: str | None
    usage: Usage | None
    receipt: FiringReceipt | None
    change: FiringChange | None
    finished_at: str | None


class FiringChange(TypedDict):
    kind: Literal["first", "same", "changed"]
    counts: NotRequired[dict[str, int] | None]


class FiringReceipt(TypedDict):
    done: list[str]
    left: list[str]
    waited_for: str
    waited_for_parts: NotRequired[Parts | None]


class Firings(TypedDict):
    items: list[Firing]
    next_cursor: str | None


class ForeseenEffect(TypedDict):
    site: str
    kind: str
    count: int


class Grant(TypedDict):
    id: str
    scope: Literal["run", "session", "automation", "always"]
    site: str
    kind: str
    session_id: str | None
    session_title: str | None
    run_id: str | None
    automation_id: str | None
    automation_name: str | None
    count: int | None
    ends_at: str | None
    act_amount: float | None
    month_amount: float | None
    currency: str | None
    uses: int
    month_spent: float | None
    last_use: str | None
    is_over: bool
    created_at: str


class GrantMark(TypedDict):
    id: str
    scope: Literal["run", "session", "automation", "always"]


class Grants(TypedDict):
    items: list[Grant]


class Instructions(TypedDict):
    text: str


class Interrupt(Published):
    type: Literal["interrupt"]
    reference: str
    kind: Literal["confirm", "manual", "login"]
    reason: str
    reason_parts: NotRequired[Parts | None]
    wants: NotRequired[Literal["answer", "step"] | None]
    action: NotRequired[AnyObject | None]
    target: NotRequired[Target | None]
    url: NotRequired[str | None]
    risk: NotRequired[str | None]
    amount: NotRequired[str | None]
    sends_to: NotRequired[str | None]
    would_send: NotRequired[str | None]
    would_send_parts: NotRequired[Parts | None]
    spends: NotRequired[Amount | None]
    scopes: NotRequired[list[Literal["run", "session", "automation", "always"]] | None]
    login: NotRequired[LoginAsked | None]
    start: NotRequired[StartPlan | None]
    screenshot: NotRequired[str | None]
    expires_at: NotRequired[str | None]
    later_at: NotRequired[str | None]
    position: NotRequired[int | None]


class KeptSite(TypedDict):
    id: str
    site: str
    count: int
    created_at: str
    expires_at: str
    last_used_at: str | None


class KeptSiteList(TypedDict):
    items: list[KeptSite]


class Limits(TypedDict):
    message_bytes: int
    message_chars: int
    file_bytes: int
    files: int
    max_browsers: int
    token_budget: int
    cost_budget: float | None


class ListedAutomation(TypedDict):
    name: str
    task: str
    agent: str
    model: str
    max_tool_steps: int
    start_url: str | None
    rule: str | None
    zone: str
    overlap: Literal["skip", "queue"]
    missed: Literal["once", "skip"]
    patience: int
    session_mode: Literal["same", "new"]
    keep: int
    budget: AutomationBudget | None
    ask_first: bool
    only_changes: bool
    only_first_model: bool
    result_schema: AnyObject | None
    id: str
    next_at: str | None
    enabled: bool
    paused_by: Literal["person", "failures", "budget"] | None
    session_id: str | None
    failures: int
    has_hook: bool
    instructions: str | None
    grants: list[Grant]
    created_from: str | None
    created_at: str
    updated_at: str
    last: Firing | None
    used: Usage


class ListedSession(TypedDict):
    id: str
    title: str
    pinned: bool
    agent: str
    model: str
    max_tool_steps: int
    status: Literal["idle", "queued", "running", "waiting_user", "paused", "error"]
    unread: bool
    usage: Usage
    created_at: str
    updated_at: str
    archived_at: str | None
    icon: str | None
    automation_id: str | None
    ask_first: bool
    queue_place: NotRequired[int | None]
    match: Message | None


class Live(TypedDict):
    event_id: str | None
    message_id: str
    text: str
    thinking: str
    tools: list[OpenCall]


class LoginAsked(TypedDict):
    host: str
    site: str
    has_odd_letters: NotRequired[bool]
    fields: list[Literal["user", "password", "code"]]
    choices: list[LoginChoice]


class LoginChoice(TypedDict):
    id: str
    title: str
    site: str
    account: str
    is_exact_host: NotRequired[bool]


class LoginGrants(TypedDict):
    sessions: list[NamedId]
    automations: list[NamedId]


class Message(TypedDict):
    id: str
    session_id: str
    run_id: str | None
    seq: int
    role: Literal["user", "assistant", "tool"]
    content: str
    meta_json: NotRequired[AnyObject | None]
    client_id: NotRequired[str | None]
    created_at: str


class MessageAdded(Published):
    type: Literal["message"]
    message: Message


class ModelUsage(TypedDict):
    input_tokens: NotRequired[int]
    output_tokens: NotRequired[int]
    cached_tokens: NotRequired[int]
    model_calls: NotRequired[int]
    cost: NotRequired[float | None]


class NamedId(TypedDict):
    id: str
    name: str


class Note(TypedDict):
    id: str
    site: str
    text: str
    source: Literal["run", "correction", "person", "import"]
    session_id: str | None
    run_id: str | None
    pinned: bool
    used_count: int
    last_used: str | None
    confirmed_at: str | None
    created_at: str


class NoteList(TypedDict):
    items: list[Note]


class Notice(TypedDict):
    code: str
    text: str
    text_parts: Parts | None


class Observed(Published):
    type: Literal["observation"]
    url: str
    title: str
    counts: dict[str, int]
    overlays: list[str]
    screenshot: NotRequired[str | None]


class OfferedModel(TypedDict):
    id: str
    provider: str
    label: str
    ready: bool
    missing: NotRequired[str | None]
    vision: NotRequired[bool | None]
    context: NotRequired[int | None]
    price_in: NotRequired[float | None]
    price_out: NotRequired[float | None]
    own_server: NotRequired[bool]
    demo: NotRequired[bool]


class OpenCall(TypedDict):
    call_id: str
    name: str
    args: AnyObject
    box: tuple[float, float, float, float] | None
    position: int | None


class OpenQuestion(TypedDict):
    reference: str
    kind: Literal["confirm", "manual", "login"]
    reason: str
    reason_parts: Parts | None
    wants: Literal["answer", "step"] | None
    action: AnyObject | None
    target: Target | None
    url: str | None
    risk: str | None
    amount: str | None
    sends_to: str | None
    would_send: str | None
    would_send_parts: Parts | None
    spends: Amount | None
    scopes: list[Literal["run", "session", "automation", "always"]] | None
    login: LoginAsked | None
    start: StartPlan | None
    screenshot: str | None
    expires_at: str | None
    later_at: str | None
    position: int
    run_id: str
    status: Literal["open", "decided", "expired", "cancelled"]
    confirmed: bool | None
    outcome: Literal["yes", "no", "replan", "answered", "done"] | None
    message: str | None
    created_at: str
    decided_at: str | None
    session_id: str
    session_title: str


class Outcome(TypedDict):
    ok: bool
    text: str
    text_parts: Parts | None
    url: str | None
    title: str | None
    notes: list[str]
    notes_parts: list[Parts | None]


Parts: TypeAlias = "list[str | SentenceJson]"


class Pending(TypedDict):
    reference: str
    kind: Literal["confirm", "manual", "login"]
    reason: str
    reason_parts: Parts | None
    wants: Literal["answer", "step"] | None
    action: AnyObject | None
    target: Target | None
    url: str | None
    risk: str | None
    amount: str | None
    sends_to: str | None
    would_send: str | None
    would_send_parts: Parts | None
    spends: Amount | None
    scopes: list[Literal["run", "session", "automation", "always"]] | None
    login: LoginAsked | None
    start: StartPlan | None
    screenshot: str | None
    expires_at: str | None
    later_at: str | None
    position: int


class PlanEdited(TypedDict):
    kind: Literal["plan_edited"]
    before: list[str]
    plan: list[str]


class Progress(TypedDict):
    current: NotRequired[int | None]
    done: NotRequired[list[str]]
    blocked: NotRequired[list[str]]


class Question(TypedDict):
    reference: str
    kind: Literal["confirm", "manual", "login"]
    reason: str
    reason_parts: Parts | None
    wants: Literal["answer", "step"] | None
    action: AnyObject | None
    target: Target | None
    url: str | None
    risk: str | None
    amount: str | None
    sends_to: str | None
    would_send: str | None
    would_send_parts: Parts | None
    spends: Amount | None
    scopes: list[Literal["run", "session", "automation", "always"]] | None
    login: LoginAsked | None
    start: StartPlan | None
    screenshot: str | None
    expires_at: str | None
    later_at: str | None
    position: int
    run_id: str
    status: Literal["open", "decided", "expired", "cancelled"]
    confirmed: bool | None
    outcome: Literal["yes", "no", "replan", "answered", "done"] | None
    message: str | None
    created_at: str
    decided_at: str | None


class Questions(TypedDict):
    items: list[OpenQuestion]
    next_cursor: str | None
    total: int


class ResultRow(TypedDict):
    id: str
    values: dict[str, str | int | float | bool | None]
    missing: NotRequired[dict[str, str]]
    unverified: NotRequired[list[str]]
    edited: NotRequired[dict[str, str | int | float | bool | None]]
    edits: NotRequired[list[EditedCell]]
    url: NotRequired[str]
    file: NotRequired[str]
    at: str
    screenshot: NotRequired[str | None]


class Resumed(TypedDict):
    kind: Literal["resumed"]
    seconds: int


class Resync(Published):
    type: Literal["resync"]
    reason: NotRequired[str]


class Run(TypedDict):
    id: str
    session_id: str
    message_id: str
    agent: str
    model: str
    status: Literal[
        "queued", "running", "waiting_user", "paused", "completed", "failed", "cancelled", "interrupted"
    ]
    error_code: str | None
    error: str | None
    error_parts: Parts | None
    usage: Usage | None
    attempt: int
    epoch: int
    created_at: str
    started_at: str | None
    finished_at: str | None


class RunChanged(Published):
    type: Literal["run"]
    status: Literal[
        "queued", "running", "waiting_user", "paused", "completed", "failed", "cancelled", "interrupted"
    ]
    agent: str
    model: str
    step: int
    max_steps: int
    note: NotRequired[str | None]
    note_parts: NotRequired[Parts | None]
    queue_place: NotRequired[int | None]


class SentenceJson(TypedDict):
    code: str
    values: dict[str, str | int | float | Parts]


class SessionDetail(TypedDict):
    id: str
    title: str
    pinned: bool
    agent: str
    model: str
    max_tool_steps: int
    status: Literal["idle", "queued", "running", "waiting_user", "paused", "error"]
    unread: bool
    usage: Usage
    created_at: str
    updated_at: str
    archived_at: str | None
    icon: str | None
    automation_id: str | None
    ask_first: bool
    queue_place: NotRequired[int | None]
    messages: list[Message]
    run: Run | None
    pending: Pending | None
    interrupts: list[Question]
    errors: list[Failure]
    activities: list[Activity]
    state: WorkingState
    live: Live | None
    instructions: str | None


class Sessions(TypedDict):
    items: list[ListedSession]
    next_cursor: str | None


class StartPlan(TypedDict):
    plan: list[str]
    effects: list[ForeseenEffect]


class StateChanged(Published):
    type: Literal["state"]
    goal: NotRequired[str | None]
    plan: NotRequired[list[str]]
    proposed_plan: NotRequired[list[str]]
    progress: NotRequired[AnyObject]
    facts: NotRequired[list[AnyObject]]


class StoredLogin(TypedDict):
    id: str
    site: str
    hosts: list[str]
    exact: bool
    title: str
    account: str | None
    has_code: bool | None
    source: Literal["local", "op", "bw"]
    grant: LoginGrants
    created_at: str
    last_used_at: str | None
    uses: int


class StoredLoginList(TypedDict):
    items: list[StoredLogin]


class Target(TypedDict):
    role: str
    name: str
    box: NotRequired[tuple[float, float, float, float] | None]
    start: NotRequired[tuple[float, float, float, float] | None]


class Thinking(Published):
    type: Literal["thinking"]
    message_id: str
    text: str


class Token(Published):
    type: Literal["token"]
    message_id: str
    text: str


class ToolEnd(Published):
    type: Literal["tool_end"]
    call_id: str
    name: str
    ok: bool
    summary: str
    summary_parts: NotRequired[Parts | None]
    duration_ms: int
    url: NotRequired[str | None]
    title: NotRequired[str | None]
    screenshot: NotRequired[str | None]
    box: NotRequired[tuple[float, float, float, float] | None]
    reason: NotRequired[str | None]
    trail: NotRequired[AnyObject | None]
    result: NotRequired[AnyObject | None]
    effect: NotRequired[Literal["accepted", "refused", "unknown", "none"] | None]
    effects: NotRequired[list[Effect] | None]
    page_says: NotRequired[str | None]
    grants: NotRequired[list[GrantMark] | None]


class ToolStart(Published):
    type: Literal["tool_start"]
    call_id: str
    name: str
    args: AnyObject
    box: NotRequired[tuple[float, float, float, float] | None]
    position: NotRequired[int | None]


class Usage(TypedDict):
    input_tokens: NotRequired[int]
    output_tokens: NotRequired[int]
    cached_tokens: NotRequired[int]
    model_calls: NotRequired[int]
    cost: NotRequired[float | None]
    models: NotRequired[dict[str, ModelUsage] | None]


class UsageChanged(Published):
    type: Literal["usage"]
    call: Usage
    total: Usage


class VaultLog(TypedDict):
    items: list[VaultLogEntry]
    next_before: str | None


class VaultLogEntry(TypedDict):
    id: str
    at: str
    event: str
    login_id: str | None
    title: str
    host: str
    fields: list[str]
    actor: Literal["person", "agent", "server"]
    session_id: str | None
    run_id: str | None
    reason: str


class WorkingState(TypedDict):
    goal: NotRequired[str | None]
    plan: list[str]
    proposed_plan: NotRequired[list[str]]
    progress: Progress
    facts: list[Fact]


Event = (
    Decision
    | Done
    | Error
    | Interrupt
    | MessageAdded
    | Observed
    | Resync
    | RunChanged
    | StateChanged
    | Thinking
    | Token
    | ToolEnd
    | ToolStart
    | UsageChanged
)
