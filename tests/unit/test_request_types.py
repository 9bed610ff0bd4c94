"""Bodies and frames are taken with the types that the API describes, and no others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from pydantic import BaseModel, ValidationError

import server.main  # noqa: F401  # defines all routes
from server.api.deps import Body, SocketFrame

OTHERS: dict[str, list[Any]] = {
    "boolean": [0, 1, 0.0, "true", "false", "1", "on"],
    "integer": [False, True, "1", "10", 1.5],
    "number": [False, True, "1", "1.5"],
}
"""Values that are near a type, and not of it."""


def models(base: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for model in base.__subclasses__():
        yield model
        yield from models(model)


def typed_fields() -> Iterator[tuple[type[BaseModel], str, str]]:
    for model in (*models(Body), *models(SocketFrame)):
        for name, schema in model.model_json_schema()["properties"].items():
            types = {part.get("type") for part in schema.get("anyOf", [schema])} - {"null"}
            if len(types) == 1 and (type_ := types.pop()) in OTHERS:
                yield model, name, type_


FIELDS = list(typed_fields())


@pytest.mark.parametrize(
    ("model", "name", "type_"), FIELDS, ids=lambda value: getattr(value, "__name__", value)
)
def test_a_value_of_another_type_is_refused(model: type[BaseModel], name: str, type_: str) -> None:
    for value in OTHERS[type_]:
        with pytest.raises(ValidationError) as refused:
            model.model_validate({name: value})
        assert (name,) in {error["loc"][:1] for error in refused.value.errors()}, value


def test_the_api_has_such_fields() -> None:
    found = {(model.__name__, name) for model, name, _ in FIELDS}
    assert {("VisiblePage", "visible"), ("Wait", "ms"), ("UserConfirm", "confirmed")} < found
    assert len(found) > 25


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("presence", {"page": "p", "visible": 0}, 422),
        ("presence", {"page": "p", "visible": False}, 204),
        ("sessions/s1/browser/wait", {"ms": False}, 422),
        ("sessions/s1/questions/r1/later", {"until": 1_900_000_000}, 422),
    ],
)
async def test_a_route_refuses_it(
    client: httpx.AsyncClient, path: str, body: dict[str, Any], status: int
) -> None:
    await client.post("/api/sessions", json={"id": "s1"})
    assert (await client.post(f"/api/{path}", json=body)).status_code == status
