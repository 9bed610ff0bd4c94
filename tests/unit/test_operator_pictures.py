"""When a model that sees gets a picture of the page, and how large it is."""

from __future__ import annotations

import base64
import io
from typing import Any

import pytest
from PIL import Image

from server.agent.models.pictures import long_side_for
from server.agent.operator.plan.prompts import POINT_RULES
from server.agent.operator.see.observing import DRAWN_SHARE
from tests.support.operator_world import World, world
from tests.support.scripted_model import act, click, navigate, stop

SHOP, OTHER = "https://shop.example/", "https://shop.example/other"
PAGES = {
    SHOP: '- heading "Shop" [level=1] [ref=s1] [box=0,0,200,20]\n- button "More" [ref=s2] [box=0,30,90,20]',
    OTHER: '- heading "Other" [level=1] [ref=o1] [box=0,0,200,20]',
}


def jpeg() -> bytes:
    out = io.BytesIO()
    Image.effect_noise((1280, 720), 60).convert("RGB").save(out, "JPEG", quality=85)
    return out.getvalue()


def looking(*turns: Any, **options: Any) -> World:
    it = world(dict(PAGES), turns, url=SHOP, options=options)
    it.model.profile = {"image_inputs": True}
    it.browser.draw = jpeg
    it.build()
    return it


def pictures(it: World) -> list[bytes | None]:
    """The picture of each call."""
    found = []
    for asked in it.model.asked:
        blocks = asked[-1].content if isinstance(asked[-1].content, list) else []
        data = [part["base64"] for part in blocks if isinstance(part, dict) and part["type"] == "image"]
        found.append(base64.b64decode(data[0]) if data else None)
    return found


def shown(it: World) -> list[bool]:
    return [one is not None for one in pictures(it)]


async def test_the_first_look_at_each_page_has_a_picture() -> None:
    it = looking(click("More"), act("wait"), navigate(OTHER), act("wait"), stop("ok"))
    await it.say("look around")
    assert shown(it) == [True, False, False, True, False]


async def test_points_are_offered_at_the_turns_that_have_a_picture() -> None:
    it = looking(click("More"), act("wait"), navigate(OTHER), act("wait"), stop("ok"), points=True)
    await it.say("look around")
    assert [POINT_RULES in prompt for prompt in it.model.prompts] == shown(it)
    assert shown(it) == [True, False, False, True, False]


async def test_an_answer_that_cannot_be_used_is_asked_for_again_with_the_picture() -> None:
    it = looking("just words", click("More"), stop("ok"))
    await it.say("look around")
    assert shown(it) == [True, True, False]


async def test_a_picture_that_was_asked_for_is_shown() -> None:
    it = looking(act("wait"), act("screenshot"), act("wait"), stop("ok"))
    await it.say("look around")
    assert shown(it) == [True, False, True, False]


@pytest.mark.parametrize(("share", "expected"), [(DRAWN_SHARE, True), (DRAWN_SHARE - 0.01, False)])
async def test_a_page_that_is_drawn_is_always_shown(share: float, expected: bool) -> None:
    it = looking(act("wait"), act("wait"), stop("ok"))
    it.browser.drawn = share
    await it.say("look around")
    assert shown(it) == [True, expected, expected]


async def test_controls_without_names_are_shown() -> None:
    it = looking(act("wait"), act("wait"), stop("ok"))
    icons = "\n".join(f"- button [ref=i{at}] [box={at * 30},60,20,20]" for at in range(4))
    it.browser.pages[SHOP] += "\n" + icons
    await it.say("look around")
    assert shown(it) == [True, True, True]


@pytest.mark.parametrize(("vision", "expected"), [("never", [False] * 3), ("always", [True] * 3)])
async def test_the_setting_decides(vision: str, expected: list[bool]) -> None:
    it = looking(act("screenshot"), act("wait"), stop("ok"), vision=vision)
    it.browser.drawn = 1.0
    await it.say("look around")
    assert shown(it) == expected


async def test_a_model_that_does_not_see_gets_none() -> None:
    it = looking(act("screenshot"), stop("ok"))
    it.model.profile = {"image_inputs": False}
    it.build()
    await it.say("look around")
    assert shown(it) == [False, False]


async def test_a_picture_is_small() -> None:
    it = looking(stop("ok"))
    await it.say("look around")
    (picture,) = pictures(it)
    assert picture is not None
    with Image.open(io.BytesIO(picture)) as image:
        assert (image.format, image.size) == ("JPEG", (1024, 576))
    assert len(picture) < len(jpeg()) / 2
    with Image.open(io.BytesIO(it.kept[-1].data)) as kept:
        assert kept.size == (1280, 720)


@pytest.mark.parametrize(("provider", "side"), [("google", 768), ("anthropic", 1024), ("openai", 1024)])
def test_each_provider_gets_the_size_that_it_reads_cheaply(provider: str, side: int, tmp_path: Any) -> None:
    from server.agent.models.chat_model import build_chat_model
    from tests.support.browsers import settings_for

    keys = {"google_api_key": "k", "anthropic_api_key": "k", "openai_api_key": "k"}
    names = {"google": "gemini-2.5-flash", "anthropic": "claude-haiku-4-5", "openai": "gpt-5-mini"}
    model = build_chat_model(f"{provider}:{names[provider]}", settings_for(tmp_path, **keys))
    assert long_side_for(model) == side
