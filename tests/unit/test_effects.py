"""What came of an act: its requests in words, for the model, the person and the answer."""

from typing import Any

import pytest
from langchain_core.messages import ToolMessage

from server.agent.effects import MAX_REQUESTS_SHOWN, effect_of, in_short, new_text, still_refused
from server.browser.browser import ToolSpec
from server.browser.observation import observe_snapshot
from server.browser.sent import SentRequest, SentRequests
from tests.support.operator_world import Granted, World, world
from tests.support.scripted_browser import ScriptedBrowser
from tests.support.scripted_model import act, click, stop
from tests.unit.test_assistant_gate import BUY, Assistant
from tests.unit.test_operator_graph import CART, LEADS, PAGES

SHOP = "https://shop.example/cart"
DONE = "https://shop.example/done"
PAGE = """\
- heading "Basket" [level=1] [ref=e1] [box=0,0,200,20]
- paragraph [ref=p1] [box=0,30,200,20]: Total 43.90
- button "Place order" [ref=e2] [box=0,60,200,20]
- button "Pay now" [ref=e3] [box=0,90,200,20]
- textbox "Password" [ref=e4] [box=0,120,200,20]"""
THANKS = """\
- heading "Thank you" [level=1] [ref=e1] [box=0,0,200,20]
- paragraph [ref=p1] [box=0,30,200,20]: Order 1001"""
ORDER = SentRequest("POST", "shop.example", "/orders", status=201, key="k1")
REFUSED = SentRequest("POST", "shop.example", "/orders", status=403, key="k1")
NOT_LOGGED_IN = SentRequest("POST", "shop.example", "/payments", status=401, key="k2")
STATISTICS = SentRequest("POST", "shop.example", "/hit", status=204, is_beacon=True, key="k3")


def shop(*turns: Any, order: list[SentRequest] | None = None, **options: Any) -> World:
    it = world({SHOP: PAGE, DONE: THANKS}, turns, url=SHOP, leads={(SHOP, "Place order"): DONE}, **options)
    it.browser.sending = {"Place order": [ORDER] if order is None else order, "Pay now": [NOT_LOGGED_IN]}
    return it


async def ordered(it: World, *more: str) -> str | None:
    answer = await it.say("order it")
    for _ in range(1 + len(more)):
        answer = await it.answer(True)
    return answer


async def test_an_approved_act_keeps_what_it_sent_and_what_the_page_then_says() -> None:
    it = shop(click("Place order"), stop("Ordered."), order=[STATISTICS, ORDER])
    assert await ordered(it) == "Ordered."
    (end,) = it.of("tool_end")
    assert end["effect"] == "accepted"
    assert [(one["method"], one["path"], one["status"]) for one in end["effects"]] == [
        ("POST", "/hit", 204),
        ("POST", "/orders", 201),
    ]
    assert end["page_says"] == "Thank you · Order 1001"
    assert "sent POST shop.example/orders 201" in it.model.prompts[-1]
    assert end["summary"].startswith("Sent POST shop.example/orders 201.")
    assert it.browser.looks == 3, "once for the model, once before the act, once after it"


async def test_an_act_that_needs_no_approval_keeps_none() -> None:
    it = shop(act("scroll", direction="down"), stop("Done."))
    await it.say("look")
    assert not {"effect", "effects", "page_says"} & it.of("tool_end")[0].keys()


async def test_what_a_grant_allowed_is_recorded_like_an_approved_act() -> None:
    it = shop(click("Place order"), stop("Done."), grants=Granted({("shop.example", "order")}))
    await it.say("order it")
    assert it.of("tool_end")[0]["effect"] == "accepted"


async def test_an_answer_that_hides_a_refusal_is_sent_back_once_and_not_streamed() -> None:
    honest = "The shop refused the order with 403: nothing was ordered."
    it = shop(click("Place order"), stop("Your order was sent."), stop(honest), order=[REFUSED])
    answer = await ordered(it)
    assert answer == f"{honest}\n\nRefused: POST shop.example/orders — 403"
    assert it.spoken == answer
    failed = 'failed: click button "Place order": Request refused: POST shop.example/orders 403.'
    assert failed in it.model.prompts[1]
    assert "Refused, so it has not happened" in it.model.prompts[1]
    assert (
        "could not be used: it does not say that a request was refused: POST shop.example/orders 403"
        in it.model.prompts[2]
    )


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_part_that_a_site_does_not_have_refuses_no_act(status: int) -> None:
    missing = SentRequest("POST", "shop.example", "/.sharing/v1/info", status=status, only_reads=True)
    assert effect_of(SentRequests((ORDER, missing)), (), [SHOP]).outcome == "accepted"
    assert effect_of(SentRequests((missing,)), (), [SHOP]).outcome == "none"
    assert effect_of(SentRequests((REFUSED, missing)), (), [SHOP]).outcome == "refused"


@pytest.mark.parametrize("status", [403, 422, 500])
def test_a_search_that_a_site_refuses_is_refused(status: int) -> None:
    search = SentRequest("POST", "shop.example", "/api/search", status=status, only_reads=True)
    assert effect_of(SentRequests((search,)), (), [SHOP]).outcome == "refused"


async def test_an_honest_answer_is_not_sent_back() -> None:
    it = shop(click("Place order"), stop("Refused (403)."), order=[REFUSED])
    assert await ordered(it) == "Refused (403).\n\nRefused: POST shop.example/orders — 403"


async def test_a_model_that_insists_gets_the_fact_added_in_the_users_language() -> None:
    claims = [stop("Заказ отправлен."), stop("Заказ отправлен.")]
    it = shop(click("Place order"), *claims, order=[REFUSED])
    await it.say("закажи чайник")
    assert await it.answer(True) == "Заказ отправлен.\n\nОтклонено: POST shop.example/orders — 403"


async def test_a_request_that_could_not_be_sent_says_why() -> None:
    lost = SentRequest("POST", "shop.example", "/orders", failure="unreachable")
    it = shop(click("Place order"), stop("Sent."), stop("Not sent."), order=[lost])
    assert (
        await ordered(it) == "Not sent.\n\nRefused: POST shop.example/orders — the site could not be reached"
    )


async def test_a_later_request_that_is_accepted_takes_the_refusal_away() -> None:
    it = shop(click("Place order"), act("back"), click("Place order"), stop("Ordered."), order=[REFUSED])

    def mended(prompt: str) -> Any:
        it.browser.url, it.browser.sending = SHOP, {"Place order": [ORDER]}
        return act("wait", ms=1)

    it.model.turns[1] = mended
    assert await ordered(it, "again") == "Ordered."
    assert it.of("tool_end")[-1]["effects"][0]["repeated"] is True
    assert "sent POST shop.example/orders 201, the same as before" in it.model.prompts[-1]


async def test_an_act_that_sent_nothing_is_not_called_ok() -> None:
    it = shop(click("Place order"), stop("Nothing was sent."), order=[])
    await ordered(it)
    assert it.of("tool_end")[0]["effect"] == "none"
    assert 'click button "Place order": no request was sent' in it.model.prompts[-1]


async def test_a_browser_that_cannot_tell_leaves_it_open() -> None:
    it = shop(click("Place order"), stop("I do not know."))
    it.browser.sending = None
    await ordered(it)
    assert (it.of("tool_end")[0]["effect"], it.of("tool_end")[0]["effects"]) == ("unknown", [])
    assert "what was sent is not known" in it.model.prompts[-1]


async def test_the_page_is_observed_again_when_the_run_waited_after_the_act() -> None:
    it = shop(click("Place order"), stop("Ordered."))
    await it.say("order it")
    waits = it.inbox.take_updates

    async def slow() -> Any:
        news = await waits()
        if "click Place order" in it.browser.log:
            it.browser.url = "https://shop.example/gone"
        return news

    it.options["clock"] = iter(range(10**6)).__next__
    it.build()
    it.inbox.take_updates = slow  # type: ignore[method-assign]
    await it.answer(True)
    assert it.of("tool_end")[0]["effect"] == "accepted"
    assert "URL: https://shop.example/gone" in it.model.prompts[-1]


# What makes an act refused


def judged(*requests: SentRequest, is_all: bool = True) -> str:
    return effect_of(SentRequests(requests, is_all), (), (SHOP, DONE)).outcome


OTHER_SITE = SentRequest("POST", "ads.example", "/x", failure="blocked")
VISIT = SentRequest("GET", "shop.example", "/done", status=404)


@pytest.mark.parametrize(
    ("requests", "outcome"),
    [
        ([], "none"),
        ([ORDER], "accepted"),
        ([ORDER, VISIT], "accepted"),
        ([ORDER, SentRequest("POST", "shop.example", "/hit", status=403, is_beacon=True)], "accepted"),
        ([SentRequest("POST", "shop.example", "/order", status=403, is_beacon=True)], "refused"),
        ([ORDER, OTHER_SITE], "accepted"),
        ([OTHER_SITE], "refused"),
        ([ORDER, SentRequest("POST", "pay.example", "/x", status=402)], "refused"),
        ([VISIT], "refused"),
        ([SentRequest("POST", "shop.example", "/orders", failure="dropped")], "unknown"),
        ([STATISTICS, SentRequest("POST", "shop.example", "/orders", failure="no_answer")], "unknown"),
    ],
)
def test_the_requests_that_matter_decide(requests: list[SentRequest], outcome: str) -> None:
    assert judged(*requests) == outcome


def test_what_is_not_recorded_is_not_nothing() -> None:
    assert judged(is_all=False) == "unknown"
    assert judged(ORDER, is_all=False) == "accepted"


def test_the_second_of_two_equal_requests_is_marked_also_within_one_act() -> None:
    twice = SentRequest("POST", "shop.example", "/orders", status=201, key="k1", times=2)
    (effect,) = effect_of(SentRequests((twice,)), (), ()).effects
    assert (effect.repeated, in_short(effect)) == (True, "POST shop.example/orders 201 ×2")
    assert not effect_of(SentRequests((ORDER,)), ("k9",), ()).effects[0].repeated


def test_refusals_are_kept_until_the_same_address_accepts() -> None:
    first = still_refused([], effect_of(SentRequests((REFUSED,)), (), (SHOP,)))
    both = still_refused(first, effect_of(SentRequests((NOT_LOGGED_IN,)), (), (SHOP,)))
    assert [effect.path for effect in both] == ["/orders", "/payments"]
    left = still_refused(both, effect_of(SentRequests((ORDER,)), (), (SHOP,)))
    assert [effect.path for effect in left] == ["/payments"]


def test_alerts_come_first_and_what_was_there_before_is_left_out() -> None:
    alert = "- alert [ref=a1] [box=0,300,200,20]: Card declined\n- status [ref=a2] [box=0,330,200,20]: Saved"
    before, after = observe_snapshot(PAGE, url=SHOP), observe_snapshot(f"{PAGE}\n{alert}", url=SHOP)
    assert new_text(before, after) == "Card declined · Saved"
    assert new_text(after, after) == ""
    assert (
        len(new_text(before, observe_snapshot(f"- alert [ref=a1] [box=0,0,9,9]: {'x' * 900}", url=SHOP)))
        == 300
    )


def test_a_secret_in_a_path_or_on_the_page_is_masked() -> None:
    request = SentRequest("POST", "shop.example", "/reset/hunter2", status=200)
    assert effect_of(SentRequests((request,)), (), (), ["hunter2"]).effects[0].path == "/reset/•••"
    page = observe_snapshot("- alert [ref=a1] [box=0,0,9,9]: Your password is hunter2", url=SHOP)
    assert new_text(observe_snapshot(PAGE), page, ["hunter2"]) == "Your password is •••"


# The assistant


def assistant(*turns: Any, sends: list[SentRequest]) -> Assistant:
    browser = ScriptedBrowser(dict(PAGES), dict(LEADS), CART)
    browser.sending = {"Place order": sends, "Buy": sends, "Pay now": sends}
    return Assistant(list(turns), browser=browser)


async def test_the_assistants_result_says_what_was_sent_and_its_answer_what_was_refused() -> None:
    it = assistant(BUY, "Your order was sent.", sends=[])
    target = next(line for line in PAGES[CART].splitlines() if "[ref=c3]" in line).split('"')[1]
    it.browser.sending = {target: [REFUSED]}
    await it.say("buy it")
    await it.answer(True)
    assert it.results[0].startswith("request refused: POST shop.example/orders 403.\n")
    assert it.messages[-1].text == "Your order was sent.\n\nRefused: POST shop.example/orders — 403"
    kept = next(message for message in it.messages if isinstance(message, ToolMessage)).additional_kwargs
    assert kept["sent"] == ["k1"]
    assert [effect["status"] for effect in kept["refused"]] == [403]


async def test_the_result_of_a_tool_of_another_server_is_its_words_alone() -> None:
    """What it sent, no browser has seen."""
    it = Assistant(
        [{"tool": "files_delete"}, "Done."],
        specs=(ToolSpec("files_delete", "d", {"type": "object"}, "files"),),
    )
    await it.say("delete it")
    await it.answer(True)
    assert it.results[0] == "<untrusted-result>\ndone by the server\n</untrusted-result>"
    assert it.browser.looks == 0


LOST = SentRequest("POST", "shop.example", "/notes", failure="no_answer")
PAGE_OPENED = SentRequest("GET", "shop.example", "/done", status=200)


def test_what_did_not_arrive_for_certain_is_named_alone() -> None:
    effect = effect_of(SentRequests((ORDER, LOST), is_all=True), (), [SHOP])
    assert effect.in_words() == "not known whether it arrived: POST shop.example/notes (no answer)"
    assert effect.to_json()["effects"][1] == {
        "method": "POST", "host": "shop.example", "path": "/notes", "failure": "no_answer", "outcome": "unknown",
        "times": 1, "repeated": False,
    }  # fmt: skip


def test_a_beacon_decides_before_the_page_that_was_opened() -> None:
    effect = effect_of(SentRequests((PAGE_OPENED, STATISTICS), is_all=True), (), [SHOP])
    assert effect.in_words() == "sent POST shop.example/hit 204"


@pytest.mark.parametrize(
    ("host", "url", "outcome"),
    [
        ("shop.example", SHOP, "refused"),
        ("shop.example:8080", "https://shop.example:8080/cart", "refused"),
        ("ads.example", SHOP, "accepted"),
        ("", SHOP, "accepted"),
    ],
)
def test_an_unreachable_address_counts_as_refused_on_the_pages_own_site(
    host: str, url: str, outcome: str
) -> None:
    unreachable = SentRequest("POST", host, "/x", failure="unreachable")
    assert effect_of(SentRequests((ORDER, unreachable), is_all=True), (), [url]).outcome == outcome


def test_of_many_requests_the_first_are_listed() -> None:
    sent = [
        SentRequest("POST", "shop.example", f"/{n}", status=201, key=f"{n}")
        for n in range(MAX_REQUESTS_SHOWN + 1)
    ]
    listed = effect_of(SentRequests(tuple(sent[:MAX_REQUESTS_SHOWN]), is_all=True), (), [SHOP]).in_words()
    assert listed.endswith(f"/{MAX_REQUESTS_SHOWN - 1} 201")
    listed = effect_of(SentRequests(tuple(sent), is_all=True), (), [SHOP]).in_words()
    assert listed.endswith(f"/{MAX_REQUESTS_SHOWN - 1} 201, 1 more")
