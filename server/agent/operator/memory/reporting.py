"""What the operator's graph reports while it runs."""

from __future__ import annotations

from server.agent.custom_events import AnswerText, ThoughtText, Waiting, dispatch
from server.agent.operator.memory.state import State
from server.browser.observation import Observation
from server.events import Observed, StateChanged


async def say(text: str) -> None:
    """Stream text of the answer."""
    await dispatch(AnswerText(text))


async def hold_back(text: str) -> None:
    """Stream nothing: the text is sent whole, once it counts."""


async def think(text: str) -> None:
    await dispatch(ThoughtText(text))


async def note(text: str) -> None:
    """Report what the run waits for."""
    await dispatch(Waiting(text))


async def publish_state(state: State) -> None:
    work = state.work
    changed = StateChanged(
        goal=state.asked.current_goal, plan=list(work.plan), proposed_plan=list(work.proposed_plan),
        progress=work.progress.model_dump(mode="json") if work.progress else {},
        facts=[fact.model_dump(mode="json") for fact in work.facts],
    )  # fmt: skip
    await dispatch(changed)


async def publish_observation(observation: Observation, screenshot: str | None) -> None:
    await dispatch(Observed(**observation.outline, screenshot=screenshot))
