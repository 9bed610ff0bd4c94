"""The messages between a browser host and the processes that use its browsers.

`/browsers/{session_id}` is a WebSocket with messages of JSON: the first is an `Acquire`, the reply a `Granted` or a
`Refusal`. Then the process sends `ToHost`, the host `ToHolder`. It is the holder until the connection ends, or until a
process with a higher epoch acquires the browser.

`/browsers/{session_id}/{epoch}/devtools` is a WebSocket with DevTools messages, for each client of the holder one.
`/browsers/{session_id}/{epoch}/files/{name}` takes a file for an upload and gives a download. Each request has the
secret as its bearer token.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Annotated, Literal

from pydantic import BaseModel, Field, PlainSerializer, PlainValidator, TypeAdapter

from server.browser.chromium.reach import Reach
from server.browser.chromium.upstream import Upstream
from server.browser.outgoing.held import ActTerms, HeldRequest
from wording.catalogue import Parts, Wording, parts_of, wording_of

MAX_UPLOAD = 100_000_000
"""Bytes of a file that is given to a page."""
SET_FILES = "DOM.setFileInputFiles"
SET_DOWNLOADS = "Browser.setDownloadBehavior"

RefusalCode = Literal["stale", "full", "unavailable"]


class Rules(BaseModel):
    """What a browser may reach; its host adds its own ports."""

    private_network: Literal["always", "by name", "never"]
    allowed_hosts: list[str] = Field(default_factory=list)
    blocked_hosts: list[str] = Field(default_factory=list)
    own_names: list[tuple[str, int]] = Field(default_factory=list)
    own_ports: list[int] = Field(default_factory=list)
    """Ports of the process, which may be on the same machine."""
    upstream: Upstream | None = None
    """The proxy of the session."""

    @classmethod
    def of(cls, reach: Reach) -> Rules:
        return cls(
            private_network=reach.private_network,
            allowed_hosts=list(reach.allowed_hosts),
            blocked_hosts=list(reach.blocked_hosts),
            own_names=list(reach.own_names),
            own_ports=sorted(reach.own_ports()),
            upstream=reach.upstream,
        )

    def reach(self, own_ports: Callable[[], Collection[int]]) -> Reach:
        return Reach(
            self.private_network,
            self.allowed_hosts,
            self.blocked_hosts,
            lambda: {*self.own_ports, *own_ports()},
            tuple(self.own_names),
            self.upstream,
        )


class Acquire(BaseModel):
    holder: str
    """The process, for the log."""
    epoch: int = Field(ge=1)
    lease: float = Field(gt=0, le=600)
    """Seconds without a sign of life after which nothing of the holder is done any more."""
    rules: Rules
    restore: bool = False
    """A start reopens the pages that were open at the last regular exit."""
    profile: Literal["session", "fresh"] = "session"


class HoldOrder(BaseModel):
    """A call of `OutgoingHold`; one of the fields says which."""

    number: int
    begin: ActTerms | None = None
    url: str = ""
    is_passive: bool = False
    end: bool = False
    waits: list[str] = Field(default_factory=list)
    release: list[str] = Field(default_factory=list)
    fail: bool = False
    rests: bool | None = None


class HoldDone(BaseModel):
    number: int
    is_true: bool = False
    """What `waits` returned, or whether `release` let something go."""
    released: list[str] | None = None
    """What `release` returned; None from a host of an older version."""


class Granted(BaseModel):
    headless: bool
    holds: bool = False
    """Whether it carries out `HoldOrder`s."""
    was_kept: bool
    """It was running, with its pages."""
    tab: str | None = None
    """Target id of the tab that was current."""
    notes: list[SentWording] = Field(default_factory=list)


def _received(value: object) -> Wording:
    return (
        wording_of(_PARTS_ADAPTER.validate_python(value)) if isinstance(value, list) else Wording(str(value))
    )


_PARTS_ADAPTER: TypeAdapter[Parts] = TypeAdapter(Parts)
SentWording = Annotated[
    Wording, PlainValidator(_received), PlainSerializer(lambda text: parts_of(text) or str(text))
]
"""A text that the other side may show in another language."""


class Refusal(BaseModel):
    code: RefusalCode
    detail: SentWording


class HostReply(BaseModel):
    """The host's first message: one of the two."""

    granted: Granted | None = None
    refused: Refusal | None = None


class ToHost(BaseModel):
    """Each is also a sign of life."""

    tab: str | None = None
    rules: Rules | None = None
    hold: HoldOrder | None = None
    then: Literal["hold", "leave", "end"] = "hold"
    """`leave`: the browser is kept for another process. `end`: it ends, the profile stays."""


class ToHolder(BaseModel):
    is_crowded: bool = False
    """Another process was refused since all slots of the host are taken."""
    note: SentWording | None = None
    """A line for the model."""
    held: HeldRequest | None = None
    hold_done: HoldDone | None = None
    blocked: SentWording | None = None
    """A target that the egress proxy has not reached, as a sentence."""
    has_ended: bool = False
    """After `end`."""
