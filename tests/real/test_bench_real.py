"""The check with a real model, itself checked: against a scripted provider that speaks the real wire."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from bench.real import Outcome, attempt
from scripts.shell import ROOT
from tests.support.model_reply import Asked, Reply, call, say
from tests.support.model_server import providing

MODEL = "anthropic:claude-haiku-4-5"
Step = Callable[[Asked], Reply]


def act(**move: object) -> Reply:
    return call("act", {"reason": "the task", **move})


def click(name: str) -> Step:
    def step(asked: Asked) -> Reply:
        return act(action="click", eid=re.findall(rf'\[(e\d+)\] \S+ "{name}"', asked.last_text)[-1])

    return step


def open_shop(asked: Asked) -> Reply:
    """The address is in the task; the model reads it there."""
    return act(action="navigate", url=re.findall(r"http://127\.0\.0\.1:\d+/shop", asked.text)[-1])


def tell(answer: str) -> Reply:
    return act(action="stop", final_response=answer)


def look_at(name: str) -> list[Step]:
    return [open_shop, click(name)]


RIGHT = [*look_at("Amber kettle"), *look_at("Cream kettle"), *look_at("Blue kettle"), click("Add to cart")]


def done_by(script: list[Step | Reply], folder: Path, agent: str = "operator") -> Outcome:
    with providing(script) as provider:
        outcome = attempt(MODEL, agent, {k.lower(): v for k, v in provider.env.items()}, folder)
        assert provider.refusals == []
    return outcome


def test_a_task_done_as_asked_passes(tmp_path: Path) -> None:
    outcome = done_by([*RIGHT, tell("The Blue kettle is the cheapest: €39.50.")], tmp_path)
    assert outcome.faults == []
    assert (outcome.status, len(outcome.steps)) == ("completed", 7)
    assert outcome.usage["model_calls"] == 8


def test_the_assistant_does_the_same_task_with_the_browsers_own_tools(tmp_path: Path) -> None:
    def go(asked: Asked) -> Reply:
        return call("browser_navigate", {"url": re.findall(r"http://127\.0\.0\.1:\d+/shop", asked.text)[-1]})

    def press(name: str) -> Step:
        def step(asked: Asked) -> Reply:
            target = re.findall(rf'\[(\w+)\] \S+ "{name}"', asked.last_text)[-1]
            return call("browser_click", {"element": name, "target": target})

        return step

    kettles = [step for name in ("Amber", "Cream", "Blue") for step in (go, press(f"{name} kettle"))]
    script = [*kettles, press("Add to cart"), say("The Blue kettle is the cheapest: €39.50.")]
    outcome = done_by(script, tmp_path, "assistant")
    assert outcome.faults == []
    assert (outcome.status, len(outcome.steps)) == ("completed", 7)


def test_a_wrong_answer_and_a_wrong_cart_are_found(tmp_path: Path) -> None:
    script = [
        *look_at("Amber kettle"),
        click("Add to cart"),
        tell("The Amber kettle is the cheapest: €43.90."),
    ]
    outcome = done_by(script, tmp_path)
    assert outcome.faults == [
        "the answer does not name the blue kettle and its price 39.50",
        "put into the cart: ['amber']",
    ]


def test_without_a_key_it_says_so_and_starts_nothing(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "bench.real", "--model", MODEL],
        cwd=tmp_path, env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.returncode == 2
    assert "its key is not set" in ran.stderr
