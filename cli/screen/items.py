"""The items shown on the screen, in order. A view creates them from events, a screen renders them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Self

from cli.client import api_types as api
from cli.text import moment
from cli.words import localized

Tone = Literal["info", "warning", "error"]


SECOND_MODEL = "second_model"
"""The name of a step at which the second model begins to answer; it is no tool."""


@dataclass(frozen=True, slots=True)
class UserSaid:
    text: str


@dataclass(frozen=True, slots=True)
class Entered:
    """A command that the user entered."""

    text: str


@dataclass(frozen=True, slots=True)
class Spoken:
    """Part of an answer in Markdown, split at block boundaries only. The joined parts are the answer."""

    text: str
    ends: bool = False


@dataclass(frozen=True, slots=True)
class ToolRan:
    name: str
    args: Mapping[str, object]
    ok: bool
    summary: str = ""
    duration_ms: int = 0
    screenshot: str | None = None
    effect: str | None = None
    """The outcome of an approved act: accepted, refused, unknown or none; the summary says it in words."""


@dataclass(frozen=True, slots=True)
class ResultTable:
    """The rows that a run has recorded; `notes` says why cells are empty or doubtful."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Visited:
    """The browser shows a new page, or the page has overlays."""

    title: str
    url: str
    overlays: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """`current` is an index into `steps`; `done` and `blocked` contain texts of steps. `proposed` is the
    agent's alternative to a plan that the user edited; empty if there is none."""

    steps: tuple[str, ...] = ()
    current: int = 0
    done: frozenset[str] = frozenset()
    blocked: frozenset[str] = frozenset()
    proposed: tuple[str, ...] = ()

    @classmethod
    def read(cls, state: api.WorkingState | api.StateChanged) -> Self:
        progress = state.get("progress") or {}
        return cls(
            steps=tuple(state.get("plan") or ()),
            current=int(progress.get("current") or 0),
            done=frozenset(progress.get("done") or ()),
            blocked=frozenset(progress.get("blocked") or ()),
            proposed=tuple(state.get("proposed_plan") or ()),
        )


@dataclass(frozen=True, slots=True)
class StepReached:
    number: int
    total: int
    text: str


@dataclass(frozen=True, slots=True)
class StartPlan:
    """What a run wants to do before it begins: its steps, and per effect site, kind and number of acts."""

    steps: tuple[str, ...]
    effects: tuple[tuple[str, str, int], ...]

    @classmethod
    def read(cls, start: api.StartPlan) -> Self:
        effects = ((one["site"], one["kind"], int(one["count"])) for one in start["effects"])
        return cls(tuple(start["plan"]), tuple(effects))


Outcome = Literal["yes", "no", "replan", "answered", "done"]
"""What was done with a question: `replan` asks for another plan, `answered` and `done` are of manual ones."""

OUTCOMES: Mapping[Outcome, str] = {
    "yes": "Approved",
    "no": "Refused",
    "replan": "Asked for another plan",
    "answered": "Answered",
    "done": "Done by you",
}


def outcome_of(kind: str, wants: str | None, confirmed: bool) -> Outcome:
    """What an answer comes to, where the server has not said it."""
    if kind == "manual":
        return "answered" if wants == "answer" else "done"
    return "yes" if confirmed else "no"


@dataclass(frozen=True, slots=True)
class Question:
    """An open question: `confirm` needs yes or no to an action, `login` to the use of a stored login, `manual` needs the
    user to do something."""

    reference: str
    kind: Literal["confirm", "manual", "login"]
    reason: str
    action: Mapping[str, object] = field(default_factory=dict)
    target: api.Target | None = None
    url: str | None = None
    amount: str | None = None
    """The money that the page shows next to the target."""
    sends_to: str | None = None
    would_send: str | None = None
    """What the act was about to send when it was stopped."""
    screenshot: str | None = None
    expires_at: datetime | None = None
    login: api.LoginAsked | None = None
    """Of a question about a login: which stored ones fit."""
    start: StartPlan | None = None
    """The plan to agree to, for a question before a run begins."""
    wants: str | None = None
    """Of a manual question: an `answer` in words, or a `step` in the browser."""

    @classmethod
    def read(cls, question: api.Pending | api.Interrupt | api.OpenQuestion, screenshot: str | None) -> Self:
        return cls(
            reference=question["reference"],
            kind=question["kind"],
            reason=localized(question, "reason"),
            wants=question.get("wants"),
            action=question.get("action") or {},
            target=question.get("target"),
            url=question.get("url"),
            amount=question.get("amount"),
            sends_to=question.get("sends_to"),
            would_send=localized(question, "would_send") or None,
            screenshot=screenshot,
            expires_at=moment(question.get("expires_at")),
            login=question.get("login"),
            start=StartPlan.read(start) if (start := question.get("start")) else None,
        )


@dataclass(frozen=True, slots=True)
class Answered:
    outcome: Outcome
    note: str = ""
    """The user's words with their answer."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The run ended with an answer, `seconds` after this client saw it start (0 if it did not see the start)."""

    spent: str = ""
    seconds: float = 0.0
    unmet: bool = False
    """The answer says that the task was not done."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The run ended without success. `torn`: part of an answer was shown that the server did not keep."""

    code: str
    message: str
    torn: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """A message of the command line itself."""

    text: str
    kind: Tone = "info"


Item = (
    UserSaid
    | Entered
    | Spoken
    | ToolRan
    | ResultTable
    | Visited
    | Plan
    | StepReached
    | Question
    | Answered
    | Finished
    | Failed
    | Note
)
