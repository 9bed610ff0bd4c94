"""A long page is read to its end, and a form is filled in one move: what the person sees of both."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.conftest import DESKTOP
from tests.e2e.screen import Screen, keep_still
from tests.support.documents import article_page
from tests.support.model_reply import say
from tests.support.model_server import providing
from tests.support.operator_tasks import fact, step_of
from tests.support.scripted_model import act, navigate, stop, together
from tests.support.server import serving
from tests.support.sites import Site

FORM = """<title>Newsletter</title><h1>Newsletter</h1>
<label>Name <input></label> <label>Town <select><option>Oslo<option>Riga</select></label>
<label><input type=checkbox>Weekly</label> <label><input type=checkbox>By post</label>"""


@pytest.mark.timeout(180)
def test_a_page_is_read_in_parts_and_a_form_filled_in_one_move(chromium: Browser, tmp_path: Path) -> None:
    with Site() as site:
        article, form = site.add("/article", article_page()), site.add("/form", FORM)
        read = [
            navigate(article),
            act("read_page", page=1),
            fact(act("read_page", page=2), "Part one is about ships."),
        ]
        fill = together(
            {"action": "type", "on": "Name", "text": "Ann"}, {"action": "select", "on": "Town", "option": "Riga"},
            {"action": "click", "on": "Weekly"}, {"action": "click", "on": "By post"},
        )  # fmt: skip
        turns = [*read, navigate(form), fill, stop("Read, and filled in.")]
        with (
            providing([*map(step_of, turns), say("Reading and a form")]) as provider,
            serving(
                tmp_path, drain_timeout="0", agent_mode="real", agent_model="anthropic:claude-haiku-4-5",
                browser_headless="true", **{name.lower(): value for name, value in provider.env.items()},
            ) as server,
            httpx.Client(base_url=server.api, headers=server.headers, trust_env=False, timeout=30) as api,
            chromium.new_context(base_url=server.url, viewport=DESKTOP, locale="en-US") as context,
        ):  # fmt: skip
            context.request.post("/api/auth/login", data={"password": server.token})
            context.set_default_timeout(60_000)
            keep_still(context)
            screen = Screen(context.new_page(), server, api)
            screen.begin("Read the article, then fill in the form")
            expect(screen.feed.get_by_text("Read, and filled in.")).to_be_visible(timeout=90_000)
            screen.wait_idle()
            assert len([asked for asked in provider.requests if asked.tools]) == len(turns)
            screen.button(re.compile(r"8 steps")).click()
            for step in (
                "Opened",
                "Read the page",
                "Typed into Name",
                "Chose Town",
                "Clicked Weekly",
                "Clicked By post",
            ):
                expect(screen.feed.get_by_text(step).first).to_be_visible()
            assert screen.errors == []
        assert provider.refusals == []
