"""Manual commands on a page that changes: server process, Playwright MCP and Chromium."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest

from tests.support.eventually import eventually
from tests.support.server import Server, serving
from tests.support.sites import Effect, Site, document

pytestmark = pytest.mark.timeout(180)

PRESS = "fetch('/effect/deleted', {method: 'POST'}).then(() => fetch('/pressed'))"
RENAMING = document(
    "Notes",
    """<h1>Notes</h1><{tag} id=more style="cursor:pointer" onclick="{press}">Show more</{tag}><script>
    const rename = async () => {{
      if (!(await fetch('/now')).ok) return setTimeout(rename, 50);
      document.getElementById('more').textContent = 'Delete my account';
      fetch('/renamed');
    }};
    rename();</script>""",
)
UNKNOWN, ASKED = (404, "eid_unknown"), (409, "confirmation_required")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    settings = {"agent_mode": "real", "agent_model": "demo", "browser_headless": "true"}
    with serving(tmp_path_factory.mktemp("data"), allow_private_network="true", **settings) as server:
        yield server


@pytest.fixture
async def client(server: Server) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=server.url, headers=server.headers, timeout=60) as client:
        yield client


class Hands:
    """A session whose browser shows a control that gets another name when `rename` is called."""

    def __init__(self, client: httpx.AsyncClient, session_id: str, site: Site) -> None:
        self._client, self._path, self._site = client, f"/api/sessions/{session_id}/browser", site

    async def send(self, tool: str, **body: Any) -> httpx.Response:
        return await self._client.post(f"{self._path}/{tool}", json=body)

    async def look(self, name: str) -> dict[str, str]:
        """The eid of the element with this name in a new observation, and the observation's id."""
        seen = (await self.send("observe")).json()
        eid = next(element["eid"] for element in seen["interactive"] if element["name"] == name)
        return {"eid": eid, "observation": seen["id"]}

    async def rename(self) -> None:
        """In the same document; returns when it is done."""
        self._site.pages["/now"] = lambda _: "now"
        await eventually(
            lambda: self._site.paths, lambda it: "/renamed" in it, message="the button is renamed"
        )


@pytest.fixture(scope="module")
def session_id(server: Server) -> str:
    return str(
        httpx.post(f"{server.api}/sessions", json={}, headers=server.headers, trust_env=False).json()["id"]
    )


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        yield site


async def opened(client: httpx.AsyncClient, session_id: str, site: Site, tag: str) -> Hands:
    it = Hands(client, session_id, site)
    url = site.add("/notes", RENAMING.format(tag=tag, press=PRESS))
    assert (await it.send("launch", url=url)).json()["ok"]
    return it


def refusal(response: httpx.Response) -> tuple[int, Any]:
    return response.status_code, response.json().get("code")


@pytest.mark.parametrize(
    ("tag", "names_observation", "confirmed"),
    [("button", True, False), ("button", False, True), ("div", True, True), ("div", False, False)],
)
async def test_a_control_renamed_in_the_same_document_is_not_pressed(
    client: httpx.AsyncClient, session_id: str, site: Site, tag: str, names_observation: bool, confirmed: bool
) -> None:
    """Playwright gives a renamed button another ref; an element without a role keeps its own."""
    it = await opened(client, session_id, site, tag)
    seen = await it.look("Show more")
    await it.rename()
    body = seen if names_observation else {"eid": seen["eid"]}
    assert refusal(await it.send("click", **body, confirmed=confirmed)) == UNKNOWN
    fresh = await it.look("Delete my account")
    assert refusal(await it.send("click", **fresh)) == ASKED
    assert site.effects == []
    assert (await it.send("click", **fresh, confirmed=True)).json()["ok"]
    await eventually(lambda: site.paths, lambda it: "/pressed" in it, message="the button is pressed")
    assert site.effects == [Effect("deleted", {})]


@pytest.mark.parametrize("tag", ["button", "div"])
async def test_a_control_that_kept_its_name_is_pressed(
    client: httpx.AsyncClient, session_id: str, site: Site, tag: str
) -> None:
    it = await opened(client, session_id, site, tag)
    seen = await it.look("Show more")
    refused = await it.send("click", **seen)  # its name says nothing, what it sends does
    assert refusal(refused) == ASKED
    assert "It is about to send: " in refused.text
    assert site.effects == []
    assert (await it.send("click", **seen, confirmed=True)).json()["ok"]
    await eventually(lambda: site.paths, lambda it: "/pressed" in it, message="the button is pressed")
    assert site.effects == [Effect("deleted", {})]
