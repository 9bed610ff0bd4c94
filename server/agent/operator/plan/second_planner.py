"""A planner whose moves come from the second model where the first one fails."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage

from server.agent.models.catalog import CostOf
from server.agent.operator.memory.state import Method
from server.agent.operator.plan.methods import Structured
from server.agent.operator.plan.move import MAX_OFFERED, Offer
from server.agent.operator.plan.planner import Planned, Planner
from server.agent.operator.plan.reply import Say
from server.agent.second_model import SecondModel, answered, prompt_for
from server.ops.json_types import JsonObject


class PlannerOfTwo(Planner):
    def __init__(
        self,
        model: BaseChatModel,
        cost_of: CostOf,
        second: SecondModel | None,
        *,
        points: bool = False,
        lacks: Collection[str] = (),
        structured: Structured = "auto",
    ) -> None:
        super().__init__(model, cost_of, points=points, lacks=lacks, structured=structured)
        self._second = second
        self._other = Planner(second.model, second.cost_of, structured=structured) if second else self

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
        saying = _Saying(say)

        async def ask() -> Planned:
            return await super(PlannerOfTwo, self).decide(
                prompt, say=saying, think=think, method=method, rows=rows, offer=offer, is_short=is_short
            )

        async def ask_second() -> Planned:
            assert self._second is not None
            asked = prompt_for(self._second, prompt)
            return await self._other.decide(
                asked, say=saying, think=think, method=method, rows=rows, offer=offer, is_short=is_short
            )

        return await answered(ask, self._second, ask_second, has_said=lambda _: saying.has_said)

    async def stream_text(self, messages: list[BaseMessage], *, say: Say) -> None:
        saying = _Saying(say)

        async def ask() -> None:
            await super(PlannerOfTwo, self).stream_text(messages, say=saying)

        async def ask_second() -> None:
            assert self._second is not None
            await self._other.stream_text(prompt_for(self._second, messages), say=saying)

        await answered(ask, self._second, ask_second, has_said=lambda _: saying.has_said)


class _Saying:
    """Notes whether anything was shown, which cannot be taken back."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self.has_said = False

    async def __call__(self, text: str) -> None:
        self.has_said = True
        await self._say(text)
