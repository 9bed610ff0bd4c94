"""Says before each model call what the user's pointers are on the page as it is now."""

from __future__ import annotations

from server.agent.middleware import CallModel, Middleware, Request, Response
from server.agent.pointing.prompt import pointed_lines
from server.agent.today import with_today
from server.browser.observation import Observation, Page


class Pointed(Middleware):
    """Adds the lines to each call of a run with pointers, and keeps them out of the state."""

    async def awrap_model_call(self, request: Request, handler: CallModel) -> Response:
        context = request.runtime.context
        if not (pointers := context.pointers()):
            return await handler(request)
        page = Observation(page=Page(url="", title=""))
        if context.has_browser():
            page = await (await context.browser()).observe([one.ref for one in pointers if one.ref])
        lines = pointed_lines(pointers, page, lambda element: element.ref)
        return await handler(request.override(messages=with_today(request.messages, "\n".join(lines))))
