"""The model call of a step: structured output, streamed."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Collection
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage

from server.agent.models.catalog import CostOf
from server.agent.models.chat_model import forces_tools
from server.agent.models.errors import BAD_REQUEST
from server.agent.operator.memory.state import Method
from server.agent.operator.plan.methods import Asking, Methods, Structured, is_text
from server.agent.operator.plan.move import MAX_OFFERED, Move, Offer
from server.agent.operator.plan.prompts import with_form
from server.agent.operator.plan.reply import OFFERED_WORDS_BYTES, WORDS_BYTES, MoveReply, Say, UnusableMove
from server.errors import RunFailed
from server.ops.json_types import JsonObject

log = logging.getLogger(__name__)

SHORT_TOKENS = 2_048
"""Of the answer that repairs a cut one."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A move, or the problem with the answer; the part of it that was streamed; usage: tokens, US dollars."""

    move: Move | None
    problem: str | None
    spoken: str
    tokens: int
    cost: float
    method: Method
    """How to ask for it the next time."""
    failure: RunFailed | None = None
    """The answer was cut: what the run fails with if the next one is, too."""
    is_refused: bool = False
    """The server refused the schema: there was no answer."""


class Planner:
    """Requests moves from a model, with the method of structured output that suits it and its server."""

    def __init__(
        self,
        model: BaseChatModel,
        cost_of: CostOf = lambda usage: None,
        *,
        points: bool = False,
        lacks: Collection[str] = (),
        structured: Structured = "auto",
    ) -> None:
        self.model = model
        self.methods = Methods.of(model, structured)
        self._cost_of = cost_of
        self.caches = "anthropic" in type(model).__module__
        self.points = points
        """Whether acts at a point of the picture are offered, at the turns that have one."""
        self.lacks = frozenset(lacks)
        self._most_words = WORDS_BYTES if forces_tools(model) else OFFERED_WORDS_BYTES
        self._thinks = False
        """Thoughts count towards the limit of an answer, so it is not lowered for models that think."""
        self._usual: dict[tuple[Method, Offer], Asking] = {}
        """Without rows, by what is offered."""

    async def decide(
        self,
        prompt: list[BaseMessage],
        *,
        say: Say,
        think: Say,
        method: Method | Literal[""] = "",
        rows: JsonObject | None = None,
        offer: Offer = MAX_OFFERED,
        is_short: bool = False,
    ) -> Planned:
        """Make one call. Raises RunFailed if the model fails or the streamed text cannot be the answer.

        `method` is how to ask; "", or one that this model's server is not asked by, for the usual way. `rows` is the schema of the rows that the model
        may record; None if the task asks for no table. `is_short`: the answer before this one was cut.
        """
        method = method if method in self.methods.order else self.methods.first
        if self.methods.tells_form(method):
            prompt = with_form(prompt, offer, collects=rows is not None)
        reply = MoveReply(say, think, is_text(method), self._most_words)
        asking = self._asking(method, offer, rows)
        if is_short and self.methods.kind == "compatible" and not self._thinks:
            asking = asking.bind(max_tokens=SHORT_TOKENS)
        move, unusable, is_refused = None, None, False
        try:
            stream = cast("AsyncGenerator[AIMessage, None]", asking.astream(prompt))
            async with aclosing(stream) as chunks:
                await reply.take(chunks)
            move = reply.move()
            self.methods.remember(method)
        except UnusableMove as error:
            unusable = error
        except RunFailed as error:
            is_refused = method == "schema" and error.code == BAD_REQUEST.code and not reply.is_begun
            if not (is_refused and self.methods.after(method)):
                unusable, is_refused = reply.failed(error), False
        self._thinks |= reply.thought_chars > 0
        usage = reply.tokens(prompt)
        next_method = method
        if is_refused or (unusable and unusable.in_words):
            next_method = self.methods.after(method) or method
            log.info("method %s gave no move, next is %s", method, next_method)
        return Planned(
            move, str(unusable) if unusable else None, reply.answer.text if move else "",
            0 if is_refused else usage["total_tokens"], 0.0 if is_refused else self._cost_of(usage) or 0.0,
            next_method, unusable.failure if unusable else None, is_refused,
        )  # fmt: skip

    def _asking(self, method: Method, offer: Offer, rows: JsonObject | None) -> Asking:
        if rows:
            return self.methods.bound(self.model, method, offer, rows)
        if (method, offer) not in self._usual:
            self._usual[method, offer] = self.methods.bound(self.model, method, offer, None)
        return self._usual[method, offer]

    async def stream_text(self, messages: list[BaseMessage], *, say: Say) -> None:
        """Stream a plain text answer."""
        async for chunk in self.model.astream(messages):
            if chunk.text:
                await say(chunk.text)
