"""What a task costs: our operator against stock `create_agent` with Playwright MCP, on forty tasks of many kinds.

    python -m bench.task [--rounds 3] [--failing 0.1] [--wrong 0.2] [--only KIND] [--ours]

Both run on a local site with real Chromium, each task from an empty tab as in a new session, in the words "Open <address>:
<task>". An agent that opens that address by itself needs no call for it. The model is a player on loopback that answers
at once, so the seconds are those of everything but the model. It follows the same script for both agents and finds each
control, and the answer, in the text that it is sent; a task is done when the answer is right and the site recorded the
right effects.

An act is what a person would count as one, the same for both agents: opening a page, a click, each field that is filled
(also several by one call), choosing, a key, scrolling on, dragging, answering a dialog, and each part of a text that the
screen does not show whole, whether it is the next one or searched for (`read_page`, `read_file`). Looking at what the
screen shows (a snapshot, a picture) and answering are none. A snapshot holds the whole text, so stock reads without
acts; "input tokens, all tasks" compares the agents whatever counts as an act.

Tokens are of the whole request: the text of its messages and the tool schemas as compact JSON (o200k where `bpe-openai`
is installed, else our own estimate). The table by parts shows where the operator's go. `--failing` is the share of
model calls that end in a 500, `--wrong` the share of the operator's moves that name an element that does not exist,
`--ours` leaves stock out. Compare rows of one run only.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from contextlib import AsyncExitStack
from itertools import product
from pathlib import Path

from bench.observation.__main__ import load_counter
from bench.task.agents import Agent, open_operator, open_stock
from bench.task.player import Count, Faults, Player
from bench.task.report import HEADS, ROW, Measured, by_kind, by_part, summary
from bench.task.script import Task
from bench.task.site import open_site
from bench.task.tasks import KINDS, TASKS
from server.agent.models.chat_model import build_chat_model
from server.errors import RunFailed
from tests.support.model_server import ModelServer
from tests.support.sites import Site


async def measure(task: Task, agent: Agent, site: Site, count: Count, faults: Faults, seed: int) -> Measured:
    site.effects.clear()
    await agent.begin()
    player = Player(task, site.url(task.page), count, faults, seed)
    async with ModelServer(player) as server:
        model = build_chat_model("openai:gpt-5-mini", server.settings(openai_api="chat"))
        began = time.perf_counter()
        try:
            answer = await agent.run(model, f"Open {site.url(task.page)}: {task.text}")
        except RunFailed as error:
            answer = error.detail
        seconds = time.perf_counter() - began
    if player.defect:
        raise player.defect
    is_right, is_held = answer == task.expected, task.holds(site)
    why = player.trouble or (f"answered: {answer}" if not is_right else "")
    if is_right and not is_held:
        why = f"effects: {[(done.name, done.fields) for done in site.effects]}"
    return Measured(
        task.name, task.kind, agent.name, is_right and is_held, player.acts, player.tokens, seconds, why
    )


async def run(tasks: list[Task], rounds: int, faults: Faults, *, with_stock: bool) -> None:
    unit, count = load_counter()
    print(f"({unit})", ROW.format(*HEADS), sep="\n", flush=True)
    found: list[Measured] = []
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        site = stack.enter_context(Site())
        open_site(site)
        agents: list[Agent] = [await stack.enter_async_context(open_operator(folder / "ours"))]
        if with_stock:
            agents.append(await stack.enter_async_context(open_stock(folder / "stock")))
        for agent in agents:  # the browser's own start is not what is measured
            await measure(TASKS[0], agent, site, count, Faults(), 0)
        for seed, task in product(range(rounds), tasks):
            for agent in agents:
                found.append(await measure(task, agent, site, count, faults, seed))
                print(found[-1].row(), flush=True)
    print(*by_part(found), *by_kind(found), *summary(found), sep="\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--failing", type=float, default=0.0)
    parser.add_argument("--wrong", type=float, default=0.0)
    parser.add_argument("--only", metavar="KIND", choices=KINDS, help=", ".join(KINDS))
    parser.add_argument("--ours", action="store_true", help="the operator alone")
    given = parser.parse_args()
    tasks = [task for task in TASKS if given.only in (None, task.kind)]
    asyncio.run(run(tasks, given.rounds, Faults(given.failing, given.wrong), with_stock=not given.ours))


if __name__ == "__main__":
    main()
