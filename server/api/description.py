"""The content of /openapi.json: FastAPI's description of the routes, with names, logins and the errors they return."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.routing import BaseRoute

from server.auth.gate import HOOKS, LINKS, PUBLIC
from server.ops.json_types import JsonObject
from wording.catalogue import Parts

FASTAPIS_OWN = ("HTTPValidationError", "ValidationError")


class Problem(BaseModel):
    """Body of every error."""

    title: str
    status: int
    code: str
    """For programs; stays as it is."""
    detail: str
    """For people."""
    detail_parts: Parts | None = None
    """The sentences of `detail`, for other languages than English; left out if there are none."""
    request_id: str


def _problem(description: str) -> JsonObject:
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {"description": description, "content": content}


PROBLEMS = {
    "401": ("NotLoggedIn", _problem("Not logged in, or the password is wrong")),
    "404": ("NotFound", _problem("There is nothing of this name")),
    "422": ("Invalid", _problem("The request is not as described")),
    "default": ("AnyProblem", _problem("What went wrong")),
}
"""By status: the name of the description, and the description."""
LOGINS: JsonObject = {
    "password": {"type": "http", "scheme": "bearer", "description": "The server's password, `AUTH_TOKEN`"},
    "cookie": {
        "type": "apiKey", "in": "cookie", "name": "pilothouse-8000",
        "description": "Set by `/api/auth/login`; the number is the server's port",
    },
    "link": {
        "type": "apiKey", "in": "header", "name": "Pilothouse-Link",
        "description": "The secret of a link, which is good for what it was made for only",
    },
}  # fmt: skip


class DescribedAPI(FastAPI):
    described_routes: Sequence[BaseRoute] = ()
    """In the order of the description; requests may try them in another one."""

    def openapi(self) -> JsonObject:
        if not self.openapi_schema:
            routes = self.described_routes
            described = get_openapi(title=self.title, version=self.version, routes=routes)
            name_operations(described, [route for route in routes if isinstance(route, APIRoute)])
            self.openapi_schema = add_problems(add_logins(described))
        return self.openapi_schema


def name_operations(described: JsonObject, routes: Sequence[APIRoute]) -> None:
    """A tag for each module of routes, and ids such as `sessions_create` instead of FastAPI's, which hold the path."""
    for route in routes:
        tag = route.endpoint.__module__.rpartition(".")[2]
        name = f"{tag}_{route.name.removesuffix(f'_{tag}')}"
        path = route.path_format
        for method in (route.methods or ()) if route.include_in_schema else ():
            operation = described["paths"][path][method.lower()]
            # A second address of the same function is for older clients.
            operation |= {"tags": [tag], "operationId": name if path.startswith("/api/") else f"{name}_older"}


def add_logins(described: JsonObject) -> JsonObject:
    described["components"]["securitySchemes"] = LOGINS
    described["security"] = [{"password": []}, {"cookie": []}]
    for path, operations in described["paths"].items():
        for operation in operations.values():
            if path.startswith(LINKS):
                operation["security"] = [{"link": []}]
            elif path in PUBLIC or path.startswith(HOOKS):
                operation["security"] = []
    return described


def add_problems(described: JsonObject) -> JsonObject:
    """Instead of FastAPI's own shape of an error, which is never sent here."""
    schemas = described["components"]["schemas"]
    for name in FASTAPIS_OWN:
        schemas.pop(name, None)
    problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas |= problem.pop("$defs") | {"Problem": problem}
    described["components"]["responses"] = dict(PROBLEMS.values())
    for path, operations in described["paths"].items():
        for operation in operations.values():
            responses = operation["responses"]
            has_login = operation.get("security") != [] or path == "/api/auth/login"
            codes = ["401"] * has_login + ["404"] * ("{" in path) + ["422"] * ("422" in responses)
            for code in (*codes, "default"):
                responses[code] = {"$ref": f"#/components/responses/{PROBLEMS[code][0]}"}
            answer = responses.get("200", {})
            stream = answer.get("content", {}).get("text/event-stream", {}).get("schema", {})
            if "oneOf" in stream:
                stream.pop("type", None)  # FastAPI adds `string`, but events are objects
    return described
