"""A phone that gets what a push service has for it: the service on loopback, the worker in a real browser."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import CDPSession, Worker

from tests.e2e.screen import Screen
from tests.support.push_service import Device, PushService

PHONE = {"width": 360, "height": 740}

SUBSCRIBED = """({endpoint, keys}) => {
  // A browser without a push vendor cannot subscribe: what a vendor would answer comes from the service on loopback.
  const subscription = {endpoint, toJSON: () => ({endpoint, keys}), unsubscribe: async () => true}
  let made = null
  PushManager.prototype.getSubscription = async () => made
  PushManager.prototype.subscribe = async function (options) {
    window.subscribedWith = options.applicationServerKey
    made = subscription
    return made
  }
}"""


ACTIVATED = """() => navigator.serviceWorker.ready.then(({active}) => active.state === 'activated' ||
  new Promise(done => active.addEventListener('statechange', done, {once: true})))"""


@dataclass
class Phone:
    screen: Screen
    service: PushService
    device: Device = field(init=False)
    _devtools: CDPSession = field(init=False)
    _registration: str = ""
    _delivered: int = 0
    _handled: list[dict[str, str]] = field(default_factory=list)
    """How each push event of the worker ended."""

    def __post_init__(self) -> None:
        page = self.screen.page
        self.device = self.service.subscribe()
        given = {"endpoint": self.device.endpoint, "keys": self.device.keys}
        page.add_init_script(f"({SUBSCRIBED})({json.dumps(given)})")
        self._devtools = page.context.new_cdp_session(page)
        self._devtools.on("ServiceWorker.workerRegistrationUpdated", self._note)
        self._devtools.send("ServiceWorker.enable")
        self._devtools.on("BackgroundService.backgroundServiceEventReceived", self._note_push)
        self._devtools.send("BackgroundService.startObserving", {"service": "pushMessaging"})
        self._devtools.send(
            "BackgroundService.setRecording", {"service": "pushMessaging", "shouldRecord": True}
        )

    def _note(self, event: dict[str, Any]) -> None:
        for registration in event["registrations"]:
            if not registration["isDeleted"]:
                self._registration = registration["registrationId"]

    def _note_push(self, event: dict[str, Any]) -> None:
        told = event["backgroundServiceEvent"]
        if told["eventName"] == "Push event completed":
            self._handled.append({it["key"]: it["value"] for it in told["eventMetadata"]})

    @property
    def worker(self) -> Worker:
        return self.screen.page.context.service_workers[-1]

    def add(self) -> None:
        """By the button in the settings."""
        page = self.screen.page
        page.goto("/settings/notifications")
        self.screen.button("Add a channel").click()
        self.screen.button("Add this device").click()
        # The form, which is still there for a moment, has these words, too.
        page.get_by_role("listitem").get_by_text("This device", exact=True).wait_for()
        self.device.server_key = page.evaluate("window.subscribedWith")

    def deliver(self) -> dict[str, Any]:
        """Wait for the next message at the push service, and hand it to the worker as a vendor does."""
        count = self._delivered + 1
        self.screen.wait_until(
            lambda: self.device.received, lambda it: len(it) >= count, "the push service has got a message"
        )
        pushed = self.device.received[self._delivered]
        self._delivered = count
        self.screen.page.evaluate(ACTIVATED)  # DevTools drops what it cannot deliver, a vendor keeps it
        self._devtools.send(
            "ServiceWorker.deliverPushMessage",
            {"origin": self.screen.server.url, "registrationId": self._registration, "data": pushed.text},
        )
        self.screen.wait_until(
            lambda: self._handled, lambda it: len(it) >= count, "the worker has handled it"
        )
        assert self._handled[-1] == {"Status": "Success"}
        # Only now: Chromium drops a notification that is asked for between its storage and its display.
        assert any(one["tag"] in pushed.text for one in self.notifications())
        return pushed.body

    def notifications(self) -> list[dict[str, Any]]:
        """What is shown."""
        return list(self.screen.page.evaluate(
            """async () => (await (await navigator.serviceWorker.ready).getNotifications()).map(({title, body, tag, actions, data}) =>
              ({title, body, tag, actions: actions.map(one => one.action), data}))"""
        ))  # fmt: skip

    def tap(self, tag: str, action: str = "") -> None:
        """On the notification, or one of its buttons: DevTools has no such command, so the event is made."""
        self.worker.evaluate(
            """async ({tag, action}) => {
              const [notification] = await registration.getNotifications({tag})
              self.dispatchEvent(new NotificationEvent('notificationclick', {notification, action}))
            }""",
            {"tag": tag, "action": action},
        )
