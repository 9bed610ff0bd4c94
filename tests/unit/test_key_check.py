"""A provider's key given in the UI is tried out with one short call, over the provider's own wire."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from server.main import create_app
from tests.conftest import PASSWORD, open_client
from tests.support.model_reply import Asked, Reply, Script, call, fail, say
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
        tested = (await client.post(f"{path}/test", json=model)).json()
        assert (tested["ok"], tested["detail"]) == (True, f"{PROVIDERS[provider]} answers.")


async def test_ollama_is_checked_without_a_key_and_its_refusal_is_told_in_words(tmp_path: Path) -> None:
    def script(asked: Asked) -> Reply:
        return say("Ready.") if asked.body["model"] == "qwen3" else fail(404, "model 'none' not found")

    async with real_world(script, tmp_path) as client:
        answers = [
            (await client.post("/api/settings/keys/ollama/test", json={"model": f"ollama:{name}"})).json()
            for name in ("qwen3", "none")
        ]
    assert [answer["ok"] for answer in answers] == [True, False]
    assert "model's name" in answers[1]["detail"]


def able(asked: Asked) -> Reply:
    """A server that can do everything."""
    if asked.tools:
        return call("report", {"colour": "blue"})
    if asked.pictures:
        return say("Red.")
    if asked.body.get("response_format"):
        return say('{"colour": "blue"}')
    return say("one two three four", delay=0.02)


def weak(asked: Asked) -> Reply:
    """A server that takes all of it and does nothing of it, and knows no pictures."""
    return (
        fail(400, "image input is not supported") if asked.pictures else say("The sky is blue.", delay=0.02)
    )


def deaf(asked: Asked) -> Reply:
    """A server that takes no tool choice but `auto`, and then makes the call."""
    if asked.body.get("tool_choice") not in (None, "auto"):
        return fail(400, "tool_choice is not supported")
    return able(asked)


@pytest.mark.parametrize(
    ("server", "works"),
    [
        (
            able,
            {
                "streams": True,
                "calls": True,
                "tool": True,
                "required": True,
                "json_schema": True,
                "pictures": True,
            },
        ),
        (
            weak,
            {
                "streams": True,
                "calls": False,
                "tool": False,
                "required": False,
                "json_schema": False,
                "pictures": False,
            },
        ),
        (
            deaf,
            {
                "streams": True,
                "calls": True,
                "tool": False,
                "required": False,
                "json_schema": True,
                "pictures": True,
            },
        ),
    ],
)
async def test_a_test_says_what_the_server_can_do(
    server: Script, works: dict[str, bool], tmp_path: Path
) -> None:
    async with real_world(server, tmp_path) as client:
        await client.put("/api/settings/keys/openai", json={"key": KEY})
        tested = (await client.post("/api/settings/keys/openai/test", json={"model": "openai:qwen"})).json()
    found = {ability["name"]: ability["works"] for ability in tested["abilities"]}
    assert found == {**works, "context": None}


async def test_a_server_that_does_not_answer_can_do_nothing(tmp_path: Path) -> None:
    async with real_world(fail(401), tmp_path) as client:
        tested = (await client.post("/api/settings/keys/ollama/test", json={"model": "ollama:qwen3"})).json()
    assert (tested["ok"], tested["abilities"]) == (False, [])
