"""One realistic web task with a real model, through the whole product: server, agent, MCP server, Chromium, policy.

    ANTHROPIC_API_KEY=... .venv/bin/python -m bench.real --model anthropic:claude-haiku-5-5 [--agent assistant]

The task is done in a shop on loopback, so that its outcome can be checked: the answer names the cheapest kettle and its
price, exactly that kettle is in the cart, and nothing was ordered. Keys and addresses of providers come from the
environment or `.env`. One run costs a few cents at most (`COST_BUDGET`, $0.50 here). Exit code 0 when all checks hold.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from pydantic import SecretStr

from server.agent.models.chat_model import is_ready
from server.settings import Settings
from tests.support.server import serving
from tests.support.shop_site import PRICES, open_shop
from tests.support.sites import Site

TASK = (
    "The shop at {url} sells kettles. Compare the prices of all of them, put the cheapest one into the cart, and tell me "
    "its name and its price. Do not order anything."
)
CHEAPEST, PRICE = min(PRICES.items(), key=lambda item: float(item[1]))
PATIENCE = 600.0
PROVIDERS = ("anthropic_", "openai_", "openrouter_", "google_", "ollama_")


@dataclass
class Outcome:
    """What came of it; `faults` is empty when the task was done as asked."""

    answer: str = ""
    status: str = ""
    seconds: float = 0.0
    steps: list[str] = field(default_factory=list)
    usage: dict[str, Any] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def provider_settings(settings: Settings) -> dict[str, str]:
    """What leads a server to the providers, as environment variables in lower case."""
    given = {name: getattr(settings, name) for name in Settings.model_fields if name.startswith(PROVIDERS)}
    return {
        name: value.get_secret_value() if isinstance(value, SecretStr) else str(value)
        for name, value in given.items()
        if value
    }


def attempt(model: str, agent: str, providers: Mapping[str, str], folder: Path) -> Outcome:
    """Start the server and the shop, give the task to the agent, check what it did."""
    chosen = {
        "browser_headless": "true", "cost_budget": "0.50", "summary_model": "off", "max_tool_steps": "30",
    } | dict(providers)  # fmt: skip
    with Site() as site, serving(folder, agent_mode="real", agent_model=model, **chosen) as server:
        open_shop(site)
        with httpx.Client(base_url=server.api, headers=server.headers, timeout=60, trust_env=False) as client:
            began = time.monotonic()
            session = work(client, agent, TASK.format(url=site.url("/shop")))
            outcome = read(session)
            outcome.seconds = time.monotonic() - began
        outcome.faults += faults_of(outcome, site)
    return outcome


def work(client: httpx.Client, agent: str, task: str) -> dict[str, Any]:
    """The session after the run. A question about the cart is answered with yes, every other one with no."""
    session_id = client.post("/sessions", json={"agent": agent}).raise_for_status().json()["id"]
    client.post(f"/sessions/{session_id}/messages", json={"content": task}).raise_for_status()
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        session: dict[str, Any] = client.get(f"/sessions/{session_id}").raise_for_status().json()
        if session["run"]["finished_at"]:
            return session
        if pending := session["pending"]:
            is_cart = "cart" in str((pending.get("target") or {}).get("name", "")).lower()
            answer = {"reference": pending["reference"], "confirmed": is_cart}
            client.post(f"/sessions/{session_id}/decision", json=answer)
        time.sleep(0.2)
    return session


def read(session: dict[str, Any]) -> Outcome:
    run, messages = session["run"], session["messages"]
    steps = [message["content"] for message in messages if message["role"] == "tool"]
    answer = next((said["content"] for said in reversed(messages) if said["role"] == "assistant"), "")
    outcome = Outcome(answer or run["error"] or "", run["status"], steps=steps, usage=run["usage"] or {})
    meta = messages[-1]["meta_json"] or {}
    if run["status"] != "completed" or meta.get("outcome"):
        outcome.faults.append(f"the run ended as {meta.get('outcome') or run['status']}")
    return outcome


def faults_of(outcome: Outcome, site: Site) -> list[str]:
    """What the answer and the shop's own ledger say against it."""
    faults = []
    if CHEAPEST not in outcome.answer.lower() or PRICE not in outcome.answer.replace(",", "."):
        faults.append(f"the answer does not name the {CHEAPEST} kettle and its price {PRICE}")
    added = [effect.fields.get("item") for effect in site.effects if effect.name == "add"]
    if added != [CHEAPEST]:
        faults.append(f"put into the cart: {added or 'nothing'}")
    if others := [effect.name for effect in site.effects if effect.name != "add"]:
        faults.append(f"also done: {others}")
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", required=True, help="provider:model")
    parser.add_argument("--agent", choices=("operator", "assistant"), default="operator")
    given = parser.parse_args()
    settings = Settings()
    if not is_ready(given.model, settings):
        print(f"{given.model}: no such model, or its key is not set.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        outcome = attempt(given.model, given.agent, provider_settings(settings), Path(folder))
    print(
        f"{given.model}, {given.agent}: {outcome.status}, {len(outcome.steps)} steps, {outcome.seconds:.0f} s"
    )
    print(f"usage: {outcome.usage}\nanswer: {outcome.answer}")
    for fault in outcome.faults:
        print(f"FAULT: {fault}")
    print("failed" if outcome.faults else "all checks hold")
    return int(bool(outcome.faults))


if __name__ == "__main__":
    sys.exit(main())
