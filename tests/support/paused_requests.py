"""The requests of a page, as DevTools pauses them."""

from __future__ import annotations

import asyncio
from base64 import b64decode, b64encode
from dataclasses import dataclass, field
from typing import Any

from server.browser.chromium.cdp import CdpError, Listener

PAGE = "https://shop.example/picture"
ORDER = ("POST", "https://shop.example/orders", '{"item": 1}')


@dataclass
class Edge:
    """Stands for the browser: pauses requests, and notes what is done with each."""

    listeners: dict[str, Listener] = field(default_factory=dict)
    done: list[tuple[str, str]] = field(default_factory=list)
    changed: list[tuple[str, bytes]] = field(default_factory=list)
    """Method and body of requests that went as others than they came."""
    given_up: set[str] = field(default_factory=set)
    closed: asyncio.Event = field(default_factory=asyncio.Event)
    opens: bool = True
    number: int = 0

    def on(self, event: str, listener: Listener) -> None:
        self.listeners[event] = listener

    async def send(self, method: str, params: Any = None, **_: Any) -> Any:
        if method == "Target.getTargets":
            return {"targetInfos": []}
        if method == "Target.getTargetInfo":
            return {"targetInfo": {"type": "page", "url": PAGE}}
        if method == "Target.attachToTarget":
            return {"sessionId": "s"}
        if method == "Page.navigate":
            if not self.opens:
                raise CdpError("Cannot navigate")
            await self.pause(("GET", params["url"], ""), kind="Document")
        if params.get("requestId") in self.given_up:
            raise CdpError("Invalid InterceptionId")
        if method == "Fetch.getResponseBody":
            raise CdpError("Can only get response body on HeadersReceived pattern matched requests.")
        if method == "Fetch.continueWithAuth":
            self.done.append((params["requestId"], params["authChallengeResponse"]["response"]))
        elif method.startswith("Fetch.") and "requestId" in params:
            if "method" in params:
                self.changed.append((params["method"], b64decode(params["postData"])))
            self.done.append(
                (params["requestId"], "sent" if method == "Fetch.continueRequest" else params["errorReason"])
            )
        return {}

    async def pause(
        self, asked: tuple[str, str, str], *, kind: str = "Fetch", network: str = "", **headers: str
    ) -> str:
        """Pause a request; returns its id once the hold has decided."""
        self.number += 1
        method, url, body = asked
        request = {
            "method": method,
            "url": url,
            "headers": {"content-type": "application/json", **headers},
            "postData": body,
            "postDataEntries": [{"bytes": b64encode(body.encode()).decode()}],
        }
        params = {
            "requestId": f"r{self.number}", "networkId": network or f"n{self.number}", "resourceType": kind,
            "frameId": "f", "request": request,
        }  # fmt: skip
        self.listeners["Fetch.requestPaused"](params, None)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return f"r{self.number}"

    def outcome(self, request_id: str) -> str:
        return next((what for one, what in self.done if one == request_id), "waits")
