"""The assistant's model calls say what day it is."""

from __future__ import annotations

from server.agent.middleware import CallModel, Middleware, Request, Response
from server.agent.today import with_today


class Today(Middleware):
    """Adds a new line to each call, and keeps it out of the state."""

    async def awrap_model_call(self, request: Request, handler: CallModel) -> Response:
        line = request.runtime.context.today()
        return await handler(request.override(messages=with_today(request.messages, line)))
