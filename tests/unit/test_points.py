"""Acts at points of a picture: mapping, refusal, recognition of what is there, and how the gate judges it."""

from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image, ImageDraw

from server.agent.actions import ClickAction, DragAction, Point, aim, read_action
from server.agent.gate.approval import approval_digest, retarget
from server.agent.gate.gate import Gate
from server.agent.gate.masking import masked
from server.agent.gate.rulings import Ruling
from server.agent.gate.shown_page import ShownPage
from server.agent.gate.subjects import subjects_of
from server.agent.operator.act.acting import problem_of
from server.agent.operator.plan.move import Move, Offer, move_schema, to_action
from server.agent.operator.plan.offering import offers_points
from server.agent.operator.plan.prompts import POINT_RULES
from server.agent.operator.see.observing import ShownPicture
from server.agent.operator.see.pointing import on_page
from server.agent.policy import Subject, assess
from server.agent.trail import trail_of
from server.browser.browser import PagePicture, PagePoint
from server.browser.observation import Clickable, Extra, Observation, observe_snapshot
from server.browser.observation.points import POINT, Layer, Layers, find_hit
from server.browser.pictures import drawings_at, is_same_drawing, shrink
from server.extras.mock.browser import MockBrowser
from tests.support.operator_world import World, world
from tests.support.scripted_model import act, stop

URL = "https://shop.example/board"
PAGE = """\
- heading "Board" [level=1] [ref=p1] [box=0,0,200,20]
- button "Pay now" [ref=p2] [box=100,100,200,60]
- slider "Light" [ref=p3] [box=100,200,40,40]
- link "Help" [ref=p4] [box=100,300,80,20]:
  - /url: /help
- generic [ref=p5] [cursor=pointer] [box=600,300,200,100]: Card"""
WINDOW = (Layer(tag="body", box=(0, 0, 1280, 720)), Layer(tag="html", box=(0, 0, 1280, 720)))
CANVAS = Layer(tag="canvas", name="Board", hint="board", box=(700, 0, 500, 500))


def layers(*inner: Layer, **more: Any) -> Layers:
    found = (*inner, *WINDOW)
    return Layers(layers=found, steps=tuple(f"{one.tag}:0" for one in found), **more)


BUTTON = Layer(tag="button", role="button", hint="", box=(100, 100, 200, 60), control=True)
THUMB = Layer(tag="div", role="slider", box=(100, 200, 40, 40), control=True)


def there(x: int, y: int) -> Layers:
    """What the page has at a point."""
    if x >= 700:
        return layers(CANVAS, surface=CANVAS.box)
    if 100 <= y <= 160:
        return layers(Layer(tag="span", box=(150, 120, 60, 20)), BUTTON)
    if 200 <= y <= 240 and x <= 140:
        return layers(THUMB)
    return layers(Layer(tag="div", box=(0, 400, 300, 100)))


def seen(
    *points: tuple[int, int], at: Any = there, view: str = "1280x720@0,0", page: str = PAGE
) -> Observation:
    found = observe_snapshot(page, url=URL, title="Board", extra=Extra(moment=f"1:{view}:s"))
    hits = (find_hit(x, y, at(x, y), found.interactive) for x, y in points)
    return found.model_copy(update={"hits": tuple(hit for hit in hits if hit)})


def click_at(x: int, y: int) -> ClickAction:
    return ClickAction(at=Point(x=x, y=y, picture="1:1280x720@0,0:s"))


def drag(start: tuple[int, int], end: tuple[int, int]) -> DragAction:
    (a, b), (c, d) = start, end
    return DragAction(at=Point(x=a, y=b, picture="m"), to=Point(x=c, y=d, picture="m"))


def judged(action: Any, page: Observation) -> tuple[str, str]:
    judgement = Gate().judge(aim(action, page))
    return judgement.verdict.value, judgement.kind


# Moves


@pytest.mark.parametrize(
    "given", [[410, 300], [410.4, 299.6], "410, 300", "(410,300)", {"x": 410, "y": 300}, ["410", "300"]]
)
def test_a_point_is_read_as_models_write_it(given: Any) -> None:
    action = to_action(Move.model_validate({"action": "click", "at": given}), "a")
    assert action.points == (Point(x=410, y=300),)


@pytest.mark.parametrize("given", [[], [1], [1, 2, 3, 4], "here", {"x": 1}, [None, 2], ["nan", 1], 7])
def test_what_is_no_point_leaves_the_action_without_one(given: Any) -> None:
    assert to_action(Move.model_validate({"action": "click", "at": given}), "a").points == ()


def test_an_element_goes_before_a_point() -> None:
    action = to_action(Move.model_validate({"action": "click", "at": [1, 2], "eid": "e3"}), "a")
    assert (action.eids, action.points) == (("e3",), ())


def test_a_drag_is_from_point_to_point_or_from_element_to_element() -> None:
    points = to_action(Move.model_validate({"action": "drag", "at": [1, 2], "to": [3, 4]}), "a")
    assert [(one.x, one.y) for one in points.points] == [(1, 2), (3, 4)]
    elements = to_action(Move.model_validate({"action": "drag", "eid": "[e1]", "to_eid": "e2"}), "a")
    assert elements.eids == ("e1", "e2")
    assert read_action(points.to_json()) == points


def test_an_act_at_a_point_stands_alone_in_its_move() -> None:
    then = [{"action": "click", "eid": "e1"}]
    assert Move.model_validate({"action": "click", "at": [1, 2], "then": then}).then == []


def test_only_models_that_see_are_offered_points() -> None:
    plain, offered = move_schema()["properties"], move_schema(offer=Offer(points=True))["properties"]
    assert set(offered) - set(plain) == {"at", "to", "to_eid"}
    assert set(offered["action"]["enum"]) - set(plain["action"]["enum"]) == {"double_click", "drag"}
    assert offered["at"] == {"type": "array", "items": {"type": "integer"}}


def test_points_are_offered_with_something_to_drag() -> None:
    card = observe_snapshot(PAGE, url=URL, extra=Extra(clickables=(
        Clickable(box=(600, 300, 200, 100), tag="draggable", name="Card", target="css=#c"),)))  # fmt: skip
    assert offers_points(None, card)
    assert not offers_points(None, observe_snapshot(PAGE, url=URL))
    assert not offers_points(ShownPicture({}), observe_snapshot(PAGE, url=URL))


@pytest.mark.parametrize(("sees", "points"), [(True, True), (True, False), (False, True)])
async def test_the_rules_of_points_are_sent_where_they_hold(sees: bool, points: bool) -> None:
    it = world({URL: PAGE}, [stop("ok")], url=URL, options={"points": points})
    it.model.profile = {"image_inputs": sees}
    it.build()
    await it.say("hello")
    assert (POINT_RULES in it.model.prompts[0]) == (sees and points)


# From the picture to the page


@pytest.mark.parametrize(
    ("size", "window", "expected"),
    [((1024, 576), None, (500, 250)), ((1280, 720), None, (400, 200)), ((1024, 576), (640, 360), (250, 125))],
)
def test_pixels_of_the_picture_become_css_pixels(size: Any, window: Any, expected: tuple[int, int]) -> None:
    """Also of a picture made smaller, and of a window with more than one pixel for a CSS pixel."""
    picture = PagePicture(b"", "image/jpeg", 1280, 720, "1:v:s", window=window)
    wide = window[0] if window else 1280
    action = to_action(Move.model_validate({"action": "click", "at": [400, 200]}), "a")
    (point,) = on_page(action, ShownPicture({}, picture, size, size[0] / wide)).points
    assert (point.x, point.y) == expected
    assert point.given == (400, 200)
    assert point.picture == "1:v:s"


def test_a_point_without_a_picture_of_a_page_stays_unusable() -> None:
    action = to_action(Move.model_validate({"action": "click", "at": [400, 200]}), "a")
    assert on_page(action, None).points[0].picture == ""
    assert on_page(action, ShownPicture({})).points[0].picture == ""


def drawing(color: str, moved: int = 0) -> PagePicture:
    image = Image.new("RGB", (1280, 720), "white")
    ImageDraw.Draw(image).rectangle((700 + moved, 100, 800 + moved, 160), fill=color)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=80)
    return PagePicture(out.getvalue(), "image/jpeg", 1280, 720)


def test_a_drawing_is_the_same_until_something_else_is_drawn_there() -> None:
    before, same, other, moved = (
        drawings_at(one, [(720, 130)])[0]
        for one in (drawing("red"), drawing("red"), drawing("blue"), drawing("red", 40))
    )
    assert is_same_drawing(before, same)
    assert not is_same_drawing(before, other)
    assert not is_same_drawing(before, moved)
    assert not is_same_drawing("", "")


def test_a_picture_for_a_model_is_small_and_of_its_shape() -> None:
    data, mime, size = shrink(drawing("red"), 768)
    assert (mime, size) == ("image/jpeg", (768, 432))
    assert len(data) < 20_000


# What is at a point


def test_a_point_inside_a_button_is_the_button() -> None:
    (hit,) = seen((160, 130)).hits
    assert (hit.element.role, hit.element.name, hit.key) == ("button", "Pay now", "button:0/body:0/html:0")


def test_a_control_that_the_observation_left_out_is_no_other_element() -> None:
    """A small control inside a listed card is not judged as the card."""
    icon = Layer(tag="a", role="link", box=(620, 320, 20, 20), control=True)
    card = Layer(tag="div", box=(600, 300, 200, 100))
    (hit,) = seen((630, 330), at=lambda x, y: layers(icon, card)).hits
    assert hit.element.role == POINT
    (hit,) = seen((630, 330), at=lambda x, y: layers(card)).hits
    assert (hit.element.role, hit.element.name) == ("clickable", "Card")
    assert judged(click_at(630, 330), seen((630, 330), at=lambda x, y: layers(icon, card))) == (
        "ask",
        "point",
    )


def test_a_column_of_cards_is_for_drops_only_and_no_point_in_it_counts_as_the_column() -> None:
    box = (600.0, 300.0, 200.0, 100.0)
    column = Clickable(box=box, tag="dropzone", name="Doing", target="css=#doing", listens=True)
    page = "- generic [ref=p5] [box=600,300,200,100]:\n  - paragraph [ref=p6] [box=600,300,200,20]: Doing"
    found = observe_snapshot(page, url=URL, extra=Extra(clickables=(column,)))
    assert [(one.eid, one.role, one.name) for one in found.interactive] == [("e1", "dropzone", "Doing")]
    hit = find_hit(630, 330, layers(Layer(tag="div", box=box)), found.interactive)
    assert hit is not None
    assert hit.element.role == POINT
    assert "only takes what is dragged to it" in (problem_of(ClickAction(eid="e1"), found, {}) or "")
    assert problem_of(DragAction(start="e1", end="e1"), found, {}) is None


def test_a_canvas_that_listens_to_clicks_is_still_a_surface() -> None:
    page = PAGE + "\n- generic [ref=p9] [cursor=pointer] [box=700,0,500,500]: board"
    (hit,) = seen((800, 100), page=page).hits
    assert [one.name for one in seen(page=page).interactive if one.box == CANVAS.box] == ["board"]
    assert hit.element.role == POINT


def test_a_frame_whose_content_is_unknown_is_never_panned() -> None:
    frame = Layer(tag="iframe", name="Map", box=(700, 0, 500, 500))
    page = seen(
        (800, 100), (900, 100), at=lambda x, y: layers(frame, beyond=(700, 0, 0, 0), surface=frame.box)
    )
    assert judged(drag((800, 100), (900, 100)), page) == ("ask", "point")


# The gate


def test_a_point_on_a_button_is_judged_as_the_button() -> None:
    page = seen((160, 130))
    by_point = Gate().judge(aim(click_at(160, 130), page))
    assert by_point == Gate().judge(aim(ClickAction(eid="e1"), page))
    assert (by_point.verdict.value, by_point.kind) == ("ask", "pay")


def test_a_click_on_a_canvas_asks() -> None:
    assert judged(click_at(800, 100), seen((800, 100))) == ("ask", "point")
    assert judged(click_at(800, 100), seen((800, 100), at=named("Map"))) == ("ask", "point")


def named(name: str, hint: str = "", **more: Any) -> Any:
    surface = CANVAS.model_copy(update={"name": name, "hint": hint})
    return lambda x, y: layers(surface, surface=surface.box, **more)


@pytest.mark.parametrize(
    ("at", "end", "verdict"),
    [
        (named("Map"), (1000, 100), "allow"),
        (named("", "leaflet-container"), (1000, 100), "allow"),
        (named("Карта"), (1000, 100), "allow"),
        (named("Board"), (1000, 100), "ask"),
        (named("Sign here"), (1000, 100), "ask"),
        (named("Map", bound="dialog"), (1000, 100), "ask"),
        (named("Map", bound="form"), (1000, 100), "ask"),
        (named("Map"), (830, 100), "allow"),
        (named("Map"), (829, 100), "ask"),
    ],
)
def test_only_a_long_drag_within_a_map_or_chart_needs_no_question(at: Any, end: Any, verdict: str) -> None:
    page = seen((800, 100), end, at=at, page='- heading "Places" [level=1] [ref=p1] [box=0,0,200,20]')
    assert judged(drag((800, 100), end), page)[0] == verdict


def test_a_page_with_money_or_consent_is_never_panned_unasked() -> None:
    text = '- heading "Checkout" [level=1] [ref=p1] [box=0,0,200,20]\n- paragraph [ref=p2] [box=0,50,200,20]: Total €49.90, your card will be charged'
    page = seen((800, 100), (1000, 100), at=named("Map"), page=text)
    assert judged(drag((800, 100), (1000, 100)), page) == ("ask", "point")


@pytest.mark.parametrize(("text", "verdict"), [("", "allow"), ("Members", "allow"), ("Security", "ask")])
def test_a_weak_sign_of_an_effect_keeps_no_map_from_being_panned(text: str, verdict: str) -> None:
    assert assess(Subject("pan", name="Map", context=text, lang="en")).verdict.value == verdict


def test_a_drag_onto_a_button_is_a_press_of_it() -> None:
    page = seen((800, 100), (160, 130))
    assert judged(drag((800, 100), (160, 130)), page) == ("ask", "pay")


def test_a_drag_within_a_button_is_a_press_of_it() -> None:
    page = seen((160, 130), (200, 130))
    assert judged(drag((160, 130), (200, 130)), page) == ("ask", "pay")


def test_a_slider_may_be_dragged_anywhere() -> None:
    page = seen((110, 210), (300, 450))
    assert judged(drag((110, 210), (300, 450)), page)[0] == "allow"


def test_only_the_handle_of_a_slider_is_judged() -> None:
    page = seen((110, 210), (160, 130))
    by_point = subjects_of(aim(drag((110, 210), (160, 130)), page))
    by_element = subjects_of(aim(DragAction(start="e2", end="e1"), page))
    assert [(one.action, one.name) for one in by_point] == [("drag", "Light")]
    nowhere = subjects_of(aim(drag((110, 210), (300, 450)), seen((110, 210), (300, 450))))
    assert [(one.action, one.name) for one in nowhere] == [("drag", "Light")]
    assert [(one.action, one.name) for one in by_element] == [("drag", "Light")]


def test_a_drag_within_one_element_drops_nothing() -> None:
    subjects = subjects_of(aim(DragAction(start="e1", end="e1"), seen()))
    assert [(one.action, one.name) for one in subjects] == [("drag", "Pay now")]


@pytest.mark.parametrize(("name", "verdict"), [("Delete everything?", "ask"), ("We use cookies", "allow")])
def test_a_map_is_panned_under_a_cookie_notice_but_under_no_other_dialog(name: str, verdict: str) -> None:
    page = f'- heading "Places" [level=1] [ref=p1] [box=0,0,200,20]\n- dialog "{name}" [ref=p2] [box=0,400,400,200]'
    both = seen((800, 100), (1000, 100), at=named("Map"), page=page)
    assert len(both.overlays) == 1
    assert judged(drag((800, 100), (1000, 100)), both)[0] == verdict


def test_a_drag_whose_end_is_unknown_asks() -> None:
    page = seen((800, 100), at=named("Map"), page='- heading "Places" [level=1] [ref=p1] [box=0,0,200,20]')
    assert judged(drag((800, 100), (1000, 100)), page) == ("ask", "point")


def test_the_wheel_asks_nowhere() -> None:
    page = seen((800, 100), (160, 130))
    for x, y in ((800, 100), (160, 130)):
        assert judged(read_action({"kind": "scroll", "at": {"x": x, "y": y}}), page)[0] == "allow"


def test_a_yes_is_bound_to_the_point_and_to_what_is_there() -> None:
    aimed = aim(click_at(800, 100), seen((800, 100)))
    digest = approval_digest("run", aimed)
    assert digest == approval_digest("run", aim(click_at(800, 100), seen((800, 100))))
    others = [
        aim(click_at(801, 100), seen((801, 100))),
        aim(click_at(800, 100), seen((800, 100), at=named("Other"))),
        aim(ClickAction(at=Point(x=800, y=100, picture="2:v:s")), seen((800, 100))),
        aim(click_at(800, 100).model_copy(update={"double": True}), seen((800, 100))),
    ]
    assert digest not in [approval_digest("run", other) for other in others]


def test_a_point_holds_only_in_its_view_and_for_the_same_thing() -> None:
    aimed = aim(click_at(800, 100), seen((800, 100)))
    moved = CANVAS.model_copy(update={"box": (700, 30, 500, 500)})
    assert retarget(aimed, seen((800, 100))) == aimed.action
    assert retarget(aimed, seen((800, 100), view="1280x720@0,50")) is None
    assert retarget(aimed, seen((800, 100), view="800x600@0,0")) is None
    assert retarget(aimed, seen((800, 100), at=lambda x, y: layers(moved, surface=moved.box))) is None
    assert retarget(aimed, seen((800, 100), at=lambda x, y: layers(BUTTON))) is None
    assert retarget(aimed, seen()) is None
    half = aim(
        drag((800, 100), (1000, 100)), seen((800, 100))
    )  # the end was not known when the drag was judged
    assert retarget(half, seen((800, 100), (1000, 100))) is None


def test_the_marks_are_around_the_points() -> None:
    page = seen((800, 100), (1000, 100))
    aimed, shown = aim(drag((800, 100), (1000, 100)), page), ShownPage(page)
    assert shown.target_of(aimed) == (77.19, 12.22, 1.88, 3.33)
    assert shown.start_of(aimed) == (61.56, 12.22, 1.88, 3.33)
    assert shown.start_of(aim(click_at(800, 100), page)) is None
    first, last = page.interactive[0], page.interactive[-1]
    between = aim(DragAction(start=first.eid, end=last.eid), page)
    assert shown.start_of(between) == shown.box(first) != shown.box(last)


def test_what_is_shown_of_a_point_has_no_picture_in_it() -> None:
    action = ClickAction(at=Point(x=800, y=100, scale=0.8, picture="m", drawn="AAAA"))
    assert masked(aim(action, seen((800, 100)))).to_json() == {
        "kind": "click",
        "at": {"x": 800, "y": 100, "scale": 0.8},
    }


def test_the_trail_names_the_surface_and_the_place_on_it() -> None:
    trail = trail_of(aim(click_at(800, 100), seen((800, 100))), Ruling(verdict="ask", kind="point"))
    assert trail["targets"] == [{"role": "point", "name": "Board", "at": [0.2, 0.2]}]


# The operator


def board(*turns: Any, **more: Any) -> World:
    it = world({URL: PAGE}, turns, url=URL, options={"points": True}, **more)
    it.model.profile = {"image_inputs": True}
    it.browser.layers = there
    it.browser.draw = lambda: drawing("red").data
    it.build()
    return it


def at(action: str, x: int, y: int) -> dict[str, Any]:
    return act(action, at=[round(x * 0.8), round(y * 0.8)])


async def test_a_point_is_asked_about_shown_and_pressed_once() -> None:
    it = board(at("click", 800, 100), stop("Done."))
    assert await it.say("press red") is None
    question = it.question or {}
    assert (question["risk"], question["target"]["name"]) == ("point", "Board")
    assert question["action"]["at"] == {"x": 800, "y": 100, "scale": 0.8}
    assert it.browser.log == []
    assert await it.answer(True) == "Done."
    assert it.browser.log == ["click at 800,100"]
    assert (
        'click at [640, 80] of the picture: point "Board": what was sent is not known' in it.model.prompts[1]
    )


@pytest.mark.parametrize("how", ["view", "document", "drawing", "element"])
async def test_a_yes_is_void_once_the_page_or_the_drawing_has_changed(how: str) -> None:
    it = board(at("click", 800, 100), stop("Stopped."))
    await it.say("press red")
    match how:
        case "view":
            it.browser.view = "1280x720@0,40"
        case "document":
            it.browser.url = "https://shop.example/other"
        case "drawing":
            it.browser.draw = lambda: drawing("blue", 80).data
        case "element":
            it.browser.layers = lambda x, y: layers(BUTTON)
    await it.answer(True)
    assert it.browser.log == []
    assert "after the user's approval" in it.model.prompts[1]


@pytest.mark.parametrize("how", ["scroll", "size", "moved"])
async def test_a_point_is_refused_when_the_page_changed_after_the_picture(how: str) -> None:
    it = board(at("click", 160, 130), stop("Stopped."))

    def change(browser: Any) -> None:
        if browser.looks > 1:
            browser.view = {"scroll": "1280x720@0,9", "size": "900x720@0,0"}.get(how, browser.view)
            browser.pages = (
                {URL: PAGE.replace("100,100,200,60", "100,90,200,60")} if how == "moved" else browser.pages
            )
            if how == "moved":
                browser.layers = lambda x, y: layers(BUTTON.model_copy(update={"box": (100, 90, 200, 60)}))

    it.browser.before_look = change
    assert await it.say("pay") == "Stopped."
    assert it.question is None
    assert "click: the page changed since the picture was taken: look again" in it.model.prompts[1]
    assert it.browser.log == []


async def test_a_browser_that_cannot_tell_refuses_a_point() -> None:
    it = board(at("click", 160, 130), stop("Stopped."))
    it.browser.layers = None
    await it.say("pay")
    assert "click: nothing is known of what is there" in it.model.prompts[1]
    assert it.browser.log == []


async def test_a_captcha_is_never_pressed_by_a_point() -> None:
    it = board(at("click", 800, 100), stop("Stopped."))
    it.browser.pages = {URL: PAGE + '\n- img "Captcha" [ref=p9] [box=700,0,500,500]'}
    assert await it.say("go on") is None
    assert (it.question or {})["kind"] == "manual"
    assert it.browser.log == []


async def test_a_drawn_button_may_be_pressed_again_while_its_drawing_changes() -> None:
    shades = iter(range(0, 250, 10))
    it = board(*[at("click", 720, 130)] * 4, stop("Counted."))
    it.grants.kinds.add(("shop.example", "point"))
    it.browser.draw = lambda: drawing(f"#{next(shades):02x}40ff").data
    assert await it.say("press it four times") == "Counted."
    assert it.browser.log == ["click at 720,130"] * 4


@pytest.mark.parametrize("vision", ["never", "auto"])
async def test_a_point_without_a_picture_is_refused(vision: str) -> None:
    it = board(act("wait"), at("click", 160, 130), stop("Stopped."))
    it.options["vision"] = vision
    it.build()
    await it.say("pay")
    assert "click: there was no picture of this page in that turn" in it.model.prompts[2]
    assert it.browser.log == ["wait 1000"]


async def test_a_picture_that_moves_beside_a_button_voids_no_yes_to_the_button() -> None:
    it = board(at("click", 160, 130), stop("Paid."))
    await it.say("pay")
    it.browser.draw = lambda: drawing("blue", -600).data
    assert await it.answer(True) == "Paid."
    assert it.browser.log == ["click at 160,130"]


async def test_the_browser_of_mock_mode_takes_points() -> None:
    browser = MockBrowser()
    await browser.navigate("https://shop.example/basket")
    seen = await browser.observe((), [PagePoint(60, 220), PagePoint(900, 600)])
    assert [hit.element.name for hit in seen.hits] == ["Place order", "body"]
    assert (await browser.click(PagePoint(60, 220, seen.hits[0].key))).ok
    assert browser.url == "https://shop.example/thanks"
