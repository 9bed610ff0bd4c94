"""Only ids lead to files; nothing outside a session's folder can be named."""

from __future__ import annotations

import asyncio
import resource
from pathlib import Path

import httpx
import pytest

from server.agent.event_adapter import EventAdapter
from server.events import ToolEnd
from server.files.session_files import FILE_BYTES, MAX_SESSION_FILES, SessionFiles
from server.main import create_app
from server.runs.execution import Execution
from server.runs.recorder import RunRecorder
from server.runtime import Runtime
from server.settings import Settings
from tests.conftest import PASSWORD, open_client
from tests.support.chat import ask, new_session, read_stream

HOSTILE = [
    "../../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "..%252f..%252fetc%252fpasswd",
    "..\\..\\secret.jpg", "x" * 300, "a" * 40 + ".svg", "A" * 40 + ".jpg", "a" * 40 + ".jpg%00.png",
]  # fmt: skip


async def picture_of(client: httpx.AsyncClient) -> str:
    _, events = await ask(client, "steps please", max_tool_steps=1)
    return str(next(event["screenshot"] for event in events if event.get("screenshot")))


async def test_a_picture_is_private_immutable_and_never_sniffed(client: httpx.AsyncClient) -> None:
    response = await client.get(await picture_of(client))
    assert response.status_code == 200
    assert response.headers["content-type"] == "image/jpeg"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "private" in response.headers["cache-control"]


@pytest.mark.parametrize("prefix", ["/pics", "/a/b.c/d~e/", "/api/pictures"])
async def test_pictures_have_the_addresses_that_the_setting_gives_them(
    settings: Settings, prefix: str
) -> None:
    app = create_app(settings.model_copy(update={"screenshot_url_prefix": prefix.rstrip("/")}))
    async with (
        app.router.lifespan_context(app),
        open_client(app, {"authorization": f"Bearer {PASSWORD}"}) as client,
        open_client(app, {}) as stranger,
    ):
        session_id, events = await ask(client, "steps please", max_tool_steps=1)
        address = str(next(event["screenshot"] for event in events if event.get("screenshot")))
        assert address.startswith(f"{prefix.rstrip('/')}/{session_id}/")
        response, fixed = (
            await client.get(address),
            "/api/files/screenshots" + address[len(prefix.rstrip("/")) :],
        )
        assert (response.status_code, response.headers["content-type"]) == (200, "image/jpeg")
        assert (await client.get(fixed)).content == response.content
        assert "image/webp" in (await client.get(f"{address}?w=320")).headers["content-type"]
        assert (await stranger.get(address)).status_code == 401
        assert (await stranger.get(address.rpartition("/")[0] + "/x")).status_code == 401
        for name in HOSTILE:
            assert (await client.get(f"{address.rpartition('/')[0]}/{name}")).status_code == 404, name
        session = (await client.get(f"/api/sessions/{session_id}")).json()
        kept = [
            message["meta_json"].get("screenshot") for message in session["messages"] if message["meta_json"]
        ]
        assert address in kept
        page = (await client.get(f"/api/sessions/{session_id}/export", params={"format": "html"})).text
        assert page.count("data:image/jpeg") == len([picture for picture in kept if picture])


async def test_pictures_kept_under_another_prefix_are_shown_and_exported_all_the_same(
    settings: Settings,
) -> None:
    app = create_app(settings.model_copy(update={"screenshot_url_prefix": "/pics"}))
    async with (
        app.router.lifespan_context(app),
        open_client(app, {"authorization": f"Bearer {PASSWORD}"}) as old,
    ):
        session_id, events = await ask(old, "steps please", max_tool_steps=1)
        address = str(next(event["screenshot"] for event in events if event.get("screenshot")))
        whole = (await old.get(address)).content
    app = create_app(settings)
    async with (
        app.router.lifespan_context(app),
        open_client(app, {"authorization": f"Bearer {PASSWORD}"}) as new,
        open_client(app, {}) as stranger,
    ):
        page = (await new.get(f"/api/sessions/{session_id}/export", params={"format": "html"})).text
        assert address.startswith("/pics/")
        assert (await new.get(address)).content == whole
        assert "image/webp" in (await new.get(f"{address}?w=320")).headers["content-type"]
        # No prefix leads to it without a login, those of public routes included.
        for prefix in ("", "/s", "/assets", "/api/links/x", "/api/hooks/x", "/api/health", "/x%0ay"):
            for end in ("", "%0a", "/"):
                elsewhere = await stranger.get(prefix + address.removeprefix("/pics") + end)
                assert elsewhere.status_code == 401, (prefix, end)
    assert "data:image/jpeg" in page


@pytest.mark.parametrize(
    "prefix",
    [
        "pics",
        "/",
        "//elsewhere.example",
        "https://cdn.example/pics",
        "/api",
        "/s",
        "/s/x",
        "/assets",
        "/a/../b",
        "/a b",
        "/{x}",
    ],
)
def test_a_prefix_that_would_lead_elsewhere_is_refused_at_the_start(prefix: str) -> None:
    with pytest.raises(ValueError, match="such as /pics"):
        Settings.model_validate({"screenshot_url_prefix": prefix})


def test_a_slash_at_the_end_of_the_prefix_is_no_matter() -> None:
    assert Settings.model_validate({"screenshot_url_prefix": "/pics/"}).screenshot_url_prefix == "/pics"


async def test_a_thumbnail_is_smaller(client: httpx.AsyncClient) -> None:
    address = await picture_of(client)
    whole, small = await client.get(address), await client.get(f"{address}?w=320")
    assert small.headers["content-type"] == "image/webp"
    assert len(small.content) < len(whole.content)


async def test_only_our_own_names_lead_to_pictures(client: httpx.AsyncClient, settings: Settings) -> None:
    address = await picture_of(client)
    folder = settings.screenshots / address.split("/")[-2]
    (folder / "secret.txt").write_text("canary")
    (folder / ("b" * 40 + ".jpg")).symlink_to(folder / "secret.txt")
    for name in [*HOSTILE, "secret.txt", "b" * 40 + ".jpg"]:
        response = await client.get(f"{address.rpartition('/')[0]}/{name}")
        assert response.status_code == 404, name
        assert "canary" not in response.text


async def test_a_hostile_range_is_answered_like_any_request(client: httpx.AsyncClient) -> None:
    address = await picture_of(client)
    ranges = "bytes=" + ",".join(f"{number}-{number + 1}" for number in range(2_000))
    assert (await client.get(address, headers={"range": ranges})).status_code in (200, 416)


async def test_a_given_file_comes_back_as_an_attachment(client: httpx.AsyncClient) -> None:
    session_id = await new_session(client)
    given = {"file": ("../../my notes.html", b"<script>alert(1)</script>", "text/html")}
    item = (await client.post(f"/api/sessions/{session_id}/files", files=given)).json()
    assert (item["name"], item["origin"], item["size"]) == ("my notes.html", "upload", 25)
    response = await client.get(f"/api/sessions/{session_id}/files/{item['name']}")
    assert response.headers["content-disposition"].startswith("attachment")
    assert response.headers["content-type"] == "application/octet-stream"
    assert (await client.get(f"/api/sessions/{session_id}/files")).json()["items"] == [item]
    assert (await client.delete(f"/api/sessions/{session_id}/files/{item['name']}")).status_code == 204
    assert (await client.get(f"/api/sessions/{session_id}/files/{item['name']}")).status_code == 404


async def test_a_file_that_is_too_large_is_refused(client: httpx.AsyncClient) -> None:
    session_id = await new_session(client)
    given = {"file": ("big.bin", b"x" * (FILE_BYTES + 1))}
    assert (await client.post(f"/api/sessions/{session_id}/files", files=given)).status_code == 413


async def test_files_of_one_name_stay_apart_however_they_came(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    session_id = await new_session(client)
    path = f"/api/sessions/{session_id}/files"
    downloaded = settings.downloads_dir / session_id / "report.txt"
    downloaded.parent.mkdir(parents=True)
    downloaded.write_bytes(b"downloaded")
    contents = [b"%d" % number for number in range(8)]
    answers = await asyncio.gather(
        *(client.post(path, files={"file": ("report.txt", content)}) for content in contents)
    )
    names = [answer.json()["name"] for answer in answers]
    assert len({*names, "report.txt"}) == 9
    assert [(await client.get(f"{path}/{name}")).content for name in names] == contents
    assert (await client.get(f"{path}/report.txt")).content == b"downloaded"


async def test_an_empty_file_and_an_odd_name_come_back(client: httpx.AsyncClient) -> None:
    path = f"/api/sessions/{await new_session(client)}/files"
    for name in (
        "empty.txt",
        "п" * 300 + ".pdf",
        "a\r\nb: c.txt",
        'q"uote;.txt',
        "%2e%2e%2fetc",
        "\u202egnp.exe",
    ):
        kept = (await client.post(path, files={"file": (name, b"")})).json()
        assert (kept["size"], kept["origin"]) == (0, "upload")
        answer = await client.get(f"{path}/{kept['name']}")
        assert (answer.status_code, answer.content) == (200, b"")
        assert len(kept["name"]) <= 100


async def test_the_fifty_first_file_is_refused_also_when_many_come_at_once(client: httpx.AsyncClient) -> None:
    path = f"/api/sessions/{await new_session(client)}/files"
    answers = await asyncio.gather(
        *(
            client.post(path, files={"file": (f"{number}.txt", b"x")})
            for number in range(MAX_SESSION_FILES + 5)
        )
    )
    assert [answer.status_code for answer in answers].count(201) == MAX_SESSION_FILES
    refused = next(answer for answer in answers if answer.status_code != 201)
    assert (refused.status_code, refused.json()["code"]) == (409, "too_many_files")
    assert len((await client.get(path)).json()["items"]) == MAX_SESSION_FILES


async def test_a_file_keeps_its_name_in_any_script(client: httpx.AsyncClient) -> None:
    path = f"/api/sessions/{await new_session(client)}/files"
    added = await client.post(path, files={"file": ("Отчёт за май.pdf", b"%PDF")})
    assert added.json()["name"] == "Отчёт за май.pdf"
    fetched = await client.get(added.json()["url"])
    assert fetched.content == b"%PDF"
    assert "filename*=UTF-8''%D0%9E" in fetched.headers["content-disposition"]
    assert (await client.delete(added.json()["url"])).status_code == 204


async def test_files_of_one_session_are_not_those_of_another(
    client: httpx.AsyncClient, tmp_path: Path
) -> None:
    first, second = await new_session(client), await new_session(client)
    await client.post(f"/api/sessions/{first}/files", files={"file": ("a.txt", b"1")})
    assert (await client.get(f"/api/sessions/{second}/files/a.txt")).status_code == 404


@pytest.mark.parametrize(
    ("disk", "code"), [("/dev/full", "storage_full"), ("/proc/self/mem", "storage_failed")]
)
async def test_a_bad_disk_is_told_and_leaves_no_half_of_a_picture(
    client: httpx.AsyncClient, settings: Settings, disk: str, code: str
) -> None:
    session_id = await new_session(client)
    path = f"/api/sessions/{session_id}/browser/screenshot"
    kept = settings.screenshots / session_id / (await client.post(path)).json()["screenshot"].split("/")[-1]
    kept.unlink()
    unfinished = kept.with_suffix(".part")
    unfinished.symlink_to(disk)
    refused = await client.post(path)
    assert (refused.status_code, refused.json()["code"]) == (503, code)
    assert refused.headers["retry-after"]
    assert not unfinished.is_symlink()
    assert (await client.post(path)).json()["ok"]


async def test_half_of_a_file_is_not_kept(tmp_path: Path) -> None:
    files = SessionFiles(lambda session_id: tmp_path / session_id)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(OSError, match="too large"):
            await files.add("s", "notes.txt", b"x" * 2000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert await files.items("s") == []


async def test_a_run_whose_pictures_cannot_be_kept_goes_on(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    session_id = await new_session(client, max_tool_steps=1)
    settings.screenshots.mkdir(exist_ok=True)
    (settings.screenshots / session_id).touch()  # no folder can be made here
    await client.post(f"/api/sessions/{session_id}/messages", json={"content": "steps please"})
    events = await read_stream(client, session_id)
    assert events[-1]["type"] == "done"
    assert not [event["screenshot"] for event in events if event.get("screenshot")]
    steps = [event["summary"] for event in events if event["type"] == "tool_end"]
    assert steps
    assert all(summary.endswith("(picture not saved)") for summary in steps)
    messages = (await client.get(f"/api/sessions/{session_id}")).json()["messages"]
    assert [message["content"] for message in messages if message["role"] == "tool"] == steps


async def test_only_the_step_whose_picture_was_lost_says_so(world: Runtime) -> None:
    session = await world.store.create_session(
        id=None, title=None, agent="operator", model="mock:scripted", max_tool_steps=10
    )
    begun = await world.store.begin_execution((await world.store.accept(session.id, "go")).run.id)
    assert begun
    world.bus.open(session.id, begun.run.id, begun.run.epoch)
    execution = Execution(begun.run, EventAdapter(begun.run.answer_id), world.bus, max_steps=10)
    recorder = RunRecorder(world.settings, world.store, world.bus)
    execution.note_lost_picture()
    for call in ("a", "b"):
        await recorder.take(
            execution, ToolEnd(call_id=call, name="click", ok=True, summary=call, duration_ms=1)
        )
    told = [message.content for message in await world.store.messages(session.id) if message.role == "tool"]
    assert told == ["a (picture not saved)", "b"]


async def test_a_branch_keeps_its_pictures_when_the_original_is_purged(client: httpx.AsyncClient) -> None:
    session_id, events = await ask(client, "steps please", max_tool_steps=1)
    shown = next(event["screenshot"] for event in events if event["type"] == "tool_end")
    last = (await client.get(f"/api/sessions/{session_id}")).json()["messages"][-1]["id"]
    branch = await client.post(f"/api/sessions/{session_id}/branch", json={"message_id": last})
    copied = branch.json()["id"]
    assert (await client.delete(f"/api/sessions/{session_id}?purge=true")).status_code == 204
    assert (await client.get(shown)).status_code == 404
    metas = [
        message["meta_json"] or {}
        for message in (await client.get(f"/api/sessions/{copied}")).json()["messages"]
    ]
    addresses = [meta["screenshot"] for meta in metas if meta.get("screenshot")]
    assert addresses
    assert all(copied in address for address in addresses)
    assert {(await client.get(address)).status_code for address in addresses} == {200}


async def test_a_branch_that_cannot_be_made_leaves_no_pictures(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    session_id, _ = await ask(client, "steps please", max_tool_steps=1)
    refused = await client.post(f"/api/sessions/{session_id}/branch", json={"message_id": "unknown"})
    assert refused.status_code == 404
    assert [folder.name for folder in settings.screenshots.iterdir()] == [session_id]
