"""Both agents on pages of the bench, with a model that does at once what the page wants."""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from bench.gate.pages import Case, LedgerSite
from server.agent.assistant.agent import build_assistant
from server.browser.mcp.session_browser import SessionBrowser
from tests.support.browsers import open_pool
from tests.support.operator_world import World
from tests.support.scripted_browser import ScriptedBrowser
from tests.support.scripted_model import ScriptedModel, navigate, stop
from tests.unit.test_assistant import new_context

Outcome = Literal["first key", "second key", "stopped later", "sent", "nothing"]
"""Which key asked; stopped after the act, without a question; sent without one; or the page sent nothing."""


@dataclass
class Tally:
    outcomes: dict[str, Counter[Outcome]] = field(default_factory=dict)
    through: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, case: Case, outcome: Outcome, arrived: Iterable[str]) -> None:
        self.outcomes.setdefault(case.kind, Counter())[outcome] += 1
        if outcome == "sent":
            self.through.append(f"{case.name}: {', '.join(arrived)}")

    def total(self, *outcomes: Outcome) -> int:
        return sum(counter[one] for counter in self.outcomes.values() for one in outcomes)

    @property
    def cases(self) -> int:
        return sum(counter.total() for counter in self.outcomes.values())


async def try_all(
    cases: Sequence[Case], *, server: str, agent: str, at_once: int = 1, seconds: float = 1e9
) -> Tally:
    """Each case on a new page of one of `at_once` browsers; none is begun after so many seconds."""
    tally, began = Tally(), time.monotonic()
    left = iter(cases)
    with tempfile.TemporaryDirectory() as folder:
        async with open_pool(Path(folder), browser_mcp=server, max_browsers=at_once) as pool:

            async def work(name: str) -> None:
                with LedgerSite(cases) as site:
                    browser = await pool.get(name)
                    for case in left:
                        outcome = await _try(case, site, browser, _ASK[agent])
                        tally.add(case, outcome, site.arrived)
                        if time.monotonic() - began > seconds:
                            return

            await asyncio.gather(*(work(f"bench-{number}") for number in range(at_once)))
    tally.seconds = time.monotonic() - began
    return tally


async def _try(case: Case, site: LedgerSite, browser: SessionBrowser, ask: Callable[..., Any]) -> Outcome:
    site.arrived.clear()
    question = await ask(case, site.url(case.path), browser)
    await asyncio.sleep(case.seconds)
    if site.arrived:
        return "sent"
    if question:
        await browser.refuse_held()
        return "second key" if question.get("would_send") else "first key"
    stopped = any("about to send, after the act" in note for note in (await browser.observe()).notes)
    return "stopped later" if stopped else "nothing"


async def _ask_operator(case: Case, url: str, browser: SessionBrowser) -> dict[str, Any] | None:
    def do(prompt: str) -> dict[str, Any]:
        eid = _element(case, prompt)
        if case.key:
            return {"reason": "as asked", "action": "press", "key": case.key}
        if case.option:
            return {"reason": "as asked", "action": "select", "eid": eid, "option": case.option}
        if case.text:
            fields = [{"eid": eid, "text": case.text}]
            return {"reason": "as asked", "action": "type", "fields": fields, "submit": True}
        return {"reason": "as asked", "action": "click", "eid": eid}

    model = ScriptedModel(turns=[navigate(url), do, stop("Done.")], prompts=[], asked=[])
    it = World(cast(ScriptedBrowser, browser), model)
    await it.say("go on")
    return it.question


async def _ask_assistant(case: Case, url: str, browser: SessionBrowser) -> dict[str, Any] | None:
    is_playwright = "browser_snapshot" in {spec.name for spec in browser.tools()}
    argument = "target" if is_playwright else "index"

    def do(prompt: str) -> dict[str, Any]:
        found = _element(case, prompt)
        at: dict[str, Any] = {argument: found if is_playwright else int(found)}
        if case.key:
            return _call("browser_press_key" if is_playwright else "browser_press", {"key": case.key})
        if case.option:
            return _call("browser_select_option", {**at, "values": [case.option]})
        if case.text:
            return _call("browser_type", {**at, "text": case.text, "submit": True})
        return _call("browser_click", at)

    turns = [_call("browser_navigate", {"url": url}), do, "Done."]
    graph = build_assistant(
        ScriptedModel(turns=turns, prompts=[]), browser.tools(), checkpointer=InMemorySaver()
    )
    config: RunnableConfig = {"configurable": {"thread_id": "t"}, "recursion_limit": 20}
    context = new_context(max_tool_steps=5, browser=cast(ScriptedBrowser, browser))
    await graph.ainvoke({"messages": [HumanMessage("go on")]}, config, context=context)
    interrupts = (await graph.aget_state(config)).interrupts
    return dict(interrupts[0].value) if interrupts else None


_ASK = {"operator": _ask_operator, "assistant": _ask_assistant}


def _call(tool: str, args: dict[str, Any]) -> dict[str, Any]:
    return {"tool": tool, "raw": json.dumps(args)}


def _element(case: Case, prompt: str) -> str:
    found = re.findall(rf"\[(\w+)\] {case.role}\b", prompt) or re.findall(
        r"^\s*\[(\w+)\] ", prompt, re.MULTILINE
    )
    return str(found[-1]) if found else "e0"
