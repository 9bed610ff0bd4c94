"""The SDK makes a model's first request; later ones are the same but for their content, and fail in the same way."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import openai
import pytest
from aiohttp import web

from server.agent.models.errors import classify
from server.agent.models.openai import PlainCompletions
from server.agent.models.transport import ModelTransport, model_http_client, sync_http_client
from tests.support.model_formats import stream
from tests.support.model_reply import Reply

ANSWER = b"".join(stream("chat", Reply(text=["ok"]), {"model": "m"}))
OF_ONE_BODY = {"Content-Length"}


class Counting(openai.AsyncOpenAI):
    posts = 0

    async def post(self, *args: Any, **options: Any) -> Any:
        self.posts += 1
        return await super().post(*args, **options)


class Provider:
    """Answers with a stream, or with the next of `refusals`. Keeps what it was sent."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, dict[str, str], Any]] = []
        self.refusals: list[web.Response] = []
        self.cookie: str | None = None

    async def answer(self, request: web.Request) -> web.Response:
        headers = {name: value for name, value in request.headers.items() if name not in OF_ONE_BODY}
        self.seen.append((request.path, headers, await request.json()))
        if self.refusals:
            return self.refusals.pop(0)
        headers = {"set-cookie": self.cookie} if self.cookie else {}
        return web.Response(body=ANSWER, content_type="text/event-stream", headers=headers)


@asynccontextmanager
async def provider() -> AsyncIterator[tuple[Provider, Counting]]:
    known, app = Provider(), web.Application()
    app.router.add_post("/{path:.*}", known.answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield known, client_of(runner.addresses[0][1])
    finally:
        await runner.cleanup()


def client_of(port: int) -> Counting:
    return Counting(
        base_url=f"http://127.0.0.1:{port}/v1",
        api_key="sk-one",
        max_retries=0,
        http_client=model_http_client(),
    )


def completions(client: openai.AsyncOpenAI) -> PlainCompletions:
    return PlainCompletions(client, model_http_client())


async def ask(asked: PlainCompletions, text: str, **more: Any) -> list[Any]:
    said = [{"role": "user", "content": text}]
    return [event async for event in await asked.create(model="m", messages=said, stream=True, **more)]


async def test_a_later_request_differs_from_the_first_in_its_content_only() -> None:
    async with provider() as (known, client):
        asked = completions(client)
        answers = [await ask(asked, "grüß dich"), await ask(asked, "näher", extra_body={"top_k": 3})]
        assert answers[0] == answers[1]
    (path, headers, _), (later_path, later_headers, later) = known.seen
    assert (later_path, later_headers) == (path, headers)
    assert headers["Authorization"] == "Bearer sk-one"
    assert later == {
        "model": "m", "messages": [{"role": "user", "content": "näher"}], "stream": True, "top_k": 3,
    }  # fmt: skip
    assert client.posts == 1


async def test_a_request_with_headers_of_its_own_is_the_sdks_and_no_pattern_for_others() -> None:
    async with provider() as (known, client):
        asked = completions(client)
        await ask(asked, "one", extra_headers={"x-own": "1"})
        await ask(asked, "two")
        await ask(asked, "three", extra_headers={"x-own": "3"})
        await ask(asked, "four")
    assert [headers.get("x-own") for _, headers, _ in known.seen] == ["1", None, "3", None]
    assert client.posts == 3


async def test_cookies_of_a_provider_are_sent_back_as_they_are_then() -> None:
    async with provider() as (known, client):
        http = httpx2.AsyncClient(transport=ModelTransport(), cookies={"own": "0"})
        asked = PlainCompletions(client.copy(http_client=http), http)
        await ask(asked, "one")
        http.cookies.clear()
        known.cookie = "node=2"
        await ask(asked, "two")
        await ask(asked, "three")
    assert [headers.get("Cookie") for _, headers, _ in known.seen] == ["own=0", None, "node=2"]


async def test_a_body_that_only_the_sdk_encodes_is_left_to_it() -> None:
    async with provider() as (known, client):
        asked = completions(client)
        await ask(asked, "one")
        await ask(asked, "two", seed=2**70)
    assert known.seen[1][2]["seed"] == 2**70
    assert client.posts == 2


async def test_a_redirect_is_followed_each_time_and_not_kept() -> None:
    async with provider() as (known, client):
        asked = completions(client)
        for _ in range(2):
            known.refusals = [web.Response(status=307, headers={"location": "/v2/chat/completions"})]
            await ask(asked, "one")
        await ask(asked, "two")
    assert [path[:3] for path, _, _ in known.seen] == ["/v1", "/v2", "/v1", "/v2", "/v1"]


@pytest.mark.parametrize(
    ("status", "body", "headers"),
    [
        (400, {"error": {"message": "maximum context length is 9", "code": "context_length_exceeded"}}, {}),
        (401, {"error": {"message": "invalid_api_key"}}, {}),
        (429, {"error": {"message": "insufficient_quota"}}, {}),
        (429, {"error": {"message": "slow down"}}, {"retry-after": "7"}),
        (500, "<html>down</html>", {}),
        (503, {"detail": "overloaded"}, {"retry-after": "2"}),
    ],
)
async def test_a_later_request_is_refused_as_the_first_would_be(
    status: int, body: Any, headers: dict[str, str]
) -> None:
    def refusal() -> web.Response:
        if isinstance(body, str):
            return web.Response(status=status, text=body, headers=headers)
        return web.json_response(body, status=status, headers=headers)

    async with provider() as (known, client):
        asked = completions(client)
        found = []
        for _ in range(2):
            known.refusals = [refusal()]
            with pytest.raises(openai.APIStatusError) as raised:
                await ask(asked, "one")
            error = raised.value
            found.append(
                (classify(error), error.message, error.body, isinstance(error, openai.BadRequestError))
            )
            await ask(asked, "two")
    assert found[0] == found[1]
    assert client.posts == 2


async def test_a_provider_that_is_gone_is_the_sdks_connection_error() -> None:
    async with provider() as (_, client):
        asked = completions(client)
        await ask(asked, "one")
    with pytest.raises(openai.APIConnectionError) as raised:
        await ask(asked, "two")
    assert isinstance(raised.value.__cause__, httpx2.HTTPError)
    assert client.posts == 1


def test_the_products_model_has_the_http_client_that_later_requests_need() -> None:
    from server.agent.models.openai import CompatibleChat

    chat = CompatibleChat(
        model="m", api_key="none", http_async_client=model_http_client(), http_client=sync_http_client()
    )
    assert chat.async_client._http is model_http_client()
