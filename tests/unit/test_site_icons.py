"""A session has the icon of the site that it works on: drawn again, served from here, read once for each site."""

from __future__ import annotations

import io
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from PIL import Image

from server.runs.site_icons import redrawn
from server.runtime import Runtime
from tests.support.chat import new_session, read, send, wait_for_rest, wait_for_status
from tests.support.eventually import eventually


def picture(size: tuple[int, int], kind: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, "red").save(out, kind)
    return out.getvalue()


async def icon_of(client: httpx.AsyncClient, session_id: str) -> Any:
    found = await eventually(
        lambda: read(client, session_id), lambda it: it["icon"], message="the session has an icon"
    )
    return found["icon"]


async def test_a_session_gets_the_icon_of_its_site_and_the_sweeper_leaves_it(
    client: httpx.AsyncClient, app: FastAPI
) -> None:
    session_id = await new_session(client, max_tool_steps=1)
    before = (await read(client, session_id))["icon"]
    await send(client, session_id, "steps please")
    address = await icon_of(client, session_id)
    assert before is None
    answer = await client.get(address)
    with Image.open(io.BytesIO(answer.content)) as image:
        assert (image.format, max(image.size)) == ("PNG", 32)
    world: Runtime = await app.state.starting.runtime()
    assert address.rpartition("/")[2] in await world.store.picture_names()
    listed = (await client.get("/api/sessions")).json()["items"]
    assert [one["icon"] for one in listed if one["id"] == session_id] == [address]
    await wait_for_rest(client, session_id)


async def test_an_answer_without_a_browser_brings_none(client: httpx.AsyncClient) -> None:
    session_id = await new_session(client)
    await send(client, session_id, "ping test")
    assert (await wait_for_status(client, session_id, "completed"))["icon"] is None


@pytest.mark.parametrize("kind", ["PNG", "ICO", "GIF", "JPEG", "WEBP", "BMP"])
def test_any_kind_of_picture_becomes_a_small_png(kind: str) -> None:
    with Image.open(io.BytesIO(redrawn(picture((64, 64), kind)) or b"")) as image:
        assert (image.format, image.size) == ("PNG", (32, 32))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"\x89PNG\r\n\x1a\n" + b"x" * 50,
        picture((2000, 2000), "PNG"),
    ],
    ids=["empty", "svg", "broken", "large"],
)
def test_what_cannot_be_read_or_is_large_is_no_icon(data: bytes) -> None:
    assert redrawn(data) is None
