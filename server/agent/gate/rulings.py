"""Publish the policy's decision on an action as an event."""

from __future__ import annotations

from langchain_core.callbacks import adispatch_custom_event

from server.agent.actions import Action, AimedAction, NavigateAction, ToolAction
from server.agent.gate.approval import masked, secrets_of, without
from server.agent.policy import Judgement
from server.browser.addresses import without_login


async def publish_ruling(call_id: str, aimed: AimedAction, judgement: Judgement) -> None:
    """Dispatch the custom event `policy`. Texts for secret fields are masked, as in `tool_start`."""
    secrets, element = secrets_of(aimed), aimed.target
    name = without(secrets, element.shows or element.name) if element else ""
    url = _address_of(masked(aimed)) or without_login(aimed.observation.page.url)
    await adispatch_custom_event(
        "policy",
        {
            "call_id": call_id,
            "action": aimed.action.name,
            "target": {"role": element.role, "name": name} if element else None,
            "url": without(secrets, url) or None,
            "verdict": judgement.verdict.value,
            "reason": without(secrets, judgement.reason),
            "kind": judgement.kind or None,
        },
    )


def _address_of(action: Action) -> str:
    match action:
        case NavigateAction():
            return action.url
        case ToolAction():
            return str(action.args.get("url") or "")
    return ""
