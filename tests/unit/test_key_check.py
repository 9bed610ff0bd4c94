"""A provider's key given in the UI is tried out with one short call, over the provider's own wire."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from server.main import create_app
from tests.conftest import PASSWORD, open_client
from tests.support.model_reply import Script, fail, say
from tests.support.model_server import KEY, ModelServer

PROVIDERS = {
    "anthropic": "anthropic:claude-haiku-5-5",
    "openai": "openai:gpt-6-luna",
    "openrouter": "openrouter:some/model",
    "google": "google:gemini-3.8-flash",
}


@asynccontextmanager
async def real_world(script: Script, folder: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A server with real models whose keys are not given yet."""
    async with ModelServer(script) as models:
        keys = {f"{provider}_api_key": None for provider in PROVIDERS}
        settings = models.settings(**keys, data_dir=folder, auth_token=PASSWORD, drain_timeout=0)
        app = create_app(settings)
        async with (
            app.router.lifespan_context(app),
            open_client(app, {"authorization": f"Bearer {PASSWORD}"}) as client,
        ):
            yield client


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_key_is_checked_by_a_real_call(provider: str, tmp_path: Path) -> None:
    path = f"/api/settings/keys/{provider}"
    model = {"model": PROVIDERS[provider]}
    async with real_world(say("Ready."), tmp_path) as client:
        await client.put(path, json={"key": "sk-canary-wrong"})
        refused = (await client.post(f"{path}/test", json=model)).json()
        assert not refused["ok"]
        assert "refused the key" in refused["detail"]
        assert "canary" not in str(refused)
        await client.put(path, json={"key": KEY})
        assert (await client.post(f"{path}/test", json=model)).json() == {
            "ok": True,
            "detail": f"{PROVIDERS[provider]} answers.",
        }


async def test_ollama_is_checked_without_a_key_and_its_refusal_is_told_in_words(tmp_path: Path) -> None:
    async with real_world([say("Ready."), fail(404, "model 'qwen3' not found")], tmp_path) as client:
        answers = [
            (await client.post("/api/settings/keys/ollama/test", json={"model": "ollama:qwen3"})).json()
            for _ in range(2)
        ]
    assert [answer["ok"] for answer in answers] == [True, False]
    assert "model's name" in answers[1]["detail"]
