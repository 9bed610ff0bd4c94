"""Diagnostics: one line per component, with advice for those that fail."""

from __future__ import annotations

import platform
import tomllib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal
from uuid import uuid4

from rich.console import Group, RenderableType
from rich.text import Text

from cli.client import api_types as api
from cli.client.client import Client
from cli.errors import CliError, ServerRefused
from cli.screen.render import indent
from cli.words import t


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    state: Literal["ok", "warn", "fail"]
    finding: str
    advice: str = ""


async def examine(client: Client) -> AsyncIterator[Check]:
    """Yield the checks, from the network inwards. Stops at a failure that makes further checks pointless."""
    address = client.address
    try:
        await client.call("GET", "/health")
    except CliError as error:
        yield Check("server", "fail", str(error))
        return
    yield Check("server", "ok", t("answers at {address}", address=address.url))
    try:
        await client.call("GET", "/auth/me")
        config = await client.call("GET", "/config")
    except CliError as error:
        yield Check("login", "fail", str(error))
        return
    yield _login(client)
    yield await _readiness(client)
    yield await _dialogue(client)
    yield await _browser(client)
    for check in models(config):
        yield check
    yield versions(config)


def _login(client: Client) -> Check:
    address = client.address
    if address.token and not address.is_local and address.url.startswith("http://"):
        return Check(
            "login",
            "warn",
            t("the token is right, but travels in the clear"),
            t("Put the server behind https."),
        )
    return Check("login", "ok", t("the token is right") if address.token else t("none needed"))


async def _readiness(client: Client) -> Check:
    try:
        await client.call("GET", "/ready")
    except ServerRefused as error:
        advice = t(
            "`pilothouse migrate`, or a start with AUTO_MIGRATE=true, brings the schema to this version; the server's log says more."
        )
        return Check("readiness", "fail", str(error), advice)
    return Check("readiness", "ok", t("database reachable and at this version, browser startable"))


async def _dialogue(client: Client) -> Check:
    """Check that a WebSocket can be opened, with the id of a session that does not exist."""
    dialogue = await client.dialogue(uuid4().hex)
    try:
        await dialogue.send({"type": "control", "action": "pause"})
    except ServerRefused as error:
        if error.status != 404:
            return Check("dialogue", "fail", str(error))
    except CliError as error:
        return Check(
            "dialogue", "fail", str(error), t("Have the proxy allow WebSocket upgrades below /api/ws/.")
        )
    return Check("dialogue", "ok", t("a WebSocket gets through"))


async def _browser(client: Client) -> Check:
    try:
        answer = await client.call("GET", "/tools")
    except ServerRefused as error:
        return Check("browser", "fail", str(error), t("Install what is missing on the server's machine."))
    items = answer.get("items", []) if isinstance(answer, dict) else answer
    return Check("browser", "ok", t("tools offered: {n}", n=len(items)))


def models(config: api.Config) -> list[Check]:
    """Check the default model and its key, then add the server's own notices."""
    name = config["defaults"]["model"]
    model = next((model for model in config["models"] if model["id"] == name), None)
    if model is None:
        checks = [
            Check(
                "model",
                "warn",
                t("{name} is not among the models offered", name=name),
                t("Set AGENT_MODEL."),
            )
        ]
    elif model.get("demo"):
        advice = t("Give the server a model key, for example ANTHROPIC_API_KEY.")
        checks = [
            Check("model", "warn", t("{name}: rule-based, no language model", name=model["label"]), advice)
        ]
    elif not model["ready"]:
        advice = (
            t("Set {name} for the server.", name=model["missing"])
            if model.get("missing")
            else t("Look at its settings.")
        )
        checks = [Check("model", "fail", t("{name} cannot be used yet", name=name), advice)]
    else:
        checks = [Check("model", "ok", name)]
    return checks + [Check("notice", "warn", notice["text"]) for notice in config.get("notices", [])]


def versions(config: api.Config) -> Check:
    here, there = own_version(), str(config["version"])
    finding = t(
        "server {there} ({mode} mode), command line {here}, Python {python}",
        there=there, mode=config["mode"], here=here, python=platform.python_version(),
    )  # fmt: skip
    if here != there:
        return Check("versions", "warn", finding, t("Bring both to the same version."))
    return Check("versions", "ok", finding)


def own_version(package: str = "pilothouse") -> str:
    """The version of the installed package; that of the checkout if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        project = Path(__file__).resolve().parents[1] / "pyproject.toml"
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])


def draw_check(check: Check) -> RenderableType:
    mark, style = {"ok": ("✓", "good"), "warn": ("!", "warn"), "fail": ("✗", "bad")}[check.state]
    rows = [Text.assemble((mark, style), " ", (f"{t(check.name):<12}", "bold"), check.finding)]
    if check.advice:
        rows.append(Text(f"{'':<14}{check.advice}", "quiet"))
    return indent(Group(*rows))
