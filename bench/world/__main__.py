"""What the product makes of other people's programs, and other people's suites of the product.

    python -m bench.world [PROGRAM ...] [--only WORDS] [--steps] [--json FILE] [--no-suites]      (or `make world`)

Real programs from PyPI and npm, each in an environment of its own under `.cache/world`, served on loopback with data in a
temporary folder. Each task is in plain words and is checked in the program's own data: its database or its API. Then the
suites that others wrote for what the product speaks: MCP, LangGraph's checkpoints, OpenAPI, server-sent events. What cannot be
installed is skipped and said.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import aiohttp

from bench.world.install import install
from bench.world.play import MODEL, Played, open_session, play
from bench.world.program import Program
from bench.world.programs import PROGRAMS
from bench.world.suites import run_suites
from scripts.shell import SetupError
from tests.support.model_server import ModelServer
from tests.support.server import Server, serving

ROW = "{:<12} {:<38} {:<9} {:>5} {:>8} {:>5} {:>6}  {}"
STRAIGHT_AIM, NEEDLESS_AIM = 0.95, 0.1


async def run_programs(programs: Sequence[Program], only: str, *, with_steps: bool) -> list[Played]:
    print(ROW.format("program", "task", "", "asked", "needless", "calls", "s", ""), flush=True)
    found: list[Played] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with ModelServer([]) as models:
            settings = {name.lower(): value for name, value in models.env.items()}
            chosen = settings | {
                "agent_mode": "real",
                "agent_model": MODEL,
                "browser_headless": "true",
                "openai_api": "chat",
                "max_tool_steps": "30",
            }
            with serving(folder / "product", program=(), wrapper=(), migrated=True, **chosen) as server:
                for program in programs:
                    found += await run_program(program, only, server, models, folder, with_steps=with_steps)
    return found


async def run_program(
    program: Program, only: str, server: Server, models: ModelServer, folder: Path, *, with_steps: bool
) -> list[Played]:
    """The first task is always played: where there is a login, it logs in."""
    first, *others = program.tasks
    tasks = [first, *(task for task in others if only in task.name)]
    found: list[Played] = []
    try:
        place = install(program.name)
    except SetupError as error:
        print(f"{program.name:<12} skipped, cannot be installed: {error}")
        return found
    with program.serving(place, folder / program.name) as home:
        async with aiohttp.ClientSession(server.url, headers=server.headers) as client:
            session = await open_session(client)
            for task in tasks:
                one = await play(client, session, models, home, program.name, task)
                found.append(one)
                page = [] if one.is_straight else one.page.splitlines()
                print(
                    row(one),
                    *(f"    {line}" for line in (*one.steps, *page) if with_steps),
                    sep="\n",
                    flush=True,
                )
    return found


def row(one: Played) -> str:
    verdict = "straight" if one.is_straight else "done" if one.is_done else "NOT DONE"
    return ROW.format(
        one.program,
        one.task.name,
        verdict,
        one.questions,
        one.needless,
        one.calls,
        f"{one.seconds:.1f}",
        one.why[:300],
    ).rstrip()


def summary(found: Sequence[Played]) -> dict[str, object]:
    count = max(len(found), 1)
    needless = sum(one.needless for one in found)
    return {
        "programs": len({one.program for one in found}), "tasks": len(found), "done": sum(one.is_done for one in found),
        "straight": sum(one.is_straight for one in found), "needless_questions": needless,
        "missed": sum(one.is_straight for one in found) < STRAIGHT_AIM * count or needless > NEEDLESS_AIM * count,
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [program.name for program in PROGRAMS]
    parser.add_argument("programs", metavar="PROGRAM", nargs="*", help=", ".join(names))
    parser.add_argument("--only", metavar="WORDS", default="", help="tasks with these words in their name")
    parser.add_argument("--steps", action="store_true", help="print the steps of each task")
    parser.add_argument("--json", metavar="FILE", type=Path)
    parser.add_argument("--no-suites", action="store_true", help="the programs alone")
    given = parser.parse_args()
    chosen = [program for program in PROGRAMS if program.name in (given.programs or names)]
    found = asyncio.run(run_programs(chosen, given.only, with_steps=given.steps))
    figures = summary(found)
    print(json.dumps(figures, indent=1))
    if given.json:
        rows = [
            {"program": one.program, "task": one.task.name, "done": one.is_done, "straight": one.is_straight}
            for one in found
        ]
        given.json.write_text(json.dumps({**figures, "rows": rows}, indent=1) + "\n")
    holds = given.no_suites or bool(given.programs) or run_suites()
    return int(bool(figures["missed"]) or not holds)


if __name__ == "__main__":
    sys.exit(main())
