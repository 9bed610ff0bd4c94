"""Nodes for the user's decisions: policy gate, confirm and manual interrupts, approval check."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from server.agent.actions import AimedAction, AskUserAction, aim
from server.agent.context import RunContext
from server.agent.gate.approval import Approval, approval_digest, confirm_question, retarget
from server.agent.gate.gate import GRANTED, MAX_ASKS, REFUSED_BEFORE, Gate
from server.agent.gate.grantable import scopes_of, sure_amount
from server.agent.gate.holding import (
    agreed_terms,
    approved_kinds,
    from_state,
    judge_held,
    not_sent,
    question_about,
    refused_line,
    terms_of,
    to_state,
)
from server.agent.gate.logins import LOGIN_ALLOWED, is_of_login
from server.agent.gate.page_facts import focused_element
from server.agent.gate.rulings import publish_ruling
from server.agent.gate.taint import LEAK, carries_private_words, remembering
from server.agent.operator.act import acting
from server.agent.operator.ask import user_input
from server.agent.operator.ask.answers import read_confirm
from server.agent.operator.memory import facts, records
from server.agent.operator.memory.phrases import phrase
from server.agent.operator.memory.state import State, Update, merged, planned, seen
from server.agent.operator.see.observing import Observer, sight
from server.agent.policy import Judgement, Verdict
from server.agent.trail import ruling_of
from server.browser.addresses import site_of
from server.browser.observation import Observation
from server.browser.observation.overlays import mentions_captcha
from server.browser.outgoing.held import ActTerms, HeldRequest
from server.clock import steady_time
from server.events import Answer, ConfirmQuestion, ManualQuestion, Question, Wanted, now, read_question
from server.ops.json_types import JsonObject
from server.text import cut

log = logging.getLogger(__name__)

WISH_CHARS = 1000
MAX_TRIES = 1
"""Actions on a page with a visible captcha before the user is asked to solve it."""


@dataclass(frozen=True, slots=True)
class Consent:
    """Decides which actions need the user's approval, asks for it and enforces it on every action."""

    gate: Gate
    observer: Observer
    timeout: float
    """Seconds until a question expires, unless the run has its own patience."""
    clock: Callable[[], float] = steady_time

    async def policy_gate(self, state: State, runtime: Runtime[RunContext]) -> Update:
        """Allow, ask, hand over or deny, by the page's structure; the model can only add questions."""
        action = planned(state)
        if isinstance(action, AskUserAction):
            pending = self.hand_over(state, _wish(state), action.wants)
            return {"route": "manual_interrupt", "pending": pending}
        aimed = _aimed(state)
        if self._is_stopped_by_captcha(state):
            url = aimed.observation.page.url
            text = phrase("captcha", state["task"], site=site_of(url) or url)
            pending = self.hand_over(state, text, "step")
            return {
                "route": "manual_interrupt",
                "pending": pending,
                "captcha_tries": 0,
                "captcha_done": url,
            }
        judgement = await self._judge(aimed, state, runtime.context)
        if judgement.verdict is Verdict.ASK and _digest(state, aimed) in state.get("denied", {}):
            await publish_ruling(
                aimed.action.id, aimed, replace(judgement, verdict=Verdict.DENY, reason=REFUSED_BEFORE)
            )
            return _turn_back(state, aimed)
        await publish_ruling(aimed.action.id, aimed, judgement)
        return self._route(state, judgement, runtime.context) | {
            "captcha_tries": _captcha_tries(state), "ruling": ruling_of(judgement),
        }  # fmt: skip

    def _route(self, state: State, judgement: Judgement, context: RunContext) -> Update:
        """Map the judgement on the planned action to the next node."""
        if judgement.verdict is Verdict.DENY:
            return records.failed(state, f"{planned(state).kind}: {judgement.reason}") | {
                "route": "finalize_denied"
            }
        if judgement.verdict is Verdict.ALLOW:
            return {"route": "execute_action"}
        if state.get("is_further"):
            what = f"{acting.describe(_aimed(state))}: not done: this has to be the first act of a move"
            return records.failed(state, what) | {"route": "maybe_observe"}
        if state["asks"] >= MAX_ASKS:
            text = phrase("asks", state["task"], n=MAX_ASKS)
            return {"route": "manual_interrupt", "pending": self.hand_over(state, text, "answer"), "asks": 0}
        log.info("asks the person: %s (%s)", judgement.reason, judgement.kind)
        question = self._question(state, judgement, context)
        return {"route": "confirm_interrupt", "pending": question, "asks": state["asks"] + 1}

    async def confirm_interrupt(self, state: State, runtime: Runtime[RunContext]) -> Update:
        """Wait for yes or no. A yes is bound to the exact action and page of the question."""
        question = read_question(state["pending"])
        assert isinstance(question, ConfirmQuestion)
        answer = Answer.model_validate(interrupt(state["pending"]))
        if answer.valid_until:
            question = question.model_copy(update={"expires_at": answer.valid_until})
        said = read_confirm(answer, question, self.clock())
        update: Update = {"pending": None, "deadline": self._extended(state, question)}
        if said.kind == "yes":
            approval = Approval.model_validate(question, from_attributes=True)
            return update | {"approval": approval.model_dump(mode="json"), "route": "execute_action"}
        if held := from_state(state.get("held")):
            update["held"] = []
            if runtime.context.has_browser():
                await (await runtime.context.browser()).refuse_held()
        match said.kind:
            case "no":
                return update | {"route": "finalize_cancelled"}
            case "words" if not said.is_refusal:
                return update | user_input.add_user_words(state, said.words) | {"route": "maybe_observe"}
            case "words":
                aimed = _aimed(state)
                act = acting.describe(aimed) + (f" ({refused_line(held)})" if held else "")
                # The page may have changed with what it was about to send: that is what was refused.
                digest = held[0].shape if held else _digest(state, aimed)
                refusal = user_input.take_refusal(state, act, digest, said.words)
                return update | refusal | {"route": "maybe_observe"}
        reason = "came too late" if said.kind == "expired" else "was for another action"
        why = not_sent(f"the approval {reason}", held)
        return update | records.void(state, why) | {"route": "maybe_observe"}

    async def manual_interrupt(self, state: State) -> Update:
        """Wait until the user has done the manual step; the page is then observed again."""
        question = read_question(state["pending"])
        answer = Answer.model_validate(interrupt(state["pending"]))
        update = user_input.take_manual(state, answer.for_agent)
        return update | {"pending": None, "tried": {}, "deadline": self._extended(state, question)}

    async def hold_to_approval(self, state: State, context: RunContext) -> Update:
        """Observe again right before the action: an approval holds once, in time and for its page only.

        Returns the new observation and the action on it; `planned_action` is None if the approval is void.
        """
        approval, aimed = Approval.model_validate(state["approval"]), _aimed(state)
        held = from_state(state.get("held"))
        refs, points = [element.ref for element in aimed.targets], aimed.action.points
        update: Update = {"approval": None} | await self.observer.look(context, state, refs, points)
        renewed = _aimed_again(aimed, merged(state, update))
        if self.clock() > approval.expires_at.timestamp():
            why = "the user's approval came too late"
        elif not await self.observer.shows_same(context, aimed.unnamed_points):
            why = "what is drawn there changed after the user's approval"
        elif any(one.is_further for one in held):
            why = "a part of it was sent before, so it is not done again; the rest came too late"
        elif renewed and _digest(state, renewed) == approval.digest:
            return update | {"planned_action": renewed.action.to_json()}
        else:
            why = "the page changed after the user's approval"
            if held:  # it may wait for an answer that never comes, such as with its button disabled
                await (await context.browser()).navigate(aimed.observation.page.url)
                why += " and was loaded again"
                update["needs_observe"] = True
        why = not_sent(why, held)
        log.info("nothing is done: %s", why)
        is_old = bool(update.get("needs_observe"))
        return (
            update | records.void(state, why) | {"planned_action": None, "needs_observe": is_old, "held": []}
        )

    async def judge_again(self, state: State, context: RunContext) -> Update:
        """Judge an action that needs no approval again: the page may have changed during the model call.

        Returns the action on the new observation. `planned_action` is None if the user must be asked, and if
        the page cannot be judged: a target is not found again, or the page can no longer be read. Such a round
        counts as a step, so that a page that always changes ends the run at its step limit.
        """
        aimed = _aimed(state)
        refs = [element.ref for element in aimed.targets]
        update = await self.observer.look_again(context, state, refs, aimed.action.points)
        after = merged(state, update)
        renewed = _aimed_again(aimed, after)
        if renewed and (await self._judge(renewed, after, context)).verdict is Verdict.ALLOW:
            return update | {"planned_action": renewed.action.to_json()}
        log.info("the page changed before the action: nothing is done")
        void = records.void(state, "the page changed before the action") | {"planned_action": None}
        unshown = {"unshown_notes": list(seen(after).notes)}
        return update | void | unshown | {"tool_steps": state["tool_steps"] + 1}

    def terms(self, state: State, context: RunContext, *, is_approved: bool) -> ActTerms:
        """On which the planned action is performed: what a yes or a grant has approved of it."""
        kinds = approved_kinds(state.get("ruling"), is_approved=is_approved)
        private = {*context.private.sites, *state.get("private_sites", [])}
        is_doubted = bool((state.get("ruling") or {}).get("is_doubted"))
        terms = terms_of(_aimed(state), kinds, private, by_grant=not is_approved, is_doubted=is_doubted)
        held = from_state(state.get("held"))
        return agreed_terms(held, terms) if held and is_approved else terms

    async def rule_on_held(
        self, state: State, context: RunContext, held: Sequence[HeldRequest], *, asks: bool = False
    ) -> tuple[Update, bool]:
        """Ask about what the act was about to send; True: grants cover it. `asks`: whatever grants cover."""
        aimed, browser = _aimed(state), await context.browser()
        judgement = judge_held(held, () if asks else await context.grants.held(), now())
        asked: Update = {"held": to_state(held), "ruling": ruling_of(judgement), "batch": None}
        if judgement.uses and await context.grants.use(judgement.uses, acting.describe(aimed)):
            await publish_ruling(
                aimed.action.id, aimed, replace(judgement, verdict=Verdict.ALLOW, reason=GRANTED)
            )
            return asked, True
        judgement = replace(judgement, uses=())
        if any(one.shape in state.get("denied", {}) for one in held):
            await browser.refuse_held()
            refused = records.failed(state, f"{acting.describe(aimed)}: {refused_line(held)}")
            return refused | {"held": [], "route": "maybe_observe"}, False
        await publish_ruling(aimed.action.id, aimed, judgement)
        if state["asks"] >= MAX_ASKS:
            await browser.refuse_held()
            text = phrase("asks", state["task"], n=MAX_ASKS)
            pending = self.hand_over(state, text, "answer")
            return {"route": "manual_interrupt", "pending": pending, "asks": 0, "held": []}, False
        log.info("asks the person before it is sent: %s (%s)", judgement.reason, judgement.kind)
        plain = ConfirmQuestion.model_validate(self._question(state, judgement, context))
        question = question_about(plain, held, uuid.uuid4().hex)
        update = {"route": "confirm_interrupt", "pending": question.to_json(), "asks": state["asks"] + 1}
        return asked | update, False

    def _is_stopped_by_captcha(self, state: State) -> bool:
        """Whether the user must solve a captcha first. Its own controls are never used, whatever the model
        plans; after some actions on a page that still shows one, the page is considered blocked.

        Once the user was asked, the page's other controls are allowed: a solved widget usually stays visible.
        """
        if not _captcha_tries(state):
            return False
        aimed = _aimed(state)
        texts = [text for element in aimed.targets for text in (element.name, element.shows, element.frame)]
        texts += [word for hit in aimed.hits for word in hit.words.split()]
        if any(map(mentions_captcha, texts)):
            return True
        is_done = state["captcha_done"] == aimed.observation.page.url
        if not is_done and not all(hit.is_element for hit in aimed.hits):  # it may be the captcha's picture
            return True
        return not is_done and acting.may_commit(aimed) and _captcha_tries(state) > MAX_TRIES

    def hand_over(self, state: State, reason: str, wants: Wanted) -> JsonObject:
        """A manual question, as JSON for the state."""
        here = sight(state)
        return ManualQuestion(
            reference=uuid.uuid4().hex,
            reason=reason,
            wants=wants,
            url=here.observation.page.url,
            screenshot=here.screenshot,
            asked_at=self.clock(),
        ).to_json()

    async def use_grants(self, state: State, context: RunContext) -> Update:
        """Right before an action without an approval: count the uses of the grants that allow it.

        `planned_action` is None if it is not allowed any more: a grant is used up, over or taken back.
        """
        aimed = _aimed(state)
        judgement = await self._judge(aimed, state, context)
        if judgement.verdict is Verdict.ALLOW and (
            not judgement.uses or await context.grants.use(judgement.uses, acting.describe(aimed))
        ):
            return {"ruling": ruling_of(judgement)}
        log.info("nothing is done: no grant covers it any more")
        void = records.void(state, "the permission for it does not hold any more")
        return void | {"planned_action": None, "needs_observe": False}

    async def _judge(self, aimed: AimedAction, state: State, context: RunContext) -> Judgement:
        known = remembering(state, context.private)
        leak = LEAK if carries_private_words(aimed, known) else None
        judgement = self.gate.judge(aimed, also=leak)
        if leak is None and is_of_login(aimed, judgement, context.logins):
            return LOGIN_ALLOWED
        if judgement.verdict is not Verdict.ASK:
            return judgement
        return self.gate.judge(aimed, grants=await context.grants.held(), also=leak)

    def _question(self, state: State, judgement: Judgement, context: RunContext) -> JsonObject:
        aimed = _aimed(state)
        return confirm_question(
            aimed, sight(state), run_id=state["message_id"],
            reason=judgement.reason, risk=judgement.kind, asked_at=self.clock(), timeout=context.patience or self.timeout,
            spends=sure_amount(aimed), scopes=scopes_of(judgement, aimed),
        ).to_json()  # fmt: skip

    def _extended(self, state: State, question: Question) -> float:
        """The deadline, extended by the time since the question was asked.

        After a restart the clock may be earlier than `asked_at`: then the deadline moves earlier.
        """
        return state["deadline"] + self.clock() - question.asked_at


def _digest(state: State, aimed: AimedAction) -> str:
    return approval_digest(state["message_id"], aimed)


def _turn_back(state: State, aimed: AimedAction) -> Update:
    """An act that the user has refused is planned again: the model gets a note, the second time the run ends."""
    digest, denied = _digest(state, aimed), state["denied"]
    if denied[digest]:
        return {"route": "finalize_cancelled"}
    failed = records.failed(state, f"{acting.describe(aimed)}: {records.REFUSED}")
    return failed | {"denied": {**denied, digest: 1}, "route": "maybe_observe"}


def _captcha_tries(state: State) -> int:
    """Actions with a possible effect while a captcha is in view, including the planned one; else 0."""
    observation = seen(state)
    if not any(overlay.kind == "captcha" for overlay in observation.overlays):
        return 0
    return state["captcha_tries"] + acting.may_commit(aim(planned(state), observation))


def _aimed(state: State) -> AimedAction:
    """The planned action on the last observation."""
    observation = seen(state)
    return aim(planned(state), observation, focused_element(state, observation))


def _aimed_again(before: AimedAction, after: State) -> AimedAction | None:
    """The action on the newest observation; None if that shows nothing or a target is missing."""
    observation = seen(after)
    if _is_lost(before.observation, observation):
        return None
    action = retarget(before, observation)
    return aim(action, observation, focused_element(after, observation)) if action else None


def _is_lost(before: Observation, after: Observation) -> bool:
    """Whether a page with content can no longer be read: a failed observation proves nothing."""
    return bool(before.interactive or before.text_blocks) and not (after.interactive or after.text_blocks)


def _wish(state: State) -> str:
    """The request to the user in the model's words, without eids, which mean nothing to the user."""
    page = facts.page_words(seen(state), state.get("reading") or "", state["task"])
    lines = (facts.without_eids(line, WISH_CHARS, page) for line in planned(state).reason.split("\n"))
    wish = "\n".join(filter(None, lines))
    return cut(wish, WISH_CHARS) or phrase("your_turn", state["task"])
