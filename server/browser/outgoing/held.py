"""A request that is held, and the terms of the act that set it off."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from pydantic import BaseModel

from server.browser.outgoing.assessment import Approved
from wording.catalogue import Parts, Wording, joined


class HeldRequest(BaseModel, frozen=True):
    """A request of an act that was not approved, stopped before it left."""

    id: str
    """Names it to the hold."""
    network_id: str = ""
    """Its id in DevTools' Network events."""
    kind: str
    words: str
    """What it would do, for a person, without values: `invite member to shop.example (role, email)`."""
    words_parts: Parts | None = None
    method: str
    place: str
    """The origin that it goes to."""
    path: str
    """Without query."""
    site: str
    binding: str
    """Its shape and a hash of its body: a later yes counts for nothing else."""
    is_over: bool = False
    """It was failed at once: a yes can only do the act again."""
    is_further: bool = False
    """The act has sent something else before, with a yes: it may not be done again."""

    @property
    def said(self) -> Wording:
        """`words`, with its sentences."""
        return Wording.stored(self.words, self.words_parts)

    @property
    def shape(self) -> str:
        return self.binding.partition("\n")[0]


class ActTerms(BaseModel, frozen=True):
    """On which terms an act is performed."""

    approved: Approved = Approved()
    is_private: bool = False
    """The person is logged in on the page, or something private was seen there."""
    is_doubted: bool = False
    """The page names an effect of the act: what the page sends by itself excuses nothing of it."""
    is_typing: bool = False
    """The act enters text and sends nothing by itself."""
    release: tuple[str, ...] = ()
    """`HeldRequest.id`s of what the person has agreed to: released if they still wait, in place of the act."""


class OutgoingHold(Protocol):
    """Holds what acts set off in one browser, where that browser's pipe is."""

    def listen(self, held: Callable[[HeldRequest], None]) -> None:
        """Call `held` for each request that is held from now on."""
        ...

    async def begin(self, terms: ActTerms, url: str, *, is_passive: bool) -> None:
        """An act begins on the page at `url`; what still waits of an earlier one is failed, except `terms.release`.

        `is_passive`: it presses and types nothing, such as opening an address: what the page then sends, it sends by itself.
        """
        ...

    async def end(self) -> None:
        """The act is done and its page quiet: what is sent from now on is its own for some seconds more."""
        ...

    async def waits(self, request_ids: Sequence[str]) -> bool:
        """Whether one of them is still held, and its page still waits for it."""
        ...

    async def release(self, request_ids: Sequence[str]) -> list[str]:
        """Let held requests go; returns those that still waited. The page has given up the others."""
        ...

    async def fail(self) -> None:
        """Fail everything that is held. Before the browser or a tab is closed, left or given to the person."""
        ...

    def rest(self, *, rests: bool) -> None:
        """Hold nothing while the person has the browser, and fail what is held."""
        ...


def binding_of(shape: str, key: str) -> str:
    return f"{shape}\n{key}"


def named(held: Collection[HeldRequest]) -> Wording:
    """All that is held, in one line."""
    return joined(dict.fromkeys(one.said for one in held), "; ")
