"""What programs read about the API in /openapi.json."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

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
            assert "422" not in operation["responses"]
            assert list(operation["responses"]["default"]["content"]) == ["application/problem+json"]
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
