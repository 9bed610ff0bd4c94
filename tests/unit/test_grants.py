"""Grants: what one covers, and that no sequence of acts, revocations and restarts spends more than it says."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from server.agent.gate.gate import Gate
from server.agent.gate.grantable import read_sum, scopes_of, sure_amount
from server.agent.policy import Judgement, Verdict
from server.browser.observation import Observation, observe_snapshot
from server.database.migrate import migrate
from server.errors import Conflict
from server.events import now
from server.grants.coverage import SCOPES, Amount, GrantNumber, GrantUse, HeldGrant, Need, covers, find_grant
from server.store import Store
from server.store.grants import NewGrant
from server.store.records import new_id
from tests.support.actions import aimed
from tests.support.chat import new_session, send, wait_for_status
from tests.support.databases import open_store
from tests.support.operator_world import Granted, world
from tests.support.scripted_model import click, stop
from tests.unit.test_decisions import asked, decide

URL = "https://shop.example/checkout"
NOON = datetime(2026, 11, 24, 12, tzinfo=UTC)
PAY = Need(site="shop.example", kind="pay", amount=Amount(parts=43_900, currency="EUR"))


def held(**values: Any) -> HeldGrant:
    return HeldGrant.model_validate(
        {"id": "g", "scope": "always", "site": "shop.example", "kind": "pay"} | values
    )


def checkout(*lines: str, button: str = "Pay now") -> Observation:
    snapshot = "\n".join([*lines, f'- button "{button}" [ref=b1] [box=0,40,90,20]'])
    return observe_snapshot(snapshot, url=URL, title="Checkout")


def amount_on(observation: Observation) -> tuple[int, str] | None:
    target = next(element for element in observation.interactive if element.role == "button")
    amount = sure_amount(aimed({"kind": "click", "eid": target.eid}, observation))
    return (amount.parts, amount.currency) if amount else None


# What one covers


@pytest.mark.parametrize(
    ("number", "is_one"),
    [
        ("0", False), ("0.001", True), ("0.0001", False), ("999999999.999", True), ("1000000000", False),
    ],
)  # fmt: skip
def test_an_amount_is_above_zero_and_below_a_billion_in_thousandths(number: str, is_one: bool) -> None:
    try:
        TypeAdapter(GrantNumber).validate_python(number)
    except ValidationError:
        assert not is_one
    else:
        assert is_one


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({}, True), ({"count": 1}, True), ({"count": 1, "uses": 1}, False),
        ({"ends_at": NOON}, False), ({"ends_at": NOON + timedelta(seconds=1)}, True),
        ({"act_parts": 43_900, "currency": "EUR"}, True), ({"act_parts": 43_899, "currency": "EUR"}, False),
        ({"act_parts": 99_000, "currency": "USD"}, False),
        ({"month_parts": 50_000, "currency": "EUR"}, True),
        ({"month_parts": 50_000, "currency": "EUR", "month": "2026-11", "month_spent": 6_101}, False),
        ({"month_parts": 50_000, "currency": "EUR", "month": "2026-11", "month_spent": 6_100}, True),
        ({"month_parts": 43_900, "currency": "EUR", "month": "2026-11"}, True),
        ({"month_parts": 50_000, "currency": "EUR", "month": "2026-10", "month_spent": 50_000}, True),
    ],
)  # fmt: skip
def test_a_grant_covers_an_effect_within_its_limits(limits: dict[str, Any], expected: bool) -> None:
    assert covers(held(**limits), PAY, NOON) is expected


def test_of_two_grants_the_one_without_limits_is_used_then_the_narrower_one() -> None:
    limited, free = held(id="limited", scope="run", count=5), held(id="free")
    narrow = held(id="narrow", scope="session")
    assert find_grant([limited, free], PAY, NOON) == free
    assert find_grant([limited, free, narrow], PAY, NOON) == narrow
    assert find_grant([limited], PAY, NOON) == limited


def test_a_limit_on_amounts_covers_no_unknown_amount() -> None:
    unknown = PAY.model_copy(update={"amount": None})
    assert covers(held(), unknown, NOON)
    assert not covers(held(act_parts=1_000_000, currency="EUR"), unknown, NOON)
    assert not covers(held(month_parts=1_000_000, currency="EUR"), unknown, NOON)


# Amounts that are beyond doubt


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("€43.90", (43_900, "EUR")), ("1.234,50 €", (1_234_500, "EUR")), ("$1,234,567.00", (1_234_567_000, "$")),
        ("EUR 5", (5_000, "EUR")), ("12,5 zł", (12_500, "PLN")), ("1 234,50 ₽", (1_234_500, "RUB")), ("US$ 9.99", (9_990, "USD")),
        ("€1.234", None), ("$1,234", None), ("€1,234.567", None), ("5 万元", None), ("€1.23.45", None),
        ("€123.456", None), ("€1.234.56", None), ("€", None),
    ],
)  # fmt: skip
def test_a_sum_is_read_if_it_can_be_read_in_one_way(text: str, expected: tuple[int, str] | None) -> None:
    amount = read_sum(text)
    assert (amount and (amount.parts, amount.currency)) == expected


def test_the_amount_is_known_if_the_page_shows_one() -> None:
    assert amount_on(checkout(button="Pay €43.90")) == (43_900, "EUR")
    assert amount_on(checkout('- text: "Total €43.90"')) == (43_900, "EUR")
    assert amount_on(checkout('- text: "Delivery €4.90"', button="Pay €43.90")) == (43_900, "EUR")


@pytest.mark.parametrize(
    ("lines", "button"),
    [
        ((), "Pay now"),
        (('- text: "Total €143.90"',), "Pay €43.90"),
        (('- text: "Total €143.90"', '- text: "Kettle €43.90"'), "Pay now"),
        (('- text: "About $50.00"',), "Pay €43.90"),
        ((), "Pay €43.90 or €51.00"),
        ((), "Pay 2 × €43.90"),
        ((), "Pay from €43.90 – see terms"),
        ((), "Pay €43.90/month"),
        ((), "Pay €1.234"),
    ],
)
def test_in_doubt_the_amount_is_not_known(lines: Sequence[str], button: str) -> None:
    assert amount_on(checkout(*lines, button=button)) is None


def test_on_a_page_that_is_shown_in_part_the_amount_is_not_known() -> None:
    page = checkout(button="Pay €43.90")
    assert amount_on(page.model_copy(update={"notes": ["truncated, 40 elements are left out"]})) is None
    assert amount_on(page.model_copy(update={"notes": ["the page still loads"]})) == (43_900, "EUR")


# What none covers

FORM = """\
- form "Sign in" [ref=f0] [box=0,40,400,200]:
  - textbox "Password" [ref=f1] [box=10,50,200,20]
  - textbox "Note" [ref=f2] [box=10,80,200,20]
  - button "Send message" [ref=f3] [box=10,110,100,30]"""


def every_kind(site: str) -> list[HeldGrant]:
    kinds = ("credential", "send", "upload", "account", "pay", "unknown_submit")
    return [held(id=kind, site=site, kind=kind) for kind in kinds]


def verdict(observation: Observation, action: dict[str, Any], site: str = "shop.example") -> Judgement:
    return Gate().judge(aimed(action, observation), grants=every_kind(site))


def test_a_secret_is_asked_about_whatever_is_granted() -> None:
    page = observe_snapshot(FORM, url=URL, title="In")
    eids = {element.name: element.eid for element in page.interactive}
    typing = {"kind": "type", "fields": [{"eid": eids["Password"], "text": "hunter2"}]}
    assert verdict(page, typing).verdict == Verdict.ASK
    assert verdict(page, {"kind": "click", "eid": eids["Send message"]}).verdict == Verdict.ALLOW
    elements = [
        one.model_copy(update={"filled": True}) if one.name == "Password" else one for one in page.interactive
    ]
    filled = page.model_copy(update={"interactive": elements})
    sending = verdict(filled, {"kind": "click", "eid": eids["Send message"]})
    assert (sending.verdict, sending.kind) == (Verdict.ASK, "send")


def test_an_act_that_types_a_secret_is_never_granted_whatever_else_it_does() -> None:
    page = observe_snapshot(FORM, url=URL, title="In")
    eids = {element.name: element.eid for element in page.interactive}
    sends = Judgement(Verdict.ASK, "sends something to other people", "send")
    for name, expected in (("Password", ()), ("Note", SCOPES)):
        typing = {"kind": "type", "fields": [{"eid": eids[name], "text": "hunter2"}]}
        assert scopes_of(sends, aimed(typing, page)) == expected


def test_a_payment_may_be_sent_to_another_site_and_a_file_may_not() -> None:
    page = checkout(button="Pay €43.90")
    away = [one.model_copy(update={"sends_to": "https://pay.example/x"}) for one in page.interactive]
    act = aimed({"kind": "click", "eid": away[0].eid}, page.model_copy(update={"interactive": away}))
    assert scopes_of(Judgement(Verdict.ASK, "spends money", "pay"), act) == SCOPES
    upload = Judgement(Verdict.ASK, "hands a file to the page", "upload")
    assert scopes_of(upload, act) == ()
    here = [one.model_copy(update={"sends_to": URL}) for one in away]
    page = page.model_copy(update={"interactive": here})
    assert scopes_of(upload, aimed({"kind": "click", "eid": here[0].eid}, page)) == SCOPES


def test_a_file_goes_to_no_site_that_the_grant_does_not_name() -> None:
    upload = '- form "Photo" [ref=f0]:\n  - button "Choose file" [ref=f1] [box=0,0,90,20]'
    plain = observe_snapshot(upload, url=URL, title="Photo")
    action = {"kind": "upload", "eid": plain.interactive[0].eid, "file": "a.png"}
    assert verdict(plain, action).verdict == Verdict.ALLOW
    assert verdict(plain, action, "other.example").verdict == Verdict.ASK
    away = [one.model_copy(update={"sends_to": "https://evil.example/x"}) for one in plain.interactive]
    assert verdict(plain.model_copy(update={"interactive": away}), action).verdict == Verdict.ASK


def test_a_refused_address_stays_refused() -> None:
    gate = Gate(blocked_hosts=("shop.example",))
    grants = [held(kind=kind) for kind in ("pay", "host", "scheme", "unknown_submit")]
    action = aimed({"kind": "click", "eid": "e1"}, checkout())
    assert gate.judge(action, grants=grants).verdict == Verdict.DENY


def test_words_of_private_pages_are_allowed_for_a_session_at_most() -> None:
    leak = Judgement(Verdict.ASK, "takes words", "transfer")
    action = aimed({"kind": "click", "eid": "e1"}, checkout())
    assert scopes_of(leak, action) == ("run", "session")
    assert scopes_of(Judgement(Verdict.ASK, "secret", "credential"), action) == ()


# An act uses them

SHOP = '- heading "Basket" [level=1] [ref=h1]\n- text: "Total €43.90"\n- button "Place order" [ref=o1] [box=0,40,90,20]'


def shop(*grants: HeldGrant, refuses: bool = False) -> Any:
    return world(
        {URL: SHOP}, [click("Place order"), stop("Done.")], url=URL, grants=Granted(others=list(grants), refuses=refuses)
    )  # fmt: skip


async def test_an_act_names_the_grant_that_allowed_it_and_counts_it_with_its_amount() -> None:
    it = shop(held(kind="order", act_parts=50_000, currency="EUR"))
    assert await it.say("order it") == "Done."
    ((use,),) = it.grants.used
    assert use.need == Need(site="shop.example", kind="order", amount=Amount(parts=43_900, currency="EUR"))
    (ended,) = [event for event in it.of("tool_end") if event.get("trail", {}).get("kind") == "order"]
    assert ended["grants"] == [{"id": "g", "scope": "always"}]
    (ruled,) = [event for event in it.of("policy") if event.get("kind") == "order"]
    assert ruled["grants"][0]["id"] == "g"


async def test_an_act_beyond_the_amount_is_asked_about() -> None:
    it = shop(held(kind="order", act_parts=40_000, currency="EUR"))
    assert await it.say("order it") is None
    assert it.question["spends"] == {"parts": 43_900, "currency": "EUR"}
    assert it.question["scopes"] == ["run", "session", "automation", "always"]
    assert it.grants.used == []


async def test_a_grant_that_was_taken_back_as_the_act_begins_lets_nothing_happen() -> None:
    it = shop(held(kind="order"), refuses=True)
    await it.say("order it")
    assert len(it.grants.used) == 1
    assert it.browser.effects == []


# Stored, and counted by several processes


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("grants") / "pilothouse.db"
    migrate(f"sqlite:///{path}")
    return path


AMOUNTS = st.integers(1, 40).map(lambda euros: euros * 1000)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("act"), st.integers(0, 1), AMOUNTS),
        st.tuples(st.just("acts"), st.integers(2, 4), AMOUNTS),
        st.tuples(st.just("repeat"), st.integers(0, 1), AMOUNTS),
        st.tuples(st.just("restart"), st.integers(0, 1), st.just(0)),
        st.tuples(st.just("days"), st.integers(1, 20), st.just(0)),
        st.tuples(st.just("revoke"), st.just(0), st.just(0)),
    ),
    max_size=12,
)
LIMITS = st.fixed_dictionaries(
    {
        "count": st.none() | st.integers(1, 4), "act_parts": st.none() | AMOUNTS, "month_parts": st.none() | AMOUNTS,
        "ends_at": st.none() | st.integers(1, 40).map(lambda days: NOON + timedelta(days=days)),
    }
)  # fmt: skip


@settings(
    max_examples=25, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
@given(steps=STEPS, limits=LIMITS)
def test_no_sequence_of_acts_revocations_and_restarts_spends_more_than_the_grant_says(
    migrated: Path, steps: list[tuple[str, int, int]], limits: dict[str, Any]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pilothouse.db"
        shutil.copy(migrated, path)
        asyncio.run(spend(f"sqlite:///{path}", steps, limits))


async def spend(url: str, steps: list[tuple[str, int, int]], limits: dict[str, Any]) -> None:
    """Do the steps in two processes; then compare what was begun with what the grant says."""
    async with AsyncExitStack() as stack:
        stores = [await stack.enter_async_context(open_store(url, f"m:{number}:p")) for number in range(2)]
        session = await stores[0].create_session(
            id=None, title=None, agent="operator", model="m", max_tool_steps=9
        )
        accepted = await stores[0].accept(session.id, "go")
        started = await stores[0].begin_execution(accepted.run.id)
        assert started
        currency = "EUR" if limits["act_parts"] or limits["month_parts"] else None
        wanted = NewGrant(site="shop.example", kind="pay", scope="session", currency=currency, **limits)
        row = await stores[0].add_grant(wanted, session_id=session.id)
        moment, is_revoked, begun = NOON, False, list[tuple[datetime, int]]()

        async def act(store: Store, parts: int) -> None:
            need = PAY.model_copy(update={"amount": Amount(parts=parts, currency="EUR")})
            use, key = GrantUse(grant_id=row.id, scope="session", need=need), new_id()
            try:
                if await store.use_grants(started.run, [use], "pay", key, moment=moment):
                    assert not is_revoked
                    begun.append((moment, parts))
                    if kind == "repeat":  # the reply to the commit was lost
                        assert await store.use_grants(
                            started.run, [use], "pay", key, again=True, moment=moment
                        )
            except Conflict:
                pass

        for kind, number, parts in steps:
            if kind in ("act", "repeat"):
                await act(stores[number], parts)
            elif kind == "acts":
                await asyncio.gather(*(act(stores[turn % 2], parts) for turn in range(number)))
            elif kind == "restart":
                stores[number] = await stack.enter_async_context(open_store(url, f"m:{new_id()}:p"))
            elif kind == "days":
                moment += timedelta(days=number)
            elif not is_revoked:
                await stores[0].remove_grant(row.id)
                is_revoked = True
        check(limits, begun)
        if not is_revoked:
            (listed,) = await stores[1].grants()
            assert listed.row.uses == len(begun)


def check(limits: dict[str, Any], begun: list[tuple[datetime, int]]) -> None:
    assert limits["count"] is None or len(begun) <= limits["count"]
    assert all(limits["act_parts"] is None or parts <= limits["act_parts"] for _, parts in begun)
    assert all(limits["ends_at"] is None or moment < limits["ends_at"] for moment, _ in begun)
    for month in {f"{moment:%Y-%m}" for moment, _ in begun}:
        spent = sum(parts for moment, parts in begun if f"{moment:%Y-%m}" == month)
        assert limits["month_parts"] is None or spent <= limits["month_parts"]


# The API


async def test_a_yes_with_a_grant_allows_the_next_one_within_its_limits(client: httpx.AsyncClient) -> None:
    session_id, pending = await asked(client)
    assert pending["spends"] == {"parts": 43_900, "currency": "EUR"}
    assert pending["scopes"] == ["run", "session", "always"]
    refused = await decide(
        client, session_id, pending["reference"], confirmed=True, grant={"scope": "automation"}
    )
    assert (refused.status_code, refused.json()["code"]) == (422, "not_grantable")
    grant = {"scope": "always", "count": 1, "act_amount": 50, "month_amount": 80.5}
    assert (
        await decide(client, session_id, pending["reference"], confirmed=True, grant=grant)
    ).status_code == 202
    await wait_for_status(client, session_id, "completed")
    (given_,) = (await client.get("/api/grants")).json()["items"]
    assert (given_["scope"], given_["act_amount"], given_["month_amount"], given_["currency"], given_["uses"]) == (
        "always", 50, 80.5, "EUR", 0,
    )  # fmt: skip
    other = await new_session(client)
    await send(client, other, "shop for a kettle")
    session = await wait_for_status(client, other, "completed")
    marks = [
        message["meta_json"].get("grants") for message in session["messages"] if message["role"] == "tool"
    ]
    assert [{"id": given_["id"], "scope": "always"}] in marks
    (used,) = (await client.get("/api/grants")).json()["items"]
    assert (used["uses"], used["month_spent"], used["is_over"]) == (1, 43.9, True)
    assert used["last_use"]
    third, _ = await asked(client)  # it is used up: asked again
    assert (await client.delete(f"/api/grants/{used['id']}")).status_code == 204
    assert (await client.delete(f"/api/grants/{used['id']}")).status_code == 404
    assert third


async def test_a_grant_is_made_by_itself_and_wrong_ones_are_refused(client: httpx.AsyncClient) -> None:
    body = {
        "scope": "always",
        "site": "https://Shop.example/basket",
        "kind": "order",
        "ends_at": f"{now() + timedelta(days=1):%Y-%m-%dT%H:%M:%SZ}",
    }
    made = await client.post("/api/grants", json=body)
    assert (made.status_code, made.json()["site"]) == (201, "shop.example")
    for wrong, status in (
        ({"kind": "credential"}, 422), ({"kind": "transfer"}, 422), ({"site": "???"}, 422), ({"act_amount": 5}, 422),
        ({"ends_at": "2020-01-01T00:00:00Z"}, 422), ({"count": 0}, 422), ({"scope": "session"}, 404), ({"scope": "once"}, 422),
    ):  # fmt: skip
        assert (await client.post("/api/grants", json=body | wrong)).status_code == status, wrong
    archive = await client.get("/api/export")
    assert b"grants.json" in archive.content
    assert (await client.post("/api/purge", json={"all": True})).status_code == 200
    assert (await client.get("/api/grants")).json()["items"] == []
