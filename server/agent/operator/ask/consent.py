"""Nodes for the user's decisions: policy gate, confirm and manual interrupts, approval check."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from langgraph.types import interrupt

from server.agent import stored_logins
from server.agent.actions import AimedAction, AskUserAction, CallToolAction, LoginAction, aim
from server.agent.context import RunContext
from server.agent.gate.approval import Approval, approval_digest, confirm_question, retarget
from server.agent.gate.gate import GRANTED, MAX_ASKS, REFUSED_BEFORE, Gate
from server.agent.gate.grantable import scopes_of, sure_amount
from server.agent.gate.holding import (
    agreed_terms,
    judge_held,
    not_sent,
    question_about,
    refused_line,
    terms_of,
)
from server.agent.gate.logins import LOGIN_ALLOWED, is_of_login
from server.agent.gate.page_facts import focused_element
from server.agent.gate.rulings import publish_ruling, ruling_of
from server.agent.gate.taint import LEAK, carries_private_words, gives_private_words, remembering
from server.agent.gate.tool_calls import judge_call
from server.agent.operator.act import acting
from server.agent.operator.ask import user_input
from server.agent.operator.ask.answers import Said, read_confirm
from server.agent.operator.memory import facts, records
from server.agent.operator.memory.phrases import phrase
from server.agent.operator.memory.state import Next, State
from server.agent.operator.see.observing import Observer, sight
from server.agent.policy import Judgement, Verdict
from server.browser.addresses import site_of
from server.browser.observation import Observation
from server.browser.observation.overlays import mentions_captcha
from server.browser.outgoing.held import ActTerms, HeldRequest
from server.clock import steady_time
from server.events import (
    Answer,
    ConfirmQuestion,
    LoginAnswer,
    LoginQuestion,
    ManualQuestion,
    Question,
    Wanted,
    now,
)
from server.text import cut

log = logging.getLogger(__name__)

AfterGate = Literal[
    "execute_action", "confirm_interrupt", "manual_interrupt", "maybe_observe", "finalize_denied", "finalize_cancelled",
]  # fmt: skip
AfterConfirm = Literal["execute_action", "manual_interrupt", "maybe_observe", "finalize_cancelled"]
AfterHold = Literal["confirm_interrupt", "manual_interrupt", "maybe_observe", ""]
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

    async def policy_gate(self, state: State, context: RunContext) -> Next[AfterGate]:
        """Allow, ask, hand over or deny, by the page's structure; the model can only add questions."""
        if isinstance(state.action, AskUserAction):
            return self._handed_over(state, _wish(state), state.action.wants)
        aimed = _aimed(state)
        if self._is_stopped_by_captcha(state):
            url = aimed.observation.page.url
            text = phrase("captcha", state.asked.task, site=site_of(url) or url)
            state = replace(state, limits=replace(state.limits, captcha_tries=0, captcha_done=url))
            return self._handed_over(state, text, "step")
        if isinstance(aimed.action, LoginAction):
            return await self._rule_on_login(state, context, aimed)
        judgement = await self._judge(aimed, state, context)
        if judgement.verdict is Verdict.ASK and _digest(state, aimed) in state.proof.denied:
            refused = replace(judgement, verdict=Verdict.DENY, reason=REFUSED_BEFORE)
            await publish_ruling(aimed.action.id, aimed, refused)
            return _turn_back(state, aimed)
        await publish_ruling(aimed.action.id, aimed, judgement)
        limits = replace(state.limits, captcha_tries=_captcha_tries(state))
        state = _ruled(replace(state, limits=limits), judgement)
        return self._after_judgement(state, judgement, context)

    async def _rule_on_login(self, state: State, context: RunContext, aimed: AimedAction) -> Next[AfterGate]:
        """Fill without a question where a grant or the same yes covers it, ask, or leave it to the user and say why."""
        planned = await stored_logins.plan_login(context, aimed)
        if planned.rule:
            state = records.failed(state, f"login: {planned.problem}")
            text = phrase("login", state.asked.task, why=planned.problem)
            return self._handed_over(state, text, "step")
        assert isinstance(aimed.action, LoginAction)
        action = stored_logins.with_form(aimed.action, planned)
        aimed = replace(aimed, action=action)
        judgement = LOGIN_ALLOWED if stored_logins.is_covered(context, planned) else stored_logins.MAY_ASK
        await publish_ruling(action.id, aimed, judgement)
        state = _ruled(state.planning(action), judgement)
        if judgement.verdict is Verdict.ALLOW:
            return Next(state, "execute_action")
        if _digest(state, aimed) in state.proof.denied:
            return _turn_back(state, aimed)
        if state.limits.asks >= MAX_ASKS:
            return self._asked_too_often(state)
        question = stored_logins.login_question(
            aimed, planned, sight(state), run_id=state.asked.message_id, reference=action.id,
            asked_at=self.clock(), timeout=context.patience or self.timeout,
        )  # fmt: skip
        return _asking(state, question)

    async def _login_answered(
        self, state: State, context: RunContext, question: LoginQuestion, answer: Answer
    ) -> Next[AfterConfirm]:
        """After a yes: for the login that was chosen, and for as long as was said."""
        action, given = state.action, answer.login or LoginAnswer()
        known = [one.id for one in question.login.choices]
        assert isinstance(action, LoginAction)
        chosen = action.model_copy(update={"login": given.id if given.id in known else known[0]})
        await stored_logins.allow(context, chosen, given.choice)
        state = state.planning(chosen)
        approval = Approval(
            reference=question.reference, digest=_digest(state, _aimed(state)), expires_at=question.expires_at
        )
        return Next(replace(state, turn=replace(state.turn, approval=approval)), "execute_action")

    def _after_judgement(self, state: State, judgement: Judgement, context: RunContext) -> Next[AfterGate]:
        """Map the judgement on the planned action to the next node."""
        match judgement.verdict:
            case Verdict.DENY:
                why = f"{state.action.kind}: {judgement.reason}"
                return Next(records.failed(state, why), "finalize_denied")
            case Verdict.ALLOW:
                return Next(state, "execute_action")
        if state.turn.is_further:
            what = f"{acting.describe(_aimed(state))}: not done: this has to be the first act of a move"
            return Next(records.failed(state, what), "maybe_observe")
        if state.limits.asks >= MAX_ASKS:
            return self._asked_too_often(state)
        log.info("asks the person: %s (%s)", judgement.reason, judgement.kind)
        return _asking(state, self._question(state, judgement, context))

    def _asked_too_often(self, state: State) -> Next[Literal["manual_interrupt"]]:
        """Ask how to go on in place of one more approval."""
        text = phrase("asks", state.asked.task, n=MAX_ASKS)
        handed = self._handed_over(state, text, "answer")
        limits = replace(handed.state.limits, asks=0)
        return replace(handed, state=replace(handed.state, limits=limits))

    async def confirm_interrupt(self, state: State, context: RunContext) -> Next[AfterConfirm]:
        """Wait for yes or no. A yes is bound to the exact action and page of the question."""
        question = state.turn.pending
        assert isinstance(question, ConfirmQuestion | LoginQuestion)
        answer = Answer.model_validate(interrupt(question.to_json()))
        if answer.valid_until:
            question = question.model_copy(update={"expires_at": answer.valid_until})
        said, held = read_confirm(answer, question, self.clock()), state.turn.held
        state = self._answered(state, question)
        if isinstance(question, LoginQuestion) and said.kind == "yes":
            return await self._login_answered(state, context, question, answer)
        if answer.login and answer.login.choice == "by_hand":
            return self._handed_over(state, phrase("your_turn", state.asked.task), "step")
        if said.kind == "yes":
            approval = Approval.model_validate(question, from_attributes=True)
            return Next(replace(state, turn=replace(state.turn, approval=approval)), "execute_action")
        if held:
            state = replace(state, turn=replace(state.turn, held=()))
            if context.has_browser():
                await (await context.browser()).refuse_held()
        return _not_confirmed(state, said, held)

    async def manual_interrupt(self, state: State, context: RunContext) -> State:
        """Wait until the user has done the manual step; the page is then observed again."""
        question = state.turn.pending
        assert question is not None
        answer = Answer.model_validate(interrupt(question.to_json()))
        state = self._answered(user_input.take_manual(state, answer.for_agent), question)
        return replace(state, limits=replace(state.limits, tried={}))

    async def hold_to_approval(self, state: State, context: RunContext) -> State:
        """Observe again right before the action: an approval holds once, in time and for its page only.

        Returns the new observation and the action on it; no action is planned if the approval is void.
        """
        approval, aimed, held = state.turn.approval, _aimed(state), state.turn.held
        assert approval is not None
        refs, points = [element.ref for element in aimed.targets], aimed.action.points
        state = await self.observer.look(context, state, refs, points)
        state = replace(state, turn=replace(state.turn, approval=None))
        renewed = _aimed_again(aimed, state)
        if self.clock() > approval.expires_at.timestamp():
            why = "the user's approval came too late"
        elif not await self.observer.shows_same(context, aimed.unnamed_points):
            why = "what is drawn there changed after the user's approval"
        elif any(one.is_further for one in held):
            why = "a part of it was sent before, so it is not done again; the rest came too late"
        elif renewed and _digest(state, renewed) == approval.digest:
            return state.planning(renewed.action)
        else:
            why = "the page changed after the user's approval"
            if held:  # it may wait for an answer that never comes, such as with its button disabled
                await (await context.browser()).navigate(aimed.observation.page.url)
                why += " and was loaded again"
                state = replace(state, page=replace(state.page, needs_observe=True))
        why = not_sent(why, held)
        log.info("nothing is done: %s", why)
        return _dropped(state, why, needs_observe=state.page.needs_observe)

    async def judge_again(self, state: State, context: RunContext) -> State:
        """Judge an action that needs no approval again: the page may have changed during the model call.

        Returns the action on the new observation. None is planned if the user must be asked, and if
        the page cannot be judged: a target is not found again, or the page can no longer be read. Such a round
        counts as a step, so that a page that always changes ends the run at its step limit.
        """
        aimed = _aimed(state)
        refs = [element.ref for element in aimed.targets]
        after = await self.observer.look_again(context, state, refs, aimed.action.points)
        renewed = _aimed_again(aimed, after)
        if renewed and (await self._judge(renewed, after, context)).verdict is Verdict.ALLOW:
            return after.planning(renewed.action)
        log.info("the page changed before the action: nothing is done")
        after = records.void(after, "the page changed before the action").planning(None)
        limits = replace(after.limits, tool_steps=after.limits.tool_steps + 1)
        page = replace(after.page, unshown_notes=after.observation.notes)
        return replace(after, page=page, limits=limits)

    def terms(self, state: State, context: RunContext, *, is_approved: bool) -> ActTerms:
        """On which the planned action is performed: what a yes or a grant has approved of it."""
        kinds = state.turn.ruling.approved_kinds(is_approved=is_approved)
        private = {*context.private.sites, *state.page.private_sites}
        is_doubted = state.turn.ruling.is_doubted
        terms = terms_of(_aimed(state), kinds, private, by_grant=not is_approved, is_doubted=is_doubted)
        held = state.turn.held
        return agreed_terms(held, terms) if held and is_approved else terms

    async def rule_on_held(
        self, state: State, context: RunContext, held: Sequence[HeldRequest], *, asks: bool = False
    ) -> Next[AfterHold]:
        """Ask about what the act was about to send, unless grants cover it: then the next node is none.

        `asks`: whatever grants cover.
        """
        aimed, browser = _aimed(state), await context.browser()
        judgement = judge_held(held, () if asks else await context.grants.held(), now())
        asked = _holding(state, held, judgement)
        if judgement.uses and await context.grants.use(judgement.uses, acting.describe(aimed)):
            granted = replace(judgement, verdict=Verdict.ALLOW, reason=GRANTED)
            await publish_ruling(aimed.action.id, aimed, granted)
            return Next(asked, "")
        judgement = replace(judgement, uses=())
        if any(one.shape in state.proof.denied for one in held):
            await browser.refuse_held()
            state = records.failed(state, f"{acting.describe(aimed)}: {refused_line(held)}")
            return Next(replace(state, turn=replace(state.turn, held=())), "maybe_observe")
        await publish_ruling(aimed.action.id, aimed, judgement)
        if state.limits.asks >= MAX_ASKS:
            await browser.refuse_held()
            return self._asked_too_often(replace(state, turn=replace(state.turn, held=())))
        log.info("asks the person before it is sent: %s (%s)", judgement.reason, judgement.kind)
        plain = self._question(state, judgement, context)
        question = question_about(plain, held, uuid.uuid4().hex)
        return _asking(asked, question)

    def _is_stopped_by_captcha(self, state: State) -> bool:
        """Whether the user must solve a captcha first. Its own controls are never used, whatever the model
        plans; after some actions on a page that still shows one, the page is considered blocked.

        Once the user was asked, the page's other controls are allowed: a solved widget usually stays visible.
        """
        if not _captcha_tries(state):
            return False
        aimed = _aimed(state)
        texts = [(element.name, element.shows, element.frame) for element in aimed.targets]
        words = " ".join(hit.words for hit in aimed.hits).split()
        if any(map(mentions_captcha, chain(*texts, words))):
            return True
        is_done = state.limits.captcha_done == aimed.observation.page.url
        if not is_done and not all(hit.is_element for hit in aimed.hits):  # it may be the captcha's picture
            return True
        return not is_done and acting.may_commit(aimed) and _captcha_tries(state) > MAX_TRIES

    def hand_over(self, state: State, reason: str, wants: Wanted) -> State:
        """With a manual question."""
        here = sight(state)
        question = ManualQuestion(
            reference=uuid.uuid4().hex,
            reason=reason,
            wants=wants,
            url=here.observation.page.url,
            screenshot=here.screenshot,
            asked_at=self.clock(),
        )
        return replace(state, turn=replace(state.turn, pending=question))

    def _handed_over(self, state: State, reason: str, wants: Wanted) -> Next[Literal["manual_interrupt"]]:
        return Next(self.hand_over(state, reason, wants), "manual_interrupt")

    async def use_grants(self, state: State, context: RunContext) -> State:
        """Right before an action without an approval: count the uses of the grants that allow it.

        No action is planned if it is not allowed any more: a grant is used up, over or taken back.
        """
        aimed = _aimed(state)
        judgement = await self._judge(aimed, state, context)
        if judgement.verdict is Verdict.ALLOW and (
            not judgement.uses or await context.grants.use(judgement.uses, acting.describe(aimed))
        ):
            return _ruled(state, judgement)
        log.info("nothing is done: no grant covers it any more")
        state = records.void(state, "the permission for it does not hold any more").planning(None)
        return replace(state, page=replace(state.page, needs_observe=False))

    async def _judge(self, aimed: AimedAction, state: State, context: RunContext) -> Judgement:
        if isinstance(aimed.action, LoginAction):  # its own rules hold, in the act itself
            return LOGIN_ALLOWED
        known = remembering(state.memory, context.private)
        if isinstance(aimed.action, CallToolAction):
            call, specs = aimed.action, await context.tools.offered()
            spec = next((one for one in specs if one.name == call.tool), None)
            leaks = gives_private_words(call.args, known, call.server, ())
            return judge_call(call, spec, await context.grants.held(), leaks=leaks)
        leak = LEAK if carries_private_words(aimed, known) else None
        judgement = self.gate.judge(aimed, also=leak)
        if leak is None and is_of_login(aimed, judgement, context.logins):
            return LOGIN_ALLOWED
        if judgement.verdict is not Verdict.ASK:
            return judgement
        return self.gate.judge(aimed, grants=await context.grants.held(), also=leak)

    def _question(self, state: State, judgement: Judgement, context: RunContext) -> ConfirmQuestion:
        aimed = _aimed(state)
        return confirm_question(
            aimed, sight(state), run_id=state.asked.message_id,
            reason=judgement.reason, risk=judgement.kind, asked_at=self.clock(), timeout=context.patience or self.timeout,
            spends=sure_amount(aimed), scopes=scopes_of(judgement, aimed),
        )  # fmt: skip

    def _answered(self, state: State, question: Question) -> State:
        """Without the question; the deadline is extended by the time since it was asked.

        After a restart the clock may be earlier than `asked_at`: then the deadline moves earlier.
        """
        deadline = state.limits.deadline + self.clock() - question.asked_at
        turn = replace(state.turn, pending=None)
        return replace(state, turn=turn, limits=replace(state.limits, deadline=deadline))


def _asking(state: State, question: ConfirmQuestion | LoginQuestion) -> Next[Literal["confirm_interrupt"]]:
    turn = replace(state.turn, pending=question)
    limits = replace(state.limits, asks=state.limits.asks + 1)
    return Next(replace(state, turn=turn, limits=limits), "confirm_interrupt")


def _ruled(state: State, judgement: Judgement) -> State:
    return replace(state, turn=replace(state.turn, ruling=ruling_of(judgement)))


def _holding(state: State, held: Sequence[HeldRequest], judgement: Judgement) -> State:
    """What is held stands alone: what follows in the batch is left."""
    turn = replace(state.turn, held=tuple(held), ruling=ruling_of(judgement), batch=None)
    return replace(state, turn=turn)


def _not_confirmed(state: State, said: Said, held: Sequence[HeldRequest]) -> Next[AfterConfirm]:
    """After an answer that is no yes; `held` was refused with it."""
    match said.kind:
        case "no":
            return Next(state, "finalize_cancelled")
        case "words" if not said.is_refusal:
            return Next(user_input.add_user_words(state, said.words), "maybe_observe")
        case "words":
            aimed = _aimed(state)
            act = acting.describe(aimed) + (f" ({refused_line(held)})" if held else "")
            # The page may have changed with what it was about to send: that is what was refused.
            digest = held[0].shape if held else _digest(state, aimed)
            return Next(user_input.take_refusal(state, act, digest, said.words), "maybe_observe")
    reason = "came too late" if said.kind == "expired" else "was for another action"
    why = not_sent(f"the approval {reason}", held)
    return Next(records.void(state, why), "maybe_observe")


def _dropped(state: State, why: str, *, needs_observe: bool) -> State:
    """Without the planned action, which is not done."""
    state = records.void(state, why)
    turn = replace(state.turn, planned_action=None, held=())
    return replace(state, turn=turn, page=replace(state.page, needs_observe=needs_observe))


def _digest(state: State, aimed: AimedAction) -> str:
    return approval_digest(state.asked.message_id, aimed)


def _turn_back(state: State, aimed: AimedAction) -> Next[Literal["finalize_cancelled", "maybe_observe"]]:
    """An act that the user has refused is planned again: the model gets a note, the second time the run ends."""
    digest, denied = _digest(state, aimed), state.proof.denied
    if denied[digest]:
        return Next(state, "finalize_cancelled")
    state = records.failed(state, f"{acting.describe(aimed)}: {records.REFUSED}")
    return Next(replace(state, proof=replace(state.proof, denied={**denied, digest: 1})), "maybe_observe")


def _captcha_tries(state: State) -> int:
    """Actions with a possible effect while a captcha is in view, including the planned one; else 0."""
    if not any(overlay.kind == "captcha" for overlay in state.observation.overlays):
        return 0
    return state.limits.captcha_tries + acting.may_commit(aim(state.action, state.observation))


def _aimed(state: State) -> AimedAction:
    """The planned action on the last observation."""
    focused = focused_element(state.observation, state.page.focused)
    return aim(state.action, state.observation, focused)


def _aimed_again(before: AimedAction, after: State) -> AimedAction | None:
    """The action on the newest observation; None if that shows nothing or a target is missing."""
    observation = after.observation
    if _is_lost(before.observation, observation):
        return None
    action = retarget(before, observation)
    return aim(action, observation, focused_element(observation, after.page.focused)) if action else None


def _is_lost(before: Observation, after: Observation) -> bool:
    """Whether a page with content can no longer be read: a failed observation proves nothing."""
    return bool(before.interactive or before.text_blocks) and not (after.interactive or after.text_blocks)


def _wish(state: State) -> str:
    """The request to the user in the model's words, without eids, which mean nothing to the user."""
    page = facts.page_words(state.observation, state.page.reading or "", state.asked.task)
    lines = (facts.without_eids(line, WISH_CHARS, page) for line in state.action.reason.split("\n"))
    wish = "\n".join(filter(None, lines))
    return cut(wish, WISH_CHARS) or phrase("your_turn", state.asked.task)
