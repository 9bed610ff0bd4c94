"""Publish the policy's decision on an action as an event."""

from __future__ import annotations

from pydantic import BaseModel

from server.agent.actions import AimedAction, NavigateAction, ToolAction
from server.agent.custom_events import dispatch
from server.agent.gate.grantable import marks_of
from server.agent.gate.logins import LOGIN_ALLOWED
from server.agent.gate.masking import masked, secrets_of, without
from server.agent.policy import Judgement, Verdict
from server.agent.storable import storable
from server.browser.addresses import without_login
from server.events import PolicyRuled, Target
from server.grants.coverage import GrantMark
from server.ops.json_types import JsonObject
from wording.catalogue import changed, parts_of


class Ruling(BaseModel, frozen=True):
    """How an act was judged, kept in the state until it is done."""

    verdict: str = ""
    """What a grant allowed counts as asked."""
    kind: str = ""
    is_of_login: bool = False
    """It sends a login that the user has allowed."""
    is_doubted: bool = False
    """It was allowed in doubt: what it sends is judged more strictly."""
    grants: tuple[GrantMark, ...] = ()
    """Those that allow it."""

    @property
    def asks(self) -> bool:
        """Whether the policy asks about it, also if a grant allowed it."""
        return self.verdict == Verdict.ASK.value

    @property
    def marks(self) -> list[JsonObject] | None:
        """The grants as events name them; None if there are none."""
        return [mark.model_dump() for mark in self.grants] or None

    def approved_kinds(self, *, is_approved: bool) -> frozenset[str]:
        """The kinds that a yes, that to a login included, or a grant has approved."""
        is_covered = is_approved or self.grants or self.is_of_login
        return frozenset({self.kind} if self.kind and is_covered else ())


def ruling_of(judgement: Judgement) -> Ruling:
    return Ruling(
        verdict="ask" if judgement.kind else judgement.verdict.value,
        kind=judgement.kind,
        is_of_login=judgement is LOGIN_ALLOWED,
        is_doubted=judgement.is_doubted and judgement.verdict is Verdict.ALLOW,
        grants=tuple(marks_of(judgement)),
    )


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
