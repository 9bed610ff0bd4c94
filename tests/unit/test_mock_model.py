"""The scripted model of mock mode answers in the language of the task."""

from __future__ import annotations

import httpx

from server.agent.language import is_russian
from server.extras.mock.model import GREETING, GREETING_RU, OTHER_PLAN_RU, PLAN_RU, SAID_RU, Say, in_language
from tests.support.chat import ask, new_session, send, wait_for_status


async def test_a_russian_task_is_planned_and_answered_in_russian(client: httpx.AsyncClient) -> None:
    session_id = await new_session(client)
    await send(client, session_id, "Купи чайник")
    session = await wait_for_status(client, session_id, "waiting_user")
    assert session["state"]["plan"][0] == PLAN_RU[0]
    answer = {"reference": session["pending"]["reference"], "confirmed": True}
    await client.post(f"/api/sessions/{session_id}/decision", json=answer)
    session = await wait_for_status(client, session_id, "completed")
    assert session["messages"][-1]["content"].startswith("Синий чайник заказан")


async def test_anything_else_is_answered_with_the_greeting_of_its_language(client: httpx.AsyncClient) -> None:
    for task, greeting in (("Что нового?", GREETING_RU), ("What is new?", GREETING)):
        _, events = await ask(client, task)
        assert events[-1]["message"]["content"].strip() == greeting.strip()


def test_the_words_of_the_person_stay_as_they_are() -> None:
    said = "The blue kettle stays in the basket, as you said: “оставь его”"
    assert in_language(Say(said), "купи чайник") == Say(
        "Синий чайник остаётся в корзине, как вы сказали: «оставь его»"
    )
    assert in_language(Say(said), "shop for a kettle") == Say(said)
    assert all(map(is_russian, [*PLAN_RU, *OTHER_PLAN_RU, *SAID_RU.values()]))
