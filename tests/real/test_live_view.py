"""The live view on a real Chromium: frames out, a person's input in."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from PIL import Image

from server.browser.mcp.session_browser import SessionBrowser
from server.browser.pool import BrowserPool
from server.browser.takeover.browser_view import LiveFrame
from server.browser.takeover.live_view import LiveView, Viewer
from server.browser.takeover.user_input import (
    AnswerDialog,
    Back,
    Choose,
    ClickElement,
    Go,
    Input,
    KeyPress,
    Mouse,
    Reload,
    Resize,
    SwitchTab,
    Text,
    TypeInto,
    Wheel,
)
from tests.support.act_pages import FOLDER
from tests.support.browsers import open_pool
from tests.support.eventually import eventually
from tests.support.sites import Answer, Effect, Site, document

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]

ANIMATED = document(
    "Animated",
    """<style>@keyframes m{to{transform:translateX(900px)}}
    div{width:90px;height:90px;background:red;animation:m 1s infinite alternate linear}</style><div></div>""",
)
CHOICES = document(
    "Choices",
    """<label>Town <select name=town onchange="document.title='town ' + value">
    <option value=1>Rome<option value=2>Łódź</select></label>
    <label>Day <input type=date onchange="document.title='day ' + value"></label>
    <button disabled>Not yet</button><div style="height:3000px"></div>
    <label>Far <textarea oninput="document.title='far ' + value">old</textarea></label>
    <iframe srcdoc="<button onclick='parent.document.title=`inside`'>Inner</button>"></iframe>""",
)
KEYS = document(
    "Keys",
    """<input id=one autofocus><input id=two><textarea id=three rows=5></textarea><script>
    window.seen = [];
    addEventListener('keydown', e => seen.push([e.key, e.code, e.keyCode, e.ctrlKey, e.isTrusted].join(' ')))</script>""",
)


class Person:
    """Watches a view and paints at once; keeps the messages that it has received."""

    def __init__(self, view: LiveView, *, paints: bool = True) -> None:
        self.view = view
        self.viewer: Viewer = view.join()
        self.frames: list[LiveFrame] = []
        self.told: list[dict[str, Any]] = []
        self._paints = paints
        self._task = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        while True:
            got = await self.viewer.next()
            if isinstance(got, dict):
                self.told.append(got)
                continue
            self.frames.append(got)
            if self._paints:
                self.viewer.ack()

    async def leave(self) -> None:
        self.view.leave(self.viewer)
        self._task.cancel()
        await asyncio.wait([self._task])

    @property
    def state(self) -> dict[str, Any]:
        return next((told for told in reversed(self.told) if told["type"] == "state"), {})

    async def until(self, holds: Callable[[], object]) -> None:
        await eventually(
            holds,
            message=lambda: f"the view changes; told {self.told[-4:]}, {len(self.frames)} frames",
        )

    async def until_state(self, **fields: object) -> None:
        await self.until(lambda: fields.items() <= self.state.items())

    async def until_told(self, kind: str, since: int = 0) -> dict[str, Any]:
        await self.until(lambda: any(one["type"] == kind for one in self.told[since:]))
        return next(one for one in self.told[since:] if one["type"] == kind)

    async def take(self) -> None:
        await self.view.take(self.viewer)
        await self.until_state(holder="me", browser="open")

    def do(self, *inputs: Input) -> None:
        for one in inputs:
            self.view.act(self.viewer, one)

    def click(self, x: float, y: float) -> None:
        self.do(*(Mouse(type="mouse", kind=kind, x=x, y=y, button=0) for kind in ("move", "down", "up")))

    def press(self, key: str, code: str = "", modifiers: int = 0) -> None:
        self.do(
            *(
                KeyPress(type="key", kind=kind, key=key, code=code, modifiers=modifiers)
                for kind in ("down", "up")
            )
        )

    async def elements(self) -> dict[str, Any]:
        since = len(self.told)
        self.view.act(self.viewer, None)
        return {one["name"]: one for one in (await self.until_told("elements", since))["items"]}


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site() as site:
        site.add("/animated", ANIMATED)
        site.add("/choices", CHOICES)
        site.add("/keys", KEYS)
        site.pages["/said"] = lambda _: Answer(status=204)
        yield site


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[BrowserPool]:
    async with open_pool(tmp_path_factory.mktemp("data"), blocked_hosts=("blocked.example",)) as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def browser(pool: BrowserPool) -> AsyncIterator[SessionBrowser]:
    browser = await pool.get("main")
    yield browser
    view = pool.live("main")
    if view.is_held:
        await view.hand_back()
    while len(await browser.tabs()) > 1:
        await browser.call("browser_tabs", {"action": "close", "index": 1})


@asynccontextmanager
async def watching(pool: BrowserPool, *, paints: bool = True) -> AsyncIterator[Person]:
    person = Person(pool.live("main"), paints=paints)
    try:
        yield person
    finally:
        await person.leave()


async def value_of(browser: SessionBrowser, script: str) -> Any:
    watch = browser.monitor
    assert watch is not None
    page = watch.page_at(browser.url)
    assert page is not None
    done = await watch.cdp.send(
        "Runtime.evaluate", {"expression": script, "returnByValue": True}, session=page.session
    )
    return done["result"].get("value")


COPIES = document(
    "Copies",
    """<p style="margin:0;font:30px sans-serif">Order-4711</p><input id=f value="from a field" style="display:block;height:40px">
    <input type=password value=secret-word style="display:block;height:40px"><div id=own style="height:40px">Own</div><script>
    own.oncopy = event => { event.clipboardData.setData('text/plain', 'set by the page'); event.preventDefault() }</script>""",
)


@pytest.mark.parametrize(
    ("y", "copied"),
    [(15, "Order-4711"), (60, "from a field"), (145, "set by the page"), (100, None)],
    ids=["a text", "a field", "what the page sets", "a password"],
)
async def test_what_the_holder_copies_reaches_them_alone(
    pool: BrowserPool, browser: SessionBrowser, site: Site, y: int, copied: str | None
) -> None:
    await browser.navigate(site.add("/copies", COPIES))
    async with watching(pool) as person, watching(pool) as other:
        await person.take()
        for clicks in (1, 2, 3):
            person.do(
                *(
                    Mouse(type="mouse", kind=kind, x=20, y=y, button=0, clicks=clicks)
                    for kind in ("down", "up")
                )
            )
        person.press("c", "KeyC", modifiers=2)
        if copied is None:
            person.click(20, 15)
            person.do(
                *(Mouse(type="mouse", kind=kind, x=20, y=15, button=0, clicks=2) for kind in ("down", "up"))
            )
            person.press("c", "KeyC", modifiers=2)
        told = await person.until_told("copied")
        assert str(told["text"]).strip() == copied or (copied is None and told["text"] in "Order-4711")
        assert [one for one in other.told if one["type"] == "copied"] == []
        await person.view.hand_back(person.viewer)


FIELDS = """<select aria-label=Town style="display:block;height:40px;width:300px"><optgroup label=Missouri><option>Springfield</optgroup>
<optgroup label=Illinois disabled><option>Chicago</optgroup><optgroup label=Oregon><option>Springfield</optgroup></select>"""
IN_FRAME = document(
    "Frame",
    f"<iframe style='width:600px;height:300px;border:0' srcdoc='<style>body{{margin:10px}}</style>{FIELDS}'></iframe>",
)
IN_SHADOW = document(
    "Shadow",
    "<div id=host></div><script>host.attachShadow({mode: 'open'}).innerHTML = `<input type=datetime-local id=w"
    " aria-label=When style='display:block;height:40px;width:300px'>`; host.shadowRoot.querySelector('input').onchange ="
    " event => { document.title = event.target.value }</script>",
)
KEYBOARDS = document(
    "Keyboards",
    "".join(
        f"<{field} style='display:block;position:absolute;left:0;top:{50 * at}px;height:40px;width:300px'>"
        for at, field in enumerate(("input inputmode=numeric", "input type=tel", "input type=email", "input type=password", "select"))
    ),
)  # fmt: skip


async def picked(person: Person, x: float, y: float, kind: str) -> dict[str, Any]:
    """The list or picker that is offered after a press there."""
    since = len(person.told)
    person.click(x, y)

    def offered() -> dict[str, Any]:
        fields = [one["picker"] for one in person.told[since:] if one["type"] == "field" and one["picker"]]
        return next((one for one in reversed(fields) if one["kind"] == kind), {})

    await person.until(offered)
    return offered()


@pytest.mark.parametrize(
    ("y", "kind", "value", "change"),
    [
        (30, "select", "1", ["a", "Two"]), (80, "date", "2027-03-05", ["b", "2027-03-05"]),
        (130, "color", "#ff0000", ["c", "#ff0000"]), (180, "suggestions", "Pear", ["d", "Pear"]),
        (280, "time", "14:30", ["e", "14:30"]),
    ],
)  # fmt: skip
async def test_a_persons_choice_in_the_browsers_own_lists_and_pickers_reaches_the_page(
    pool: BrowserPool, browser: SessionBrowser, site: Site, y: int, kind: str, value: str, change: list[str]
) -> None:
    """A22_native."""
    site.effects.clear()
    await browser.navigate(site.add("/p/A22_native.html", (FOLDER / "A22_native.html").read_text()))
    async with watching(pool) as person, watching(pool) as other:
        await person.take()
        offered = await picked(person, 150, y, kind)
        labels = {"select": ["One", "Two", "Three"], "suggestions": ["Apple", "Pear"]}
        assert [one["label"] for one in offered["options"]] == labels.get(kind, [])
        person.do(Choose(type="choose", value=value))
        await person.until(lambda: site.effects)
        assert [one.fields["A22"] for one in site.effects] == [str(change)]
        assert [one for one in other.told if one["type"] == "field"] == []
        assert await person.view.hand_back(person.viewer) != "No change can be seen."


async def test_a_press_behind_a_thousand_moves_arrives_and_words_can_be_copied(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    """A23_moves."""
    site.effects.clear()
    await browser.navigate(site.add("/p/A23_moves.html", (FOLDER / "A23_moves.html").read_text()))
    async with watching(pool) as person:
        await person.take()
        person.do(*(Mouse(type="mouse", kind="move", x=300 + at % 200, y=400) for at in range(1000)))
        person.click(300, 400)
        await person.until(lambda: any("down" in one.fields for one in site.effects))
        for clicks in (1, 2, 3):
            person.do(
                *(
                    Mouse(type="mouse", kind=kind, x=100, y=60, button=0, clicks=clicks)
                    for kind in ("down", "up")
                )
            )
        person.press("c", "KeyC", modifiers=2)
        assert str((await person.until_told("copied"))["text"]).strip() == "Copy these words"


async def test_equal_options_of_a_list_in_a_frame_are_told_apart(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    await browser.navigate(site.add("/in-frame", IN_FRAME))
    async with watching(pool) as person:
        await person.take()
        offered = await picked(person, 100, 30, "select")
        told = [(one["label"], one["group"], one["disabled"]) for one in offered["options"]]
        assert told == [("Springfield", "Missouri", False), ("Chicago", "Illinois", True), ("Springfield", "Oregon", False)]  # fmt: skip
        person.do(Choose(type="choose", value="1"))
        assert "option" in (await person.until_told("error"))["message"]
        person.do(Choose(type="choose", value="2"))
        script = "frames[0].document.querySelector('select').selectedIndex"
        await eventually(lambda: value_of(browser, script), lambda it: it == 2, message="Oregon is chosen")


async def test_a_picker_in_a_shadow_root_is_offered_at_a_key_too(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    await browser.navigate(site.add("/in-shadow", IN_SHADOW))
    async with watching(pool) as person:
        await person.take()
        person.press("Tab", "Tab")
        await person.until(lambda: any(one["type"] == "field" and one["picker"] for one in person.told))
        since = len(person.told)
        person.press("ArrowDown", "ArrowDown", modifiers=1)
        assert (await person.until_told("field", since))["picker"]["name"] == "When"
        person.do(Choose(type="choose", value="2027-03-05T14:00"))
        await person.until_state(title="2027-03-05T14:00")


async def test_the_field_with_the_focus_names_the_keyboard_of_a_phone(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    await browser.navigate(site.add("/keyboards", KEYBOARDS))
    async with watching(pool) as person:
        await person.take()
        for at, keyboard in enumerate(("numeric", "tel", "email", "text", "")):
            person.click(100, 20 + 50 * at)

            def named(wanted: str = keyboard) -> bool:
                fields = [one for one in person.told if one["type"] == "field"]
                return bool(fields) and fields[-1]["keyboard"] == wanted

            await person.until(named)


async def test_frames_are_jpegs_of_the_page_and_a_page_that_rests_sends_no_more(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    await browser.navigate(site.url("/form"))
    async with watching(pool) as person:
        await person.until(lambda: person.frames)

        async def sent_meanwhile() -> int:
            before = len(person.frames)
            await asyncio.sleep(1.5)
            return len(person.frames) - before

        await eventually(sent_meanwhile, lambda it: it <= 1, message="the page rests")
        frame = person.frames[-1]
        with Image.open(io.BytesIO(frame.data)) as image:
            assert (image.format, image.size, (frame.width, frame.height)) == (
                "JPEG",
                (1280, 720),
                (1280, 720),
            )
            assert image.convert("L").getextrema()[0] < 100, "the picture is empty"
        assert (person.state["url"], person.state["title"]) == (site.url("/form"), "Form")
        assert person.state["viewport"] == [1280, 720]


async def test_a_moving_page_sends_at_most_twelve_frames_a_second(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    await browser.navigate(site.url("/animated"))
    async with watching(pool) as person:
        await person.until(lambda: len(person.frames) > 3)
        before, began = len(person.frames), time.monotonic()
        await person.until(lambda: len(person.frames) >= before + 36)
        rate = (len(person.frames) - before) / (time.monotonic() - began)
        assert rate <= 13


async def test_a_viewer_that_does_not_paint_gets_two_frames_and_holds_nobody_up(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    await browser.navigate(site.url("/animated"))
    async with watching(pool, paints=False) as slow, watching(pool) as quick:
        await quick.until(lambda: len(quick.frames) > 8)
        assert len(slow.frames) == 2
        passed = [frame.data for frame in quick.frames[:-1]]
        slow.viewer.ack()
        await slow.until(lambda: len(slow.frames) == 3)
        assert slow.frames[2].data not in passed, "it got a frame that the others have left behind"


async def test_nothing_is_captured_while_nobody_watches_and_newcomers_see_at_once(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    await browser.navigate(site.url("/animated"))
    captured: list[object] = []
    assert browser.monitor is not None
    stop = browser.monitor.cdp.on(
        "Page.screencastFrame", lambda params, _: captured.append(params["sessionId"])
    )
    async with watching(pool) as person:
        await person.until(lambda: captured)
        await browser.navigate(site.url("/form"))
        await person.until(lambda: person.state["title"] == "Form")
        await asyncio.sleep(0.5)
        async with watching(pool) as newcomer:
            await newcomer.until(lambda: newcomer.frames)
    await browser.navigate(site.url("/animated"))

    async def captured_meanwhile() -> int:
        before = len(captured)
        await asyncio.sleep(1)
        return len(captured) - before

    await eventually(captured_meanwhile, lambda it: it == 0, message="nothing is captured")
    stop()


async def test_only_the_holder_acts_and_a_second_taker_is_refused(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    from server.errors import Conflict

    await browser.navigate(site.url("/form"))
    async with watching(pool) as ann, watching(pool) as bob:
        with pytest.raises(Conflict):
            ann.click(10, 10)
        await ann.take()
        await bob.until_state(holder="other", held=True)
        with pytest.raises(Conflict) as refused:
            await bob.take()
        assert refused.value.code == "takeover_held"
        with pytest.raises(Conflict):
            bob.click(10, 10)
        with pytest.raises(Conflict):
            await bob.view.hand_back(bob.viewer)
        await ann.view.hand_back(ann.viewer)
        await bob.take()


async def test_clicks_and_typing_reach_the_page(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    await browser.navigate(site.url("/form"))
    async with watching(pool) as person:
        await person.take()
        listed = await person.elements()
        person.do(ClickElement(type="click", eid=listed["Name"]["eid"]))
        for letter in "Ann":
            person.press(letter, f"Key{letter.upper()}")
        person.press("Tab", "Tab")
        person.do(Text(type="text", text="Łódź 東京 🚢"))
        person.press("Enter", "Enter")
        await person.until_state(title="Thanks")
    assert site.effects[-1].fields["name"] == "Ann"
    assert site.effects[-1].fields["town"] == "Łódź 東京 🚢"


async def test_keys_are_real_keys_with_their_codes(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    await browser.navigate(site.url("/keys"))
    async with watching(pool) as person:
        await person.take()
        for letter in "abc":
            person.press(letter, f"Key{letter.upper()}")
        person.press("Backspace", "Backspace")
        person.press("Tab", "Tab")
        person.do(Text(type="text", text="old"))
        person.press("a", "KeyA", modifiers=2)
        person.press("Z", "KeyZ", modifiers=8)
        person.press("Tab", "Tab")
        person.press("я", "KeyZ")
        person.press("Enter", "Enter")
        person.do(Text(type="text", text="two\nthree"))
        person.press("Escape", "Escape")
        await person.view.hand_back(person.viewer)
    values = await value_of(browser, "[one.value, two.value, three.value].join('|')")
    assert values == "ab|Z|я\ntwo\nthree"
    seen = (await value_of(browser, "seen.join(';')")).split(";")
    assert "Backspace Backspace 8 false true" in seen
    assert "a KeyA 65 true true" in seen
    assert "Escape Escape 27 false true" in seen


async def test_dragging_and_the_wheel(pool: BrowserPool, browser: SessionBrowser, site: Site) -> None:
    site.add(
        "/drag",
        document(
            "Drag",
            """<body style="margin:0;height:5000px"><script>
        let from = 0; addEventListener('mousedown', e => from = e.clientX);
        addEventListener('mousemove', e => { if (e.buttons == 1) document.title = 'dragged ' + (e.clientX - from) });
        addEventListener('dblclick', () => document.title = 'double')</script>""",
        ),
    )
    await browser.navigate(site.url("/drag"))
    async with watching(pool) as person:
        await person.take()
        person.do(Mouse(type="mouse", kind="down", x=100, y=100), Mouse(type="mouse", kind="move", x=160, y=100),
                  Mouse(type="mouse", kind="up", x=160, y=100))  # fmt: skip
        await person.until_state(title="dragged 60")
        for clicks in (1, 2):
            person.do(*(Mouse(type="mouse", kind=kind, x=50, y=50, clicks=clicks) for kind in ("down", "up")))
        await person.until_state(title="double")
        person.do(Wheel(type="wheel", x=100, y=100, dy=300), Wheel(type="wheel", x=100, y=100, dy=300))
        await person.until(lambda: person.frames and person.frames[-1].scroll[1] == 600)


async def test_what_is_pressed_is_let_go_when_its_owner_leaves(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    site.add(
        "/holding",
        document(
            "Holding",
            """<script>addEventListener('keydown', e => document.title = 'down ' + e.key);
        addEventListener('keyup', e => document.title = 'up ' + e.key)</script>""",
        ),
    )
    await browser.navigate(site.url("/holding"))
    async with watching(pool) as other:
        async with watching(pool) as person:
            await person.take()
            person.do(KeyPress(type="key", kind="down", key="Shift", code="ShiftLeft", modifiers=8))
            await person.until_state(title="down Shift")
        await other.until_state(title="up Shift", holder="none", held=True)


async def test_the_list_of_elements_serves_people_without_a_pointer(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    await browser.navigate(site.url("/choices"))
    async with watching(pool) as person:
        await person.take()
        listed = await person.elements()
        assert "Not yet" not in listed
        assert (listed["Town"]["role"], listed["Town"]["value"]) == ("combobox", "Rome")
        person.do(TypeInto(type="type", eid=listed["Town"]["eid"], text="łódź"))
        await person.until_state(title="town 2")
        person.do(TypeInto(type="type", eid=listed["Day"]["eid"], text="2026-11-22"))
        await person.until_state(title="day 2026-11-22")
        person.do(TypeInto(type="type", eid=listed["Far"]["eid"], text="new"))
        await person.until_state(title="far new")
        person.do(ClickElement(type="click", eid=listed["Inner"]["eid"]))
        await person.until_state(title="inside")
        person.do(TypeInto(type="type", eid=listed["Town"]["eid"], text="Atlantis"))
        assert (await person.until_told("error"))["message"] == "There is no such option."


async def test_the_list_of_a_page_that_goes_on_loading_tells_so_and_completes_itself(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    await browser.navigate(site.url("/form"))
    async with watching(pool) as person:
        await person.take()
        person.do(Go(type="go", url=site.url("/growing?seconds=6")))
        await person.until_state(title="Growing")
        person.view.act(person.viewer, None)

        def lists() -> list[dict[str, Any]]:
            return [one for one in person.told if one["type"] == "elements"]

        await person.until(lambda: lists() and not lists()[-1]["loading"])
        first, last = (
            {item["name"]: item["eid"] for item in told["items"]} for told in (lists()[0], lists()[-1])
        )
        assert lists()[0]["loading"]
        assert set(last) == {"First", "Last"}
        assert first == {"First": last["First"]}


async def test_tabs_that_open_are_followed_and_the_agent_goes_on_where_the_person_left(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    await browser.navigate(site.url("/new-tab"))
    async with watching(pool) as person:
        await person.take()
        person.do(ClickElement(type="click", eid=(await person.elements())["In a new tab"]["eid"]))
        await person.until_state(title="Form")
        await person.until(lambda: [tab["active"] for tab in person.state["tabs"]] == [False, True])
        shown = len(person.frames)
        person.do(SwitchTab(type="tab", index=0))
        await person.until_state(title="New tab")
        await person.until(lambda: len(person.frames) > shown)
        person.do(SwitchTab(type="tab", index=1))
        await person.until_state(title="Form")
        person.do(SwitchTab(type="tab", index=7))
        assert (await person.until_told("error"))["message"] == "There is no such tab."
        changes = await person.view.hand_back(person.viewer)
    assert f"The page is now {site.url('/form')}." in changes
    assert "2 tabs are open, 1 were." in changes
    assert (await browser.observe()).page.url == site.url("/form")


async def test_the_picture_follows_the_tab_of_the_agent(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    await browser.navigate(site.url("/form"))
    async with watching(pool) as person:
        await person.until_state(title="Form")
        await browser.call("browser_tabs", {"action": "new", "url": site.url("/animated")})
        await person.until_state(title="Animated")
        moving = len(person.frames)
        await person.until(lambda: len(person.frames) > moving + 5)
        await browser.switch_tab(0)
        await person.until_state(title="Form")
        await person.until(lambda: [tab["active"] for tab in person.state["tabs"]] == [True, False])


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "chrome://settings", "javascript:alert(1)", "http://blocked.example/"]
)
async def test_a_person_goes_only_where_the_agent_may(
    pool: BrowserPool, browser: SessionBrowser, site: Site, address: str
) -> None:
    await browser.navigate(site.url("/form"))
    async with watching(pool) as person:
        await person.take()
        person.do(Go(type="go", url=address))
        error = await person.until_told("error")
        assert (error["code"], error["message"][:10]) == ("refused", "Not opened")
        assert person.state["url"] == site.url("/form")


async def test_going_back_and_reloading(pool: BrowserPool, browser: SessionBrowser, site: Site) -> None:
    await browser.navigate(site.url("/links"))
    async with watching(pool) as person:
        await person.take()
        person.do(Go(type="go", url=f"127.0.0.1:{site.port}/form"))
        await person.until_state(title="Form")
        person.do(Back(type="back"))
        await person.until_state(title="Links")
        asked = len(site.paths)
        person.do(Reload(type="reload"))
        await person.until(lambda: "/links" in site.paths[asked:])


async def test_an_address_without_scheme_finds_a_local_site_that_has_no_certificate(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    await browser.navigate(site.url("/links"))
    async with watching(pool) as person:
        await person.take()
        person.do(Go(type="go", url=f"https://127.0.0.1:{site.port}/form"))
        await person.until_state(security="error")
        person.do(Go(type="go", url=f"localhost:{site.port}/form"))
        await person.until_state(title="Form", security="plain", url=f"http://localhost:{site.port}/form")


async def test_dialogs_are_told_and_answered_by_the_person(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    site.add(
        "/asks",
        document(
            "Asks",
            """<button onclick="document.title = prompt('Your name?')">Ask</button>
        <button onclick="alert('Careful'); document.title='warned'">Warn</button>""",
        ),
    )
    await browser.navigate(site.url("/asks"))
    async with watching(pool) as person:
        await person.take()
        listed = await person.elements()
        person.do(ClickElement(type="click", eid=listed["Ask"]["eid"]))
        await person.until_state(dialog={"kind": "prompt", "message": "Your name?"})
        person.do(AnswerDialog(type="dialog", accept=True, text="Ann"))
        await person.until_state(dialog=None, title="Ann")
        person.do(ClickElement(type="click", eid=listed["Warn"]["eid"]))
        await person.until_state(dialog={"kind": "alert", "message": "Careful"})
        person.do(AnswerDialog(type="dialog", accept=True))
        await person.until_state(dialog=None, title="warned")


async def test_the_page_takes_the_size_of_the_persons_window_and_gets_its_own_back(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    await browser.navigate(site.url("/form"))
    async with watching(pool) as person:
        await person.take()
        person.do(Resize(type="resize", width=390, height=800))
        await person.until_state(viewport=[390, 800])
        await person.until(
            lambda: [(frame.width, frame.height) for frame in person.frames[-1:]] == [(390, 800)]
        )
        await person.view.hand_back(person.viewer)
        await person.until_state(viewport=[1280, 720])
    await eventually(lambda: value_of(browser, "innerWidth"), lambda it: it == 1280, message="its own width")


async def test_the_note_tells_facts_and_no_values(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    await browser.navigate(site.url("/login"))
    async with watching(pool) as person:
        await person.take()
        person.do(
            ClickElement(type="click", eid=(await person.elements())["User"]["eid"]),
            Text(type="text", text="ann-77"),
        )
        person.press("Tab", "Tab")
        person.do(Text(type="text", text="hunter-22"))
        person.press("Enter", "Enter")
        await person.until_state(title="Private")
        changes = await person.view.hand_back(person.viewer)
    assert changes == (
        f'The page is now {site.url("/private")}. Its title is "Private". Appeared: heading "Welcome back, Ann". '
        'Values were entered in "User", "Password".'
    )
    assert site.effects[-1] == Effect("login", {"user": "ann-77", "password": "hunter-22"})


async def test_what_a_person_does_at_once_is_told_too(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    await browser.navigate(site.url("/login"))
    async with watching(pool) as person:
        await person.view.take(person.viewer)
        person.do(Go(type="go", url=site.url("/links")))
        await person.until_state(title="Links")
        changes = await person.view.hand_back(person.viewer)
    assert changes.startswith(f"The page is now {site.url('/links')}.")


async def test_the_agents_calls_are_refused_and_seeing_waits_while_a_person_has_the_browser(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    await browser.navigate(site.url("/form"))
    async with watching(pool) as person:
        await person.take()
        assert await browser.screenshot() is None
        outcome = await browser.navigate(site.url("/links"))
        assert (outcome.ok, outcome.text) == (False, "A person has the browser now: nothing was done.")
        seeing = asyncio.create_task(browser.observe())
        person.do(Go(type="go", url=site.url("/links")))
        await person.until_state(title="Links")
        assert not seeing.done()
        await person.view.hand_back(person.viewer)
        assert (await asyncio.wait_for(seeing, 60)).page.title == "Links"
        assert await browser.screenshot() is not None


async def test_a_browser_that_dies_under_a_person_is_opened_again(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    await browser.navigate(site.url("/form"))
    async with watching(pool) as person:
        await person.take()
        assert browser.chromium is not None
        os.kill(browser.chromium.pid, signal.SIGKILL)
        await person.until_state(browser="restarted", holder="me")
        person.do(Go(type="go", url=site.url("/form")))
        await person.until_state(title="Form")
        shown = len(person.frames)
        person.do(Text(type="text", text="x"), Reload(type="reload"))
        await person.until(lambda: len(person.frames) > shown)
        await person.view.hand_back(person.viewer)
    assert (await browser.observe()).page.title == "Form"


async def test_taking_opens_a_closed_browser(tmp_path: Path, site: Site) -> None:
    async with open_pool(tmp_path) as pool, watching(pool) as person:
        await person.until_state(browser="closed", url=None)
        await person.take()
        person.do(Go(type="go", url=site.url("/form")))
        await person.until_state(title="Form")
        await person.until(lambda: person.frames)
        await person.view.hand_back(person.viewer)
        browser = await pool.get("main")
        assert (await browser.observe()).page.title == "Form"


async def test_a_browser_that_cannot_be_started_is_told_in_words(tmp_path: Path) -> None:
    async with open_pool(tmp_path, browser_executable=tmp_path / "nothing") as pool, watching(pool) as person:
        await person.view.take(person.viewer)
        assert (await person.until_told("error"))["code"] == "browser_unavailable"
