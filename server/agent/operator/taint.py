"""Does an action carry something from a private page to another site? Pure.

Once a private page was seen (a login, a secret field, a person at the wheel), words typed into any other site
must come from the person or from that very page; else the person is asked first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import parse_qsl, unquote, urlsplit

from server.agent.approval import Action
from server.agent.gate import site_of
from server.agent.operator.state import State
from server.browser.observation import Observation

SHORTEST = 4
"""Shorter words tell nothing."""

_WORD = re.compile(r"\w+")


def carries_private_words(action: Action, observation: Observation, state: State) -> bool:
    here = site_of(observation.page.url)
    if action["kind"] == "navigate":
        there = site_of(action["url"] if "//" in action["url"] else f"https://{action['url']}")
        foreign = [site for site in state.get("private_sites", []) if site != there]
        known = [*_said(state), *(element.href or "" for element in observation.interactive)]
        return bool(foreign) and not _comes_from(_in_address(action["url"]), known)
    typed = [field["text"] for field in action.get("fields", [])] if action["kind"] == "type" else []
    foreign = [site for site in state.get("private_sites", []) if site != here]
    return bool(typed and foreign) and not _comes_from(typed, [*_said(state), observation.text()])


def _said(state: State) -> Iterable[str]:
    """The person's own words."""
    return (message.text for message in state.get("messages", []) if message.type == "human")


def _in_address(url: str) -> list[str]:
    """The parts of an address that can carry something; plain places to go are no secret."""
    parts = urlsplit(url)
    values = [value for _, value in parse_qsl(parts.query, keep_blank_values=True)] or [parts.query]
    coded = [
        word for word in _WORD.findall(unquote(f"{parts.hostname or ''} {parts.path}")) if _is_coded(word)
    ]
    return [*values, unquote(parts.fragment), *coded]


def _is_coded(word: str) -> bool:
    """Letters and digits mixed: no word of a language."""
    return len(word) >= SHORTEST * 2 and not word.isalpha() and not word.isdigit()


def _comes_from(texts: Iterable[str], sources: Iterable[str]) -> bool:
    known = " ".join(sources).casefold()
    words = (word for text in texts for word in _WORD.findall(text.casefold()) if len(word) >= SHORTEST)
    return all(word in known for word in words)
