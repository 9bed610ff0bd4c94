"""Publish the policy's decision on an action as an event."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.callbacks import adispatch_custom_event

from server.agent.gate.approval import Action, masked, secrets_of, without
from server.agent.policy import Judgement
from server.browser.addresses import without_login
from server.browser.observation import Element, Observation


async def publish_ruling(
    call_id: str, action: Action, targets: Sequence[Element], observation: Observation, judgement: Judgement
) -> None:
    """Dispatch the custom event `policy`. Texts for secret fields are masked, as in `tool_start`."""
    secrets = secrets_of(action, observation)
    element = targets[-1] if targets else None
    name = without(secrets, element.shows or element.name) if element else ""
    url = str(masked(action, targets).get("url") or without_login(observation.page.url))
    await adispatch_custom_event(
        "policy",
        {
            "call_id": call_id,
            "action": action["kind"],
            "target": {"role": element.role, "name": name} if element else None,
            "url": without(secrets, url) or None,
            "verdict": judgement.verdict.value,
            "reason": without(secrets, judgement.reason),
            "kind": judgement.kind or None,
        },
    )
