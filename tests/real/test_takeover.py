"""A person takes the browser from an agent at work and gives it back: server process, provider's wire, Chromium."""

from __future__ import annotations

import asyncio
import io
import itertools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from server.agent.operator.plan.move import TOOL_NAME
from tests.support.eventually import eventually_sync
from tests.support.live import Person, watching
from tests.support.model_reply import Asked, Reply, call, say
from tests.support.model_server import ModelServer
from tests.support.server import Server, serving
from tests.support.sites import Site, document

pytestmark = pytest.mark.timeout(300)

CANARY = "kanarie-8417-Zwx"
USER = "ann-of-the-test"
SECRET_BOX = (200, 100, 400, 60)
STYLED_LOGIN = document(
    "Log in",
    f"""<h1>Log in</h1><form method=post action=/login>
    <label>User <input name=user></label><input type=password aria-label=Password name=password style="position:absolute;
    left:{SECRET_BOX[0]}px;top:{SECRET_BOX[1]}px;width:{SECRET_BOX[2]}px;height:{SECRET_BOX[3]}px;box-sizing:border-box;
    font-size:40px;-webkit-text-security:none;border:0;padding:0"></form>""",
)


def act(action: str, **more: Any) -> Reply:
    return call(TOOL_NAME, {"reason": "next", "action": action, **more})


def go(url: str) -> Reply:
    plan = ["Open the page", "Let the person log in", "Tell what is there"]
    return act("navigate", url=url, goal="get in", plan=plan)


DONE = act("stop", final_response="All is well.")
LOG_IN = act("need_user", text="Please log in.")


class Desk:
    """One session as a person's client uses it."""

    def __init__(self, server: Server, session_id: str) -> None:
        self.server = server
        self.session_id = session_id
        self.api = httpx.Client(base_url=server.api, headers=server.headers, timeout=60, trust_env=False)

    def ask(self, content: str) -> None:
        assert (
            self.api.post(f"/sessions/{self.session_id}/messages", json={"content": content}).status_code
            == 202
        )

    @property
    def session(self) -> dict[str, Any]:
        return dict(self.api.get(f"/sessions/{self.session_id}").json())

    @property
    def status(self) -> str:
        return str(self.session["status"])

    def until(self, holds: Callable[[], object], *, seconds: float = 90) -> None:
        eventually_sync(
            holds,
            timeout=seconds,
            message=lambda: f"the session changes; {self.status}, {self.server.log.read_text()[-2000:]}",
            interval=0.05,
        )

    def pictures(self) -> list[Path]:
        return sorted((self.server.log.parent / "screenshots").rglob("*.jpg"))

    def watch(self) -> AbstractContextManager[Person]:
        return watching(self.server, self.session_id)


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        site.add("/styled-login", STYLED_LOGIN)
        yield site


@dataclass
class Played:
    """What the model was asked, and every line of the streams."""

    requests: list[Asked]
    heard: list[str]


async def play(
    tmp_path: Path, script: list[Any], story: Callable[[Desk], None], agent: str = "operator", **settings: str
) -> Played:
    """Runs a person's story in a thread, while the model answers and the streams are read here."""
    heard: list[str] = []
    async with ModelServer(script) as provider, httpx.AsyncClient(timeout=60, trust_env=False) as client:
        env = {name.lower(): value for name, value in provider.env.items()}
        chosen = {
            "agent_mode": "real",
            "agent_model": "anthropic:claude-haiku-4-5",
            "browser_headless": "true",
        }
        with serving(tmp_path / "data", **chosen, **env, **settings) as server:
            client.headers = server.headers
            session_id = (await client.post(f"{server.api}/sessions", json={"agent": agent})).json()["id"]
            readers = [
                asyncio.create_task(read_lines(client, server.url + path, heard))
                for path in (f"/api/stream?sessions={session_id}", f"/events/{session_id}")
            ]
            desk = Desk(server, session_id)
            try:
                await asyncio.to_thread(story, desk)
            finally:
                desk.api.close()
                for reader in readers:
                    reader.cancel()
                await asyncio.gather(*readers, return_exceptions=True)
        assert provider.refusals == []
        return Played(provider.requests, heard)


async def read_lines(client: httpx.AsyncClient, url: str, heard: list[str]) -> None:
    async with client.stream("GET", url) as stream:
        async for line in stream.aiter_lines():
            heard.append(line)


def log_in(person: Person, *, sends: bool) -> None:
    listed = person.elements()
    person.say("click", eid=listed["User"])
    person.write(USER)
    person.say("click", eid=listed["Password"])
    person.write(CANARY[:8])
    person.say("text", text=CANARY[8:])
    if sends:
        person.press("Enter", "Enter")
        person.until_state(title="Private")


def places_of(text: str, folder: Path) -> list[str]:
    """The files of a folder that hold this text, in whatever encoding Chromium and SQLite use."""
    forms = (text.encode(), text.encode("utf-16-le"))
    return [
        str(path.relative_to(folder)) for path in folder.rglob("*")
        if path.is_file() and any(form in path.read_bytes() for form in forms)
    ]  # fmt: skip


async def test_what_a_person_types_is_in_the_vault_alone_and_only_after_a_yes(
    tmp_path: Path, site: Site
) -> None:
    def story(desk: Desk) -> None:
        desk.ask("Get into the private page")
        desk.until(lambda: desk.status == "waiting_user")
        pictures = desk.pictures()
        with desk.watch() as person, desk.watch() as other:
            person.take()
            log_in(person, sends=True)
            assert desk.pictures() == pictures
            person.say("login")
            offered = person.until_told("login", kind="new")
            assert offered["host"] in site.url("/login")
            assert desk.api.get("/logins").json()["items"] == []
            person.say("keep_login", answer="save")
            person.until_told("login", kind="")
            (stored,) = desk.api.get("/logins").json()["items"]
            assert (stored["hosts"], stored["account"]) == ([offered["host"]], f"{USER[0]}...")
            person.say("login")
            person.until_told("login", since=len(person.told), kind="")
            person.release()
            other.until_state(holder="none", held=False)
            assert all(CANARY not in str(told) for told in (*person.told, *other.told))
        desk.until(lambda: desk.status == "idle")
        assert desk.session["messages"][-1]["content"] == "All is well."

    played = await play(tmp_path, [go(site.url("/login")), LOG_IN, DONE], story, log_level="DEBUG")
    assert site.effects[-1].fields == {"user": USER, "password": CANARY}
    asked = str(played.requests[-1].body)
    assert (
        'Values were entered in \\"User\\", \\"Password\\"' in asked
        or 'entered in "User", "Password"' in asked
    )
    assert "Welcome back, Ann" in asked
    for secret in (CANARY, CANARY[8:]):
        assert places_of(secret, tmp_path / "data") == []
        assert not [line for line in played.heard if secret in line]
        assert not [request for request in played.requests if secret in str(request.body)]
    log = (tmp_path / "data" / "server.log").read_text()
    assert "DEBUG" in log
    assert "dispatchKeyEvent" not in log
    assert '"type": "key"' not in log
    assert USER not in log


async def test_a_secret_left_in_its_field_is_masked_for_the_model_and_blurred_in_pictures(
    tmp_path: Path, site: Site
) -> None:
    def story(desk: Desk) -> None:
        desk.ask("Get into the private page")
        desk.until(lambda: desk.status == "waiting_user")
        before = set(desk.pictures())
        with desk.watch() as person:
            person.take()
            log_in(person, sends=False)
            person.until(
                lambda: person.frames and lines_of_text(person.frames[-1]) > 20
            )  # the person sees it
            person.release()
        desk.until(lambda: desk.status == "idle")
        (after,) = set(desk.pictures()) - before
        assert lines_of_text(after.read_bytes()) < 12

    played = await play(tmp_path, [go(site.url("/styled-login")), LOG_IN, DONE], story)
    asked = played.requests[-1].last_text
    assert "secret filled" in asked
    assert USER in asked  # what is no secret is seen as it is
    assert not [request for request in played.requests if CANARY in str(request.body)]
    assert places_of(CANARY, tmp_path / "data") == []


def lines_of_text(picture: bytes) -> int:
    """How often light and dark change across the middle of the secret field: letters do it often, a blur hardly."""
    x, y, width, height = SECRET_BOX
    with Image.open(io.BytesIO(picture)) as image:
        row = [image.convert("L").getpixel((at, y + height // 2)) for at in range(x, x + width)]
    return sum(abs(int(one) - int(next)) > 40 for one, next in itertools.pairwise(row))  # type: ignore[arg-type]


@pytest.mark.parametrize("agent", ["operator", "assistant"])
async def test_the_run_pauses_within_one_action_and_goes_on_from_the_new_page(
    tmp_path: Path, site: Site, agent: str
) -> None:
    def story(desk: Desk) -> None:
        desk.ask("Wait for me there")
        desk.until(lambda: "/form" in site.paths and len(desk.session["messages"]) == 2)
        with desk.watch() as person:
            person.take()
            desk.until(lambda: desk.status == "paused")
            person.say("go", url=site.url("/links"))
            person.until_state(title="Links")
            kept = len(desk.session["messages"])
            person.hear(3)
            assert (desk.status, len(desk.session["messages"]) - kept) in (("paused", 0), ("paused", 1))
            person.release("the links are over there")
            desk.until(lambda: desk.status == "idle")
        assert desk.session["messages"][-1]["content"] == "All is well."

    if agent == "operator":
        script = [go(site.url("/form")), act("wait", ms=6000), DONE]
    else:
        script = [call("browser_navigate", {"url": site.url("/form")}), call("browser_wait_for", {"time": 6}),
                  say("All is well.")]  # fmt: skip
    played = await play(tmp_path, script, story, agent)
    assert len(played.requests) == 3
    asked = str(played.requests[-1].body)
    assert f"The page is now {site.url('/links')}." in asked
    assert "the links are over there" in asked
    if agent == "operator":
        assert f"URL: {site.url('/links')}" in played.requests[-1].last_text


async def test_a_lost_holder_leaves_the_run_paused_until_somebody_gives_it_back(
    tmp_path: Path, site: Site
) -> None:
    def story(desk: Desk) -> None:
        desk.ask("Wait for me there")
        desk.until(lambda: "/form" in site.paths and len(desk.session["messages"]) == 2)
        with desk.watch() as witness:
            with desk.watch() as person:
                person.take()
                desk.until(lambda: desk.status == "paused")
                witness.say("take")
                witness.until_told("error", code="takeover_held")
                refused = desk.api.post(f"/sessions/{desk.session_id}/resume")
                assert (refused.status_code, refused.json()["code"]) == (409, "takeover_held")
                by_hand = desk.api.post(f"/sessions/{desk.session_id}/browser/screenshot")
                assert (by_hand.status_code, by_hand.json()["code"]) == (409, "takeover_held")
            witness.until_state(holder="none", held=True)
            witness.hear(2)
            assert desk.status == "paused"
            witness.take()
            witness.say("go", url=site.url("/links"))
            witness.until_state(title="Links")
        desk.until(lambda: desk.api.post(f"/sessions/{desk.session_id}/resume").status_code == 202)
        desk.until(lambda: desk.status == "idle")

    played = await play(tmp_path, [go(site.url("/form")), act("wait", ms=6000), DONE], story)
    assert f"The page is now {site.url('/links')}." in str(played.requests[-1].body)


async def test_what_a_person_did_between_two_runs_is_told_to_the_next(tmp_path: Path, site: Site) -> None:
    def story(desk: Desk) -> None:
        with desk.watch() as person:
            person.take()
            person.say("go", url=site.url("/form"))
            person.until_state(title="Form")
            person.say("type", eid=person.elements()["Town"], text="Rome")
            person.release()
        desk.ask("What is on the page?")
        desk.until(lambda: len(desk.session["messages"]) == 2)

    played = await play(tmp_path, [DONE], story)
    asked = played.requests[0].last_text
    assert "the user had the browser" in asked
    assert 'A value was entered in "Town".' in asked
    assert f"URL: {site.url('/form')}" in asked


async def test_the_target_of_the_agent_and_of_its_question_is_told(tmp_path: Path, site: Site) -> None:
    def click(asked: Asked) -> Reply:
        eid = next(
            line.split("]")[0][1:] for line in asked.last_text.splitlines() if 'button "Order now"' in line
        )
        return act("click", eid=eid)

    def story(desk: Desk) -> None:
        with desk.watch() as person:
            desk.ask("Order it")
            target = person.until_told("target", label="Order now")
            left, top, width, height = target["box"]
            assert (left, top) < (5, 10)
            assert (2, 1) < (width, height) < (20, 10)
            desk.until(lambda: desk.session["pending"])
            pending = desk.session["pending"]
            with desk.watch() as late:
                assert late.until_told("target", label="Order now")["box"] == target["box"]
            since = len(person.told)
            answer = {"reference": pending["reference"], "confirmed": True}
            assert desk.api.post(f"/sessions/{desk.session_id}/decision", json=answer).status_code == 202
            person.until_told("target", since=since, box=None)
        desk.until(lambda: desk.status == "idle")

    await play(tmp_path, [go(site.url("/effect")), click, DONE], story)
    assert [effect.name for effect in site.effects] == ["order"]
