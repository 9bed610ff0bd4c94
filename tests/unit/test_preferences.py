"""What is changed while the server runs, and the keys given in the UI."""

from __future__ import annotations

import asyncio
import base64
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from server.api.settings import Purge, purge
from server.api.system import notices
from server.browser.pool import BrowserPool
from server.database.models import SessionRow
from server.errors import BadRequest, Unavailable
from server.events import now
from server.main import create_app
from server.runs.maintenance import PlausibleClock, remove_untouched
from server.runtime import Runtime, open_runtime
from server.settings import Settings
from tests.conftest import PASSWORD, open_client
from tests.support.chat import new_session
from tests.support.eventually import eventually
from wording.catalogue import in_language

SECRET = "sk-canary-0123456789"
WISH = {"title": None, "agent": "operator", "model": "mock:scripted", "max_tool_steps": 10}


async def test_a_changed_setting_holds_at_once_and_after_a_restart(settings: Settings) -> None:
    headers = {"authorization": f"Bearer {PASSWORD}"}
    for changed in (False, True):
        app = create_app(settings)
        async with app.router.lifespan_context(app), open_client(app, headers) as client:
            if not changed:
                answer = (await client.patch("/api/settings", json={"max_tool_steps": 25})).json()
                assert (answer["values"]["max_tool_steps"], answer["defaults"]["max_tool_steps"]) == (25, 10)
            session = (await client.post("/api/sessions", json={})).json()
            assert session["max_tool_steps"] == 25


async def test_changed_hosts_hold_for_browsers_at_once_and_after_a_restart(tmp_path: Path) -> None:
    real = Settings(_env_file=None, data_dir=tmp_path)  # type: ignore[call-arg]
    for changed in (False, True):
        async with open_runtime(real) as world:
            assert isinstance(world.browsers, BrowserPool)
            if not changed:
                assert world.browsers.reach.refuse_name("bad.example", 443) is None
                await world.preferences.change({"blocked_hosts": ["bad.example"]})
            assert "blocked" in str(world.browsers.reach.refuse_name("bad.example", 443))


async def test_null_takes_a_change_back(client: httpx.AsyncClient) -> None:
    await client.patch("/api/settings", json={"max_tool_steps": 25})
    answer = (await client.patch("/api/settings", json={"max_tool_steps": None})).json()
    assert answer["values"]["max_tool_steps"] == 10


@pytest.mark.parametrize(
    "body",
    [
        {"max_tool_steps": 0},
        {"max_tool_steps": "many"},
        {"default_agent": "pirate"},
        {"auth_token": "x"},
        {"nope": 1},
        {"agent_model": "antropic:claude-haiku-5-5"},
        {"agent_model": "OpenAI:gpt-6-luna"},
        {"agent_model": "openai:"},
        {"agent_model": "gpt6"},
        {"agent_model": f"openai:{'x' * 200}"},
    ],
)
async def test_what_makes_no_sense_is_refused_and_changes_nothing(
    client: httpx.AsyncClient, body: dict
) -> None:
    before = (await client.get("/api/settings")).json()
    assert (await client.patch("/api/settings", json=body)).status_code == 422
    assert (await client.get("/api/settings")).json() == before


async def test_a_refused_model_is_named_with_what_a_model_is_named_like(client: httpx.AsyncClient) -> None:
    misspelt = {"agent_model": "antropic:claude-haiku-5-5"}
    refused = (await client.patch("/api/settings", json=misspelt)).json()
    assert refused["code"] == "invalid"
    assert refused["detail"].startswith("agent_model: The model 'antropic:claude-haiku-5-5' is not known.")
    assert "anthropic:..." in refused["detail"]


@pytest.mark.parametrize(
    "name",
    [
        "anthropic:claude-of-next-year", "openai:qwen3:30b/instruct", "openrouter:some/model:free", "ollama:qwen3:8b",
        "google_genai:gemini-9", "claude-of-next-year", "mock:scripted",
    ],
)  # fmt: skip
async def test_a_model_that_leads_to_a_provider_is_taken_whatever_it_is_called(
    client: httpx.AsyncClient, name: str
) -> None:
    assert (await client.patch("/api/settings", json={"agent_model": name})).status_code == 200
    session = await client.post("/api/sessions", json={"model": name})
    assert session.json()["model"] == name


async def test_a_session_is_not_given_a_model_of_no_provider(client: httpx.AsyncClient) -> None:
    misspelt = {"model": "antropic:claude-haiku-5-5"}
    session_id = await new_session(client)
    for refused in (
        await client.post("/api/sessions", json=misspelt),
        await client.patch(f"/api/sessions/{session_id}", json=misspelt),
    ):
        assert refused.status_code == 422
        assert refused.json()["detail"].startswith("model: The model 'antropic")
    assert (await client.get(f"/api/sessions/{session_id}")).json()["model"] == "mock:scripted"


async def test_a_model_of_the_environment_that_leads_nowhere_is_told_as_such(tmp_path: Path) -> None:
    values = {"data_dir": tmp_path, "agent_model": "antropic:claude"}
    async with open_runtime(Settings.model_validate(values)) as world:
        assert "'antropic:claude' is not known" in notices(world)[0].text


async def test_a_key_is_kept_encrypted_and_never_shown(client: httpx.AsyncClient, settings: Settings) -> None:
    assert (await client.put("/api/settings/keys/anthropic", json={"key": SECRET})).status_code == 204
    shown = await client.get("/api/settings")
    assert shown.json()["keys"]["anthropic"] == "set"
    assert SECRET not in shown.text
    assert not [path for path in files_of(settings.data_dir) if SECRET.encode() in path.read_bytes()]
    assert (settings.data_dir / "provider_keys.key").stat().st_mode & 0o777 == 0o600
    assert (await client.delete("/api/settings/keys/anthropic")).status_code == 204
    assert (await client.get("/api/settings")).json()["keys"]["anthropic"] == "unset"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "is missing or empty"), (b"", "is missing or empty"), (b"garbage", "does not hold a key"),
        (b"\xff\xfe", "it is no text"), (base64.urlsafe_b64encode(bytes(32)), "is not the file"),
    ],
)  # fmt: skip
async def test_keys_whose_file_is_unusable_are_lost_until_it_is_back(
    settings: Settings, content: bytes | None, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    file = settings.data_dir / "provider_keys.key"
    real = settings.model_copy(update={"agent_mode": "real"})
    async with open_runtime(real) as world:
        await world.preferences.set_key("openai", SECRET)
        assert world.preferences.lost_keys is None
    good = file.read_bytes()
    file.write_bytes(content) if content is not None else file.unlink()
    async with open_runtime(real) as world:
        assert world.preferences.key_states()["openai"] == "unset"
        (told,) = [notice.text for notice in notices(world) if notice.code == "keys_lost"]
        assert all(part in told for part in (str(file), why))
        assert told in caplog.text
    assert (file.read_bytes() if file.exists() else None) == content, (
        "a file that may be restored is left alone"
    )
    file.write_bytes(good)
    async with open_runtime(real) as world:
        assert world.preferences.key_states()["openai"] == "set"
        assert "keys_lost" not in {notice.code for notice in notices(world)}


async def test_a_key_is_not_stored_with_a_broken_key_file(settings: Settings) -> None:
    (settings.data_dir / "provider_keys.key").write_text("garbage")
    async with open_runtime(settings) as world:
        with pytest.raises(Unavailable, match="does not hold a key"):
            await world.preferences.set_key("openai", SECRET)
        assert world.preferences.key_states()["openai"] == "unset"


async def test_unknown_providers_have_no_keys(client: httpx.AsyncClient) -> None:
    assert (await client.put("/api/settings/keys/nobody", json={"key": SECRET})).status_code == 404


async def test_purge_removes_everything_only_when_it_is_asked_for(client: httpx.AsyncClient) -> None:
    await new_session(client)
    await client.patch(f"/api/sessions/{await new_session(client)}", json={"pinned": True})
    assert (await client.post("/api/purge", json={"older_than_days": 1})).json() == {"sessions": 0}
    assert (await client.post("/api/purge", json={"all": True})).json() == {"sessions": 2}
    assert (await client.get("/api/sessions")).json()["items"] == []


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{}", b"null", b'{"olderThanDays": 3650}', b'{"all": false}', b'{"all": 1}', b'{"all": "true"}',
        b'{"older_than_days": null}', b'{"older_than_days": 0}', b'{"older_than_days": false}',
        b'{"older_than_days": "7"}', b'{"older_than_days": 7.0}', b'{"older_than_days": -1}',
        b'{"all": true, "older_than_days": 7}', b'{"all": true, "days": 7}',
    ],
)  # fmt: skip
async def test_a_purge_that_does_not_say_what_removes_nothing(client: httpx.AsyncClient, body: bytes) -> None:
    session_id = await new_session(client)
    refused = await client.post("/api/purge", content=body, headers={"content-type": "application/json"})
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid")
    assert (await client.get(f"/api/sessions/{session_id}")).is_success


async def test_pinned_sessions_are_not_purged_by_age(world: Runtime) -> None:
    for name in ("old", "pinned"):
        await world.store.create_session(id=name, **WISH)
    await world.store.change_session("pinned", pinned=True)
    await world.database.write(lambda db: db.execute(update(SessionRow).values(updated_at=days_ago(9))))
    assert (await purge(world, Purge(older_than_days=7))).sessions == 1
    assert await world.store.session_ids() == ["pinned"]


async def test_sessions_past_retention_are_removed_for_good_and_no_others(settings: Settings) -> None:
    async with open_runtime(settings) as world:
        names = ("old", "pinned", "new")
        old, pinned, new = [await world.store.create_session(id=name, **WISH) for name in names]
        await world.store.change_session(pinned.id, pinned=True)
        await world.files.add(old.id, "letter.txt", b"canary")
        aged = update(SessionRow).where(SessionRow.id != new.id).values(updated_at=days_ago(3))
        await world.database.write(lambda db: db.execute(aged))
    async with open_runtime(settings.model_copy(update={"retention_days": 2})) as world:
        await eventually(
            lambda: world.store.session_ids(),
            lambda it: old.id not in it,
            message="it is removed",
        )
        assert await world.store.session_ids() == [pinned.id, new.id]
    assert not [path for path in settings.data_dir.rglob("*") if old.id in path.parts]


async def test_a_start_with_a_date_far_ahead_removes_nothing(settings: Settings) -> None:
    """As with a clock that is years fast: the sessions are as old to it, and as old to each other as before."""
    async with open_runtime(settings) as world:
        await world.store.create_session(id="recent", **WISH)
        await world.database.write(lambda db: db.execute(update(SessionRow).values(updated_at=days_ago(900))))
        clock = PlausibleClock(await world.store.last_touched(), lambda: 0.0)
        await remove_untouched(world, 30, clock.now(now()))
        assert await world.store.session_ids() == ["recent"]


def test_a_plausible_time_goes_on_with_the_uptime_and_follows_a_clock_that_is_right() -> None:
    moment, uptime = days_ago(0), 0.0
    clock = PlausibleClock(moment, lambda: uptime)
    ahead = moment + timedelta(days=900)
    assert (clock.now(moment), clock.now(ahead)) == (moment, moment)
    uptime = 86_400.0
    assert clock.now(ahead) == moment + timedelta(days=1)
    assert clock.now(moment) == moment
    nothing_stored = PlausibleClock(None, lambda: 0.0)
    assert nothing_stored.now(moment) == nothing_stored.now(ahead) == moment


def days_ago(days: int) -> datetime:
    return now() - timedelta(days=days)


def files_of(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def test_more_browsers_are_allowed_at_once_and_a_window_only_where_there_is_a_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    async with open_runtime(Settings(_env_file=None, data_dir=tmp_path, max_browsers=1)) as world:  # type: ignore[call-arg]
        pool = world.browsers
        assert isinstance(pool, BrowserPool)
        await pool._places.enter("one")
        assert not pool._places.has_room("another")
        await world.preferences.change({"max_browsers": 2, "browser_headless": True})
        assert pool._places.has_room("another")
        with pytest.raises(BadRequest, match="no screen"):
            await world.preferences.change({"browser_headless": False})
        assert world.preferences.current.headless
        monkeypatch.setenv("DISPLAY", ":0")
        await world.preferences.change({"browser_headless": False})
        assert not world.preferences.current.headless


async def test_of_two_changes_at_once_none_is_lost(settings: Settings) -> None:
    async with open_runtime(settings) as world:
        for round in range(5):
            changes = {"max_tool_steps": 20 + round, "run_timeout": 100.0 + round, "max_browsers": 2 + round}
            await asyncio.gather(
                *(world.preferences.change({name: value}) for name, value in changes.items()),
                world.preferences.set_key("openai", f"{SECRET}{round}"),
            )
            current = world.preferences.current
            assert {name: getattr(current, name) for name in changes} == changes
            assert world.preferences.key_states()["openai"] == "set"


@pytest.mark.parametrize(
    ("body", "detail", "german"),
    [
        ({"max_tool_steps": 0}, "max_tool_steps: Input should be greater than or equal to 1", "max_tool_steps: muss mindestens 1 sein"),
        ([], "body: Input should be a valid object", "body: muss ein Objekt sein"),
    ],
)  # fmt: skip
async def test_a_refused_value_is_explained_in_the_language_of_the_person(
    client: httpx.AsyncClient, body: Any, detail: str, german: str
) -> None:
    refused = (await client.patch("/api/settings", json=body)).json()
    assert refused["detail"] == detail
    assert in_language("de", detail, refused["detail_parts"]) == german
