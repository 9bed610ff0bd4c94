"""Several acts in one move: resolved first, judged one by one, ended by any change of the page."""

import random
from typing import Any

import pytest

from server.agent.actions import ClickAction, aim
from server.agent.context import UserUpdates
from server.agent.operator.memory.batch import Batch
from server.agent.operator.plan.move import Move, to_actions
from server.browser.observation import Observation, observe_snapshot
from tests.support.operator_world import World, world
from tests.support.scripted_browser import ScriptedBrowser
from tests.support.scripted_model import stop, together

FORM = "https://shop.example/form"
OTHER = "https://shop.example/other"
FORM_PAGE = """\
- heading "Newsletter" [level=1] [ref=f1] [box=0,0,200,20]
- textbox "Name" [ref=f2] [box=0,30,200,20]
- textbox "Town" [ref=f3] [box=0,60,200,20]
- checkbox "Weekly" [ref=f4] [box=0,90,200,20]
- checkbox "Daily" [ref=f5] [box=0,120,200,20]
- combobox "Sort by" [ref=f6] [box=0,150,200,20]
- button "Delete account" [ref=f7] [box=0,180,200,20]
- button "Grey" [disabled] [ref=f8] [box=0,210,200,20]
- link "Other page" [ref=f9] [box=0,240,200,20]:
  - /url: /other"""
PAGES = {FORM: FORM_PAGE, OTHER: '- checkbox "Daily" [ref=f5] [box=0,120,200,20]'}


def form(*turns: Any, **options: Any) -> World:
    return world(dict(PAGES), turns, leads={(FORM, "Other page"): OTHER}, url=FORM, **options)


def click(name: str) -> dict[str, Any]:
    return {"action": "click", "on": name}


NAME = {"action": "type", "on": "Name", "text": "Ann"}
SORT = {"action": "select", "on": "Sort by", "option": "Price"}


async def test_acts_of_one_move_are_done_in_order_with_one_model_call() -> None:
    it = form(
        together(NAME, click("Weekly"), click("Daily"), SORT, {"action": "press", "key": "Escape"}),
        stop("Done."),
    )
    assert await it.say("fill it in") == "Done."
    assert it.browser.log == [
        "type Name=Ann",
        "click Weekly",
        "click Daily",
        "select Price in Sort by",
        "press Escape",
    ]
    assert len(it.model.prompts) == 2
    assert it.values["tool_steps"] == 5
    assert [event["step"] for event in it.of("step")] == [1, 2, 3, 4, 5]
    done = ['type "Ann" into textbox "Name": ok', 'click checkbox "Weekly": ok', "press Escape: ok"]
    assert all(line in it.model.prompts[1] for line in done)
    assert "not done" not in it.model.prompts[1]


async def test_one_impossible_act_returns_the_whole_move_before_anything_is_done() -> None:
    it = form(together(NAME, click("Weekly"), {"action": "click", "eid": "e99"}), stop("Done."))
    await it.say("fill it in")
    assert it.browser.log == []
    assert "click: there is no element [e99] on this page" in it.model.prompts[1]
    assert 'not done of that move: click checkbox "Weekly"' in it.model.prompts[1]


async def test_a_disabled_control_later_in_the_move_returns_it_too() -> None:
    it = form(together(NAME, click("Grey")), stop("Done."))
    await it.say("fill it in")
    assert it.browser.log == []
    assert "is disabled" in it.model.prompts[1]


async def test_an_act_that_needs_a_yes_ends_the_move_before_it() -> None:
    it = form(together(NAME, click("Delete account"), click("Weekly")), stop("Done."))
    assert await it.say("fill it in") == "Done."
    assert it.question is None
    assert it.browser.log == ["type Name=Ann"]
    prompt = it.model.prompts[1]
    assert 'click button "Delete account": not done: this has to be the first act of a move' in prompt
    assert 'not done of that move: click checkbox "Weekly"' in prompt


async def test_what_was_asked_about_stands_alone() -> None:
    it = form(together(click("Delete account"), click("Weekly")), stop("Done."))
    await it.say("delete it")
    assert it.question is not None
    assert it.browser.log == []
    assert await it.answer(True) == "Done."
    assert it.browser.log == ["click Delete account"]
    assert 'not done of that move: click checkbox "Weekly"' in it.model.prompts[1]


async def test_another_page_ends_the_move_although_it_has_the_same_control() -> None:
    it = form(together(click("Other page"), click("Daily")), stop("Done."))
    await it.say("go on")
    assert it.browser.log == ["click Other page"]
    assert "the page changed after that: look again" in it.model.prompts[1]
    assert 'not done of that move: click checkbox "Daily"' in it.model.prompts[1]


async def test_a_move_may_end_with_reading_the_page_that_its_acts_open() -> None:
    read = {"action": "read_page", "query": "price"}
    it = form(together(click("Other page"), read), stop("Done."))
    it.browser.texts[OTHER] = ["The price is 12 €."]
    await it.say("what does it cost?")
    assert it.browser.log == ["click Other page", "read_page 1 price"]
    assert len(it.model.prompts) == 2
    assert "The price is 12 €." in it.model.prompts[1]
    assert f"URL: {OTHER}" in it.model.prompts[1]
    assert "not done" not in it.model.prompts[1]


async def test_an_address_may_be_opened_and_read_in_one_move_but_nothing_is_clicked_there() -> None:
    read = {"action": "read_page"}
    opens = {"action": "navigate", "url": OTHER}
    it = form({**opens, "then": [read, read]}, {**opens, "then": [click("Daily"), read]}, stop("Done."))
    it.browser.texts[OTHER] = ["All of it."]
    await it.say("sum it up")
    assert it.browser.log == [f"navigate {OTHER}", "read_page 1", f"navigate {OTHER}"]
    assert "All of it." in it.model.prompts[1]


def replaced(old: str, new: str) -> Any:
    """Changes the page as soon as something was done on it."""

    def change(browser: ScriptedBrowser) -> None:
        if browser.log:
            browser.pages[FORM] = FORM_PAGE.replace(old, new)

    return change


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"Daily" [ref=f5]', '"Every hour" [ref=f5]'),
        ('- checkbox "Daily" [ref=f5] [box=0,120,200,20]\n', ""),
        ("- heading", '- dialog "Are you sure?" [ref=d1] [box=0,0,900,700]:\n  - text: Really?\n- heading'),
    ],
    ids=["another meaning", "gone", "a dialog"],
)
async def test_a_page_that_changed_under_the_move_ends_it(old: str, new: str) -> None:
    it = form(together(NAME, click("Daily")), stop("Done."))
    it.browser.before_look = replaced(old, new)
    await it.say("fill it in")
    assert it.browser.log == ["type Name=Ann"]
    assert "the page changed after that" in it.model.prompts[1]


async def test_a_control_that_was_drawn_again_is_still_the_same() -> None:
    it = form(together(NAME, click("Daily")), stop("Done."))
    it.browser.before_look = replaced("[ref=f5]", "[ref=f55]")
    await it.say("fill it in")
    assert it.browser.log == ["type Name=Ann", "click Daily"]


async def test_a_failure_ends_the_move() -> None:
    it = form(together(NAME, click("Weekly"), click("Daily")), stop("Done."))
    it.browser.failing["click Weekly"] = "It was covered."
    await it.say("fill it in")
    assert it.browser.log == ["type Name=Ann", "click Weekly"]
    assert 'click checkbox "Weekly": It was covered.' in it.model.prompts[1]
    assert 'not done of that move: click checkbox "Daily"' in it.model.prompts[1]


async def test_words_of_the_person_end_the_move() -> None:
    it = form(together(NAME, click("Weekly"), click("Daily")), stop("Done."))
    it.inbox.news = [UserUpdates(), UserUpdates(), UserUpdates(messages=("not weekly!",))]
    await it.say("fill it in")
    assert it.browser.log == ["type Name=Ann"]
    assert "the user said: not weekly!" in it.model.prompts[1]
    assert 'not done of that move: click checkbox "Daily"' in it.model.prompts[1]


async def test_the_step_limit_holds_within_a_move() -> None:
    it = form(together(NAME, click("Weekly"), click("Daily")), "Summary. Go on?", max_tool_steps=2)
    await it.say("fill it in")
    assert it.browser.log == ["type Name=Ann", "click Weekly"]
    assert it.values["outcome"] == "limit"


@pytest.mark.parametrize(
    ("then", "kinds"),
    [
        ([{"action": "click", "eid": "e2"}, {"action": "navigate", "url": "http://x"}, {"action": "click", "eid": "e3"}], ["click", "click"]),
        ([{"action": "stop", "final_response": "Sent."}], ["click"]),
        ([{"action": "click", "eid": "2", "then": [{"action": "click", "eid": "e3"}]}], ["click", "click"]),
        ([{"action": "press", "key": "Tab", "eid": "", "plan": "x"}] * 9, ["click", *["press"] * 4]),
        ("click e2", ["click"]),
        ([None, {"action": "click", "eid": "e2"}], ["click"]),
        ([{"action": "type", "eid": "e2", "text": "a", "submit": True}], ["click", "type"]),
    ],
)  # fmt: skip
def test_only_acts_that_stay_on_the_page_follow(then: Any, kinds: list[str]) -> None:
    move = Move.model_validate({"reason": "r", "action": "click", "eid": "e1", "then": then})
    actions = to_actions(move, iter("abcdefgh").__next__)
    assert [action.kind for action in actions] == kinds
    assert {action.reason for action in actions} == {"r"}
    assert len({action.id for action in actions}) == len(actions)


def test_nothing_follows_an_act_that_leaves_the_page() -> None:
    then = [{"action": "click", "eid": "e2"}]
    assert Move.model_validate({"action": "navigate", "url": "http://x", "then": then}).then == []


def planned(url: str = FORM, document: str = "1") -> Observation:
    page = observe_snapshot(FORM_PAGE, url=url)
    return page.model_copy(update={"moment": f"{document}:7" if document else ""})


DAILY = next(element.eid for element in planned().interactive if element.name == "Daily")


@pytest.mark.parametrize(
    ("url", "document", "goes_on"),
    [
        (FORM, "1", True),
        (f"{FORM}?sort=price#top", "1", True),
        (FORM, "2", False),
        (FORM, "", False),
        (OTHER, "1", False),
    ],
    ids=["nothing changed", "a script filters", "loaded again", "unknown document", "a script leads on"],
)
def test_a_move_goes_on_only_in_the_same_document_at_the_same_path(
    url: str, document: str, goes_on: bool
) -> None:
    batch = Batch.plan([ClickAction(eid=DAILY)], planned())
    assert batch
    assert bool(batch.next_action(planned(url, document))) is goes_on


def test_where_documents_are_unknown_the_whole_address_counts() -> None:
    batch = Batch.plan([ClickAction(eid=DAILY)], planned(document=""))
    assert batch
    assert batch.next_action(planned(document=""))
    assert not batch.next_action(planned(f"{FORM}?sort=price", document=""))


def test_a_move_of_one_act_has_no_batch() -> None:
    assert Batch.plan([], planned()) is None


class Rows:
    """A list of checkboxes whose names, order and references change between two looks at it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = self.random.sample(["Ann", "Bea", "Cem", "Dan", "Eve", "Flo", "Gus"], 6)
        self.refs = [f"r{at}" for at in range(6)]

    def change(self) -> None:
        match self.random.randrange(8):
            case 0:
                self.random.shuffle(self.names)  # the same references, other meanings
            case 1:
                self.random.shuffle(self.refs)
            case 2:
                self.names[self.random.randrange(6)] = self.random.choice(["Ann", "Zoe", "Dan"])
            case 3:
                self.refs = [f"{ref}x" for ref in self.refs]  # drawn again

    def look(self) -> Observation:
        rows = enumerate(zip(self.names, self.refs, strict=True))
        lines = [f'- checkbox "{name}" [ref={ref}] [box=0,{30 * at},200,20]' for at, (name, ref) in rows]
        return observe_snapshot("\n".join(lines), url=FORM)

    def hit_by(self, ref: str) -> str:
        return self.names[self.refs.index(ref)]


@pytest.mark.sweep
def test_no_act_hits_another_control_in_a_thousand_random_moves() -> None:
    done = 0
    for seed in range(1000):
        rows = Rows(seed)
        wanted = rows.random.sample(sorted(set(rows.names)), 5)
        page = rows.look()
        eids = {element.name: element.eid for element in page.interactive}
        batch = Batch.plan([ClickAction(eid=eids[name]) for name in wanted], page)
        while batch:
            rows.change()
            page = rows.look()
            action = batch.next_action(page)
            if action is None:
                break
            (target,) = aim(action, page).targets
            assert rows.hit_by(target.ref) == wanted[5 - len(batch.acts)], f"seed {seed}"
            done += 1
            batch = batch.after_next()
    assert done > 2000  # pages that stay the same are acted on
