"""Orders at a local shop, each disturbed by a random fault, and what became of them.

    python -m tests.cluster.random_faults [RUNS] [--seed N] [--folder KEPT]        # default: 60

Two web and two worker processes with real Chromium, PostgreSQL and Redis. Each run opens a page, asks for approval and
orders, a third of them as the assistant, the others as the operator; at a random stage of it a process or a service is killed, frozen or replaced. The shop counts orders. Printed are
runs without an end (0 wanted), runs that did not complete (0), orders done twice (0), answers that are not the
provider's (0). Exit code 1 if one of these is not 0. The logs of all processes are kept in the folder, if one is named.
"""

from __future__ import annotations

import argparse
import random
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx

from server.agent.operator.continuing import NEW_BROWSER
from server.database.migrate import migrate
from tests.support.cluster import Team, cluster, executing, move, played_by, talk
from tests.support.model_reply import Asked, Reply, call, say
from tests.support.model_server import providing
from tests.support.postgres import Postgres, postgres_cluster
from tests.support.redis import RedisServer, redis_server
from tests.support.server import Server
from tests.support.sites import Site, Visit, document

UNKNOWN, PLACED = "I cannot see whether that was done.", "The order {n} is placed."
PATIENCE = 150.0
"""Seconds in which a run has to end."""
ENDED = ("completed", "failed", "cancelled", "interrupted")
AGENTS = ("operator", "operator", "assistant")
STAGES = ("running", "waiting_user", "decided", "ordered")
CHECKOUT = """<h1>Checkout</h1><form method=post action="/order?n={n}"><h2>Review your order</h2>
<p>Total: €39.50</p><button>Place order</button></form>"""


class Shop(Site):
    """`/checkout?n=1` has the order's button; orders are counted by number, and take a moment."""

    def __init__(self) -> None:
        super().__init__()
        self.orders: Counter[int] = Counter()
        self.pages |= {"/checkout": self._checkout, "/order": self._order}

    def _checkout(self, visit: Visit) -> str:
        return document("Checkout", CHECKOUT.format(n=_number(visit.path)))

    def _order(self, visit: Visit) -> str:
        self.orders[_number(visit.path)] += 1
        self.pause(0.5)
        return document("Thank you", "<h1>Thank you</h1><p>Order received</p>")


def _number(path: str) -> int:
    found = re.search(r"n=(\d+)", path)
    return int(found[1]) if found else 0


class Player:
    """Plays the model: opens the checkout, presses the button, and stops where it is unsure.

    It knows from the page, or from the list of its steps, that the order was sent: the page is lost with its worker.
    """

    def __init__(self, shop: Shop) -> None:
        self._shop = shop

    def __call__(self, asked: Asked) -> Reply:
        text, wanted = asked.last_text, re.search(r"Place order (\d+) please", str(asked.messages))
        assert wanted
        if "browser_click" in asked.tools:
            return self._assist(asked, wanted[1])
        if "may or may not have happened" in text:
            return move("stop", final_response=UNKNOWN)
        if "Order received" in text or re.search(r"[Ss]ent POST \S+/order 200", text):
            return move("stop", final_response=PLACED.format(n=wanted[1]))
        if found := re.findall(r'\[(e\d+)\] button "Place order"', text):
            return move("click", eid=found[-1])
        return move("navigate", url=self._shop.url(f"/checkout?n={wanted[1]}"))

    def _assist(self, asked: Asked, number: str) -> Reply:
        """The same for the assistant. It reads all results of its calls, and opens the page again in another browser."""
        text = asked.last_text
        if "may or may not have happened" in asked.text:
            return say(UNKNOWN)
        if "Order received" in asked.text or re.search(r"[Ss]ent POST \S+/order 200", asked.text):
            return say(PLACED.format(n=number))
        found = re.findall(r'\[(e\d+)\] button "Place order"', text)
        if found and NEW_BROWSER not in text:
            return call("browser_click", {"element": "Place order", "target": found[-1]})
        return call("browser_navigate", {"url": self._shop.url(f"/checkout?n={number}")})


class Person:
    """Uses whatever web process answers, and repeats what got no answer."""

    def __init__(self, team: Team) -> None:
        self._team = team

    def call(self, method: str, path: str, **body: Any) -> httpx.Response:
        deadline = time.monotonic() + PATIENCE
        while True:
            for server in [one for one in self._team.servers if one.role == "web"]:
                if server.process.poll() is not None:
                    continue
                with suppress(httpx.TransportError), talk(server) as client:
                    answer = client.request(method, path, json=body or None, timeout=20)
                    if answer.status_code != 503:
                        return answer
            if time.monotonic() > deadline:
                raise TimeoutError(f"no web process answers {path}")
            time.sleep(0.2)

    def session(self, session_id: str) -> dict[str, Any]:
        return dict(self.call("GET", f"/sessions/{session_id}").json())


class Faults:
    """What can happen to a part; each returns what heals it."""

    def __init__(self, team: Team, postgres: Postgres, redis: RedisServer, choose: random.Random) -> None:
        self._team, self._postgres, self._redis, self._choose = team, postgres, redis, choose

    def names(self) -> list[str]:
        return [name for name in dir(self) if not name.startswith("_") and name not in ("names", "begin")]

    def begin(self, name: str) -> Callable[[], None]:
        return getattr(self, name)()  # type: ignore[no-any-return]

    def _one(self, role: str) -> Server:
        alive = [one for one in self._team.servers if one.role == role and one.process.poll() is None]
        busy = None
        with suppress(httpx.TransportError):
            busy = executing(alive) if role == "worker" else None
        return busy or self._choose.choice(alive)

    def _replace(self, server: Server) -> Callable[[], None]:
        def heal() -> None:
            server.process.wait(60)
            self._team.add(server.role)

        return heal

    def worker_killed(self) -> Callable[[], None]:
        server = self._one("worker")
        server.signal(signal.SIGKILL)
        return self._replace(server)

    def worker_terminated(self) -> Callable[[], None]:
        server = self._one("worker")
        server.process.send_signal(signal.SIGTERM)
        return self._replace(server)

    def worker_frozen(self) -> Callable[[], None]:
        server = self._one("worker")
        server.process.send_signal(signal.SIGSTOP)  # its browser continues
        return lambda: server.process.send_signal(signal.SIGCONT)

    def web_killed(self) -> Callable[[], None]:
        server = self._one("web")
        server.signal(signal.SIGKILL)
        return self._replace(server)

    def redis_killed(self) -> Callable[[], None]:
        self._redis.kill()
        return self._redis.start

    def redis_frozen(self) -> Callable[[], None]:
        self._redis.signal(signal.SIGSTOP)
        return lambda: self._redis.signal(signal.SIGCONT)

    def postgresql_killed(self) -> Callable[[], None]:
        self._postgres.stop("immediate")
        return self._postgres.start

    def postgresql_frozen(self) -> Callable[[], None]:
        self._postgres.signal(signal.SIGSTOP)
        return lambda: self._postgres.signal(signal.SIGCONT)


class Trial:
    """One order with one fault."""

    def __init__(
        self, person: Person, shop: Shop, faults: Faults, choose: random.Random, number: int
    ) -> None:
        self._person, self._shop, self._faults, self._number = person, shop, faults, number
        self.fault = choose.choice(faults.names())
        self.stage = choose.choice(STAGES)
        self.agent = choose.choice(AGENTS)
        self._pause, self._length = choose.uniform(0, 1.0), choose.uniform(0.5, 9.0)
        self._heal: Callable[[], None] | None = None
        self._heal_at = float("inf")

    def run(self) -> dict[str, Any] | None:
        """The session at the run's end; None if it has none."""
        session_id = str(
            self._person.call("POST", "/sessions", id=uuid4().hex, agent=self.agent).json()["id"]
        )
        content, key = f"Place order {self._number} please", uuid4().hex
        self._person.call("POST", f"/sessions/{session_id}/messages", content=content, client_id=key)
        deadline, has_decided, begun = time.monotonic() + PATIENCE, False, False
        try:
            while time.monotonic() < deadline:
                session = self._person.session(session_id)
                status = session["run"]["status"]
                if status in ENDED:
                    return session
                stage = status
                if self._shop.orders[self._number]:
                    stage = "ordered"
                elif has_decided and status != "waiting_user":
                    stage = "decided"
                if not begun and STAGES.index(stage if stage in STAGES else "running") >= STAGES.index(
                    self.stage
                ):
                    begun = True
                    self._disturb()
                self._heal_if_due()
                pending = session["pending"]
                if pending and pending["kind"] == "confirm":
                    self._person.call(
                        "POST",
                        f"/sessions/{session_id}/decision",
                        reference=pending["reference"],
                        confirmed=True,
                    )
                    has_decided = True
                time.sleep(0.1)
            return None
        finally:
            self._heal_at = 0
            self._heal_if_due()

    def _disturb(self) -> None:
        time.sleep(self._pause)
        self._heal = self._faults.begin(self.fault)
        # What everybody needs is back within some seconds; a process is replaced at once.
        is_service = self.fault.startswith(("redis", "postgresql"))
        if is_service or self.fault == "worker_frozen":
            self._heal_at = time.monotonic() + self._length
            if is_service:
                time.sleep(self._length)
        else:
            self._heal_at = 0.0
        self._heal_if_due()

    def _heal_if_due(self) -> None:
        if self._heal and time.monotonic() >= self._heal_at:
            heal, self._heal = self._heal, None
            heal()


def judge(session: dict[str, Any] | None, number: int, orders: int) -> list[str]:
    """What is wrong with the outcome; empty if nothing is."""
    if session is None:
        return ["without an end"]
    faults = ["done twice"] if orders > 1 else []
    if session["run"]["status"] != "completed":
        run = session["run"]
        return [*faults, f"lost: {run['status']} {run['error_code']}"]
    answers = [one["content"] for one in session["messages"] if one["role"] == "assistant"]
    if answers not in ([PLACED.format(n=number)], [UNKNOWN]):
        faults.append(f"other text: {answers}")
    if answers == [PLACED.format(n=number)] and orders != 1:
        faults.append("said to be done, and was not")
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", type=int, nargs="?", default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    choose, found, kinds, unsure = random.Random(options.seed), Counter[str](), Counter[str](), 0
    agents = Counter[str]()
    with ExitStack() as stack:
        postgres, redis = stack.enter_context(postgres_cluster()), stack.enter_context(redis_server())
        shop = stack.enter_context(Shop())
        provider = stack.enter_context(providing(Player(shop)))
        migrate(postgres.url())
        folder = options.folder or Path(
            stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        )
        folder.mkdir(parents=True, exist_ok=True)
        team = stack.enter_context(cluster(folder, postgres.url(), redis.url, **played_by(provider)))
        team.four()
        person, faults = Person(team), Faults(team, postgres, redis, choose)
        for number in range(1, options.runs + 1):
            began, trial = time.monotonic(), Trial(person, shop, faults, choose, number)
            session = trial.run()
            wrong = judge(session, number, shop.orders[number])
            unsure += bool(session and session["messages"][-1]["content"] == UNKNOWN)
            kinds[trial.fault] += 1
            agents[trial.agent] += 1
            found.update(one.partition(":")[0] for one in wrong)
            attempt = session["run"]["attempt"] if session else "?"
            print(
                f"{number:4} {trial.agent:9} {trial.fault:18} at {trial.stage:12} attempts {attempt} orders {shop.orders[number]} "
                f"{time.monotonic() - began:5.1f} s {'; '.join(wrong)}",
                flush=True,
            )
            team.four()
    print(
        f"\n{options.runs} runs, seed {options.seed}: {', '.join(f'{n} {kind}' for kind, n in sorted(kinds.items()))}; "
        f"{agents['assistant']} by the assistant"
    )
    print(f"{unsure} ended with the agent unsure whether its act was done, as it has to")
    for what in ("without an end", "lost", "done twice", "other text", "said to be done, and was not"):
        print(f"{what}: {found[what]} (0 wanted)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
