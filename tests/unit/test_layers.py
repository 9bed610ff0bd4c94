"""Several middleware as one: each is called, the first one outermost, and only those that have the hook."""

from __future__ import annotations

from typing import Any, cast

from langchain_core.messages import ToolMessage

from server.agent.middleware import (
    CallModel,
    CallTool,
    Middleware,
    MiddlewareStack,
    Request,
    Response,
    ToolResult,
)


class Model(Middleware):
    def __init__(self, name: str, log: list[str]) -> None:
        super().__init__()
        self._name, self._log = name, log

    async def awrap_model_call(self, request: Request, handler: CallModel) -> Response:
        self._log.append(f"{self._name} begins")
        response = await handler(request)
        self._log.append(f"{self._name} ends")
        return response


class Tool(Middleware):
    async def awrap_tool_call(self, request: Any, handler: CallTool) -> ToolResult:
        return ToolMessage("not called", tool_call_id="1")


async def test_the_first_layer_is_the_outermost() -> None:
    log: list[str] = []
    answered: Response = Response(result=[])

    async def call(request: Request) -> Response:
        log.append("model")
        return answered

    layers = MiddlewareStack([Model("outer", log), Tool(), Model("inner", log)])

    assert await layers.awrap_model_call(cast("Request", None), call) is answered
    assert log == ["outer begins", "inner begins", "model", "inner ends", "outer ends"]


async def test_a_tool_call_passes_the_layers_that_have_the_hook() -> None:
    async def call(request: object) -> ToolResult:
        raise AssertionError("the layer makes no call")

    result = await MiddlewareStack([Model("model", []), Tool()]).awrap_tool_call(cast("Any", None), call)

    assert isinstance(result, ToolMessage)
