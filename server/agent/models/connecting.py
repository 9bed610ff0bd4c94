"""Try a model before its key or address is kept, and list the models of an own server."""

from __future__ import annotations

from typing import Any

from server.agent.models.abilities import calls_tool
from server.agent.models.chat_model import build_chat_model
from server.agent.models.errors import classify
from server.agent.models.providers import OLLAMA_URL
from server.agent.models.transport import model_http_client
from server.browser.addresses import without_login
from server.errors import BadRequest
from server.settings import Settings
from wording.catalogue import sentence

LIST_SECONDS = 10.0
MAX_NAMES = 200


async def try_model(name: str, settings: Settings) -> bool:
    """Whether the model calls the tool that it is asked to call. Raises the model's errors, such as for a refused key."""
    return await calls_tool(build_chat_model(name, settings))


async def names_at(provider: str, settings: Settings) -> tuple[str, list[str]]:
    """The address that answers, the given one or with `/v1`, and the names of its models. Raises BadRequest."""
    if provider == "ollama":
        given, key, paths = settings.ollama_base_url or OLLAMA_URL, None, ["/api/tags"]
    else:
        given, key, paths = settings.openai_base_url or "", settings.openai_api_key, ["/models", "/v1/models"]
    headers = {"authorization": f"Bearer {key.get_secret_value()}"} if key else {}
    reason = "it lists no models"
    for path in paths:
        try:
            answer = await model_http_client().get(
                f"{given.rstrip('/')}{path}", headers=headers, timeout=LIST_SECONDS
            )
            names = _names_in(answer.json()) if answer.is_success else []
            reason = f"HTTP {answer.status_code}" if not answer.is_success else reason
        except Exception as error:  # what answers there may be anything
            names, reason = [], classify(error).message
        if names:
            return given.rstrip("/") + path.removesuffix("/models").removesuffix("/api/tags"), names
    raise BadRequest(sentence("model.no_list", address=without_login(given), why=reason), code="no_models")


def _names_in(answer: Any) -> list[str]:
    """Of the list of an OpenAI-compatible server, or of Ollama."""
    listed = (answer.get("data") or answer.get("models") or ()) if isinstance(answer, dict) else ()
    names = (one.get("id") or one.get("name") for one in listed if isinstance(one, dict))
    return [name for name in names if isinstance(name, str) and name][:MAX_NAMES]
