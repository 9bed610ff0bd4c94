"""What a run passes to its agent: browser, inbox, grants, storage for screenshots."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from server import clock
from server.agent.logins import FilledLogins, NoVault, RunOfLogin, Vault
from server.agent.pointing.pointer import Pointer, SeenPage
from server.agent.private_sites import PrivateSites
from server.browser.browser import Browser, PagePicture, ToolOutcome, ToolSpec
from server.events import now
from server.grants.coverage import GrantUse, HeldGrant
from server.ops.json_types import JsonView


@dataclass(frozen=True, slots=True)
class UserUpdates:
    """What the user said or did since the last step."""

    messages: tuple[str, ...] = ()
    plan: tuple[str, ...] | None = None
    """The plan as edited by the user; None if it was not edited."""
    takeover: str | None = None
    """What changed while the user had control of the browser; None if they did not take it."""
    dismissed: tuple[str, ...] | None = None
    """The proposed plan that the user dismissed; None if they did not."""
    are_words_old: bool = False
    """The messages and the plan were given before the user answered the run's question, not after it."""
    before_answer: bool = False
    """The user released the browser before answering: the answer refers to the page as they left it."""

    @property
    def asks_anew(self) -> bool:
        """Whether the user wants something else than before: what they refused may be asked about again."""
        return not self.are_words_old and (bool(self.messages) or self.plan is not None)


class Inbox(Protocol):
    async def take_updates(self) -> UserUpdates:
        """Called before every step. Waits while the run is paused or the user has control of the browser."""
        ...


class GrantBook(Protocol):
    """The user's grants that apply to the run. Read only where the policy asks, so that they are never outdated."""

    async def held(self) -> Sequence[HeldGrant]: ...

    async def use(self, uses: Sequence[GrantUse], act: str) -> bool:
        """Count the uses of one act that is about to begin, in the database: all of them or none.

        `act` names it, for a run that breaks off. False if a grant does not cover it any more: the act must not be
        performed.
        """
        ...


@dataclass(frozen=True, slots=True)
class Known:
    """What a model call reads of the person's knowledge; each "" if there is none."""

    instructions: str = ""
    """In the person's words."""
    notes: str = ""
    """On the site of the open page, fenced."""


NOTHING_KNOWN = Known()


class Knowledge(Protocol):
    """What the person wants the agent to know. For prompts only: no gate, policy or approval reads it."""

    async def known(self, address: str, page: str) -> Known:
        """For a call of a model that reads the text `page`. `address`: of the open page, "" if there is none."""
        ...

    async def propose(self, address: str, texts: Sequence[str]) -> None:
        """Offer notes on the site of that address to the person."""
        ...


class NoKnowledge:
    async def known(self, address: str, page: str) -> Known:
        return NOTHING_KNOWN

    async def propose(self, address: str, texts: Sequence[str]) -> None:
        pass


class ToolBox(Protocol):
    """The tools of the MCP servers that the person has added, for one session."""

    async def offered(self) -> Sequence[ToolSpec]:
        """As they are now: what the person changes holds from the next call of this on."""
        ...

    async def call(self, spec: ToolSpec, args: JsonView) -> ToolOutcome:
        """Call the tool if it is still the one of `spec.pin`. The text is the server's: cut, masked, not fenced."""
        ...


class NoTools:
    async def offered(self) -> Sequence[ToolSpec]:
        return ()

    async def call(self, spec: ToolSpec, args: JsonView) -> ToolOutcome:
        raise ValueError(f"no server has the tool {spec.name}")


@dataclass(frozen=True, slots=True)
class InterruptedCall:
    """A tool call that a former execution of the run had begun and whose result is not in its checkpoint."""

    call_id: str
    message_id: str | None
    """Of the model's message with the call: a later call may have the same id."""
    summary: str | None = None
    """The result as it was stored for the user; None: how the call has ended is unknown."""


async def _keeps_no_page(_: str, __: SeenPage) -> None:
    return None


@dataclass(frozen=True, slots=True)
class RunContext:
    run_id: str
    session_id: str
    browser: Callable[[], Awaitable[Browser]]
    """The session's browser, started at the first call."""
    keep: Callable[[PagePicture], Awaitable[str | None]]
    """Stores a screenshot; returns its address, None when it could not be stored."""
    inbox: Inbox
    grants: GrantBook
    max_tool_steps: int
    has_browser: Callable[[], bool] = lambda: True
    """False until the session needs a browser: then there is no page to observe."""
    active_seconds: Callable[[], float] = lambda: 0.0
    """Seconds of work in this execution of the run, pauses not counted."""
    take_queued: Callable[[], float] = lambda: 0.0
    """Seconds that the run waited for a free browser since the last call."""
    private: PrivateSites = field(default_factory=PrivateSites)
    """Private sites of the session's browser profile; shared by both agents."""
    logins: set[str] = field(default_factory=set)
    """Forms whose password was typed with a yes and that are not sent yet (`gate/logins.py`)."""
    vault: Vault = field(default_factory=NoVault)
    automation_id: str | None = None
    """Of the automation that the run is of."""
    filled: FilledLogins = field(default_factory=FilledLogins)
    patience: float | None = None
    """Seconds for which its questions may be answered; None: as the server is set."""
    only_first_model: bool = False
    """The second model is not asked."""
    files: Path | None = None
    """The folder of the session's own files, the only ones that can be read or uploaded to a page."""
    today: Callable[[], str] = lambda: clock.today(now(), None)
    """The line of a prompt that says what day it is for the person, or for the automation; made at each model call."""
    knowledge: Knowledge = field(default_factory=NoKnowledge)
    tools: ToolBox = field(default_factory=NoTools)
    keep_page: Callable[[str, SeenPage], Awaitable[None]] = _keeps_no_page
    """Stores, by a screenshot's address, what it shows."""
    pointers: Callable[[], Sequence[Pointer]] = tuple
    """What the user points at in the messages of the run."""
    left: InterruptedCall | None = None
    """Not repeated when another process continues the run."""

    @property
    def login_run(self) -> RunOfLogin:
        return RunOfLogin(self.session_id, self.run_id, self.automation_id)
