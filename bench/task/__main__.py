"""What a task costs: our operator against stock `create_agent` with Playwright MCP, played by the same moves.

    python -m bench.task [--rounds 3] [--failing 0.1] [--wrong 0.2]

Both run on a local site with real Chromium; the model is a script on loopback that answers at once, so the
seconds are those of everything but the model. `--failing` is the share of model calls that end in a 500, `--wrong`
the share of the operator's moves that name an element that does not exist. Tokens are of the whole request: messages and tool schemas
(o200k where `bpe-openai` is installed, else our own estimate). Compare rows of one run only.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median

from bench.observation.__main__ import load_counter
from bench.task.agents import Agent, open_operator, open_stock
from bench.task.player import Count, Faults, Player
from bench.task.tasks import Task, tasks
from server.agent.models.chat_model import build_chat_model
from server.errors import RunFailed
from tests.support.model_server import ModelServer
from tests.support.shop_site import open_shop
from tests.support.sites import Site

ROW = "{:22}{:10}{:>9}{:>8}{:>8}{:>12}{:>12}{:>12}"
HEADS = ("task", "agent", "success", "actions", "calls", "tok / call", "tok / action", "s / action")


@dataclass(frozen=True, slots=True)
class Measured:
    task: str
    agent: str
    is_right: bool
    actions: int
    tokens: list[int]
    seconds: float

    def row(self) -> tuple[str, ...]:
        total, calls = sum(self.tokens), len(self.tokens)
        right = "yes" if self.is_right else "NO"
        each = self.seconds / max(self.actions, 1)
        return (self.task, self.agent, right, str(self.actions), str(calls), f"{total / calls:,.0f}",
                f"{total / max(self.actions, 1):,.0f}", f"{each:.2f}")  # fmt: skip


async def measure(task: Task, agent: Agent, site: Site, count: Count, faults: Faults, seed: int) -> Measured:
    site.effects.clear()
    player = Player(task, count, faults, seed)
    async with ModelServer(player) as server:
        model = build_chat_model("openai:gpt-5-mini", server.settings(openai_api="chat"))
        began = time.perf_counter()
        try:
            answer = await agent.run(model, task.text)
        except RunFailed as error:
            answer = error.detail
        seconds = time.perf_counter() - began
    is_right = answer == task.answer and task.holds(site)
    return Measured(task.name, agent.name, is_right, player.moves_made, player.tokens, seconds)


def summary(name: str, all_of: list[Measured]) -> str:
    mine = [one for one in all_of if one.agent == name]
    actions = sum(one.actions for one in mine)
    cells = (
        "median / total", name, f"{sum(one.is_right for one in mine)}/{len(mine)}", str(actions),
        f"{median(len(one.tokens) for one in mine):.0f}",
        f"{median(tokens for one in mine for tokens in one.tokens):,.0f}",
        f"{median(sum(one.tokens) / max(one.actions, 1) for one in mine):,.0f}",
        f"{median(one.seconds / max(one.actions, 1) for one in mine):.2f}",
    )  # fmt: skip
    return ROW.format(*cells)


async def run(rounds: int, faults: Faults) -> None:
    unit, count = load_counter()
    print(f"({unit})", ROW.format(*HEADS), sep="\n")
    found: list[Measured] = []
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        site = stack.enter_context(Site())
        open_shop(site)
        agents: list[Agent] = [
            await stack.enter_async_context(open_operator(folder / "ours")),
            await stack.enter_async_context(open_stock(folder / "stock")),
        ]
        for agent in agents:  # the browser's own start is not what is measured
            await measure(tasks(site)[0], agent, site, count, Faults(), 0)
        for seed, task in product(range(rounds), tasks(site)):
            for agent in agents:
                found.append(await measure(task, agent, site, count, faults, seed))
                print(ROW.format(*found[-1].row()))
    for agent in agents:
        print(summary(agent.name, found))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--failing", type=float, default=0.0)
    parser.add_argument("--wrong", type=float, default=0.0)
    given = parser.parse_args()
    asyncio.run(run(given.rounds, Faults(given.failing, given.wrong)))


if __name__ == "__main__":
    main()
