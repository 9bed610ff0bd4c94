"""The states of the web UI that are worth a picture: each opens a screen and leaves it as it is to be seen."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from playwright.sync_api import expect

from scripts.screenshots.world import World, opened, with_ages
from tests.e2e.live_stage import LiveStage, frame_is_shown, picture
from tests.e2e.screen import Screen
from tests.e2e.staged import Stage, message
from tests.support.push_service import push_service_in_thread

PAGE = "https://shop.example/kettles"
GOAL = "Compare electric kettles under €50 in three shops and put the best one into the basket"
PLAN = ["Find three shops that sell kettles", "Note the price and volume of each", "Put the best one into the basket",
        "Tell what was chosen and why"]  # fmt: skip
STEPS = {"Kettles": PAGE, "Blue kettle": "https://shop.example/kettle/blue", "Amber kettle": "https://shop.example/kettle/amber",
         "Delivery": "https://shop.example/delivery", "Cream kettle": "https://shop.example/kettle/cream"}  # fmt: skip
FACTS = [
    ("The blue kettle costs €43.90 and holds 1.7 litres.", "https://shop.example/kettle/blue"),
    ("The cream kettle costs €51.00: over the budget.", "https://shop.example/kettle/cream"),
    ("Delivery is free from €40.", "https://shop.example/delivery"),
]
ANSWER = """The **blue kettle** is the best of the three under €50.

| kettle | price | volume | rating |
|---|---:|---:|---:|
| Blue | €43.90 | 1.7 l | 4.6 |
| Amber | €39.50 | 1.2 l | 4.1 |
| Cream | €51.00 | 1.7 l | 4.7 |

- Delivery is free from **€40**, so the amber one would cost €44.40 in the end.
- The order page is open at [shop.example](https://shop.example/basket).

```python
best = min((k for k in kettles if k.price < 50), key=lambda k: k.price / k.litres)
```
"""


# States


def login(screen: Screen, world: World) -> None:
    screen.page.context.clear_cookies()
    screen.page.goto("/login")
    expect(screen.page.get_by_label("Password", exact=True)).to_be_visible()


def login_wrong(screen: Screen, world: World) -> None:
    login(screen, world)
    screen.page.get_by_label("Password", exact=True).fill("not this one")
    screen.page.get_by_role("button", name="Sign in").click()
    expect(screen.page.get_by_role("alert")).to_be_visible()


def home(screen: Screen, world: World) -> None:
    with_ages(screen)
    screen.open()


def away(screen: Screen, world: World) -> None:
    screen.page.route("**/api/**", lambda route: route.abort())
    screen.page.goto("/")
    expect(screen.page.get_by_role("alert")).to_be_visible()


def models(screen: Screen, world: World) -> None:
    home(screen, world)
    screen.button(re.compile("^Model: ")).click()
    expect(screen.page.get_by_role("menu")).to_be_visible()


def running(screen: Screen, world: World) -> Stage:
    """A run at work, its browser live: thoughts, folded steps, an unfinished answer, plan and meters."""
    with_ages(screen)
    LiveStage(screen.page)
    shot = picture("Kettles")
    screen.page.route(
        re.compile(r"/api/files/screenshots/.*(?<!\.png)$"),  # not the icons of sites
        lambda route: route.fulfill(body=shot, content_type="image/jpeg"),
    )
    stage = Stage(screen, [stored(1, "user", GOAL)], title="Kettle for the office")
    stage.begin()
    progress = {"current": 2, "done": PLAN[:2], "blocked": []}
    facts = [{"fact": fact, "url": url, "at": datetime.now(UTC).isoformat()} for fact, url in FACTS]
    thought = "Three shops are enough for a fair comparison."
    stage.play(stage.event("thinking", message_id="first", text=thought))
    step(
        stage,
        2,
        "shop.example",
        "https://shop.example/",
        name="navigate",
        args={"url": "https://shop.example/"},
    )
    for number, (name, url) in enumerate(STEPS.items(), 3):
        step(stage, number, name, url)
    stage.play(
        stage.event("state", goal=GOAL, plan=PLAN, progress=progress, facts=facts),
        stage.event("run", status="running", agent="operator", model="m", step=7, max_steps=40),
        stage.event("usage", call=USAGE, total=USAGE),
        stage.event("tool_start", call_id="now", name="click", args={"element": 'button "Add to basket"', "reason": "The blue one is the best of the three."}),
    )  # fmt: skip
    expect(screen.feed.locator("[data-status=running]")).to_be_visible()
    return stage


def step(
    stage: Stage, seq: int, aim: str, url: str, name: str = "click", args: dict[str, str] | None = None
) -> None:
    """A finished step, stored as the server does."""
    args = args or {"element": f'link "{aim}"'}
    seen = {"url": url, "screenshot": "/api/files/screenshots/staged/a.jpg"}
    meta = {"name": name, "call_id": aim, "args": args, "ok": True, "duration_ms": 400, **seen}
    stage.tool(aim, name=name, args=args, **seen)
    stage.play(stage.event("message", message=stored(seq, "tool", aim, meta_json=meta)))


def stored(seq: int, role: str, content: str, **fields: Any) -> dict[str, Any]:
    at = {"run_id": "run", "created_at": datetime.now(UTC).isoformat()}
    return message(seq, role, content, **at | fields)


USAGE = {
    "input_tokens": 48_200,
    "output_tokens": 1_930,
    "cached_tokens": 36_000,
    "model_calls": 9,
    "cost": 0.08,
}


def queued(screen: Screen, world: World) -> None:
    """A run that waits for a free browser."""
    with_ages(screen)
    stage = Stage(screen, [stored(1, "user", GOAL)], title="Kettle for the office")
    run = {"agent": "operator", "model": "m", "step": 0, "max_steps": 40}
    stage.play(
        stage.event("state", goal=GOAL, plan=PLAN, progress={"current": 0}, facts=[]),
        stage.event("run", status="queued", queue_place=2, **run),
    )
    expect(screen.page.get_by_text("Waiting for a free browser · place 2")).to_be_visible()


def usage(screen: Screen, world: World) -> None:
    running(screen, world)
    screen.button(re.compile("action 7 of 40")).click()
    expect(screen.page.get_by_text("Change the limits")).to_be_visible()


def answered(screen: Screen, world: World) -> None:
    stage = running(screen, world)
    stage.play(
        stage.event(
            "tool_end", call_id="now", name="click", ok=True, summary="Added", duration_ms=400, url=PAGE
        )
    )
    meta = {
        "name": "click",
        "call_id": "now",
        "args": {"element": 'button "Add to basket"'},
        "ok": True,
        "url": PAGE,
    }
    stage.play(stage.event("message", message=stored(98, "tool", "Added", meta_json=meta)))
    final = stored(99, "assistant", ANSWER, id="answer")
    stage.play(stage.event("done", message=final, usage=USAGE))
    expect(screen.feed.get_by_text("is the best of the three")).to_be_visible()
    screen.wait_at_end()


def approval(screen: Screen, world: World) -> None:
    opened(screen, world.asked)
    expect(screen.button("Approve")).to_be_visible()


def failed(screen: Screen, world: World) -> None:
    opened(screen, world.failed)
    expect(screen.feed.get_by_role("alert")).to_be_visible()


def gone(screen: Screen, world: World) -> None:
    with_ages(screen)
    screen.page.goto("/s/no-such-session")
    expect(screen.page.get_by_role("alert")).to_be_visible()


def show_panel(screen: Screen, tab: str) -> None:
    panel = screen.page.get_by_role("button", name="Show plan, facts and browser")
    if panel.is_visible():
        panel.click()
    screen.page.get_by_role("tab", name=re.compile(f"^{tab}")).click()
    expect(screen.page.get_by_role("tabpanel")).to_be_visible()


def plan(screen: Screen, world: World) -> None:
    running(screen, world)
    show_panel(screen, "Plan")


def plan_proposed(screen: Screen, world: World) -> None:
    """The person has edited the plan, and the agent proposes another one."""
    stage = running(screen, world)
    proposed = [*PLAN[:2], "Check the delivery times", *PLAN[2:]]
    progress = {"current": 2, "done": PLAN[:2], "blocked": []}
    known = {"goal": GOAL, "plan": PLAN, "progress": progress, "facts": []}
    stage.play(stage.event("state", **known, proposed_plan=proposed))
    show_panel(screen, "Plan")


def facts(screen: Screen, world: World) -> None:
    answered(screen, world)
    show_panel(screen, "Facts")


def browser(screen: Screen, world: World) -> None:
    """In the side panel; in a narrow window the sheet, swiped up."""
    running(screen, world)
    if (screen.page.viewport_size or {})["width"] < 768:
        screen.button("Show more of the browser").click()
        expect(screen.page.locator("[data-height=full]")).to_be_visible()
    else:
        show_panel(screen, "Browser")
    frame_is_shown(screen.page)


def files(screen: Screen, world: World) -> None:
    opened(screen, world.bought)
    show_panel(screen, "Files")
    expect(screen.page.get_by_text("offer-2026.pdf")).to_be_visible()


def sidebar(screen: Screen, world: World) -> None:
    opened(screen, world.bought)
    if screen.page.get_by_role("button", name="Show sidebar").is_visible():
        screen.page.get_by_role("button", name="Show sidebar").click()
    expect(screen.sidebar).to_be_visible()
    screen.sidebar.get_by_role("button", name="More about Blue kettle for the kitchen").click()
    expect(screen.page.get_by_role("menu")).to_be_visible()


def takeover(screen: Screen, world: World) -> None:
    LiveStage(screen.page)
    screen.page.goto(f"/s/{world.asked}?view=takeover")
    expect(screen.page.get_by_text("You have control")).to_be_visible()
    frame_is_shown(screen.page)


def elements(screen: Screen, world: World) -> None:
    takeover(screen, world)
    screen.button("Elements").click()
    expect(screen.page.get_by_role("region", name="Elements")).to_be_visible()


def hand_back(screen: Screen, world: World) -> None:
    takeover(screen, world)
    screen.button("I’m done").click()
    expect(screen.page.get_by_role("dialog")).to_be_visible()


def viewer(screen: Screen, world: World) -> None:
    screen.page.goto(f"/s/{world.bought}/replay?step=3")
    expect(screen.page.get_by_role("dialog")).to_be_visible()


def session_menu(screen: Screen, world: World) -> None:
    opened(screen, world.bought)
    screen.button("More about this session").click()
    expect(screen.page.get_by_role("menu")).to_be_visible()


def grants(screen: Screen, world: World) -> None:
    session_menu(screen, world)
    screen.page.get_by_role("menuitem", name="Permissions of this session").click()
    expect(screen.page.get_by_role("button", name=re.compile("^Revoke"))).to_be_visible()


def grant_card(screen: Screen, world: World) -> None:
    opened(screen, world.asked)
    card = screen.page.get_by_role("region", name="Allow this action?")
    card.get_by_label("Allow this kind of action on this site").select_option("Always, in all sessions")
    card.get_by_role("button", name="Limits").click()
    card.get_by_label("At most this many times").fill("5")
    card.get_by_label("At most per act (EUR)").fill("50")
    card.get_by_role("button", name="Approve").scroll_into_view_if_needed()


def all_grants(screen: Screen, world: World) -> None:
    body = {"scope": "always", "site": "tea.example", "kind": "order", "currency": "EUR"}
    limits = {"count": 5, "act_amount": 50, "month_amount": 120, "ends_at": "2030-01-01T00:00:00Z"}
    if not screen.api.get("/grants").json()["items"][1:]:
        screen.api.post("/grants", json=body | limits).raise_for_status()
        screen.api.post("/grants", json=body | {"kind": "send", "site": "mail.example"}).raise_for_status()
    screen.page.goto("/grants")
    expect(screen.page.get_by_role("button", name=re.compile("^Revoke")).nth(2)).to_be_visible()


def command_menu(screen: Screen, world: World) -> None:
    opened(screen, world.bought)
    screen.page.keyboard.press("Control+k")
    screen.page.get_by_role("combobox").fill("kettle")
    expect(screen.page.get_by_role("option").nth(2)).to_be_visible()


def search_none(screen: Screen, world: World) -> None:
    opened(screen, world.bought)
    screen.page.keyboard.press("Control+k")
    screen.page.get_by_role("combobox").fill("zeppelin")
    expect(screen.page.get_by_text("Nothing found")).to_be_visible()


def shortcuts(screen: Screen, world: World) -> None:
    home(screen, world)
    screen.composer.blur()
    screen.page.keyboard.press("?")
    expect(screen.page.get_by_role("dialog")).to_be_visible()


def inbox(screen: Screen, world: World) -> None:
    screen.page.goto("/inbox")
    expect(screen.page.get_by_role("article", name="Order the blue kettle")).to_be_visible()
    expect(screen.button("Approve")).to_be_enabled()


def settings(tab: str) -> Callable[[Screen, World], None]:
    def open_tab(screen: Screen, world: World) -> None:
        with_ages(screen)
        screen.page.goto(f"/settings/{tab}")
        expect(screen.page.get_by_role("tabpanel").locator("h2, label, dl").first).to_be_visible()

    return open_tab


def new_device(screen: Screen, world: World) -> None:
    screen.page.goto("/settings/notifications")
    screen.button("Add a channel").click()
    expect(screen.button("Add this device")).to_be_visible()


def question_link(screen: Screen, world: World) -> None:
    """What the holder of a one-use link sees."""
    with push_service_in_thread() as service:
        device = service.subscribe()
        body = {"kind": "push", "address": device.endpoint, "keys": device.keys, "links": True}
        channel = screen.api.post("/channels", json=body).raise_for_status().json()["id"]
        screen.tell(screen.new_session(title="Order the blue kettle"), "shop for a kettle")
        screen.wait_until(lambda: device.received, lambda it: len(it) == 1, "the message has come")
        screen.api.delete(f"/channels/{channel}").raise_for_status()
    screen.page.goto(device.received[0].body["link"])
    expect(screen.button("Approve")).to_be_enabled()


def hand_off(screen: Screen, world: World) -> None:
    screen.api.delete(f"/sessions/{world.bought}/handoff").raise_for_status()
    session_menu(screen, world)
    screen.page.get_by_role("menuitem", name="Hand the browser off…").click()
    screen.button("Make a link").click()
    expect(screen.page.get_by_role("img", name="QR code of the link")).to_be_visible()


def guest(screen: Screen, world: World) -> None:
    """Before the link of a hand-off is used."""
    answer = screen.api.post(f"/sessions/{world.bought}/handoff", json={"minutes": 15})
    screen.page.goto(answer.raise_for_status().json()["link"])
    expect(screen.button("Open the browser")).to_be_visible()


def guest_live(screen: Screen, world: World) -> None:
    guest(screen, world)
    screen.button("Open the browser").click()
    expect(screen.button("Take over")).to_be_visible()


def put_off(screen: Screen, world: World) -> None:
    inbox(screen, world)
    screen.button("More about this question").first.click()
    screen.page.get_by_role("menuitem", name="Remind me later").click()
    expect(screen.page.get_by_label("Ask me again at")).to_be_visible()


DAILY = "DTSTART:20260105T080000\nRRULE:FREQ=DAILY"


def with_automations(screen: Screen) -> str:
    """The id of one whose run waits for the answer before its start."""
    known = {one["name"]: one["id"] for one in screen.api.get("/automations").json()["items"]}
    bodies: list[dict[str, Any]] = [
        {"name": "Kettle for the office", "task": "shop for a kettle", "ask_first": True, "rule": DAILY},
        {"name": "Prices of kettles", "task": "ping test", "only_changes": True, "session_mode": "new",
         "rule": "DTSTART:20260105T070000\nRRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"},
        {"name": "Backup report", "task": "ping test", "rule": None, "enabled": False},
    ]  # fmt: skip
    for body in bodies:
        if body["name"] not in known:
            made = (
                screen.api.post("/automations", json=body | {"zone": "Europe/Berlin"})
                .raise_for_status()
                .json()
            )
            known[body["name"]] = made["id"]
            screen.api.post(f"/automations/{made['id']}/run").raise_for_status()
    return str(known["Kettle for the office"])


def automations(screen: Screen, world: World) -> None:
    with_automations(screen)
    screen.page.goto("/automations")
    expect(screen.page.get_by_role("article", name="Prices of kettles")).to_contain_text("Done")
    screen.page.get_by_role("article", name="Prices of kettles").get_by_role("button", name="Log").click()
    expect(screen.page.get_by_text("first result")).to_be_visible()


def automation_form(screen: Screen, world: World) -> None:
    screen.page.goto("/automations")
    screen.button("New automation").first.click()
    form = screen.page.get_by_role("dialog")
    form.get_by_label("Name").fill("Prices of kettles")
    form.get_by_label("Task").fill("Note the kettles in stock and their prices")
    form.get_by_role("button", name="More options").click()
    form.get_by_role("switch", name="Report only changes").click()
    form.get_by_label("Columns of a result table").fill("name, price:number")
    form.get_by_role("switch", name="Ask before starting").scroll_into_view_if_needed()


def start_card(screen: Screen, world: World) -> None:
    """A run that asks before it starts."""
    path = f"/automations/{with_automations(screen)}/firings"
    session = screen.api.get(path).json()["items"][0]["session_id"]
    screen.page.goto(f"/s/{session}")
    expect(screen.page.get_by_role("button", name="Start", exact=True)).to_be_enabled()


TABS = ("models", "limits", "browser", "notifications", "appearance", "data", "about")
STATES: dict[str, Callable[[Screen, World], Any]] = {
    "login": login, "login-wrong": login_wrong, "home": home, "server-away": away, "models": models,
    "running": running, "queued": queued, "usage": usage, "answered": answered, "approval": approval, "failed": failed, "session-gone": gone,
    "plan": plan, "plan-proposed": plan_proposed, "facts": facts, "browser": browser, "files": files, "sidebar": sidebar, "takeover": takeover,
    "takeover-elements": elements, "hand-back": hand_back, "viewer": viewer, "session-menu": session_menu, "inbox": inbox,
    "grants": grants, "grant-card": grant_card, "all-grants": all_grants, "command-menu": command_menu, "search-none": search_none, "shortcuts": shortcuts,
    "new-device": new_device, "hand-off": hand_off, "guest": guest, "guest-live": guest_live,
    "put-off": put_off, "automations": automations, "automation-form": automation_form,
    "start-card": start_card,
    **{f"settings-{tab}": settings(tab) for tab in TABS},
    "question-link": question_link,  # last: its questions stay open
}  # fmt: skip
