"""The interfaces of a running Chromium and of where it runs: on this machine, or on a browser host."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from server.browser.chromium.cdp import Cdp
from server.browser.chromium.downloads import Fetch
from server.browser.chromium.reach import Reach
from server.browser.outgoing.held import OutgoingHold
from server.settings import Settings
from wording.catalogue import Wording


class NetworkRules(Protocol):
    """The egress proxy of a browser, as far as its user controls it."""

    last_refusal: tuple[float, Wording] | None
    """Monotonic time in seconds, and a sentence."""

    def use(self, reach: Reach) -> None:
        """Replace the rules."""
        ...


class RunningChromium(Protocol):
    """A Chromium that one session uses."""

    cdp: Cdp
    headless: bool

    @property
    def pid(self) -> int:
        """0 if it runs on another machine."""
        ...

    @property
    def egress(self) -> NetworkRules: ...

    @property
    def outgoing(self) -> OutgoingHold | None:
        """None if nothing can be held there."""
        ...

    @property
    def ports(self) -> set[int]:
        """Local ports that were opened for it."""
        ...

    @property
    def endpoint(self) -> str:
        """The DevTools URL for an MCP server. It is a secret: never pass it on a command line."""
        ...

    @property
    def is_running(self) -> bool: ...

    @property
    def was_kept(self) -> bool:
        """Whether it was running already, with its pages, when it was started for this process."""
        ...

    @property
    def is_remote(self) -> bool:
        """Whether it runs on a browser host: it may be running although it cannot be reached."""
        ...

    @property
    def fetch(self) -> Fetch | None:
        """How its downloads come to this machine; None if it stores them here."""
        ...

    @property
    def kept_tab(self) -> str | None:
        """Target id of the tab that was current when another process left it."""
        ...

    def follow_tab(self, current: Callable[[], str | None]) -> None:
        """Keep the target id of the current tab for a process that uses it next."""
        ...

    async def answers(self, *, deadline: float = 2) -> bool:
        """Return False if it is frozen or gone."""
        ...

    async def close(self) -> None:
        """End it."""
        ...

    async def leave(self) -> None:
        """Stop using it. It ends, unless it can outlive this process: then another one may use it."""
        ...


class LimitedBrowser(Protocol):
    """A session's browser whose memory and disk use is limited."""

    @property
    def chromium(self) -> RunningChromium | None: ...

    def note(self, line: str) -> None:
        """Add a line for the model."""
        ...

    async def collect_garbage(self) -> None:
        """Let the pages free what they do not use."""
        ...


class Chromiums(Protocol):
    """Where browsers run, with their profiles. `note` of `start` gets lines for the model, also later."""

    def configure(self, settings: Settings) -> None: ...

    async def start(
        self, session_id: str, reach: Callable[[], Reach], note: Callable[[str], None], *, restore: bool
    ) -> RunningChromium:
        """Start the session's Chromium, or use the running one. `restore` reopens the pages of its last regular exit.

        Raises BrowserUnavailable.
        """
        ...

    async def finish(self, session_id: str, *, purge: bool = False) -> None:
        """After its Chromium was closed: finish its profile; with `purge` nothing of it is kept for other sessions."""
        ...

    async def purge(self, session_id: str) -> None:
        """Delete its profile."""
        ...

    async def purge_unknown(self, known: Callable[[Sequence[str]], Awaitable[set[str]]]) -> None:
        """Delete profiles on other machines of sessions that do not exist any more; `known` returns those that do."""
        ...

    async def is_open(self, session_id: str) -> bool:
        """Whether the session's Chromium runs for a process that is not this one."""
        ...

    async def renew(self, session_id: str) -> None:
        """Before a start: a process that is gone, or only frozen, may still use the profile."""
        ...

    async def keep_within_limits(self, browsers: Sequence[LimitedBrowser]) -> None:
        """Limit memory and disk of these browsers."""
        ...

    @property
    def is_crowded(self) -> bool:
        """Whether another process waits for a browser."""
        ...

    def missing(self) -> str | None:
        """What has to be installed to start a browser, as a text."""
        ...

    async def ready(self) -> str | None:
        """Why no browser can be started now; None if one can."""
        ...

    async def aclose(self) -> None: ...
