"""Dismisses `confirm` and `prompt` in pages before another DevTools client can answer them.

browser-use answers every dialog itself, a `confirm` with OK. Which of two DevTools clients answers first is a
race, so the pages' `confirm` and `prompt` are replaced by functions that cancel and report the question.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress

from server.browser.chromium.cdp import Cdp, CdpError, Params

DismissalListener = Callable[[str, str], None]
"""Called with the kind of a question, `confirm` or `prompt`, and its text."""

_BINDING_NAME = "__pilothouseAsked"
_MAX_ASKED_CHARS = 4000
"""Maximum length of a report: the text is cut to 500 characters, each of up to six characters in JSON."""
_REPLACE = """(() => {
  const tell = globalThis.__pilothouseAsked
  if (!tell || globalThis.confirm.native) return
  const replace = (kind, answer) => {
    const native = globalThis[kind]
    globalThis[kind] = { [kind](message = '') {
      tell(JSON.stringify([kind, String(message).slice(0, 500)]))
      return answer
    } }[kind]
    globalThis[kind].native = native
  }
  replace('confirm', false)
  replace('prompt', null)
})()"""
_RESTORE = (
    "for (const kind of ['confirm', 'prompt']) globalThis[kind] = globalThis[kind].native ?? globalThis[kind]"
)


class Dismissals:
    """Dismisses the questions of the pages and frames of one browser context."""

    def __init__(self, cdp: Cdp, on_dismissed: DismissalListener) -> None:
        self._cdp = cdp
        self._on_dismissed = on_dismissed
        self._scripts: dict[str, str] = {}
        """By DevTools session, the id of the script that runs first in each new document."""

    def listen(self) -> Callable[[], None]:
        """Subscribe to the reports; returns the function that unsubscribes."""
        return self._cdp.on("Runtime.bindingCalled", self._on_asked)

    async def dismiss(self, session: str) -> None:
        """Replace the functions in all current and future documents of the session. Raises CdpError."""
        await self._cdp.send("Runtime.enable", session=session)  # else new documents lack the binding
        await self._cdp.send("Runtime.addBinding", {"name": _BINDING_NAME}, session=session)
        script = {"source": _REPLACE, "runImmediately": True}
        added = await self._cdp.send("Page.addScriptToEvaluateOnNewDocument", script, session=session)
        self._scripts[session] = added["identifier"]

    async def leave(self) -> None:
        """Restore the original functions everywhere, for a takeover by the user."""
        scripts, self._scripts = self._scripts, {}
        for session, script in scripts.items():
            with suppress(CdpError):  # the session may be gone
                gone = {"identifier": script}
                await self._cdp.send("Page.removeScriptToEvaluateOnNewDocument", gone, session=session)
                await self._cdp.send(
                    "Runtime.evaluate", {"expression": _RESTORE}, session=session, deadline=1
                )

    def _on_asked(self, params: Params, session: str | None) -> None:
        if (
            params["name"] == _BINDING_NAME
            and session in self._scripts
            and len(params["payload"]) < _MAX_ASKED_CHARS
        ):
            with suppress(ValueError, RecursionError):  # a page may call it with anything
                kind, message = json.loads(params["payload"])
                self._on_dismissed(str(kind)[:20], str(message))
