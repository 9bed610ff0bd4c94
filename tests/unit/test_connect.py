"""A model is connected by one call that tries it; a refused key is not kept."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from aiohttp import web

from server.main import create_app
from tests.conftest import PASSWORD, open_client
from tests.support.model_reply import Asked, Reply, call, say
from tests.support.model_server import KEY, ModelServer

MODELS = {
    "anthropic": "anthropic:claude-haiku-5-5",
    "openai": "openai:gpt-6-luna",
    "openrouter": "openrouter:anthropic/claude-haiku-5.5",
    "google": "google:gemini-3.8-flash",
}
"""The first offered one of each provider."""


def script(asked: Asked) -> Reply:
    return call("report", {"colour": "blue"})


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """Of a server without keys, whose providers are all played by one."""
    async with ModelServer(script) as models:
        keys = {f"{provider}_api_key": None for provider in MODELS}
        settings = models.settings(**keys, data_dir=tmp_path, auth_token=PASSWORD, drain_timeout=0)
        app = create_app(settings)
        async with (
            app.router.lifespan_context(app),
            open_client(app, {"authorization": f"Bearer {PASSWORD}"}) as client,
        ):
            yield client


@pytest.mark.parametrize("provider", [name for name in MODELS if name != "openai"])
async def test_a_key_is_kept_once_the_model_has_called_a_tool(
    provider: str, client: httpx.AsyncClient
) -> None:
    answer = (await client.post("/api/settings/connect", json={"provider": provider, "key": KEY})).json()
    assert (answer["ok"], answer["calls_tools"], answer["model"]) == (True, True, MODELS[provider])
    assert (answer["task_cost"] is not None) == (provider == "anthropic"), "where the price is known"
    settings = (await client.get("/api/settings")).json()
    assert (settings["keys"][provider], settings["values"]["agent_model"]) == ("set", MODELS[provider])
    config = (await client.get("/api/config")).json()
    assert config["defaults"]["model"] == MODELS[provider]
    assert config["notices"] == []


@pytest.mark.parametrize("provider", [name for name in MODELS if name != "openai"])
async def test_a_refused_key_is_not_kept(provider: str, client: httpx.AsyncClient) -> None:
    before = (await client.get("/api/settings")).json()
    body = {"provider": provider, "key": "sk-canary-wrong"}
    answer = (await client.post("/api/settings/connect", json=body)).json()
    assert not answer["ok"]
    assert "refused the key" in answer["detail"]
    assert "canary" not in str(answer)
    assert (await client.get("/api/settings")).json() == before


async def test_an_own_server_is_asked_for_its_models_and_needs_no_key(tmp_path: Path) -> None:
    given: list[str] = []

    async def names(request: web.Request) -> web.Response:
        given.append(request.headers.get("authorization", ""))
        return web.json_response({"data": [{"id": "qwen3:8b"}, {"id": "tiny"}]})

    app = web.Application()
    app.router.add_get("/v1/models", names)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    async with ModelServer(script) as models:
        settings = models.settings(
            openai_api_key="sk-of-the-environment", data_dir=tmp_path, auth_token=PASSWORD, drain_timeout=0
        )
        server = create_app(settings)
        headers = {"authorization": f"Bearer {PASSWORD}"}
        async with server.router.lifespan_context(server), open_client(server, headers) as client:
            body = {"provider": "openai", "address": f"http://127.0.0.1:{port}"}
            found = (await client.post("/api/settings/connect/models", json=body)).json()
            assert found == {"address": f"http://127.0.0.1:{port}/v1", "names": ["qwen3:8b", "tiny"]}
            assert given[-1:] == ["Bearer no-key-needed"], "not the key that belongs to another server"
            nowhere = {"provider": "openai", "address": f"http://127.0.0.1:{port}/elsewhere"}
            refused = await client.post("/api/settings/connect/models", json=nowhere)
            assert refused.status_code == 422
            assert "No list of models was found" in refused.json()["detail"]
    await runner.cleanup()


@pytest.mark.parametrize(
    "body",
    [
        {"provider": "nonsense", "key": KEY},
        {"provider": "anthropic", "address": "http://127.0.0.1:1"},
        {"provider": "ollama", "address": "file:///etc"},
        {"provider": "anthropic", "key": "short"},
    ],
)
async def test_what_cannot_be_connected_is_refused(body: dict[str, str], client: httpx.AsyncClient) -> None:
    before = (await client.get("/api/settings")).json()
    assert (await client.post("/api/settings/connect", json=body)).status_code in (404, 422)
    assert (await client.get("/api/settings")).json() == before


async def test_a_model_that_only_talks_is_connected_and_said_to_call_no_tool(tmp_path: Path) -> None:
    async with ModelServer(say("Blue.")) as models:
        settings = models.settings(data_dir=tmp_path, auth_token=PASSWORD, drain_timeout=0)
        app = create_app(settings)
        headers = {"authorization": f"Bearer {PASSWORD}"}
        async with app.router.lifespan_context(app), open_client(app, headers) as client:
            body = {"provider": "ollama", "address": models.anthropic_url, "model": "qwen3"}
            answer = (await client.post("/api/settings/connect", json=body)).json()
            assert (answer["ok"], answer["calls_tools"], answer["model"]) == (True, False, "ollama:qwen3")
