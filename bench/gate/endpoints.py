"""Scores `assess_request` on labelled endpoints: what published programs send, by words alone."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from server.browser.outgoing.assessment import ActPage, assess_request
from server.browser.outgoing.request import BodyShape, Operation, OutgoingRequest, selects

DATA = Path(__file__).parents[2] / "tests/data/gate"
SETS = {"endpoints": DATA / "endpoints.txt", "held out": DATA / "endpoints_heldout.txt"}


@dataclass(frozen=True)
class Endpoint:
    label: str
    program: str
    line: str
    request: OutgoingRequest


def read_endpoints(path: Path) -> Iterator[Endpoint]:
    program = ""
    for line in path.read_text().splitlines():
        if line.startswith("## "):
            program = line[3:]
        elif line and not line.startswith("#"):
            label, method, address, *body = line.split(" ", 3)
            kind = "Document" if method == "GET" else "Fetch"
            request = OutgoingRequest(
                method, f"https://{program}.example{address}", kind, _body(body[0] if body else "")
            )
            yield Endpoint(label, program, line, request)


def _body(text: str) -> BodyShape:
    kind, _, rest = text.partition(" ")
    if kind == "gql":
        operation, _, name = rest.partition(" ")
        return BodyShape("graphql", operations=(Operation(operation, (name,)),), length=200)  # type: ignore[arg-type]
    pairs = [part.partition("=")[::2] for part in rest.split(",") if part]
    selectors = tuple((name, value) for name, value in pairs if value and selects(name, value))
    return BodyShape(kind or "none", tuple(name for name, _ in pairs), selectors, (), 100)  # type: ignore[arg-type]


def score(path: Path, *, is_typing: bool = False) -> dict[str, tuple[list[Endpoint], list[Endpoint]]]:
    """By label: those that are held and those that pass, on a page of which nothing is known; `is_typing`: sent while an act
    only enters text."""
    found: dict[str, tuple[list[Endpoint], list[Endpoint]]] = {}
    for one in read_endpoints(path):
        held, passed = found.setdefault(one.label, ([], []))
        page = ActPage(site=one.request.site, is_typing=is_typing)
        (held if assess_request(one.request, page) else passed).append(one)
    return found


def main(arguments: Sequence[str]) -> None:
    for name, path in SETS.items():
        found = score(path)
        for label, (held, passed) in found.items():
            print(f"{name:10} {label:10} held {len(held):3} of {len(held) + len(passed):3}")
            wrong = passed if label == "effect" else held
            if name == "endpoints" and "-v" in arguments:
                print("".join(f"    {one.line}\n" for one in wrong), end="")
    every = list(read_endpoints(SETS["endpoints"]))
    began = time.perf_counter()
    for one in every:
        assess_request(one.request, ActPage(site=one.request.site))
    print(f"{(time.perf_counter() - began) / len(every) * 1000:.3f} ms each")


if __name__ == "__main__":
    main(sys.argv[1:])
