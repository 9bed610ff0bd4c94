"""The routes of stored logins: what they take, what they never answer, files in and out."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import httpx
import pytest

from tests.conftest import PASSWORD
from tests.support.chat import new_session
from tests.support.eventually import eventually
from tests.support.receivers import receiving
from tests.support.vaults import ADA, SEED

PASSPHRASE = "eleven green bottles"
NEW = {"hosts": ["https://shop.example/login"], "user": ADA.user, "password": ADA.password, "totp": SEED}


async def add(client: httpx.AsyncClient, **changed: Any) -> dict[str, Any]:
    answer = await client.post("/api/logins", json={**NEW, **changed})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


async def listed(client: httpx.AsyncClient) -> list[dict[str, Any]]:
    return list((await client.get("/api/logins")).json()["items"])


async def test_no_answer_and_no_log_line_holds_a_secret(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    login = await add(client, title="Shop")
    answers = [
        await client.get("/api/logins"),
        await client.patch(f"/api/logins/{login['id']}", json={"password": ADA.password, "totp": SEED}),
        await client.patch(f"/api/logins/{login['id']}", json={"password": ADA.password, "bad": 1}),
        await client.post("/api/logins", json={**NEW, "hosts": [], "password": ADA.password}),
        await client.post("/api/logins", json={**NEW, "totp": f"{ADA.password}!"}),
        await client.post("/api/logins/import", json={"text": f"name,url,username,password\na,shop.example,{ADA.user},{ADA.password}"}),
        await client.post("/api/logins/import", json={"text": f"{ADA.password},{ADA.user}"}),
        await client.get("/api/vault"),
        await client.get("/api/vault/log"),
        await client.get(f"/api/logins/{login['id']}"),
    ]  # fmt: skip
    assert [answer.status_code for answer in answers] == [200, 200, 422, 422, 422, 200, 422, 200, 200, 405]
    for text in [*(answer.text for answer in answers), caplog.text]:
        assert not any(secret in text for secret in (ADA.user, ADA.password, SEED))
    assert (login["account"], login["has_code"], login["site"]) == ("a...@mail.example", True, "shop.example")
    assert login["hosts"] == ["shop.example"]


async def test_a_login_is_changed_granted_and_removed(client: httpx.AsyncClient) -> None:
    login = await add(client)
    session_id = await new_session(client, title="Buying")
    address = f"/api/logins/{login['id']}"
    changed = await client.patch(
        address,
        json={"title": "T", "hosts": ["a.example", "b.example"], "exact": True, "totp": "",
              "grant": {"sessions": [session_id, "gone"]}},
    )  # fmt: skip
    body = changed.json()
    assert (body["title"], body["site"], body["hosts"]) == ("T", "a.example", ["a.example", "b.example"])
    assert (body["exact"], body["has_code"]) == (True, False)
    assert body["grant"] == {"sessions": [{"id": session_id, "name": "Buying"}], "automations": []}
    assert (await client.patch(address, json={"grant": {"sessions": []}})).json()["grant"]["sessions"] == []
    assert (await client.delete(address)).status_code == 204
    gone = [await client.delete(address), await client.patch(address, json={"title": "x"})]
    assert [answer.status_code for answer in gone] == [404, 404]
    events = [row["event"] for row in (await client.get("/api/vault/log")).json()["items"]]
    assert events == ["deleted", "changed", "changed", "added"]


FILES = {
    "chrome": "name,url,username,password,note\nShop,https://shop.example/a,ada,one,\nApp,android://x@com.app/,ada,two,\n",
    "firefox": '"url","username","password","httpRealm","formActionOrigin","guid","timeCreated"\n'
    '"https://shop.example","ada","one",,"https://shop.example","{1}","1"\n"moz-proxy://x","ada","two",,"","{2}","1"\n',
    "safari": "Title,URL,Username,Password,Notes,OTPAuth\nShop,https://shop.example/,ada,one,,otpauth://totp/x?secret="
    f"{SEED}\nNowhere,,ada,two,,\n",
    "1password": "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes\nShop,https://shop.example,ada,one,,"
    "false,false,,\nNote,,ada,two,,false,false,,\n",
    "bitwarden": "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp\n"
    ',,login,Shop,,,0,"https://shop.example,https://pay.example",ada,one,\n,,note,Secret note,x,,0,,,,\n'
    ",,login,Nowhere,,,0,,ada,two,\n",
}


@pytest.mark.parametrize("kind", FILES)
async def test_files_of_other_programs_are_shown_first_then_kept(
    client: httpx.AsyncClient, kind: str
) -> None:
    text = "\ufeff" + FILES[kind]
    shown = (await client.post("/api/logins/import", json={"text": text})).json()
    assert (shown["kind"], shown["kept"]) == (kind, 0)
    assert [(row["row"], row["state"]) for row in shown["items"]] == [(1, "new"), (2, "no_host")]
    assert await listed(client) == []
    kept = (await client.post("/api/logins/import", json={"text": text, "keep": True})).json()
    assert kept["kept"] == 1
    (login,) = await listed(client)
    assert login["hosts"] == (["shop.example", "pay.example"] if kind == "bitwarden" else ["shop.example"])
    assert (login["account"], login["has_code"]) == ("a...", kind == "safari")
    again = (await client.post("/api/logins/import", json={"text": text, "keep": True})).json()
    assert (again["kept"], again["items"][0]["state"]) == (0, "known")


async def test_duplicates_in_a_file_and_changed_passwords(client: httpx.AsyncClient) -> None:
    rows = "name,url,username,password\nA,shop.example,ada,one\nB,www.shop.example,ADA,one\nC,shop.example,eve,\n"
    body = {"text": rows, "keep": True}
    first = (await client.post("/api/logins/import", json=body)).json()
    assert [row["state"] for row in first["items"]] == ["new", "known", "no_password"]
    body["text"] = rows.replace("one", "two")
    kept = [
        (await client.post("/api/logins/import", json={**body, "replace": replace})).json()["kept"]
        for replace in (False, True, True)
    ]
    assert kept == [0, 1, 0]
    assert len(await listed(client)) == 1


@pytest.mark.parametrize("text", ["a,b,c\n1,2,3", "{}", '{"logins": 1}', '"open', "\n", "{" * 5000])
async def test_a_file_of_no_known_kind_is_refused(client: httpx.AsyncClient, text: str) -> None:
    answer = await client.post("/api/logins/import", json={"text": text})
    assert (answer.status_code, answer.json()["code"]) == (422, "unknown_file")


async def test_an_export_needs_the_password_and_a_passphrase_or_a_second_yes(
    client: httpx.AsyncClient,
) -> None:
    orders: list[tuple[dict[str, Any], int, str]] = [
        ({"password": PASSWORD, "passphrase": PASSPHRASE}, 409, "no_logins"),
        ({"password": "wrong", "passphrase": PASSPHRASE}, 403, "wrong_password"),
        ({"password": PASSWORD}, 422, "not_confirmed"),
        ({"password": PASSWORD, "passphrase": "short"}, 422, "short_passphrase"),
    ]
    for body, status, code in orders:
        answer = await client.post("/api/logins/export", json=body)
        assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert [row["event"] for row in (await client.get("/api/vault/log")).json()["items"]] == []
    await add(client, hosts=["shop.example", "pay.example"], title='=A "quoted", name')
    plain = await client.post("/api/logins/export", json={"password": PASSWORD, "plain": True})
    (row,) = csv.DictReader(io.StringIO(plain.text))
    assert (row["Username"], row["Password"], row["OTPAuth"]) == (ADA.user, ADA.password, SEED)
    sealed = await client.post("/api/logins/export", json={"password": PASSWORD, "passphrase": PASSPHRASE})
    assert not any(secret in sealed.text for secret in (ADA.user, ADA.password, SEED, "shop.example"))
    (login,) = await listed(client)
    await client.delete(f"/api/logins/{login['id']}")
    wrong = await client.post("/api/logins/import", json={"text": sealed.text, "passphrase": "x" * 12})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "wrong_passphrase")
    body = {"text": sealed.text, "passphrase": PASSPHRASE, "keep": True}
    assert (await client.post("/api/logins/import", json=body)).json()["kept"] == 1
    (back,) = await listed(client)
    assert [back[name] for name in ("title", "hosts", "account", "has_code")] == [
        login[name] for name in ("title", "hosts", "account", "has_code")
    ]


async def test_guesses_of_the_password_at_an_export_are_limited(client: httpx.AsyncClient) -> None:
    body = {"password": "wrong", "plain": True}
    codes = [(await client.post("/api/logins/export", json=body)).status_code for _ in range(6)]
    assert codes == [403] * 5 + [429]


async def test_every_channel_says_that_logins_were_exported(client: httpx.AsyncClient) -> None:
    async with receiving() as receiver:
        channel = {"kind": "webhook", "address": f"{receiver.url}/hook", "events": ["done"], "mode": "away"}
        assert (await client.post("/api/channels", json=channel)).status_code == 201
        await client.post("/api/presence", json={"page": "p1", "visible": True})
        await add(client)
        await client.post("/api/logins/export", json={"password": PASSWORD, "passphrase": PASSPHRASE})
        await eventually(lambda: bool(receiver.received), message="the channel is sent the notice")
        body = json.loads(receiver.received[0].body)
    assert (body["type"], body["action"]) == ("notice", "All stored logins were exported")
