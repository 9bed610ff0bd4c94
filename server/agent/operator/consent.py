"""Nodes for the user's decisions: policy gate, confirm and manual interrupts, approval check."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from server.agent.context import RunContext
from server.agent.gate.approval import (
    approval_digest,
    confirm_question,
    focused_element,
    place_of,
    retarget,
    site_of,
    targets_of,
)
from server.agent.gate.gate import MOST_ASKS, Gate
from server.agent.gate.rulings import publish_ruling
from server.agent.gate.taint import LEAK, carries_private_words, remembering
from server.agent.operator import acting, asking, facts, records
from server.agent.operator.observing import Eyes, seen, sight
from server.agent.operator.phrases import phrase
from server.agent.operator.state import State, Update, merged, planned
from server.agent.policy import Judgement, Verdict
from server.browser.observation import Element, Observation
from server.browser.observation.overlays import speaks_of_captcha
from server.clock import steady_time

log = logging.getLogger(__name__)

WISH_CHARS = 1000
MOST_TRIES = 1
"""Actions on a page with a visible captcha before the user is asked to solve it."""


@dataclass(frozen=True, slots=True)
class Consent:
    """Decides which actions need the user's approval, asks for it and enforces it on every action."""

    gate: Gate
    eyes: Eyes
    timeout: float
    """Seconds until a question expires."""
    clock: Callable[[], float] = steady_time

    async def policy_gate(self, state: State, runtime: Runtime[RunContext]) -> Update:
        """Allow, ask, hand over or deny, by the page's structure; the model can only add questions."""
        action = planned(state)
        if action["kind"] == "need_user":
            return {"route": "manual_interrupt", "pending": self.hand_over(state, _wish(state))}
        here = seen(state)
        if self._is_stopped_by_captcha(state):
            url = here.page.url
            text = phrase("captcha", state["task"], site=site_of(url) or url)
            pending = self.hand_over(state, text)
            return {
                "route": "manual_interrupt",
                "pending": pending,
                "captcha_tries": 0,
                "captcha_done": url,
            }
        judgement = self._judge(state, runtime.context)
        await publish_ruling(action["id"], action, self._targets(state, here), here, judgement)
        return self._route(state, judgement) | {"captcha_tries": _captcha_tries(state)}

    def _route(self, state: State, judgement: Judgement) -> Update:
        """Map the judgement on the planned action to the next node."""
        action = planned(state)
        if judgement.verdict is Verdict.DENY:
            return records.failed(state, f"{action['kind']}: {judgement.reason}") | {
                "route": "finalize_denied"
            }
        if judgement.verdict is Verdict.ALLOW:
            return {"route": "execute_action", "approval": None}
        if state["asks"] >= MOST_ASKS:
            text = phrase("asks", state["task"], n=MOST_ASKS)
            return {"route": "manual_interrupt", "pending": self.hand_over(state, text), "asks": 0}
        log.info("asks the person: %s (%s)", judgement.reason, judgement.kind)
        question = self._question(state, judgement)
        return {"route": "confirm_interrupt", "pending": question, "asks": state["asks"] + 1}

    async def confirm_interrupt(self, state: State) -> Update:
        """Wait for yes or no. A yes is bound to the exact action and page of the question."""
        question = state["pending"] or {}
        answer = interrupt(question)
        said = asking.read_confirm(answer, question, self.clock())
        update: Update = {"pending": None, "deadline": self._extended(state, question)}
        match said.kind:
            case "yes":
                approval = {name: question[name] for name in ("reference", "digest", "expires_at")}
                return update | {"approval": approval, "route": "execute_action"}
            case "no":
                return update | {"route": "finalize_cancelled"}
            case "words":
                return update | records.hear(state, said.words) | {"route": "maybe_observe"}
        reason = "came too late" if said.kind == "expired" else "was for another action"
        return update | records.void(state, f"the approval {reason}") | {"route": "maybe_observe"}

    async def manual_interrupt(self, state: State) -> Update:
        """Wait until the user has done the manual step; the page is then observed again."""
        question = state["pending"] or {}
        answer = interrupt(question)
        update = records.take_manual(state, asking.read_manual(answer))
        return update | {"pending": None, "tried": {}, "deadline": self._extended(state, question)}

    async def hold_to_approval(self, state: State, context: RunContext) -> Update:
        """Observe again right before the action: an approval holds once, in time and for its page only.

        Returns the new observation and the action on it; `planned_action` is None if the approval is void.
        """
        approval = state["approval"] or {}
        refs = [element.ref for element in self._targets(state, seen(state))]
        update: Update = {"approval": None} | await self.eyes.look(context, state, refs)
        after = merged(state, update)
        action = None
        if not _is_lost(seen(state), seen(after)):
            action = retarget(planned(state), self._targets(state, seen(state)), seen(after))
        if self.clock() > datetime.fromisoformat(approval["expires_at"]).timestamp():
            why = "the user's approval came too late"
        elif action and self._digest(merged(after, {"planned_action": action})) == approval["digest"]:
            return update | {"planned_action": action}
        else:
            why = "the page changed after the user's approval"
        log.info("nothing is done: %s", why)
        return update | records.void(state, why) | {"planned_action": None, "needs_observe": False}

    async def judge_again(self, state: State, context: RunContext) -> Update:
        """Judge an action that needs no approval again: the page may have changed during the model call.

        Returns the action on the new observation. `planned_action` is None if the user must be asked, and if
        the page cannot be judged: a target is not found again, or the page can no longer be read. Such a round
        counts as a step, so that a page that always changes ends the run at its step limit.
        """
        before = seen(state)
        targets = self._targets(state, before)
        update = await self.eyes.look_again(context, state, [element.ref for element in targets])
        after = seen(merged(state, update))
        action = None if _is_lost(before, after) else retarget(planned(state), targets, after)
        if action is not None:
            update["planned_action"] = action
            if self._judge(merged(state, update), context).verdict is Verdict.ALLOW:
                return update
        log.info("the page changed before the action: nothing is done")
        void = records.void(state, "the page changed before the action") | {"planned_action": None}
        return update | void | {"tool_steps": state["tool_steps"] + 1}

    def _is_stopped_by_captcha(self, state: State) -> bool:
        """Whether the user must solve a captcha first. Its own controls are never used, whatever the model
        plans; after some actions on a page that still shows one, the page is considered blocked.

        Once the user was asked, the page's other controls are allowed: a solved widget usually stays visible.
        """
        action, observation = planned(state), seen(state)
        if not _captcha_tries(state):
            return False
        targets = self._targets(state, observation)
        if any(speaks_of_captcha(text) for element in targets for text in (element.name, element.shows)):
            return True
        is_done = state["captcha_done"] == observation.page.url
        return not is_done and acting.may_commit(action, observation) and _captcha_tries(state) > MOST_TRIES

    def hand_over(self, state: State, text: str) -> dict[str, Any]:
        """The payload of a manual interrupt."""
        here = sight(state)
        return asking.manual_question(
            uuid.uuid4().hex,
            text,
            url=here.observation.page.url,
            screenshot=here.screenshot,
            asked_at=self.clock(),
        )

    def _judge(self, state: State, context: RunContext) -> Judgement:
        action, observation = planned(state), seen(state)
        focused = focused_element(state, observation)
        judgement = self.gate.judge(action, observation, grants=context.grants, focused=focused)
        known = remembering(state, context.private)
        if judgement.verdict is not Verdict.ALLOW or not carries_private_words(action, observation, known):
            return judgement
        place = place_of(action, self._targets(state, observation), observation)
        return judgement if context.grants.allowed(site_of(place), LEAK.kind) else LEAK

    def _question(self, state: State, judgement: Judgement) -> dict[str, Any]:
        return confirm_question(
            planned(state), self._targets(state, seen(state)), sight(state), run_id=state["message_id"],
            reason=judgement.reason, risk=judgement.kind, asked_at=self.clock(), timeout=self.timeout,
        )  # fmt: skip

    def _digest(self, state: State) -> str:
        observation = seen(state)
        return approval_digest(
            state["message_id"], planned(state), self._targets(state, observation), observation
        )

    def _targets(self, state: State, observation: Observation) -> list[Element]:
        """The elements that the action targets; keys go to the focused one."""
        return targets_of(planned(state), observation, focused_element(state, observation))

    def _extended(self, state: State, question: dict[str, Any]) -> float:
        """The deadline, extended by the time since the question was asked.

        After a restart the clock may be earlier than `asked_at`: then the deadline moves earlier.
        """
        asked_at: float = question["asked_at"]
        return state["deadline"] + self.clock() - asked_at


def _captcha_tries(state: State) -> int:
    """Actions with a possible effect while a captcha is in view, including the planned one; else 0."""
    observation = seen(state)
    if not any(overlay.kind == "captcha" for overlay in observation.overlays):
        return 0
    return state["captcha_tries"] + acting.may_commit(planned(state), observation)


def _is_lost(before: Observation, after: Observation) -> bool:
    """Whether a page with content can no longer be read: a failed observation proves nothing."""
    return bool(before.interactive or before.text_blocks) and not (after.interactive or after.text_blocks)


def _wish(state: State) -> str:
    """The request to the user in the model's words, without eids, which mean nothing to the user."""
    page = facts.page_words(seen(state), state.get("reading") or "", state["task"])
    lines = (facts.without_eids(line, WISH_CHARS, page) for line in str(planned(state)["reason"]).split("\n"))
    wish = "\n".join(filter(None, lines))
    return facts.cut(wish, WISH_CHARS) or phrase("your_turn", state["task"])
