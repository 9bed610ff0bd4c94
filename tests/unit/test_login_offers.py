"""Offers to store a login that a person has typed: for whom, how long it is remembered, and what each answer does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from server.api.login_offers import NO_OFFER, LoginOffers
from server.browser.login_form import LoginForm
from server.browser.takeover.live_view import LiveView
from server.browser.takeover.sent_logins import SENT_LOGIN_SECONDS, SentLogin
from server.errors import Conflict
from server.events import now
from server.store import Store
from tests.support.databases import open_store
from tests.support.memory_vault import Stored, VaultInMemory
from tests.support.migrated import create_migrated
from tests.support.scripted_screen import Clock, ScriptedScreen

BEAT_SECONDS = 20.0
SHOP = "https://shop.example"
USER, PASSWORD = "ann.canary@example.org", "c4nary-pass"


def sent(
    user: str = USER, password: str = PASSWORD, at: str = SHOP, around: str = SHOP, to: str = SHOP
) -> SentLogin:
    form = LoginForm(
        url=f"{at}/login", origins=(at, around), sends=(f"{to}/in",), fields=("password", "user")
    )
    return SentLogin(form=form, user=user, password=password)


class Takeover:
    def __init__(self, store: Store, session_id: str) -> None:
        self.screen, self.clock, self.vault, self.store = ScriptedScreen(), Clock(), VaultInMemory(), store
        self.session_id = session_id
        self.view = LiveView(self.screen, call_later=self.clock.call_later)
        self.viewer = self.view.join()
        self.offers = LoginOffers(self.vault, store, session_id, self.view, self.viewer)

    async def kind(self) -> object:
        return (await self.offers.offer())["kind"]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    create_migrated(tmp_path / "pilothouse.db")
    async with open_store(f"sqlite:///{tmp_path}/pilothouse.db") as store:
        yield store


@pytest.fixture
async def takeover(store: Store) -> AsyncIterator[Takeover]:
    session = await store.create_session(id=None, title=None, agent="operator", model="m", max_tool_steps=1)
    takeover = Takeover(store, session.id)
    await takeover.view.take(takeover.viewer)
    yield takeover
    await takeover.view.aclose()


async def test_a_yes_stores_what_was_typed_and_it_is_forgotten(takeover: Takeover) -> None:
    takeover.screen.on_login_sent(sent())
    assert await takeover.offers.offer() == {"type": "login", "host": "shop.example", "kind": "new"}
    assert takeover.vault.saved == []
    assert await takeover.offers.answer("save") == NO_OFFER
    (saved,) = takeover.vault.saved
    assert (saved.host, saved.values.user, saved.values.password) == ("shop.example", USER, PASSWORD)
    with pytest.raises(Conflict, match="not kept in memory"):
        await takeover.offers.answer("save")


async def test_another_password_is_offered_as_a_change_and_the_same_one_not_at_all(
    takeover: Takeover,
) -> None:
    takeover.vault.logins.append(Stored("l1", ("shop.example",), USER, PASSWORD))
    takeover.screen.on_login_sent(sent())
    assert await takeover.offers.offer() == NO_OFFER
    takeover.screen.on_login_sent(sent(password="another"))
    assert await takeover.kind() == "changed"


async def test_not_now_forgets_it_and_never_is_for_good(takeover: Takeover) -> None:
    for answer, after in (("later", "new"), ("never", "")):
        takeover.screen.on_login_sent(sent())
        await takeover.offers.answer(answer)  # type: ignore[arg-type]
        assert await takeover.offers.offer() == NO_OFFER
        takeover.screen.on_login_sent(sent())
        assert await takeover.kind() == after
    assert takeover.vault.saved == []


@pytest.mark.parametrize(
    ("login", "kind"),
    [
        (sent(to="https://auth.shop.example"), "new"),
        (sent(at="http://127.0.0.1:8000", around="http://127.0.0.1:8000", to="http://127.0.0.1:8000"), "new"),
        (sent(at="http://shop.example", around="http://shop.example", to="http://shop.example"), ""),
        (sent(around="https://evil.example"), ""),
        (sent(to="https://evil.example"), ""),
    ],
)
async def test_only_a_form_of_the_pages_own_site_over_https_or_loopback_is_offered(
    takeover: Takeover, login: SentLogin, kind: str
) -> None:
    takeover.screen.on_login_sent(login)
    assert await takeover.kind() == kind


async def test_a_password_that_is_sent_alone_belongs_to_the_user_name_before_it(takeover: Takeover) -> None:
    takeover.screen.on_login_sent(sent(password=""))
    assert await takeover.offers.offer() == NO_OFFER
    takeover.screen.on_login_sent(sent(user="", at="https://login.shop.example"))
    await takeover.offers.answer("save")
    takeover.screen.on_login_sent(sent(user="", at="https://other.example", around="https://other.example", to="https://other.example"))  # fmt: skip
    await takeover.offers.answer("save")
    assert [one.values.user for one in takeover.vault.saved] == [USER, ""]


async def test_it_is_forgotten_after_ten_minutes_or_without_the_browser(takeover: Takeover) -> None:
    async def hold(seconds: float) -> None:
        for _ in range(int(seconds / BEAT_SECONDS)):
            takeover.clock.pass_by(BEAT_SECONDS)
            takeover.view.renew(takeover.viewer)

    takeover.screen.on_login_sent(sent())
    await hold(SENT_LOGIN_SECONDS - BEAT_SECONDS)
    takeover.screen.on_login_sent(sent(password="newer"))
    await hold(SENT_LOGIN_SECONDS - BEAT_SECONDS)
    assert await takeover.kind() == "new"
    await hold(BEAT_SECONDS)
    assert await takeover.kind() == ""

    takeover.screen.on_login_sent(sent())
    await takeover.view.hand_back(takeover.viewer)
    await takeover.view.take(takeover.viewer)
    assert await takeover.kind() == ""


async def test_neither_others_who_watch_nor_whoever_drives_by_a_hand_off_is_asked(takeover: Takeover) -> None:
    takeover.screen.on_login_sent(sent())
    watching = replace(takeover.offers, viewer=takeover.view.join())
    assert await watching.offer() == NO_OFFER
    await takeover.store.add_handoff(takeover.session_id, "secret", now() + timedelta(minutes=5))
    assert await takeover.offers.offer() == NO_OFFER
    with pytest.raises(Conflict):
        await takeover.offers.answer("save")


async def test_while_the_vault_is_locked_nothing_is_offered_and_a_yes_keeps_it(takeover: Takeover) -> None:
    takeover.screen.on_login_sent(sent())
    takeover.vault.is_locked = True
    assert await takeover.offers.offer() == NO_OFFER
    with pytest.raises(Conflict, match="locked"):
        await takeover.offers.answer("save")
    takeover.vault.is_locked = False
    assert await takeover.kind() == "new"


def test_no_text_of_it_has_the_values() -> None:
    assert USER not in repr(sent())
    assert PASSWORD not in repr(sent())
