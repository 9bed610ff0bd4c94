"""Manual commands: an eid is valid for the page that was shown, a confirmation for the page that was asked about."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from server.browser.browser import Browser
from server.extras.mock.pool import MockBrowsers
from server.settings import Settings
from tests.support.chat import send, wait_for_status
from tests.support.scripted_browser import ScriptedBrowser

URL = "https://shop.example/"
PAGE = """\
- heading "{heading}" [level=1] [ref=h1] [box=0,0,200,20]
- textbox "Name" [ref=n1] [box=0,30,200,20]
- button "{name}" [ref=b1] [box=0,60,200,20]"""


def page(name: str, heading: str = "Offers", before: str = "") -> str:
    return before + PAGE.format(name=name, heading=heading)


class Hands:
    """One session whose scripted browser is driven over HTTP."""

    def __init__(self, client: httpx.AsyncClient, browser: ScriptedBrowser, session_id: str) -> None:
        self._client, self.browser, self.session_id = client, browser, session_id
        self._address = f"/api/sessions/{session_id}"

    async def send(self, tool: str, **body: Any) -> httpx.Response:
        return await self._client.post(f"{self._address}/browser/{tool}", json=body)

    async def look(self, name: str) -> dict[str, str]:
        """Observe; the eid of the element with this name, and the observation that it is of."""
        seen = (await self.send("observe")).json()
        eid = next(element["eid"] for element in seen["interactive"] if element["name"] == name)
        return {"eid": eid, "observation": seen["id"]}

    def show(self, snapshot: str) -> None:
        self.browser.pages[URL] = snapshot


class OneBrowser(MockBrowsers):
    """Every session gets the same scripted browser."""

    def __init__(self, settings: Settings, browser: ScriptedBrowser) -> None:
        super().__init__(settings)
        self._browser = browser

    async def get(self, session_id: str) -> Browser:  # type: ignore[override]
        return self._browser


@pytest.fixture
async def hands(app: FastAPI, client: httpx.AsyncClient, settings: Settings) -> Hands:
    browser = ScriptedBrowser({URL: page("Show more")}, url=URL)
    world = await app.state.starting.runtime()
    world.browsers = OneBrowser(settings, browser)
    session = (await client.post("/api/sessions", json={})).json()
    return Hands(client, browser, session["id"])


def refusal(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


UNKNOWN, ASKED = (404, "eid_unknown"), (409, "confirmation_required")


async def test_what_is_still_as_it_was_seen_is_clicked(hands: Hands) -> None:
    seen = await hands.look("Show more")
    hands.show(page("Show more", before='- button "New" [ref=x1] [box=0,100,20,20]\n'))
    assert (await hands.send("click", **seen)).json()["ok"]
    assert hands.browser.log == ["click Show more"]


@pytest.mark.parametrize("confirmed", [False, True])
async def test_a_button_that_changed_in_the_same_document_is_not_pressed(
    hands: Hands, confirmed: bool
) -> None:
    seen = await hands.look("Show more")
    hands.show(page("Delete my account"))
    refused = await hands.send("click", eid=seen["eid"], confirmed=confirmed)
    assert refusal(refused) == UNKNOWN
    assert hands.browser.log == []
    looked = await hands.look("Delete my account")
    assert refusal(await hands.send("click", **looked)) == ASKED


async def test_a_button_that_means_more_by_now_is_asked_about(hands: Hands) -> None:
    hands.show(page("Continue", "Step 1 of 3"))
    seen = await hands.look("Continue")
    hands.show(page("Continue", "Your order will be placed now"))
    assert refusal(await hands.send("click", **seen)) in (UNKNOWN, ASKED)
    assert hands.browser.log == []


async def test_a_page_that_is_gone_or_cannot_be_read_is_not_clicked(hands: Hands) -> None:
    seen = await hands.look("Show more")
    hands.show("")
    assert refusal(await hands.send("click", **seen)) == UNKNOWN
    hands.show(page("Show more"))
    seen = await hands.look("Show more")
    hands.browser.pages[f"{URL}#other"] = page("Show more")
    hands.browser.url = f"{URL}#other"
    assert refusal(await hands.send("click", **seen)) == UNKNOWN
    assert hands.browser.log == []


async def test_an_eid_is_one_of_the_observation_that_it_was_read_in(hands: Hands) -> None:
    first = await hands.look("Show more")
    second = await hands.look("Show more")
    assert refusal(await hands.send("click", **first)) == UNKNOWN
    typed = await hands.send("type", text="Ann", **first)
    assert refusal(typed) == UNKNOWN
    closer = {"mode": "focused", "target": first["eid"], "observation": first["observation"]}
    assert refusal(await hands.send("observe", **closer)) == UNKNOWN
    assert (await hands.send("click", **second)).json()["ok"]
    assert refusal(await hands.send("click", **second)) == UNKNOWN


async def test_after_another_address_was_opened_every_eid_is_unknown(hands: Hands) -> None:
    seen = await hands.look("Show more")
    await hands.send("launch", url=URL)
    assert refusal(await hands.send("click", **seen)) == UNKNOWN


async def test_typing_goes_on_with_one_observation(hands: Hands) -> None:
    seen = await hands.look("Name")
    for text in ("Ann", "Bob"):
        assert (await hands.send("type", text=text, **seen)).json()["ok"]
    assert hands.browser.values == {"Name": "Bob"}


async def test_a_confirmation_is_for_the_page_that_was_asked_about(hands: Hands) -> None:
    total = "\n- paragraph [ref=p1] [box=0,90,200,20]: Total {}"
    hands.show(page("Place order") + total.format("€4"))
    seen = await hands.look("Place order")
    assert refusal(await hands.send("click", **seen)) == ASKED
    hands.show(page("Place order") + total.format("€4000"))
    assert refusal(await hands.send("click", confirmed=True, **seen)) == ASKED
    assert hands.browser.log == []
    assert (await hands.send("click", confirmed=True, **seen)).json()["ok"]
    assert hands.browser.log == ["click Place order"]


async def test_a_person_at_the_wheel_keeps_the_browser(hands: Hands, app: FastAPI) -> None:
    seen = await hands.look("Show more")
    view = (await app.state.starting.runtime()).browsers.live(hands.session_id)
    await view.take(view.join())
    assert refusal(await hands.send("click", **seen)) == (409, "takeover_held")
    assert refusal(await hands.send("observe")) == (409, "takeover_held")
    assert hands.browser.log == []


async def test_a_run_at_work_keeps_the_browser(hands: Hands, client: httpx.AsyncClient) -> None:
    seen = await hands.look("Show more")
    await send(client, hands.session_id, "slow story")
    await wait_for_status(client, hands.session_id, "running")
    assert refusal(await hands.send("click", **seen)) == (409, "run_in_progress")
    assert refusal(await hands.send("observe")) == (409, "run_in_progress")
    assert hands.browser.log == []


async def test_what_needs_no_element_is_done_as_it_is_told_and_else_in_the_usual_way(hands: Hands) -> None:
    await hands.send("scroll")
    await hands.send("scroll", direction="left", amount=5)
    await hands.send("wait")
    await hands.send("wait", ms=7)
    await hands.send("launch", url=URL)
    await hands.send("launch")
    done = [
        "scroll down 600",
        "scroll left 5",
        "wait 1000",
        "wait 7",
        f"navigate {URL}",
        "navigate about:blank",
    ]
    assert hands.browser.log == done


async def test_a_closer_look_needs_its_element(hands: Hands) -> None:
    assert refusal(await hands.send("observe", mode="focused")) == (422, "no_target")
    seen = await hands.look("Show more")
    closer = await hands.send("observe", mode="focused", target=seen["eid"])
    assert closer.status_code == 200
    assert closer.json()["id"] != seen["observation"]


async def test_a_server_alone_gives_its_browser_to_nobody(hands: Hands) -> None:
    assert (await hands.send("leave")).status_code == 404


async def test_a_picture_by_hand_is_kept(hands: Hands) -> None:
    shown = (await hands.send("screenshot")).json()
    assert shown["ok"]
    assert shown["screenshot"]


async def test_an_unconfirmed_text_is_not_sent(hands: Hands) -> None:
    hands.show(
        '- form "Message" [ref=f1]:\n  - textbox "Message to Ann" [ref=n1]\n  - button "Send" [ref=b1]'
    )
    seen = await hands.look("Message to Ann")
    assert refusal(await hands.send("type", text="Hi", submit=True, **seen)) == ASKED
    assert hands.browser.log == []
    assert (await hands.send("type", text="Hi", **seen)).json()["ok"]
    assert hands.browser.log == ["type Message to Ann=Hi"]


async def test_what_was_seen_may_be_confirmed_at_once(hands: Hands) -> None:
    hands.show(page("Place order"))
    seen = await hands.look("Place order")
    assert (await hands.send("click", confirmed=True, **seen)).json()["ok"]
