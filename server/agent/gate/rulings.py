"""Publish the policy's decision on an action as an event."""

from __future__ import annotations

from server.agent.actions import AimedAction, NavigateAction, ToolAction
from server.agent.custom_events import dispatch
from server.agent.gate.grantable import marks_of
from server.agent.gate.masking import masked, secrets_of, without
from server.agent.policy import Judgement
from server.agent.storable import storable
from server.browser.addresses import without_login
from server.events import PolicyRuled, Target
from wording.catalogue import changed, parts_of


async def publish_ruling(call_id: str, aimed: AimedAction, judgement: Judgement) -> None:
    """Dispatch the event `policy`. Texts for secret fields are masked, as in `tool_start`."""
    secrets, element, action = secrets_of(aimed), aimed.target, masked(aimed)

    def shown(text: str) -> str:
        return storable(str(without(secrets, text)))

    opened = without_login(aimed.observation.page.url)
    match action:
        case NavigateAction():
            opened = action.url or opened
        case ToolAction():
            opened = str(action.args.get("url") or opened)
    ruled = PolicyRuled(
        call_id=call_id,
        action=aimed.action.name,
        target=Target(role=element.role, name=shown(element.shows or element.name)) if element else None,
        url=shown(opened) or None,
        verdict=judgement.verdict.value,
        reason=shown(judgement.reason),
        reason_parts=parts_of(changed(judgement.reason, shown)),
        kind=judgement.kind or None,
        grants=marks_of(judgement) or None,
    )
    await dispatch(ruled)
