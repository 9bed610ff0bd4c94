"""The measures of the gate's two keys, as tables. The parts can be run alone, and on some of the languages.

.venv/bin/python -m bench.gate --only disguised everyday --languages en da sw --server browser-use --agent assistant
"""

from __future__ import annotations

import argparse
import asyncio

from bench.gate import endpoints
from bench.gate.acts import Tally, try_all
from bench.gate.cost import measure_cost
from bench.gate.noticing import try_noticing
from bench.gate.pages import LANGUAGES, Case, disguised, everyday

PARTS = ("endpoints", "disguised", "everyday", "noticing", "cost")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--languages", nargs="+", choices=list(LANGUAGES), default=list(LANGUAGES))
    parser.add_argument("--server", choices=("playwright", "browser-use"), default="playwright")
    parser.add_argument("--agent", choices=("operator", "assistant"), default="operator")
    parser.add_argument("--times", type=int, default=1, help="how often the disguised pages are gone through")
    parser.add_argument("--at-once", type=int, default=1, help="browsers at a time")
    parser.add_argument(
        "--seconds", type=float, default=1e9, help="no act is begun after these, in each part"
    )
    given = parser.parse_args()
    how = {"server": given.server, "agent": given.agent, "at_once": given.at_once, "seconds": given.seconds}

    def chosen(cases: list[Case]) -> list[Case]:
        return [case for case in cases if case.language in given.languages]

    if "endpoints" in given.only:
        endpoints.main([])
    if "disguised" in given.only:
        cases = chosen(disguised()) * given.times
        report_disguised(asyncio.run(try_all(cases, **how)))
    if "everyday" in given.only:
        report_everyday(asyncio.run(try_all(chosen(everyday()), **how)))
    if "noticing" in given.only:
        print("\npages that notice the hold          unasked  after a yes")
        for name, (unasked, sent, how) in asyncio.run(try_noticing(given.server)).items():
            print(f"  {name:42} {unasked}        {sent}  {how}")
    if "cost" in given.only:
        print("\nrequests   without: median, p95 ms   with: median, p95 ms")
        for size, *times in asyncio.run(measure_cost()):
            print(f"  {size:6}   {times[0]:10.1f} {times[1]:8.1f}   {times[2]:10.1f} {times[3]:8.1f}")


def report_disguised(tally: Tally) -> None:
    print("\ndisguised acts             asked by the first key, the second; stopped later; sent; nothing")
    for kind, found in tally.outcomes.items():
        print(f"  {kind:24} {found['first key']:4} {found['second key']:4} {found['stopped later']:4} "
              f"{found['sent']:4} {found['nothing']:4}")  # fmt: skip
    effects = tally.cases - tally.total("nothing")
    print(
        f"  nothing left unasked: {effects - tally.total('sent')} of {effects}; {tally.seconds / tally.cases:.1f} s each"
    )
    print("".join(f"    sent: {one}\n" for one in tally.through), end="")


def report_everyday(tally: Tally) -> None:
    asked = tally.total("first key", "second key")
    print(f"\neveryday acts: asked about {asked} of {tally.cases}")
    for kind, found in tally.outcomes.items():
        if found["first key"] or found["second key"]:
            print(f"  {kind:24} first key {found['first key']}, second key {found['second key']}")


if __name__ == "__main__":
    main()
