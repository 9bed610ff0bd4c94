"""What is no activity leaves a session where it is in the list."""

from __future__ import annotations

import httpx


async def test_a_renamed_and_a_restored_session_keep_their_place(client: httpx.AsyncClient) -> None:
    for name in ("first", "second", "third"):
        (await client.post("/api/sessions", json={"id": name, "title": name})).raise_for_status()

    async def order() -> list[str]:
        return [item["id"] for item in (await client.get("/api/sessions")).json()["items"]]

    before = await order()
    assert before == ["third", "second", "first"]
    for change in ({"title": "renamed"}, {"archived": True}, {"archived": False}):
        (await client.patch("/api/sessions/second", json=change)).raise_for_status()
    assert await order() == before
