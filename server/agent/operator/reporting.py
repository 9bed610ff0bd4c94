"""Custom events that the graph dispatches while it runs, with the names and fields of the server's events."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import adispatch_custom_event

from server.agent.operator.state import State
from server.browser.observation import Observation


async def tell(name: str, /, **payload: Any) -> None:
    await adispatch_custom_event(name, {key: value for key, value in payload.items() if value is not None})


async def say(text: str) -> None:
    """Dispatch text of the answer; all of it together is the final response."""
    await tell("token", text=text)


async def think(text: str) -> None:
    await tell("thinking", text=text)


async def note(text: str) -> None:
    """Dispatch what the run waits for; it is cleared when the model answers."""
    await tell("note", text=text)


async def tell_state(state: State) -> None:
    await tell(
        "state", goal=state.get("current_goal"), plan=state.get("plan", []), progress=state.get("progress", {}),
        facts=state.get("facts", []), proposed_plan=state.get("proposed_plan", []),
    )  # fmt: skip


async def tell_observation(observation: Observation, screenshot: str | None) -> None:
    counts = {"elements": len(observation.interactive), "blocks": len(observation.text_blocks)}
    await tell(
        "observation", url=observation.page.url, title=observation.page.title, counts=counts,
        overlays=[overlay.kind for overlay in observation.overlays], screenshot=screenshot,
    )  # fmt: skip
