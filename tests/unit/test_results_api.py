"""The table of a run over the API: asked for, read as JSON, CSV and XLSX, edited, streamed, exported."""

from __future__ import annotations

import io
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from openpyxl import load_workbook

from server.events import MessageAdded, Stamped
from server.runtime import Runtime
from tests.support.chat import ask, new_session, of_type, read, read_stream, send, wait_for_rest
from tests.support.tables import KETTLES, kettle, record


async def recorded(client: httpx.AsyncClient, app: FastAPI, *, is_part: bool = False) -> tuple[str, str]:
    """Session and run of an ended run with two rows."""
    world: Runtime = await app.state.starting.runtime()
    session_id = await new_session(client, title="Kettles")
    accepted = await world.store.accept(session_id, "list the kettles")
    started = await world.store.begin_execution(accepted.run.id)
    assert started
    await record(
        world.store, started.run, kettle(1, 5, screenshot="/shot.jpg", unverified=("name",)),
        kettle(2, None, missing={"price": "sold out"}), is_part=is_part,
    )  # fmt: skip
    await world.store.finish_run(started.run.id, "completed", answer="Two.")
    return session_id, started.run.id


async def test_a_message_keeps_its_schema_and_a_run_that_records_nothing_ends_honestly(
    client: httpx.AsyncClient,
) -> None:
    session_id = await new_session(client)
    accepted = await send(client, session_id, "think about boats", result_schema=KETTLES)
    events = await read_stream(client, session_id)
    assert "no row was recorded" in events[-1]["message"]["content"]
    tokens = "".join(token["text"] for token in of_type(events, "token"))
    assert tokens == events[-1]["message"]["content"]
    response = await client.get(f"/api/runs/{accepted['run']['id']}/result")
    result = response.json()
    assert (result["status"], result["complete"], result["rows"]) == ("completed", False, [])
    assert list(result["result_schema"]["items"]["properties"]) == ["name", "price"]
    stored = (await read(client, session_id))["messages"][0]
    assert stored["meta_json"]["result_schema"] == result["result_schema"]


@pytest.mark.parametrize(
    "schema", [{"type": "string"}, {"type": "object", "properties": {"a": {"type": "object"}}}, []]
)
async def test_a_schema_that_is_no_table_is_refused(client: httpx.AsyncClient, schema: Any) -> None:
    session_id = await new_session(client)
    body = {"content": "list", "result_schema": schema}
    response = await client.post(f"/api/sessions/{session_id}/messages", json=body)
    assert response.status_code == 422
    assert "result_schema" in response.text
    assert (await read(client, session_id))["messages"] == []


async def test_an_edited_message_keeps_its_table_until_it_is_taken_away(client: httpx.AsyncClient) -> None:
    session_id = await new_session(client)
    message_id = (await send(client, session_id, "think about boats", result_schema=KETTLES))["message"]["id"]
    path = f"/api/sessions/{session_id}/messages/{message_id}"
    for body, keeps in (({}, True), ({"result_schema": None}, False)):
        await wait_for_rest(client, session_id)
        response = await client.put(path, json={"content": "think about trains", **body})
        assert response.status_code == 202, response.text
        assert bool(response.json()["message"]["meta_json"]) is keeps


async def test_the_table_is_read_in_three_formats(client: httpx.AsyncClient, app: FastAPI) -> None:
    _, run_id = await recorded(client, app)
    path = f"/api/runs/{run_id}/result"
    result = (await client.get(path)).json()
    assert result["complete"] is True
    first, second = result["rows"]
    assert (first["values"], first["unverified"]) == ({"name": "kettle 1", "price": 5}, ["name"])
    assert (first["url"], first["screenshot"]) == ("https://shop.example/", "/shot.jpg")
    assert second["missing"] == {"price": "sold out"}
    response = await client.get(path, params={"format": "csv"})
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    runtime = await app.state.starting.runtime()
    said = response.headers["content-disposition"]
    assert said.startswith(f"attachment; filename=\"result-{run_id[:8]}.csv\"; filename*=UTF-8''")
    assert said.endswith(".csv")
    assert f"{runtime.current_settings.public_address}/shot.jpg" in response.content.decode()
    assert response.content.decode("utf-8-sig").splitlines()[1].startswith("kettle 1,5,https://shop.example/")
    response = await client.get(path, params={"format": "xlsx"})
    sheet = load_workbook(io.BytesIO(response.content)).active
    assert sheet is not None
    assert [cell.value for cell in sheet[2]][:2] == ["kettle 1", 5]


async def test_a_table_of_a_list_that_goes_on_is_not_complete(
    client: httpx.AsyncClient, app: FastAPI
) -> None:
    """Nor after a cell of it was edited."""
    _, run_id = await recorded(client, app, is_part=True)
    path = f"/api/runs/{run_id}/result"
    assert (await client.get(path)).json()["complete"] is False
    await client.patch(path, json={"row": "c-1", "column": "name", "value": "Amber"})
    assert (await client.get(path)).json()["complete"] is False


async def test_what_is_not_there_is_refused(client: httpx.AsyncClient, app: FastAPI) -> None:
    _, events = await ask(client, "think about boats")
    without = await client.get(f"/api/runs/{events[0]['run_id']}/result")
    assert (without.status_code, without.json()["code"]) == (404, "no_result")
    assert (await client.get("/api/runs/unknown/result")).status_code == 404
    _, run_id = await recorded(client, app)
    assert (await client.get(f"/api/runs/{run_id}/result?format=pdf")).status_code == 422
    for body, status in (
        ({"row": "c-1", "column": "price", "value": "dear"}, 422),
        ({"row": "c-1", "column": "price", "value": [1]}, 422),
        ({"row": "c-1", "column": "weight", "value": 1}, 404),
        ({"row": "c-9", "column": "price", "value": 1}, 404),
    ):
        response = await client.patch(f"/api/runs/{run_id}/result", json=body)
        assert response.status_code == status, response.text


async def test_a_strangers_look_is_refused(stranger: httpx.AsyncClient) -> None:
    assert (await stranger.get("/api/runs/x/result")).status_code == 401
    body = {"row": "c-1", "column": "price", "value": 1}
    assert (await stranger.patch("/api/runs/x/result", json=body)).status_code in (401, 403)


async def test_an_edited_cell_is_marked_and_published(client: httpx.AsyncClient, app: FastAPI) -> None:
    session_id, run_id = await recorded(client, app)
    world: Runtime = await app.state.starting.runtime()
    published: list[Stamped] = []
    world.bus.listeners.append(published.append)
    body = {"row": "c-1", "column": "name", "value": "Amber"}
    response = await client.patch(f"/api/runs/{run_id}/result", json=body)
    assert response.status_code == 200, response.text
    row = response.json()
    assert (row["values"]["name"], row["unverified"], row["edited"]) == ("Amber", [], {"name": "kettle 1"})
    assert (await client.get(f"/api/runs/{run_id}/result")).json()["rows"][0] == row
    (event,) = (one.event for one in published if one.session_id == session_id)
    stored = next(one for one in (await read(client, session_id))["messages"] if one["role"] == "tool")
    assert stored["meta_json"]["result"]["rows"][0]["values"]["name"] == "Amber"
    assert isinstance(event, MessageAdded)
    assert event.message.model_dump(mode="json") == stored


async def test_exports_have_the_table(client: httpx.AsyncClient, app: FastAPI) -> None:
    session_id, _ = await recorded(client, app)
    path = f"/api/sessions/{session_id}/export"
    markdown = (await client.get(path, params={"format": "md"})).text
    assert (
        "| name | price | Source |\n| --- | --- | --- |\n| kettle 1 | 5 | https://shop.example/ |" in markdown
    )
    assert "- 2: price: sold out" in markdown
    page = (await client.get(path, params={"format": "html"})).text
    assert "<td>kettle 1</td><td>5</td>" in page
    exported = (await client.get(path, params={"format": "json"})).json()
    assert exported["messages"][1]["meta_json"]["result"]["rows"][1]["missing"] == {"price": "sold out"}
