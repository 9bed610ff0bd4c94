"""What programs read about the API in /openapi.json."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest

from server.events import Event
from server.main import create_app
from server.settings import Settings

FREE_FORM = {
    ("get", "/api/sessions/{session_id}/events"), ("get", "/api/settings"), ("patch", "/api/settings"),
    ("post", "/api/sessions/{session_id}/browser/observe"), ("get", "/api/ready"),
}  # fmt: skip
"""Empty on purpose, or a map whose names grow with the settings or the page."""


@pytest.fixture
def described(tmp_path: Path) -> dict[str, Any]:
    settings = Settings(_env_file=None, agent_mode="mock", data_dir=tmp_path)  # type: ignore[call-arg]
    return create_app(settings).openapi()


def json_answers(described: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            for code, answer in operation["responses"].items():
                if code.startswith("2") and "application/json" in answer.get("content", {}):
                    yield method, path, answer["content"]["application/json"]["schema"]


def test_every_json_answer_is_described(described: dict[str, Any]) -> None:
    told = list(json_answers(described))
    assert len(told) > 25
    assert [
        (method, path)
        for method, path, schema in told
        if "$ref" not in schema and schema and (method, path) not in FREE_FORM
    ] == []


def test_every_answer_may_be_a_problem_and_is_described_as_one(described: dict[str, Any]) -> None:
    for operations in described["paths"].values():
        for operation in operations.values():
            problems = {code: answer for code, answer in operation["responses"].items() if code[0] in "45d"}
            assert "default" in problems
            named = [answer["$ref"].rpartition("/")[2] for answer in problems.values()]
            assert {*named} <= {*described["components"]["responses"]}
    for answer in described["components"]["responses"].values():
        assert list(answer["content"]) == ["application/problem+json"]
    assert set(described["components"]["schemas"]["Problem"]["required"]) == {
        "title", "status", "code", "detail", "request_id",
    }  # fmt: skip


def test_every_event_of_a_stream_is_described(described: dict[str, Any]) -> None:
    stream = described["paths"]["/api/sessions/{session_id}/stream"]["get"]["responses"]["200"]
    schema = stream["content"]["text/event-stream"]["schema"]
    assert "type" not in schema  # each event is an object, whatever FastAPI says of streams
    mapping = schema["discriminator"]["mapping"]
    kinds = {kind.model_fields["type"].default for kind in get_args(get_args(Event)[0])}
    assert set(mapping) == kinds


def test_operations_have_short_names_of_their_own_and_a_tag(described: dict[str, Any]) -> None:
    operations = [operation for path in described["paths"].values() for operation in path.values()]
    names = [operation["operationId"] for operation in operations]
    assert len({*names}) == len(names) > 80
    assert {"sessions_create", "messages_send", "automations_list", "stream_observe_session_older"} <= {
        *names
    }
    assert max(map(len, names)) <= 32
    assert all(
        name.startswith(f"{operation['tags'][0]}_") for name, operation in zip(names, operations, strict=True)
    )


async def test_what_needs_a_login_is_described_and_only_that(
    described: dict[str, Any], stranger: httpx.AsyncClient
) -> None:
    """By asking without one."""
    assert set(described["components"]["securitySchemes"]) == {"password", "cookie", "link"}
    differences = []
    for path, operations in described["paths"].items():
        if "{prefix}" in path:
            continue
        for method, operation in operations.items():
            answer = await stranger.request(method, path.replace("{", "").replace("}", ""))
            if (answer.status_code == 401) != ("401" in operation["responses"]) and path != "/api/auth/login":
                differences.append((method, path, answer.status_code))
    assert differences == []
