"""Real browsers at a site that counts what was done: nothing is done twice, even if a worker is killed or frozen."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.cluster import (
    TAKEN_OVER,
    Team,
    answer_of,
    ask,
    cluster,
    get,
    move,
    played_by,
    post,
    session_at,
    wait_for,
    wait_until_executing,
)
from tests.support.eventually import eventually_sync
from tests.support.model_reply import Asked, Reply, ToolCall, call, calls, say
from tests.support.model_server import providing
from tests.support.redis import RedisServer
from tests.support.server import Server
from tests.support.sites import Site, Visit, document

pytestmark = pytest.mark.timeout(300)

UNKNOWN, CLICKED = "I cannot see whether that was done.", "The page now says Shown."
ORDERED = "It is ordered."
COUNTER = """<!doctype html><title>Counter</title><h1>Counter</h1>
<button onclick="fetch('/effect/list', {method: 'POST'}); document.querySelector('h1').textContent = 'Shown'">
Show more</button>"""


class OrderSite(Site):
    """Its `/order` is counted, and answers when `may_answer` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.may_answer = threading.Event()
        self.pages |= {
            "/counter": lambda _: COUNTER, "/checkout": lambda _: document("Checkout", CHECKOUT), "/order": self._order,
        }  # fmt: skip

    def _order(self, visit: Visit) -> str:
        self.may_answer.wait(120)
        return document("Thank you", "<h1>Thank you</h1><p>Order number 1001</p>")

    @property
    def orders(self) -> int:
        return sum(path.startswith("/order") for path in self.paths)


CHECKOUT = """<h1>Checkout</h1><form method=post action=/order><h2>Review your order</h2>
<p>Total: €39.50</p><button>Place order</button></form>"""


class Player:
    """Plays the model: opens `start`, clicks `button` if the page has it, and stops when the task is to look."""

    def __init__(self) -> None:
        self.start, self.button = "", ""
        self.may_click, self.may_end = threading.Event(), threading.Event()
        self.clicks = self.ends = 0

    def __call__(self, asked: Asked) -> Reply:
        text = asked.last_text
        if "may or may not have happened" in text:
            return move("stop", final_response=UNKNOWN)
        if re.search(r"[Ss]ent POST \S+/order 200", text):
            self.ends += 1
            held = {"held": self.may_end} if self.ends == 1 else {}
            return move("stop", final_response=ORDERED).but(**held)
        if 'heading "Shown"' in text or "Shown" in text:
            return move("stop", final_response=CLICKED)
        found = re.findall(rf'\[(e\d+)\] button "{self.button}"', text) if self.button else []
        if not found:
            return move("navigate", url=self.start)
        self.clicks += 1
        held = {} if self.clicks > 1 else {"held": self.may_click}
        return move("click", eid=found[-1]).but(**held)


class AssistantPlayer(Player):
    """The same for the assistant, which calls the browser's own tools, and looks at the page when a result asks for that."""

    def __call__(self, asked: Asked) -> Reply:
        text = asked.last_text
        if "may or may not have happened" in text:
            return call("browser_snapshot")
        if "may or may not have happened" in asked.text:
            return say(UNKNOWN)
        found = re.findall(rf'\[(e\d+)\] button "{self.button}"', text) if self.button else []
        if not found:
            return call("browser_navigate", {"url": self.start})
        self.clicks += 1
        click = ToolCall("browser_click", {"element": self.button, "target": found[-1]})
        return calls(click, ToolCall("browser_navigate", {"url": self.start}))


@pytest.fixture
def site() -> Iterator[OrderSite]:
    with OrderSite() as site:
        yield site
        site.may_answer.set()


@pytest.fixture
def player() -> Player:
    return Player()


@pytest.fixture
def shop_team(
    tmp_path_factory: pytest.TempPathFactory, shared_url: str, redis: RedisServer, player: Player
) -> Iterator[Team]:
    with (
        providing(player) as provider,
        cluster(tmp_path_factory.mktemp("shop"), shared_url, redis.url, **played_by(provider)) as team,
    ):
        yield team


def test_an_act_that_had_begun_when_its_worker_was_killed_is_not_repeated(
    shop_team: Team, site: OrderSite, player: Player
) -> None:
    web, *workers = shop_team.add("web", "worker", "worker")
    player.start = site.url("/order")
    session_id = ask(web, "Order it", agent="operator")
    eventually_sync(lambda: site.orders, message="the order arrives at the site")
    wait_until_executing(workers).signal(signal.SIGKILL)
    session = wait_for(web, session_id, "completed", timeout=TAKEN_OVER + 60)
    assert answer_of(session) == UNKNOWN
    assert site.orders == 1
    assert session["run"]["attempt"] == 2


def approve_and_kill_the_worker(
    web: Server, session_id: str, pending: dict[str, Any], workers: list[Server], site: OrderSite
) -> dict[str, Any]:
    """Kill the worker while the site takes the approved order; returns the session after another one has ended the run."""
    yes = post(web, f"/sessions/{session_id}/decision", reference=pending["reference"], confirmed=True)
    assert yes.status_code == 202
    eventually_sync(lambda: site.orders, message="the order arrives at the site")
    wait_until_executing(workers).signal(signal.SIGKILL)
    session = wait_for(web, session_id, "completed", "waiting_user", timeout=TAKEN_OVER + 60)
    assert session["run"]["status"] == "completed"
    return session


def test_an_approval_for_an_act_that_had_begun_is_void(
    shop_team: Team, site: OrderSite, player: Player
) -> None:
    web, other, *workers = shop_team.add("web", "web", "worker", "worker")
    player.start, player.button = site.url("/checkout"), "Place order"
    player.may_click.set()
    session_id = ask(web, "Order it", agent="operator")
    pending = wait_for(other, session_id, "waiting_user")["pending"]
    assert site.orders == 0
    session = approve_and_kill_the_worker(other, session_id, pending, workers, site)
    assert answer_of(session) == UNKNOWN
    assert [effect.name for effect in site.effects] == ["order"]


@pytest.mark.parametrize("player", [AssistantPlayer()])
def test_a_call_of_the_assistant_that_had_begun_is_not_repeated_and_its_approval_is_void(
    shop_team: Team, site: OrderSite, player: Player
) -> None:
    web, *workers = shop_team.add("web", "worker", "worker")
    player.start, player.button = site.url("/checkout"), "Place order"
    session_id = ask(web, "Order it", agent="assistant")
    pending = wait_for(web, session_id, "waiting_user")["pending"]
    session = approve_and_kill_the_worker(web, session_id, pending, workers, site)
    assert answer_of(session) == UNKNOWN
    assert [effect.name for effect in site.effects] == ["order"]
    assert session["run"]["attempt"] == 3
    shown = [message for message in session["messages"] if message["role"] == "tool"]
    assert [message["meta_json"]["name"] for message in shown] == [
        "browser_navigate", "browser_click", "browser_snapshot"
    ]  # fmt: skip
    assert "may or may not have happened" in shown[1]["content"]
    assert site.paths.count("/checkout") == 1


def test_an_act_that_was_done_is_known_to_the_next_worker_although_its_page_is_lost(
    shop_team: Team, site: OrderSite, player: Player
) -> None:
    web, *workers = shop_team.add("web", "worker", "worker")
    player.start, player.button = site.url("/checkout"), "Place order"
    player.may_click.set()
    site.may_answer.set()
    session_id = ask(web, "Order it", agent="operator")
    pending = wait_for(web, session_id, "waiting_user")["pending"]
    post(web, f"/sessions/{session_id}/decision", reference=pending["reference"], confirmed=True)
    eventually_sync(lambda: player.ends, message="the model is told that the order was sent")
    wait_until_executing(workers).signal(signal.SIGKILL)
    session = wait_for(web, session_id, "completed", "waiting_user", timeout=TAKEN_OVER + 60)
    player.may_end.set()
    assert session["run"]["status"] == "completed"
    assert answer_of(session) == ORDERED
    assert [effect.name for effect in site.effects] == ["order"]
    assert session["run"]["attempt"] == 3


def test_a_frozen_worker_clicks_nothing_when_it_wakes(
    shop_team: Team, site: OrderSite, player: Player
) -> None:
    web, *workers = shop_team.add("web", "worker", "worker")
    player.start, player.button = site.url("/counter"), "Show more"
    session_id = ask(web, "Show more", agent="operator")
    eventually_sync(lambda: player.clicks, message="the model is asked what to click")
    frozen = wait_until_executing(workers)
    frozen.process.send_signal(signal.SIGSTOP)  # its browser keeps running
    session = wait_for(web, session_id, "completed", timeout=TAKEN_OVER + 60)
    assert answer_of(session) == CLICKED
    assert [effect.name for effect in site.effects] == ["list"]
    player.may_click.set()
    frozen.process.send_signal(signal.SIGCONT)
    eventually_sync(
        lambda: get(frozen, "/metrics").text,
        lambda it: "pilothouse_runs_active 0.0" in it,
        message="the frozen worker has stopped its run",
    )
    assert [effect.name for effect in site.effects] == ["list"]
    assert session_at(web, session_id) == session
