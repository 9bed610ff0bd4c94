"""Does an action carry something from a private page to another site? Pure.

Once a private page was seen (a login, a secret field, a person at the wheel), words typed into any other site
must come from the person or from that very page; else the person is asked first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from server.agent.approval import Action, place_of, site_of, targets_of
from server.agent.keys import brings_text
from server.agent.policy import Judgement, Verdict
from server.browser.observation import Observation

LEAK = Judgement(Verdict.ASK, "takes words to another site after private pages were seen", "transfer")

SHORTEST = 4
"""Shorter words tell nothing."""

_WORD = re.compile(r"\w+")


def carries_private_words(action: Action, observation: Observation, state: Mapping[str, Any]) -> bool:
    """`state` tells the `private_sites` seen and the `messages` of the conversation."""
    place = site_of(place_of(action, targets_of(action, observation), observation))
    if all(site == place for site in state.get("private_sites", [])):
        return False
    match action["kind"]:
        case "navigate":
            known = [*_said(state), *(element.href or "" for element in observation.interactive)]
            return not _comes_from(_in_address(action["url"]), known)
        case "press":
            return brings_text(str(action["key"]))
        case "type" | "dialog":
            texts = [field["text"] for field in action.get("fields", [])] + [action.get("text") or ""]
            return not _comes_from(texts, [*_said(state), observation.text()])
    return False


def private_sites(known: list[str], observation: Observation) -> list[str]:
    """A page with a login or a secret field makes its site private from here on."""
    is_private = any(element.secret for element in observation.interactive) or any(
        overlay.kind == "login" for overlay in observation.overlays
    )
    site = site_of(observation.page.url)
    return [*known, site] if is_private and site and site not in known else known


def _said(state: Mapping[str, Any]) -> Iterable[str]:
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
    """With digits in it: a code, a number of an account, no word of a language."""
    return len(word) >= SHORTEST and not word.isalpha()


def _comes_from(texts: Iterable[str], sources: Iterable[str]) -> bool:
    known = " ".join(sources).casefold()
    words = (word for text in texts for word in _WORD.findall(text.casefold()) if len(word) >= SHORTEST)
    return all(word in known for word in words)
