"""Detect whether an action sends words of a private page to another site. Pure.

Once a private page was seen (a login, a secret field, a takeover by the user), or a file of the session was
read, words that go to any other site must come from the user or from the page that they are entered on; else the user is asked first. Nothing
is compared with the private page itself: encoded, reversed or split, its words are still unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import unquote_plus, urlsplit

from server.agent.actions import (
    AimedAction,
    ClickAction,
    DialogAction,
    NavigateAction,
    PressAction,
    TypeAction,
)
from server.agent.gate.approval import destination_of, joined, place_of, site_of
from server.agent.gate.keys import brings_text
from server.agent.policy import Judgement, Verdict
from server.agent.policy.address import read_address
from server.agent.private_sites import PrivateSites
from server.browser.observation import Observation
from server.ops.json_types import Json, JsonObject

LEAK = Judgement(Verdict.ASK, "takes words to another site after private pages were seen", "transfer")

SHORTEST = 4
"""Letters. Shorter words reveal nothing alone: they are counted together, also across actions."""
PLAIN_LABEL = 12
"""Maximum letters of a single subdomain label that reveals nothing, as in `support.shop.example`."""

FILES = "file:"
"""Represents the session's own files among the private sites: what was read from one is private on every site."""

TAKEOVER = "takeover"
"""Mark of a message about a takeover: these are not the user's words."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Load:
    """What an action sends to another site."""

    is_strange: bool = False
    """It has a word that comes neither from the user nor from the current page."""
    letters: int = 0
    """Letters of such words that are shorter than `SHORTEST`."""


NOTHING = Load()

Memory = Mapping[str, Any]
"""What an agent has seen and sent: the state of either graph, with the `messages` of the conversation, the
`private_sites` seen, and (after `remembering`) the `letters` sent before, by owner of a site."""


def carries_private_words(aimed: AimedAction, state: Memory) -> bool:
    load = load_of(aimed, state)
    before = state.get("letters", {}).get(owner_of(_site_of_effect(aimed)), 0)
    return load.is_strange or (bool(load.letters) and load.letters + before >= SHORTEST)


def load_of(aimed: AimedAction, state: Memory) -> Load:
    """What the action sends to a site; nothing if no site other than that one is private."""
    action, observation = aimed.action, aimed.observation
    private, place = state.get("private_sites", []), _site_of_effect(aimed)
    if all(site == place for site in private):
        return NOTHING
    said = list(_said(state))
    here = site_of(observation.page.url)
    known = said if here in private and here != place else [*said, *_page_words(observation)]
    match action:
        case NavigateAction():
            return _load_of_address(action.url, place, observation, said)
        case PressAction() if brings_text(action.key):
            return Load(is_strange=True)
        case TypeAction():
            texts = [field.text for field in action.fields]
            return _load([*texts, *_values_sent(aimed, place)], known)
        case DialogAction():
            return _load([action.text or ""], known)
        case ClickAction() | PressAction():
            return _load(_values_sent(aimed, place), known)
    return NOTHING


def remembering(state: Memory, private: PrivateSites) -> Memory:
    """The state with the browser profile's private sites and letters, shared by all agents and sessions."""
    sites = list(dict.fromkeys([*state.get("private_sites", []), *private.sites]))
    return {**state, "private_sites": sites, "letters": private.letters}


def count_load(aimed: AimedAction, state: Memory, private: PrivateSites, *, approved: bool) -> None:
    """Count what an action sends to another site, before it is performed; approval resets the count."""
    load = load_of(aimed, remembering(state, private))
    if load != NOTHING:
        private.count(owner_of(_site_of_effect(aimed)), 0 if approved else load.letters)


def owner_of(site: str) -> str:
    """The owner of a site, as far as its name shows: `shop.example` for `a.b.shop.example`."""
    host = site.partition(":")[0]
    _, owner = _split_host(host)
    return owner + site[len(host) :]


def private_sites(known: list[str], observation: Observation) -> list[str]:
    """Add the page's site if the page has a login or a secret field."""
    site = site_of(observation.page.url)
    return [*known, site] if observation.asks_for_secret and site and site not in known else known


def gives_private_words(args: JsonObject, state: Memory, server: str, known: Iterable[str]) -> bool:
    """Whether the arguments of a tool outside of the browser may carry words of a private page.

    `known` are texts that the tool's server already has, such as its own results.
    """
    load, before = (
        _load_of_arguments(args, state, known),
        state.get("letters", {}).get(_owner_of_tool(server), 0),
    )
    return load.is_strange or (bool(load.letters) and load.letters + before >= SHORTEST)


def count_arguments(
    args: JsonObject, state: Memory, server: str, known: Iterable[str], private: PrivateSites,
    *, approved: bool,
) -> None:  # fmt: skip
    """Like `count_load`, for a call of a tool outside of the browser."""
    load = _load_of_arguments(args, remembering(state, private), known)
    if load != NOTHING:
        private.count(_owner_of_tool(server), 0 if approved else load.letters)


def _load_of_arguments(args: JsonObject, state: Memory, known: Iterable[str]) -> Load:
    if not state.get("private_sites"):
        return NOTHING
    texts = [text for value in args.values() for text in _texts_in(value)]
    return _load(texts, [*_said(state), *known])


def _owner_of_tool(server: str) -> str:
    """Does not collide with a site: its name has a colon only before a port."""
    return f"tool:{server}"


def _texts_in(value: Json | tuple[Json, ...]) -> list[str]:
    if isinstance(value, dict):
        return [text for name, item in value.items() for text in (str(name), *_texts_in(item))]
    if isinstance(value, list | tuple):
        return [text for item in value for text in _texts_in(item)]
    return [str(value)]


def _site_of_effect(aimed: AimedAction) -> str:
    return site_of(place_of(aimed))


def _said(state: Memory) -> Iterable[str]:
    """The user's own words: without what a takeover left on the page."""
    messages = state.get("messages", [])
    return (m.text for m in messages if m.type == "human" and TAKEOVER not in m.additional_kwargs)


def _page_words(observation: Observation) -> Iterator[str]:
    """The page's texts, without field values: the agent may have typed those."""
    yield from (observation.page.title, *observation.text_blocks, *observation.notes)
    yield from (overlay.text for overlay in observation.overlays)
    for element in observation.interactive:
        yield from (element.name, element.shows, element.placeholder or "", element.context, *element.options)


def _values_sent(aimed: AimedAction, place: str) -> list[str]:
    """The field values of a form that is submitted to another site. `sends_to` shows that a field outside of
    the form belongs to it. Without a form, all fields in none are considered sent."""
    address, target = destination_of(aimed), aimed.target
    if place == site_of(aimed.observation.page.url) or not address or target is None:
        return []
    sent = (
        element
        for element in aimed.observation.interactive
        if element.group == target.group or element.sends_to == address
    )
    fields = ("textbox", "searchbox", "spinbutton", "combobox")
    return [element.value for element in sent if element.value and element.role in fields]


def _load_of_address(url: str, place: str, observation: Observation, said: list[str]) -> Load:
    """A bare origin, a link of the page and a URL in the user's words carry nothing."""
    hrefs = (element.href for element in observation.interactive if element.href)
    known = {_plain(joined(observation.page.url, href)) for href in ("", *hrefs)}
    if _plain(url) in (*known, "about:blank"):
        return NOTHING
    try:
        parts = urlsplit(_plain(url))
        port = str(parts.port or "")
    except ValueError:
        return Load(is_strange=True)
    host = _load_of_host(read_address(url).host, port, {site_of(link) for link in known}, said)
    login, _, _ = parts.netloc.rpartition("@")
    sources = [*said, *(unquote_plus(link) for link in known if site_of(link) == place)]
    rest = _load([unquote_plus(part) for part in (login, parts.path, parts.query, parts.fragment)], sources)
    return Load(host.is_strange or rest.is_strange, host.letters + rest.letters)


def _plain(url: str) -> str:
    return url.strip().replace("\\", "/").rstrip("/")


def _load_of_host(host: str, port: str, known: set[str], said: list[str]) -> Load:
    """The owner of a domain owns all names below it and receives the words in them by the DNS lookup alone. A
    port can carry as much as a code of four digits.

    One plain word below a domain is common and counts as one letter.
    """
    before, owner = _split_host(host)
    words = " ".join(said).casefold()
    is_named = "." in owner and not _is_ip(owner)
    if port and is_named and f"{host}:{port}" not in known and port not in words:
        return Load(is_strange=True)
    if not before or host in {site.partition(":")[0] for site in known}:
        return NOTHING
    unknown = [label for label in before if label != "www" and label not in words]
    if len(unknown) == 1 and unknown[0].isalpha() and len(unknown[0]) <= PLAIN_LABEL:
        return Load(letters=1)
    return Load(is_strange=bool(unknown))


def _split_host(host: str) -> tuple[list[str], str]:
    """Split into the labels that the owner of the domain can choose freely, and that domain."""
    if _is_ip(host):
        return [], host
    labels = host.casefold().strip(".").split(".")
    below, country = ["", *labels][-2:]
    is_below_country = len(country) == 2 and len(below) <= 3
    owned = 1 if labels[-1] == "localhost" else 3 if is_below_country else 2
    return labels[:-owned], ".".join(labels[-owned:])


def _is_ip(host: str) -> bool:
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def _load(texts: Iterable[str], sources: Iterable[str]) -> Load:
    known = " ".join(sources).casefold()
    known_words = set(_WORD.findall(known))
    new = [word for text in texts for word in _WORD.findall(text.casefold()) if word not in known_words]
    is_strange = any(len(word) >= SHORTEST and word not in known for word in new)
    short = (word for word in new if len(word) < SHORTEST and (word.isascii() or word not in known))
    return Load(is_strange, sum(map(len, short)))
