"""A text in several boxes, such as a code, is one control; no sign of a secret one is shown to a model."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import pytest
import pytest_asyncio
from PIL import Image

from server.browser.browser import Browser, Field
from server.browser.mcp.session_browser import SessionBrowser
from server.browser.observation import Element
from server.browser.pool import BrowserPool
from tests.support.browsers import element
from tests.support.operator_tasks import task
from tests.support.scripted_model import act, navigate, stop
from tests.support.sites import Site
from tests.support.widgets import add_widget

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(300)]


def boxes(head: str, label: str, many: int, attributes: str, *, moves: bool = True) -> str:
    each = [f'<input aria-label="{label} {at + 1}" {attributes}>' for at in range(many)]
    script = """<script>const x = [...document.querySelectorAll('input')]
    x.forEach((f, i) => f.addEventListener('keyup', () => { if (f.value.length === f.maxLength && x[i + 1]) x[i + 1].focus() }))
    </script>"""
    other = "<p><label>Pieces <input value=3></label></p>"
    return f"<h1>{head}</h1><div>{''.join(each)}</div>{script if moves else ''}{other}<p>3 of 9</p>"


CODE = boxes("Enter the code we sent", "Digit", 6, "maxlength=1 size=1 inputmode=numeric")
OTP = boxes("Log in", "Sign", 6, "maxlength=1 size=1 autocomplete=one-time-code", moves=False)
CARD = boxes("Pay", "Card number part", 4, "maxlength=4 size=4")
POSTCODE = boxes("Your address", "Postcode digit", 6, "maxlength=1 size=1")
VOUCHER = boxes("Redeem a voucher", "Voucher part", 4, "maxlength=4 size=4")
DATE = "<label>Day <input maxlength=2></label><label>Month <input maxlength=2></label><label>Year <input maxlength=4></label>"
TWINS = "<form><label>Name <input maxlength=5></label><label>Name <input maxlength=5></label></form>"


@pytest_asyncio.fixture(loop_scope="module")
async def browser(either_pool: BrowserPool) -> Browser:
    return await either_pool.get("boxes")


async def page_value(browser: Browser) -> str:
    assert isinstance(browser, SessionBrowser)
    script = "() => [...document.querySelectorAll('div input')].map(one => one.value).join('')"
    return str(await browser._calls.here.run(script))


async def first_field(browser: Browser) -> Element:
    for _ in range(50):
        if found := [one for one in (await browser.observe()).interactive if one.role == "textbox"]:
            return found[0]
        await browser.wait(100)
    raise AssertionError("no field")


@pytest.mark.parametrize(
    ("page", "text", "held"),
    [
        (CODE, "739154", "739154"), (OTP, "739154", "739154"), (CARD, "4111 1111 1111 1234", "4111111111111234"),
    ],
    ids=["code", "otp", "card"],
)  # fmt: skip
async def test_no_sign_of_a_secret_text_is_shown(
    browser: Browser, widgets: Site, page: str, text: str, held: str
) -> None:
    await browser.navigate(widgets.add("/boxes", page))
    field = await first_field(browser)
    assert field.secret
    outcome = await browser.type([Field(field, text)])
    assert (outcome.ok, outcome.notes, await page_value(browser)) == (True, (), held)
    seen = await browser.observe()
    (boxes,) = (one for one in seen.interactive if one.secret)
    assert (boxes.filled, boxes.value, element(seen, "Pieces").value) == (True, None, "3")
    assert "3 of 9" in seen.text()
    shown = seen.text().replace("3 of 9", "").replace('value="3"', "").partition("\n# ")[2]
    assert not [sign for sign in "7654" if sign in shown], shown
    read = (await browser.read_page()).text + await browser.text_near(boxes) + outcome.text
    assert held not in read
    assert text not in read


@pytest.mark.parametrize("name", ["otp", "otp-boxes"])
async def test_no_sign_of_a_code_in_a_widget_is_shown_or_drawn(
    browser: Browser, widgets: Site, name: str
) -> None:
    await browser.navigate(add_widget(widgets, name))
    field = await first_field(browser)
    outcome = await browser.type([Field(field, "739154")])
    assert (outcome.ok, outcome.notes, await page_value(browser)) == (True, (), "739154")
    seen = await browser.observe()
    (field,) = (one for one in seen.interactive if one.role == "textbox")
    shown = re.sub(r"\[e\d+\]", "", seen.text().partition("\n# ")[2]) + await browser.text_near(field)
    assert not set("739154") & set(shown), shown
    picture = await browser.screenshot()
    assert picture is not None
    assert isinstance(browser, SessionBrowser)
    image = Image.open(io.BytesIO(picture.data)).convert("L")
    boxes = [one.box for one in (await browser._calls.here.look(brief=True)).secrets if one.box[2]]
    assert boxes
    for x, y, width, height in boxes:
        inside = image.crop((int(x) + 3, int(y) + 3, int(x + width) - 3, int(y + height) - 3))
        assert inside.getextrema()[0] > 100, "a sign is drawn in black on white"


@pytest.mark.parametrize(
    ("page", "name", "text", "held"),
    [(POSTCODE, "Postcode digit", "LS29AB", "LS29AB"), (VOUCHER, "Voucher part", "ABCD-EFGH-1234-5678", "ABCDEFGH12345678")],
)  # fmt: skip
async def test_other_texts_in_boxes_are_one_field_with_their_value(
    browser: Browser, widgets: Site, page: str, name: str, text: str, held: str
) -> None:
    await browser.navigate(widgets.add("/boxes", page))
    field = element(await browser.observe(), name)
    outcome = await browser.type([Field(field, text)])
    assert (outcome.ok, outcome.notes, await page_value(browser)) == (True, (), held)
    assert element(await browser.observe(), name).value == held
    refused = await browser.type([Field(element(await browser.observe(), name), text * 2)])
    assert (refused.ok, await page_value(browser)) == (False, held)


async def test_parts_of_a_date_stay_fields_of_their_own(browser: Browser, widgets: Site) -> None:
    for page, names in ((DATE, ["Day", "Month", "Year"]), (TWINS, ["Name", "Name"])):
        await browser.navigate(widgets.add("/date", page))
        assert [one.name for one in (await browser.observe()).interactive] == names


async def test_a_run_keeps_no_sign_of_a_code_in_boxes(browser: Browser, widgets: Site) -> None:
    """One that the agent was given and types, and one that the person writes over it."""
    page = widgets.add("/boxes", CODE)
    assert isinstance(browser, SessionBrowser)
    code = "739154"

    def enter(prompt: str) -> dict[str, Any]:
        found = re.search(r"\[(e\d+)\] textbox \"Digit", prompt)
        assert found, prompt
        return act("type", eid=found[1], text="864205")

    async with task(browser, navigate(page), enter, act("wait", seconds=1), stop("Typed.")) as it:
        assert await it.say("enter the code") is None
        assert it.question is not None
        assert "864205" not in json.dumps(it.question)
        write = f"() => [...document.querySelectorAll('div input')].forEach((one, at) => {{ one.value = '{code}'[at] }})"
        assert await it.answer(True) == "Typed."
        await browser._calls.here.run(write)
        seen = (await browser.observe()).text() + (await browser.read_page()).text
        rows = json.dumps(it.told)
        later = it.options["server"].requests[-1].text
    assert "864205" not in rows + later
    assert not re.search("7.?3.?9.?1.?5.?4", seen)
