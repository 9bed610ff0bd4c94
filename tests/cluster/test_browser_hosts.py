"""Browsers on a host: a worker dies, and the next one continues in the same page. Nothing is done twice at a site."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser_host import Host, browser_host
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
from tests.support.held_player import ORDER, SAYS, PicturePlayer, PictureSite
from tests.support.live import watching
from tests.support.model_reply import Asked, Reply, Script, call, say
from tests.support.model_server import providing
from tests.support.redis import RedisServer
from tests.support.server import Server, serving
from tests.support.sites import Site, document

pytestmark = pytest.mark.timeout(300)

FORM = """<h1>Form</h1><input aria-label=Name>
<button type=button onclick="fetch('/effect/list', {method: 'POST'});
document.querySelector('h1').textContent = 'Shown ' + document.querySelector('input').value">Show more</button>"""


class FormSite(Site):
    """A form that is lost with its page, and an `/order` that answers when `may_answer` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.may_answer = threading.Event()
        self.pages |= {"/form-to-fill": lambda _: document("Form", FORM), "/order": self._order}

    def _order(self, _: object) -> str:
        self.may_answer.wait(120)
        return document("Thank you", "<h1>Thank you</h1><p>Order number 1001</p>")

    @property
    def visits(self) -> int:
        return sum(path.startswith("/form-to-fill") for path in self.paths)


class FormPlayer:
    """Plays the model: opens `start`, types a name, waits for `may_click`, clicks. Keeps what it was shown."""

    def __init__(self) -> None:
        self.start = ""
        self.may_click = threading.Event()
        self.clicks = 0
        self.seen: list[str] = []

    def __call__(self, asked: Asked) -> Reply:
        text = asked.last_text
        self.seen.append(text)
        if "may or may not have happened" in text:
            return move("stop", final_response="I cannot see whether that was done.")
        if found := re.search(r"Shown (\w+)", text):
            return move("stop", final_response=f"Shown for {found[1]}.")
        name = re.search(r"\[(e\d+)\] textbox \"Name\"( value=\"Ada\")?", text)
        if not name:
            return move("navigate", url=self.start)
        if not name[2]:
            return move("type", eid=name[1], text="Ada")
        self.clicks += 1
        save = re.findall(r'\[(e\d+)\] button "Show more"', text)
        held = {} if self.clicks > 1 else {"held": self.may_click}
        return move("click", eid=save[-1]).but(**held)


class AssistantFormPlayer(FormPlayer):
    """The same for the assistant, which calls the browser's own tools."""

    def __call__(self, asked: Asked) -> Reply:
        text = asked.last_text
        if found := re.search(r"Shown (\w+)", text):
            return say(f"Shown for {found[1]}.")
        name = re.search(r"\[(e\d+)\] textbox \"Name\"( value=\"Ada\")?", text)
        if not name:
            return call("browser_navigate", {"url": self.start})
        if not name[2]:
            return call("browser_type", {"element": "Name", "target": name[1], "text": "Ada"})
        self.clicks += 1
        save = re.findall(r'\[(e\d+)\] button "Show more"', text)
        held = {} if self.clicks > 1 else {"held": self.may_click}
        return call("browser_click", {"element": "Show more", "target": save[-1]}).but(**held)


@pytest.fixture
def site() -> Iterator[FormSite]:
    with FormSite() as site:
        yield site
        site.may_answer.set()


@pytest.fixture
def player() -> FormPlayer:
    return FormPlayer()


@pytest.fixture
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with browser_host(tmp_path_factory.mktemp("host")) as host:
        yield host


@pytest.fixture
def hosted_team(
    tmp_path_factory: pytest.TempPathFactory,
    shared_url: str,
    redis: RedisServer,
    player: FormPlayer,
    host: Host,
) -> Iterator[Team]:
    with providing(player) as provider:
        settings = played_by(provider, browser_pool=host.url, browser_secret=host.secret)
        with cluster(tmp_path_factory.mktemp("hosted"), shared_url, redis.url, **settings) as team:
            yield team


@contextmanager
def alone(folder: Path, player: Script, host: Host) -> Iterator[Callable[[], Server]]:
    """Starts a server that is the only one on its database, again after its end."""
    with providing(player) as provider, ExitStack() as stack:
        settings = played_by(
            provider, browser_pool=host.url, browser_secret=host.secret, drain_timeout="0",
            auth_token="token-of-one-server",
        )  # fmt: skip
        yield lambda: stack.enter_context(serving(folder, **settings))


def begin(team: Team, site: FormSite, player: FormPlayer) -> tuple[Server, list[Server], str]:
    """Two web processes and two workers; the name is typed, and the model is asked what to click."""
    web, *workers = team.add("web", "worker", "worker")
    player.start = site.url("/form-to-fill")
    session_id = ask(web, "Show more for Ada", agent="operator")
    eventually_sync(lambda: player.clicks, message="the name is typed", timeout=60)
    return web, workers, session_id


def test_the_next_worker_goes_on_in_the_page_of_a_killed_one(
    hosted_team: Team, site: FormSite, player: FormPlayer, host: Host
) -> None:
    web, workers, session_id = begin(hosted_team, site, player)
    other = hosted_team.add("web")[0]
    with watching(other, session_id) as person:
        person.until(lambda: person.state.get("browser") == "open" and person.frames)
        wait_until_executing(workers).signal(signal.SIGKILL)
        session = wait_for(web, session_id, "completed", timeout=TAKEN_OVER + 60)
        shown = len(person.frames)
        person.until(lambda: person.state.get("browser") == "open" and len(person.frames) > shown, seconds=30)
        person.take()
        person.until(lambda: person.state.get("holder") == "me")
        person.release(note="I have only looked")
    player.may_click.set()
    assert answer_of(session) == "Shown for Ada."
    assert session["run"]["attempt"] == 2
    assert [effect.name for effect in site.effects] == ["list"]
    assert site.visits == 1
    assert host.metric("pilothouse_browsers_open") == 1


def test_an_act_that_had_begun_is_not_repeated_in_the_page_that_is_still_there(
    hosted_team: Team, site: FormSite, player: FormPlayer
) -> None:
    web, *workers = hosted_team.add("web", "worker", "worker")
    player.start = site.url("/order")
    session_id = ask(web, "Order it", agent="operator")
    eventually_sync(lambda: "/order" in site.paths, message="the order arrives at the site", timeout=60)
    wait_until_executing(workers).signal(signal.SIGKILL)
    session = wait_for(web, session_id, "completed", timeout=TAKEN_OVER + 60)
    assert answer_of(session) == "I cannot see whether that was done."
    assert session["run"]["attempt"] == 2
    assert site.paths.count("/order") == 1


def test_a_frozen_worker_does_nothing_in_the_page_that_another_one_has_taken(
    hosted_team: Team, site: FormSite, player: FormPlayer
) -> None:
    web, workers, session_id = begin(hosted_team, site, player)
    frozen = wait_until_executing(workers)
    frozen.process.send_signal(signal.SIGSTOP)
    session = wait_for(web, session_id, "completed", timeout=TAKEN_OVER + 60)
    player.may_click.set()
    frozen.process.send_signal(signal.SIGCONT)
    eventually_sync(
        lambda: get(frozen, "/metrics").text,
        lambda it: "pilothouse_runs_active 0.0" in it,
        message="the frozen worker has stopped its run",
    )
    assert answer_of(session) == "Shown for Ada."
    assert [effect.name for effect in site.effects] == ["list"]
    assert site.visits == 1
    assert session_at(web, session_id) == session


def test_a_worker_that_is_told_to_end_leaves_the_page_to_the_next_one(
    hosted_team: Team, site: FormSite, player: FormPlayer
) -> None:
    web, workers, session_id = begin(hosted_team, site, player)
    worker = wait_until_executing(workers)
    worker.process.send_signal(signal.SIGTERM)
    assert worker.process.wait(40) == 0
    session = wait_for(web, session_id, "completed", timeout=TAKEN_OVER + 60)
    player.may_click.set()
    assert answer_of(session) == "Shown for Ada."
    assert site.visits == 1


def test_a_killed_host_costs_the_page_and_not_the_run(
    hosted_team: Team, site: FormSite, player: FormPlayer, host: Host
) -> None:
    web, _, session_id = begin(hosted_team, site, player)
    host.kill()
    host.start()
    player.may_click.set()
    session = wait_for(web, session_id, "completed", timeout=90)
    assert answer_of(session) == "Shown for Ada."
    assert [effect.name for effect in site.effects] == ["list"]
    assert site.visits == 2
    assert session["run"]["attempt"] == 1
    assert any("the page changed before the action: nothing was done" in text for text in player.seen)


@pytest.mark.parametrize(
    ("number", "agent", "player"),
    [
        (signal.SIGKILL, "operator", FormPlayer()), (signal.SIGTERM, "operator", FormPlayer()),
        (signal.SIGKILL, "assistant", AssistantFormPlayer()), (signal.SIGTERM, "assistant", AssistantFormPlayer()),
    ],
)  # fmt: skip
def test_a_server_that_is_alone_goes_on_in_the_page_after_its_restart(
    tmp_path: Path, site: FormSite, player: FormPlayer, host: Host, number: signal.Signals, agent: str
) -> None:
    with alone(tmp_path, player, host) as start:
        server = start()
        player.start = site.url("/form-to-fill")
        session_id = ask(server, "Show more for Ada", agent=agent)
        eventually_sync(lambda: player.clicks, message="the name is typed", timeout=60)
        server.process.send_signal(number)
        server.process.wait(40)
        session = wait_for(start(), session_id, "completed", timeout=60)
        player.may_click.set()
    assert answer_of(session) == "Shown for Ada."
    assert session["run"]["attempt"] == 2
    assert [effect.name for effect in site.effects] == ["list"]
    assert site.visits == 1


def test_an_act_of_a_server_that_is_alone_is_not_repeated_after_its_restart(
    tmp_path: Path, site: FormSite, player: FormPlayer, host: Host
) -> None:
    with alone(tmp_path, player, host) as start:
        server = start()
        player.start = site.url("/order")
        session_id = ask(server, "Order it", agent="operator")
        eventually_sync(lambda: "/order" in site.paths, message="the order arrives at the site", timeout=60)
        server.kill()
        session = wait_for(start(), session_id, "completed", timeout=60)
    assert answer_of(session) == "I cannot see whether that was done."
    assert site.paths.count("/order") == 1


def test_without_its_browser_the_run_of_a_server_that_is_alone_is_interrupted(
    tmp_path: Path, site: FormSite, player: FormPlayer, host: Host
) -> None:
    with alone(tmp_path, player, host) as start:
        server = start()
        player.start = site.url("/form-to-fill")
        session_id = ask(server, "Show more for Ada", agent="operator")
        eventually_sync(lambda: player.clicks, message="the name is typed", timeout=60)
        server.kill()
        host.kill()
        host.start()
        wait_for(start(), session_id, "interrupted", timeout=60)
        player.may_click.set()
    assert site.effects == []


@pytest.mark.parametrize("dies", ["server", "host", "both"])
def test_nothing_that_was_held_leaves_when_a_process_dies(tmp_path: Path, host: Host, dies: str) -> None:
    """In the page that its host has kept a yes does the act again; where the page is lost, it is asked about again."""
    player = PicturePlayer()
    with PictureSite() as site, alone(tmp_path, player, host) as start:
        server = start()
        player.start = site.url("/picture")
        session_id = ask(server, "Zoom in", agent="operator")
        pending = wait_for(server, session_id, "waiting_user")["pending"]
        assert pending["would_send"] == SAYS
        if dies != "host":
            server.kill()
        if dies != "server":
            host.kill()
            host.start()
        if dies != "host":
            server = start()
        eventually_sync(
            lambda: session_at(server, session_id)["pending"], lambda it: it == pending, message="it is open"
        )
        assert site.effects == []
        yes(server, session_id, pending)
        if dies != "server":
            again = eventually_sync(
                lambda: session_at(server, session_id)["pending"],
                lambda it: it and it != pending,
                message="it is asked about again",
            )
            assert f"so this was not sent: {SAYS}" in player.seen[-1]
            assert site.effects == []
            yes(server, session_id, again)
        session = wait_for(server, session_id, "completed")
        assert answer_of(session) == "It was sent."
        assert site.effects == [ORDER]


def yes(server: Server, session_id: str, pending: dict[str, Any]) -> None:
    path = f"/sessions/{session_id}/decision"
    assert post(server, path, reference=pending["reference"], confirmed=True).status_code == 202
