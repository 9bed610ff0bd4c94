"""Acts at points of the picture on pages whose targets are drawn: a scripted model over a real wire, real Chromium."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

import pytest
import pytest_asyncio

from server.agent.operator.plan.prompts import POINT_RULES
from server.browser.mcp.session_browser import SessionBrowser
from server.browser.pool import BrowserPool
from tests.support.drawn_site import BLUE, FRAMED, PAY, RED, open_drawn
from tests.support.eventually import eventually
from tests.support.operator_tasks import task
from tests.support.operator_world import World
from tests.support.scripted_model import act, click, navigate, stop
from tests.support.sites import Effect, Site

pytestmark = pytest.mark.asyncio(loop_scope="module")

SCALE = 1024 / 1280


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site() as site:
        open_drawn(site)
        yield site


@pytest.fixture(autouse=True)
def effects(site: Site) -> list[Effect]:
    site.effects.clear()
    return site.effects


@pytest_asyncio.fixture(loop_scope="module")
async def browser(pool: BrowserPool) -> SessionBrowser:
    browser = cast(SessionBrowser, await pool.get("points"))
    await browser.navigate("about:blank")
    return browser


def at(action: str, *places: tuple[int, int], **more: Any) -> dict[str, Any]:
    """An action at points of the page, given in pixels of the picture that the model gets."""
    points = [[round(x * SCALE), round(y * SCALE)] for x, y in places]
    return act(action, **dict(zip(("at", "to"), points, strict=False)), **more)


def drawn(browser: SessionBrowser, *turns: Any, **more: Any) -> Any:
    return task(browser, *turns, options={"points": True}, **more)


async def told(effects: list[Effect], *names: str) -> dict[str, Effect]:
    """Wait until the page has reported these; returns the last of each."""
    found = await eventually(
        lambda: {effect.name: effect for effect in effects},
        lambda found: set(names) <= set(found),
        message=f"{names} are reported",
    )
    return cast("dict[str, Effect]", found)


def target(it: World) -> dict[str, Any]:
    return cast("dict[str, Any]", (it.question or {})["target"])


async def test_a_drawn_button_is_pressed_after_a_yes(
    browser: SessionBrowser, site: Site, effects: list[Effect]
) -> None:
    turns = (navigate(site.url("/board-page")), at("click", RED), at("click", BLUE), stop("Both."))
    async with drawn(browser, *turns) as it:
        assert await it.say("press both") is None
        assert effects == []
        assert it.question is not None
        assert it.question["risk"] == "point"
        assert (target(it)["role"], target(it)["name"]) == ("point", "Game board")
        left, top, width, height = target(it)["box"]
        assert (left + width / 2, top + height / 2) == pytest.approx(
            (100 * 260 / 1280, 100 * 230 / 720), abs=0.2
        )
        assert width < 3
        assert it.question["screenshot"]
        assert await it.answer(True) is None
        first = (await told(effects, "click"))["click"]
        assert (first.fields["name"], int(first.fields["x"]), int(first.fields["y"])) == ("red", 160, 130)
        assert await it.answer(True) == "Both."
        assert [effect.fields["name"] for effect in effects] == ["red", "blue"]
        server = it.options["server"]
        assert [asked.pictures for asked in server.requests] == [0, 1, 1, 1]
        assert 'click at [208, 184] of the picture: point "Game board": sent POST' in server.requests[-1].text
        trails = [end["trail"]["targets"][0] for end in it.of("tool_end")[1:]]
        assert [(one["role"], one["name"], one["at"]) for one in trails] == [
            ("point", "Game board", [0.267, 0.325]), ("point", "Game board", [0.683, 0.325]),
        ]  # fmt: skip


async def test_a_double_click_reaches_the_page(
    browser: SessionBrowser, site: Site, effects: list[Effect]
) -> None:
    async with drawn(
        browser, navigate(site.url("/board-page")), at("double_click", BLUE), stop("Done.")
    ) as it:
        assert await it.say("double-click blue") is None
        assert await it.answer(True) == "Done."
        assert (await told(effects, "dblclick"))["dblclick"].fields["name"] == "blue"


async def test_a_map_is_panned_and_zoomed_without_a_question(
    browser: SessionBrowser, site: Site, effects: list[Effect]
) -> None:
    turns = (
        navigate(site.url("/map-page")), at("drag", (600, 300), (400, 300)),
        at("scroll", (500, 300), direction="up", amount=200), stop("Seen."),
    )  # fmt: skip
    async with drawn(browser, *turns) as it:
        assert await it.say("look at the map") == "Seen."
        reported = await told(effects, "pan", "zoom")
        assert float(reported["pan"].fields["x"]) == pytest.approx(-200, abs=2)
        assert float(reported["zoom"].fields["zoom"]) > 1


async def test_a_slider_is_dragged_like_the_element_that_it_is(
    browser: SessionBrowser, site: Site, effects: list[Effect]
) -> None:
    async with drawn(
        browser, navigate(site.url("/light-page")), at("drag", (110, 210), (400, 210)), stop("Lit.")
    ) as it:
        assert await it.say("make it brighter") == "Lit."
        assert float((await told(effects, "bright"))["bright"].fields["value"]) == pytest.approx(300, abs=2)


@pytest.mark.parametrize(
    ("page", "start", "end", "effect"),
    [
        ("tasks", (150, 180), (600, 250), Effect("drop", {"card": "Write"})),
        ("pieces", (140, 190), (600, 400), Effect("put", {"x": "600", "y": "400"})),
    ],
)
async def test_a_card_is_dropped_after_a_question_that_shows_both_ends(
    browser: SessionBrowser,
    site: Site,
    effects: list[Effect],
    page: str,
    start: Any,
    end: Any,
    effect: Effect,
) -> None:
    async with drawn(
        browser, navigate(site.url(f"/{page}-page")), at("drag", start, end), stop("Moved.")
    ) as it:
        assert await it.say("move it") is None
        assert effects == []
        boxes = target(it)["start"], target(it)["box"]
        middles = [(left + width / 2, top + height / 2) for left, top, width, height in boxes]
        expected = [(100 * x / 1280, 100 * y / 720) for x, y in (start, end)]
        assert middles[0] == pytest.approx(expected[0], abs=0.2)
        assert middles[1] == pytest.approx(expected[1], abs=0.2)
        assert await it.answer(True) == "Moved."
        assert (await told(effects, effect.name))[effect.name] == effect


@pytest.mark.parametrize("page", ["pay", "shadow", "framed", "foreign"])
async def test_a_point_on_a_button_is_asked_about_like_the_button(
    browser: SessionBrowser, site: Site, effects: list[Effect], page: str
) -> None:
    x, y = (85, 65) if page in ("framed", "foreign") else (0, 0)
    if page in ("framed", "foreign"):
        host = "localhost" if page == "foreign" else "127.0.0.1"
        site.add("/framed-page", FRAMED % site.url("/pay-page", host))
    address = site.url("/framed-page" if x else f"/{page}-page")
    asked = []
    for move in (click("Pay now"), at("click", (200 + x, 230 + y))):
        async with drawn(browser, navigate(address), move) as it:
            assert await it.say("pay") is None
            question = it.question or {}
            asked.append(
                [question[name] for name in ("kind", "risk", "reason", "place", "sends_to", "amount")]
            )
            asked[-1] += [target(it)["role"], target(it)["name"]]
            await it.answer(False)
    assert asked[0] == asked[1]
    assert asked[0][1] == "pay"
    assert effects == []


MOVING = (
    PAY
    + """<script>
  const swap = () => { const top = pay.style.top; pay.style.top = more.style.top; more.style.top = top }
</script>"""
)


async def test_a_button_that_moved_under_the_point_is_not_pressed(
    browser: SessionBrowser, site: Site, effects: list[Effect]
) -> None:
    """The page changes after the model has seen it: the point is refused, and the model looks again."""
    address = site.add("/moving-page", MOVING)
    seen: list[str] = []

    async def swap() -> None:
        page = browser.chromium
        assert page is not None
        assert browser.monitor is not None
        await browser.monitor.evaluate(
            "() => document.querySelector('#more').click()", next(iter(browser.monitor.pages.values()))
        )

    site.add("/moving-page", MOVING.replace("show('more', {})", "swap()"))

    async with drawn(browser, navigate(address), at("click", (200, 430)), stop("Stopped.")) as it:
        it.browser = cast(Any, Swapping(browser, swap))
        assert await it.say("show the details") == "Stopped."
        assert it.question is None
        seen.append(it.options["server"].requests[-1].text)
    assert effects == []
    assert "the page changed since the picture was taken: look again" in seen[0]


HOVERED = PAY.replace(
    "<button id=more", "<button id=more onpointerenter=\"pay.style.top = '400px'; pay.style.zIndex = 9\""
)


async def test_a_button_that_comes_under_the_pointer_is_not_pressed(
    browser: SessionBrowser, site: Site, effects: list[Effect]
) -> None:
    async with drawn(
        browser, navigate(site.add("/hover-page", HOVERED)), at("click", (200, 430)), stop("Stopped.")
    ) as it:
        assert await it.say("show the details") == "Stopped."
        assert (
            "Something else is at this point now: nothing was done" in it.options["server"].requests[-1].text
        )
    assert effects == []


async def test_what_is_drawn_anew_after_the_question_is_not_pressed(
    browser: SessionBrowser, site: Site, effects: list[Effect]
) -> None:
    turns = (navigate(site.url("/board-page")), at("click", RED), stop("Stopped."))
    async with drawn(browser, *turns) as it:
        assert await it.say("press red") is None
        page = browser.monitor
        assert page is not None
        script = "() => { const pen = document.querySelector('canvas').getContext('2d'); pen.fillStyle = 'gold'; pen.fillRect(100, 100, 120, 60) }"
        await page.evaluate(script, next(iter(page.pages.values())))
        assert await it.answer(True) == "Stopped."
        assert (
            "what is drawn there changed after the user's approval" in it.options["server"].requests[-1].text
        )
    assert effects == []


async def test_a_point_without_a_picture_of_the_turn_is_refused(
    browser: SessionBrowser, site: Site, effects: list[Effect]
) -> None:
    turns = (
        navigate(site.url("/pay-page")), act("hover", eid="e1"), at("click", (200, 430)), act("screenshot"),
        at("click", (200, 430)), stop("Shown."),
    )  # fmt: skip
    async with drawn(browser, *turns) as it:
        assert await it.say("show the details") == "Shown."
        server = it.options["server"]
        assert [asked.pictures for asked in server.requests] == [0, 1, 0, 1, 1, 1]
        assert "there was no picture of this page in that turn" in server.requests[3].text
    assert [effect.name for effect in effects] == ["more"]


class Swapping:
    """A browser that changes its page right after the first look at it."""

    def __init__(self, browser: SessionBrowser, change: Any) -> None:
        self._browser = browser
        self._change = change
        self._looks = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._browser, name)

    async def observe(self, keep: Any = (), points: Any = ()) -> Any:
        if points and self._change:
            change, self._change = self._change, None
            await change()
        return await self._browser.observe(keep, points)


async def test_a_page_is_shown_at_its_first_look_and_a_drawn_page_always(
    browser: SessionBrowser, site: Site
) -> None:
    turns = (
        navigate(site.url("/pay-page")), act("wait", ms=10), act("wait", ms=10), navigate(site.url("/board-page")),
        act("wait", ms=10), act("wait", ms=10), stop("Seen."),
    )  # fmt: skip
    async with drawn(browser, *turns) as it:
        assert await it.say("look at both") == "Seen."
        requests = it.options["server"].requests
        assert [asked.pictures for asked in requests] == [0, 1, 0, 0, 1, 1, 1]
        assert [POINT_RULES in asked.text for asked in requests] == [
            bool(asked.pictures) for asked in requests
        ]
        assert all(len(json.dumps(asked.body)) < 60_000 for asked in requests)


async def test_no_picture_and_no_points_with_pictures_off(browser: SessionBrowser, site: Site) -> None:
    async with task(
        browser, navigate(site.url("/board-page")), act("screenshot"), stop("Blind."),
        options={"points": True, "vision": "never"},
    ) as it:  # fmt: skip
        assert await it.say("look") == "Blind."
        assert [asked.pictures for asked in it.options["server"].requests] == [0, 0, 0]
        assert not any(POINT_RULES in asked.text for asked in it.options["server"].requests)
