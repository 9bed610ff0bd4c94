"""What the request log makes of DevTools' events that no small site sends at will."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from server.browser.chromium.cdp import Cdp
from server.browser.chromium.page_monitor import PageMonitor
from server.browser.chromium.request_log import ChromiumRequestLog, HeldOfAct
from server.browser.chromium.watched_page import WatchedPage
from server.browser.sent import RequestLog, SentRequest, SentRequests, place_of_url
from tests.support.eventually import eventually
from tests.support.scripted_chromium import ScriptedChromium, scripted_pipe


class LetGo:
    """One request was held, and let go after a yes."""

    def left_out(self) -> Sequence[str]:
        return ()

    def added(self) -> dict[str, SentRequest]:
        return {"held": SentRequest("POST", "shop.example", "/orders")}


@asynccontextmanager
async def listening(
    *, enabled: bool = True, acts: HeldOfAct | None = None
) -> AsyncIterator[tuple[ScriptedChromium, ChromiumRequestLog]]:
    """A log of the tab T in session P, whose commands are answered."""
    async with scripted_pipe() as (chromium, devtools):
        attached = {"targetInfo": {"type": "page", "targetId": "T"}, "waitingForDebugger": False}
        cdp, is_attached = await Cdp.connect(devtools), asyncio.Event()
        cdp.on("Target.attachedToTarget", lambda *_: is_attached.set())
        chromium.say(
            {"method": "Target.attachedToTarget", "params": {"sessionId": "P", **attached}, "sessionId": "S1"}
        )
        page = WatchedPage("T", "https://shop.example/", session="P")

        async def answer() -> None:
            while True:
                for method in ("Network.enable", "Target.setAutoAttach"):
                    command = await chromium.heard(method)
                    if enabled:
                        chromium.answer(command, {})
                    else:
                        chromium.say({"id": command["id"], "error": {"message": "no"}, "sessionId": "P"})

        answers = asyncio.create_task(answer())
        async with asyncio.timeout(30):
            await is_attached.wait()
            log = ChromiumRequestLog(PageMonitor(cdp, print), page, acts)
            await log.__aenter__()
            yield chromium, log
        answers.cancel()
        cdp.close()


def event(method: str, **params: Any) -> dict[str, Any]:
    return {"method": f"Network.{method}", "params": params, "sessionId": "P"}


def request(number: int, url: str = "https://shop.example/orders", **more: Any) -> dict[str, Any]:
    asked = {"method": "POST", "url": url, "headers": {}, "postData": "a"} | more
    return event("requestWillBeSent", requestId=f"r{number}", type="Fetch", frameId="T", request=asked)


def answered(number: int, status: int) -> dict[str, Any]:
    return event(
        "responseReceived", requestId=f"r{number}", type="Fetch", frameId="T", response={"status": status}
    )


async def test_a_message_over_a_websocket_is_not_nothing():
    async with listening() as (chromium, log):
        chromium.say(event("webSocketFrameSent", requestId="w"))
        assert await log.settled() == SentRequests((), is_all=False)


async def test_a_page_that_cannot_be_listened_to_is_not_known():
    async with listening(enabled=False) as (_, log):
        assert await log.settled() == SentRequests((), is_all=False)


@pytest.mark.parametrize("status", [201, 302, 409])
async def test_a_form_that_is_sent_again_has_the_answer_of_the_page_that_it_opens(status: int):
    async with listening(acts=LetGo()) as (chromium, log):
        opened = request(1, method="GET", postData=None)
        chromium.say({**opened, "params": {**opened["params"], "type": "Document"}})
        await eventually(lambda: bool(log._followed), message="the page is announced before it is asked for")
        chromium.say(answered(1, status))
        sent = await log.settled(patience=30)
    assert [(one.method, one.path, one.status) for one in sent.requests] == [("POST", "/orders", status)]


@pytest.mark.parametrize("is_seen", [True, False])
async def test_a_new_tab_of_whose_document_nothing_is_seen_is_not_known(is_seen: bool):
    """Its document may have been sent and answered before the log could listen to the tab."""
    async with listening() as (chromium, log):
        info = {"type": "page", "targetId": "N", "openerId": "T"}
        attached = {"sessionId": "Q", "targetInfo": info, "waitingForDebugger": False}
        chromium.say({"method": "Target.attachedToTarget", "params": attached, "sessionId": "S1"})
        if is_seen:
            for one in (request(1), answered(1, 200)):
                chromium.say(
                    {**one, "params": {**one["params"], "type": "Document", "frameId": "N"}, "sessionId": "Q"}
                )
        sent = await log.settled()
        assert (len(sent.requests), sent.is_all) == (int(is_seen), is_seen)


async def test_statistics_are_left_out_first_when_there_are_too_many():
    async with listening() as (chromium, log):
        for number in range(30):
            ping = request(number, f"https://shop.example/{number}")
            chromium.say({**ping, "params": {**ping["params"], "type": "Ping"}})
            chromium.say(answered(number, 204))
        chromium.say(request(99))
        chromium.say(answered(99, 201))
        sent = await log.settled()
        assert [(one.path, one.status) for one in sent.requests] == [("/orders", 201)]
        assert not sent.is_all


async def test_a_request_without_a_known_body_is_never_taken_for_another():
    async with listening() as (chromium, log):
        for number in (1, 2):
            chromium.say(request(number, postData=None, hasPostData=True))
            chromium.say(answered(number, 201))
        sent = await log.settled()
        assert [(one.times, one.key) for one in sent.requests] == [(1, ""), (1, "")]


REFUSED = event(
    "loadingFailed", requestId="r1", errorText="net::ERR_FAILED",
    corsErrorStatus={"corsError": "MissingAllowOriginHeader"},
)  # fmt: skip
STATUS = event("responseReceivedExtraInfo", requestId="r1", statusCode=201)


@pytest.mark.parametrize("events", [(STATUS, REFUSED), (REFUSED, STATUS)])
async def test_the_status_of_an_answer_that_the_page_may_not_read_counts_in_either_order(
    events: tuple[dict[str, Any], ...],
):
    async with listening() as (chromium, log):
        for one in (request(1), *events):
            chromium.say(one)
        sent = await log.settled(30)
        assert [(one.status, one.failure) for one in sent.requests] == [(201, None)]


async def test_an_answer_that_the_page_may_not_read_is_dropped_if_its_status_never_comes():
    async with listening() as (chromium, log):
        chromium.say(request(1))
        chromium.say(REFUSED)
        sent = await log.settled(0.5)
        assert [(one.status, one.failure) for one in sent.requests] == [(None, "dropped")]


async def test_a_browser_without_devtools_says_that_it_does_not_know():
    async with RequestLog() as log:
        assert await log.settled() is None


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("https://ann:pw@shop.example/a/b?token=1#x", ("shop.example", "/a/b")),
        ("http://shop.example:8080", ("shop.example:8080", "/")),
        ("https://shop.example/a;jsessionid=12?q", ("shop.example", "/a")),
        ("data:text/html,hello", None),
        ("blob:https://shop.example/1", None),
        ("http://[::1", None),
    ],
)
def test_an_address_is_shown_without_what_may_be_secret(url: str, place: tuple[str, str] | None):
    assert place_of_url(url) == place


@pytest.mark.parametrize(
    ("request_", "outcome"),
    [
        (SentRequest("POST", "a", "/", status=302), "accepted"),
        (SentRequest("POST", "a", "/", status=400), "refused"),
        (SentRequest("POST", "a", "/", failure="cors"), "refused"),
        (SentRequest("POST", "a", "/", failure="aborted"), "unknown"),
    ],
)
def test_an_outcome_follows_from_status_or_failure(request_: SentRequest, outcome: str):
    assert request_.outcome == outcome
