"""The content of /openapi.json: FastAPI's description of the routes, and the errors that any of them may return."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from starlette.routing import BaseRoute

from server.ops.json_types import JsonObject

FASTAPIS_OWN = ("HTTPValidationError", "ValidationError")


class Problem(BaseModel):
    """Body of every error."""

    title: str
    status: int
    code: str
    """For programs; stays as it is."""
    detail: str
    """For people."""
    request_id: str


ANY_PROBLEM = {
    "description": "What went wrong",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}


class DescribedAPI(FastAPI):
    described_routes: Sequence[BaseRoute] = ()
    """In the order of the description; requests may try them in another one."""

    def openapi(self) -> JsonObject:
        if not self.openapi_schema:
            self.openapi_schema = add_problems(
                get_openapi(title=self.title, version=self.version, routes=self.described_routes)
            )
        return self.openapi_schema


def add_problems(described: JsonObject) -> JsonObject:
    """Instead of FastAPI's own shape of an error, which is never sent here."""
    schemas = described["components"]["schemas"]
    for name in FASTAPIS_OWN:
        schemas.pop(name, None)
    schemas["Problem"] = Problem.model_json_schema()
    for operations in described["paths"].values():
        for operation in operations.values():
            operation["responses"].pop("422", None)
            operation["responses"]["default"] = ANY_PROBLEM
            answer = operation["responses"].get("200", {})
            stream = answer.get("content", {}).get("text/event-stream", {}).get("schema", {})
            if "oneOf" in stream:
                stream.pop("type", None)  # FastAPI adds `string`, but events are objects
    return described
