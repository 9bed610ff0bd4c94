"""How much a server of one's own takes at once is read from what it says of itself."""

from __future__ import annotations

import pytest

from server.agent.models.abilities import find_abilities
from server.agent.models.chat_model import build_chat_model
from tests.support.model_reply import Wire, say
from tests.support.raw_model import raw_server

MODELS: dict[Wire, str] = {
    "chat": "openai:m",
    "anthropic": "anthropic:claude-haiku-5-5",
    "google": "google:gemini-3.8-flash",
    "ollama": "ollama:m",
}


@pytest.mark.parametrize(
    ("path", "page", "context"),
    [
        ("/v1/models", {"data": [{"id": "other", "max_model_len": 1}, {"id": "qwen", "max_model_len": 32768}]}, "32,768"),
        ("/v1/models", {"data": [{"id": "qwen", "context_length": 131072}]}, "131,072"),
        ("/v1/models", {"data": [{"id": "/models/qwen.gguf", "meta": {"n_ctx": 8192, "n_ctx_train": 40960}}]}, "8,192"),
        ("/props", {"default_generation_settings": {"n_ctx": 4096}}, "4,096"),
        ("/v1/models", {"data": [{"id": "qwen", "owned_by": "library"}]}, None),
        ("/v1/models", {"data": "none", "n_ctx": True}, None),
        ("/v1/models", ["qwen"], None),
        ("/other", {}, None),
    ],
    ids=["vllm", "gateway", "llama.cpp", "llama.cpp's properties", "nothing said", "odd", "a list", "no such page"],
)  # fmt: skip
async def test_the_context_is_read_from_the_list_of_models_or_the_properties(
    path: str, page: object, context: str | None
) -> None:
    async with raw_server([say("A red ball.")]) as server:
        server.pages[path] = page
        found = await find_abilities("openai:qwen", build_chat_model("openai:qwen", server.settings()))
    (known,) = [ability for ability in found if ability.name == "context"]
    assert (known.works, known.detail) == ((True, context) if context else (None, ""))


@pytest.mark.parametrize("wire", MODELS)
async def test_an_answer_whose_pieces_arrive_together_counts_as_streamed(wire: Wire) -> None:
    async with raw_server([say("one two three four")], wire) as server:
        found = await find_abilities(MODELS[wire], build_chat_model(MODELS[wire], server.settings()))
    assert [ability.works for ability in found if ability.name == "streams"] == [True]
