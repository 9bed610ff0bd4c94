"""Both browser servers show the same page, and both agents ask about the same acts on it."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any, cast

import pytest
import pytest_asyncio
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from server.agent.assistant.agent import build_assistant
from server.browser.browser import Field
from server.browser.mcp.session_browser import SessionBrowser
from tests.support.browsers import element, open_pool
from tests.support.operator_tasks import task
from tests.support.scripted_browser import ScriptedBrowser
from tests.support.scripted_model import ScriptedModel, click, navigate, stop
from tests.support.sites import Site
from tests.unit.test_assistant import new_context

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(300)]

SERVERS = ("playwright", "browser-use")

FORM = """<h1>Your details</h1><form><label>Size <select><option>Small<option selected>Large</select></label>
<label>Note <textarea>Ring twice</textarea></label><label>Your CV <input type=file></label>
<label><input type=checkbox checked> By post</label><input type=password aria-label=Password value=hunter2ZX>
<p>It comes <b>on</b> Tuesday.</p><button>Save</button></form><div style="cursor:pointer">More</div><b id=it>Less</b>
<script>it.addEventListener('click', () => it.textContent = 'Least')</script>"""
SHADOW = """<my-card></my-card><script>const root = document.querySelector('my-card').attachShadow({mode: 'open'});
root.innerHTML = '<h2>Inside</h2><button>Deep</button><i id=x>Icon</i>';
root.getElementById('x').addEventListener('click', () => 1)</script>"""
DIALOG = """<h1>List</h1><a href=/kettle>Kettle</a><div role=dialog aria-label="Delete the list?"><p>It cannot be undone.</p>
<button>Yes</button><button>No</button></div>"""
ASKED_ABOUT = {
    "order": (
        "<h1>Step 3 of 3: your order will be placed now</h1>"
        "<form method=post action=/effect/ordered><button>Continue</button></form>",
        "Continue",
    ),
    "payment": (
        "<h1>Payment</h1><form method=post action=/effect/paid><label>Card number <input name=card></label><button>Go</button></form>",
        "Go",
    ),
    "message": (
        "<h1>New message to the whole company</h1><form method=post action=/effect/sent><textarea name=text>Hi</textarea>"
        "<button>OK</button></form>",
        "OK",
    ),
    "plan": (
        "<h1>Premium plan, EUR 9.99 per month</h1><form method=post action=/effect/upgraded><button>Next step</button></form>",
        "Next step",
    ),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browsers(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[dict[str, SessionBrowser]]:
    async with AsyncExitStack() as stack:
        found = {}
        for name in SERVERS:
            pool = await stack.enter_async_context(
                open_pool(tmp_path_factory.mktemp("data"), browser_mcp=name)
            )
            found[name] = cast(SessionBrowser, await pool.get("read"))
        yield found


@pytest.mark.parametrize("kind", ["form", "shadow", "dialog", "frames", *ASKED_ABOUT])
async def test_a_page_is_the_same_with_both_servers(
    browsers: dict[str, SessionBrowser], site: Site, kind: str
) -> None:
    with Site() as other:
        inner = other.add("/inner", "<h2>Of another site</h2><button onclick='1'>Inside</button>")
        site.add("/same", "<h3>Of this site</h3><button>Framed</button>")
        frames = f"""<h1>Outer</h1><iframe src="{inner}" width=500 height=150></iframe><iframe src=/same width=400 height=150>
            </iframe><iframe title=reCAPTCHA style="width:304px;height:78px" src=/same></iframe>"""
        pages = {"form": FORM, "shadow": SHADOW, "dialog": DIALOG, "frames": frames}
        url = site.add(f"/same-{kind}", pages.get(kind) or ASKED_ABOUT[kind][0])
        seen = []
        for browser in browsers.values():
            await browser.navigate(url)
            seen.append(await browser.observe())
    one, another = seen
    assert one.text() == another.text()
    assert [(it.name, it.box) for it in one.interactive] == [(it.name, it.box) for it in another.interactive]
    assert one.overlays == another.overlays
    assert "hunter2ZX" not in one.text()


async def test_the_targets_of_browser_use_are_the_elements_that_are_shown(
    browsers: dict[str, SessionBrowser], site: Site
) -> None:
    """Controls that its own list lacks are clicked at a point; lists and texts of several lines are set as they are."""
    browser = browsers["browser-use"]
    await browser.navigate(site.add("/targets", FORM))
    seen = await browser.observe()
    size, note = element(seen, "Size"), element(seen, "Note")
    assert (await browser.select(size, ["Small"])).ok
    assert not (await browser.select(size, ["Huge"])).ok
    assert (await browser.type([Field(note, "First\nSecond"), Field(element(seen, "By post"), "false")])).ok
    assert (await browser.click(element(seen, "Less"))).ok
    after = await browser.observe()
    assert element(after, "Size").value == "Small"
    assert (element(after, "Note").value or "").split() == ["First", "Second"]
    assert element(after, "By post").checked is not True
    assert element(after, "Least")
    assert after.page.url == seen.page.url, "the end of a line sent the form"


@pytest.mark.parametrize("kind", ASKED_ABOUT)
@pytest.mark.parametrize("server", SERVERS)
async def test_both_agents_ask_about_an_act_that_only_the_words_around_it_explain(
    browsers: dict[str, SessionBrowser], site: Site, server: str, kind: str
) -> None:
    page, name = ASKED_ABOUT[kind]
    url, browser = site.add(f"/asked-{kind}", page), browsers[server]
    async with task(browser, navigate(url), click(name), stop("no")) as it:
        assert await it.say("go on") is None
        operator = it.question or {}
        await it.answer(False)
    assistant = await asked_by_the_assistant(browser, url, name)
    assert operator["target"]["name"] == assistant["target"]["name"] == name
    assert operator["risk"] == assistant["risk"]
    assert operator["target"]["box"] == pytest.approx(assistant["target"]["box"], abs=0.5)
    assert site.effects == []


async def asked_by_the_assistant(browser: SessionBrowser, url: str, name: str) -> dict[str, Any]:
    """Its question at a click on the button."""
    argument = "target" if "browser_snapshot" in {spec.name for spec in browser.tools()} else "index"

    def press(prompt: str) -> dict[str, Any]:
        target = re.findall(rf'^\[(\w+)\] button "{name}"', prompt, re.MULTILINE)[-1]
        return {
            "tool": "browser_click",
            "raw": json.dumps({argument: int(target) if argument == "index" else target}),
        }

    model = ScriptedModel(
        turns=[{"tool": "browser_navigate", "raw": json.dumps({"url": url})}, press], prompts=[]
    )
    context = new_context(max_tool_steps=5, browser=cast(ScriptedBrowser, browser))
    graph = build_assistant(model, browser.tools(), checkpointer=InMemorySaver())
    config: RunnableConfig = {"configurable": {"thread_id": "t"}, "recursion_limit": 20}
    await graph.ainvoke({"messages": [HumanMessage(f"open {url}")]}, config, context=context)
    (question,) = (await graph.aget_state(config)).interrupts
    return dict(question.value)
