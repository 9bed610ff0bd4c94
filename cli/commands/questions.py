"""Answers to questions: of this session, of another one that `/inbox` lists, or of the user's own browser command."""

from __future__ import annotations

from datetime import UTC, datetime

from cli.client.api_types import LoginAsked, OpenQuestion
from cli.commands import browser
from cli.commands.answers import read_effects, read_grant, read_login, read_time
from cli.commands.syntax import REFERENCE_CHARS, Answer, Call
from cli.conversation import Conversation
from cli.errors import ServerRefused, UsageError
from cli.screen import tables
from cli.screen.items import OUTCOMES, Question, outcome_of
from cli.words import t


async def show_inbox(conversation: Conversation, call: Call) -> None:
    conversation.screen.print(tables.Inbox(await conversation.client.questions(), datetime.now(UTC)))


async def answer_yes(conversation: Conversation, call: Call) -> Answer | None:
    question = await _named_question(conversation, call.text("ref"))
    if question is not None:
        return await _answer_elsewhere(conversation, call, question)
    return await _answer_here(conversation, call)


async def answer_no(conversation: Conversation, call: Call) -> Answer | None:
    """The words begin with a reference only if a question has it."""
    name = call.text("words").partition(" ")[0]
    if len(name) >= REFERENCE_CHARS and (question := await _find_question(conversation, name)):
        return await _answer_elsewhere(conversation, call, question)
    return await _answer_here(conversation, call)


async def answer_done(conversation: Conversation, call: Call) -> Answer | None:
    return await _answer_here(conversation, call)


async def put_off(conversation: Conversation, call: Call) -> None:
    until = read_time(call.text("time"), datetime.now().astimezone())
    elsewhere = await _named_question(conversation, call.text("ref"))
    asked = conversation.view.pending
    if elsewhere is not None:
        session, reference = elsewhere["session_id"], elsewhere["reference"]
    elif asked is not None:
        session, reference = await conversation.require_session(), asked.reference
    else:
        raise UsageError(t("Nothing is waiting for an answer."))
    path = f"/sessions/{session}/questions/{reference}/later"
    await conversation.client.call("POST", path, {"until": until.isoformat()})
    conversation.note(t("Put off until {time}", time=f"{until:%Y-%m-%d %H:%M}"))


async def _named_question(conversation: Conversation, reference: str) -> OpenQuestion | None:
    """The open question of any session with this reference; None if it is "". Raises UsageError if there is none."""
    if not reference:
        return None
    question = await _find_question(conversation, reference)
    if question is None:
        raise UsageError(t("No open question {name}; /inbox lists them.", name=reference))
    return question


async def _find_question(conversation: Conversation, name: str) -> OpenQuestion | None:
    """Raises UsageError if several have it."""
    matches = [
        question
        for question in await conversation.client.questions()
        if name in (question["reference"], tables.short_reference(question["reference"]))
    ]
    if len(matches) > 1:
        raise UsageError(
            t(
                "{name} is the beginning of {n} questions; give the whole reference.",
                name=name,
                n=len(matches),
            )
        )
    return matches[0] if matches else None


async def _answer_here(conversation: Conversation, call: Call) -> Answer | None:
    asked = conversation.view.pending
    if asked is None:
        await browser.decide(conversation, is_yes=call.name == "yes")
        return None
    if asked.kind == "confirm" and call.name == "done":
        raise UsageError(t("This wants /yes or /no."))
    if asked.kind == "manual" and call.name == "no":
        raise UsageError(
            t("This wants /done when you have done it, plain words to go on otherwise, or /stop.")
        )
    is_confirmed = asked.kind == "manual" or call.name == "yes"
    frame: dict[str, object] = {
        "type": "user_confirm", "reference": asked.reference, "confirmed": is_confirmed,
    }  # fmt: skip
    frame |= {"text": call.text("words")} if "words" in call.args else {}
    frame |= _allowed(call, len(asked.start.effects) if asked.start else None, asked.login)
    try:
        return await conversation.send(frame)
    except ServerRefused as error:
        if error.code == "already_decided" and await _is_decided(conversation, asked, is_confirmed):
            return None
        raise


async def _is_decided(conversation: Conversation, asked: Question, is_confirmed: bool) -> bool:
    """Whether the question was decided in this way: then only the acknowledgement was lost."""
    session = await conversation.client.session(await conversation.require_session())
    return any(
        question["reference"] == asked.reference
        and question["status"] == "decided"
        and question.get("confirmed") == is_confirmed
        for question in session.get("interrupts", [])
    )


async def _answer_elsewhere(conversation: Conversation, call: Call, question: OpenQuestion) -> Answer:
    is_manual, is_yes = question["kind"] == "manual", call.name == "yes"
    if is_manual and not is_yes:
        session = tables.short(question["session_id"])
        raise UsageError(t("This wants your help: pilothouse chat {session}", session=session))
    note = call.text("words").partition(" ")[2].strip()
    start = question.get("start")
    body: dict[str, object] = {"reference": question["reference"]}
    body |= {"done": True} if is_manual else {"confirmed": is_yes}
    body |= {"message": note} if note else {}
    body |= _allowed(call, len(start["effects"]) if start else None, question.get("login"))
    await conversation.client.call("POST", f"/sessions/{question['session_id']}/decision", body)
    wants_other_plan = start and not is_yes and note
    outcome = "replan" if wants_other_plan else outcome_of(question["kind"], question.get("wants"), is_yes)
    conversation.note(f"{t(OUTCOMES[outcome])}: {question['session_title'] or t('untitled')}")
    return {"session_id": question["session_id"]}


def _allowed(call: Call, foreseen: int | None, login: LoginAsked | None) -> dict[str, object]:
    """What was written behind `/yes`, as a field of the decision: a grant, which of the `foreseen` effects of a run
    that asks before it starts are allowed, or which login and for how long."""
    if login is not None and call.name == "done":
        return {"login": {"choice": "by_hand"}}
    if "grant" not in call.args:
        return {}
    if foreseen is not None:
        return {"effects": read_effects(call.text("grant"), foreseen)}
    if login is not None:
        return {"login": read_login(call.text("grant"), [one["id"] for one in login["choices"]])}
    return {"grant": read_grant(call.text("grant"), datetime.now().astimezone())}
