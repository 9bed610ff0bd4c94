"""The second model: asked where the first one of a run fails, for a while instead of it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langgraph.runtime import get_runtime

from server.agent.context import RunContext
from server.agent.custom_events import ModelReplaced, dispatch
from server.agent.models.catalog import CostOf
from server.agent.models.chat_model import takes_images
from server.agent.models.errors import ModelFailed
from server.clock import steady_time
from server.ops.json_types import JsonObject

log = logging.getLogger(__name__)
T = TypeVar("T")

PAUSE_SECONDS = 600.0
"""Seconds for which the first model is not asked after it has failed."""


@dataclass
class SecondModel:
    """Shared by all runs with the same first model in this process."""

    first: str
    name: str
    model: BaseChatModel
    cost_of: CostOf
    clock: Callable[[], float] = steady_time
    _until: float = field(default=float("-inf"), init=False)
    _failure: ModelFailed | None = field(default=None, init=False)

    @property
    def is_in_use(self) -> bool:
        return self.clock() < self._until

    def replaced(self) -> ModelReplaced:
        """The event before a call of this model."""
        assert self._failure, "the first one has failed"
        return ModelReplaced(self.name, self.first, self._failure.code, self._failure.failure.reason)

    async def ask(self, call: Callable[[], Awaitable[T]], failed: ModelFailed | None = None) -> T:
        """Make the call of this model. `failed`: of the first one, just now. Raises what the call raises."""
        if failed is not None:
            self._until, self._failure = self.clock() + PAUSE_SECONDS, failed
            log.warning("%s failed (%s): %s answers for it", self.first, failed.code, self.name)
        with suppress(RuntimeError):  # outside of a graph there is no receiver for the event
            await dispatch(self.replaced())
        try:
            return await call()
        except ModelFailed:
            self._until = float("-inf")  # the first one may be the better choice at the next call
            raise


async def answered(
    ask: Callable[[], Awaitable[T]],
    second: SecondModel | None,
    ask_second: Callable[[], Awaitable[T]],
    *,
    has_said: Callable[[ModelFailed], bool],
) -> T:
    """The answer of the first model, or of the second where the first one failed and has said nothing.

    An answer that broke off before anything of it was shown is asked for once more. Raises ModelFailed.
    """
    second = second if _may_be_asked() else None
    if second and second.is_in_use:
        return await second.ask(ask_second)
    try:
        try:
            return await ask()
        except ModelFailed as error:
            if not error.has_begun or not error.failure.retryable or has_said(error):
                raise
            return await ask()
    except ModelFailed as error:
        if second is None or has_said(error) or not error.failure.reason:
            raise
        return await second.ask(ask_second, error)


def _may_be_asked() -> bool:
    try:
        return not get_runtime(RunContext).context.only_first_model
    except RuntimeError:  # a call outside of a run
        return True


def prompt_for(second: SecondModel, prompt: Sequence[BaseMessage]) -> list[BaseMessage]:
    """A prompt of one turn, without what only the first model's provider knows, and without pictures if it sees none."""
    sees = takes_images(second.model)

    def kept(part: JsonObject | str) -> JsonObject | str:
        return {k: v for k, v in part.items() if k != "cache_control"} if isinstance(part, dict) else part

    def changed(message: BaseMessage) -> BaseMessage:
        if isinstance(message.content, str):
            return message
        parts = [
            kept(part)
            for part in message.content
            if sees or not (isinstance(part, dict) and "image" in str(part.get("type")))
        ]
        return message.model_copy(update={"content": parts})

    return [changed(message) for message in prompt]
