"""Count what an action may carry from private pages to another site, in bits. Pure.

Once a private page was seen (a login, a secret field, a takeover by the user), or a file of the session was read,
everything by which words can reach another site is counted for that site: text, keys, choices, links, clicks on alike
controls, addresses, names of files. At `BITS_BUDGET` the user is asked; a yes resets the count. Nothing is compared with
the private page itself: encoded, reversed or split, its words still have their bits. What the receiving page shows
excuses nothing: a page that lists the alphabet lets each letter be chosen, and the choice is counted. docs/risk.md says
what cannot be counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from ipaddress import ip_address
from itertools import pairwise
from typing import Any
from urllib.parse import unquote_plus, urlsplit

from server.agent.actions import (
    AimedAction,
    ClickAction,
    DialogAction,
    DragAction,
    NavigateAction,
    PressAction,
    SelectAction,
    TypeAction,
    UploadAction,
)
from server.agent.gate.keys import brings_text, is_paste, moves
from server.agent.gate.page_facts import destination_of, place_of
from server.agent.policy import Judgement, Verdict
from server.agent.policy.address import read_address
from server.agent.private_sites import PrivateSites
from server.browser.addresses import joined, site_of
from server.browser.observation import Element, Observation
from server.ops.json_types import Json, JsonObject
from wording.catalogue import sentence

LEAK = Judgement(Verdict.ASK, sentence("effect.leak"), "transfer")

BITS_BUDGET = 24
"""Bits that a site may get before the user is asked: four letters or digits of unknown origin."""
SIGN_BITS, WIDE_BITS, MARK_BITS = 6, 13, 3
"""Of a letter or digit, of one in Chinese, Japanese or Korean, of any other sign."""
LABEL_BITS, LINK_BITS, POINT_BITS = 6, 6, 12
"""Of a plain word below a domain, of a link on a page with many, of a point of the page."""
MANY_LINKS = 60
FEW_ALIKE = 8
"""Controls that look alike. With fewer, a choice is no keyboard."""
ALL_OPTIONS, UNKNOWN_OPTIONS_BITS = 250, 14
"""A list with as many options as an observation has may have more."""
FREE_SIGNS = 3
"""Signs and spaces between two words that texts have anyway; more could be a code."""
MIN_TAINTED_CHARS = 4
"""Signs of a word of unknown origin that may be a code by itself."""
PLAIN_LABEL = 12
"""Maximum letters of a single subdomain label that reveals nothing, as in `support.shop.example`."""

FILE_SOURCE = "file:"
"""Represents the session's own files among the private sites: what was read from one is private on every site."""

TAKEOVER = "takeover"
"""Mark of a message about a takeover: these are not the user's words."""

_TAINTED_WORD = re.compile(r"\w+")
_COMMON_SIGNS = re.compile(r"\s+|[.,:;!?'\"()@€$£%+/&#-]")
"""Signs between words that texts have anyway."""
_WORD_SEPARATOR = re.compile(r"\W+")
_JOINTS = re.compile(r"[/?&=+_.,:;~|!*-]")
"""Signs between the words of an address."""


Memory = Mapping[str, Any]
"""What an agent has seen and sent: the state of either graph, with the `messages` of the conversation, the
`private_sites` seen, and (after `remembering`) the `bits` sent before, by owner of a site."""


def carries_private_words(aimed: AimedAction, state: Memory) -> bool:
    """Whether the site would have got `BITS_BUDGET` bits with this action."""
    bits = bits_of(aimed, state)
    return bool(bits) and bits + state.get("bits", {}).get(owner_of(_site_of_effect(aimed)), 0) >= BITS_BUDGET


def bits_of(aimed: AimedAction, state: Memory) -> int:
    """What the action may carry to a site; nothing if no site other than that one is private."""
    action, observation = aimed.action, aimed.observation
    private, place = state.get("private_sites", []), _site_of_effect(aimed)
    if {place}.issuperset(private):
        return 0
    here = site_of(observation.page.url)
    is_shown = here == place or here not in private
    said, shown = list(_said(state)), list(_page_words(observation)) if is_shown else []
    texts = _values_sent(aimed, place)
    match action:
        case NavigateAction():
            return _bits_of_address(action.url, place, observation, said)
        case TypeAction():
            return _bits([field.text for field in action.fields] + texts, said, shown)
        case DialogAction():
            return _bits([action.text or ""], said, shown)
        case UploadAction():
            return _bits([action.file], said, ())
    bits = _bits(texts, said, shown)
    return bits if place in private else bits + _bits_of_choice(aimed, said)


def _bits_of_choice(aimed: AimedAction, said: Sequence[str]) -> int:
    """What choosing this one of all controls, options or keys gives a site that has no login of the person's own."""
    action, target = aimed.action, aimed.target
    match action:
        case PressAction():
            return _bits_of_key(action.key)
        case SelectAction() if target:
            count = len(target.options)
            chosen = UNKNOWN_OPTIONS_BITS if count >= ALL_OPTIONS else _choice(count)
            chosen *= len(action.options)
            return min(chosen, max(1, _bits(action.options, said, ()))) if action.option else chosen
        case ClickAction() | DragAction() if aimed.action.points and not aimed.targets:
            return POINT_BITS * len(aimed.action.points)
        case ClickAction() if target:
            links = sum(bool(one.href) for one in aimed.observation.interactive)
            link = _bits_of_link(links) if target.href else 0
            return max(link, _choice(_count_alike(target, aimed.observation)))
    return 0


def _bits_of_key(key: str) -> int:
    if is_paste(key):
        return BITS_BUDGET
    return SIGN_BITS if brings_text(key) else int(moves(key))


def _choice(count: int) -> int:
    """The bits of a choice among as many."""
    return max(0, count - 1).bit_length()


def _count_alike(target: Element, observation: Observation) -> int:
    """How many controls of the page look like this one, as the keys of a keyboard do; 0 if they are few."""

    def looks(one: Element) -> tuple[object, ...]:
        size = one.box[2:] if one.box else None
        return one.role, size

    first = target.name.partition(" ")[0]
    alike = [
        one
        for one in observation.interactive
        if one.role == target.role
        and (
            looks(one) == looks(target)
            or len(one.name) <= 2 >= len(target.name)
            or one.name.partition(" ")[0] == first
        )
    ]
    return len(alike) if len(alike) >= FEW_ALIKE else 0


def remembering(state: Memory, private: PrivateSites) -> Memory:
    """The state with the browser profile's private sites and bits, shared by all agents and sessions."""
    sites = list(dict.fromkeys([*state.get("private_sites", []), *private.sites]))
    return {**state, "private_sites": sites, "bits": private.bits}


def count_bits(aimed: AimedAction, state: Memory, private: PrivateSites, *, approved: bool) -> None:
    """Count what an action carries to another site, before it is performed; approval resets the count."""
    if bits := bits_of(aimed, remembering(state, private)):
        private.count(owner_of(_site_of_effect(aimed)), 0 if approved else bits)


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
    bits = _bits_of_arguments(args, state, server, known)
    return bool(bits) and bits + state.get("bits", {}).get(source_of_tool(server), 0) >= BITS_BUDGET


def count_arguments(
    args: JsonObject, state: Memory, server: str, known: Iterable[str], private: PrivateSites,
    *, approved: bool,
) -> None:  # fmt: skip
    """Like `count_bits`, for a call of a tool outside of the browser."""
    if bits := _bits_of_arguments(args, remembering(state, private), server, known):
        private.count(source_of_tool(server), 0 if approved else bits)


def _bits_of_arguments(args: JsonObject, state: Memory, server: str, known: Iterable[str]) -> int:
    """What is private may be the server's own only: it gets nothing new then."""
    if {source_of_tool(server)}.issuperset(state.get("private_sites", [])):
        return 0
    texts = [text for value in args.values() for text in _texts_in(value)]
    return _bits(texts, list(_said(state)), known)


def source_of_tool(server: str) -> str:
    """Represents the server's results among the private sites, and the server among those that get words. No site has
    such a name: it has a colon only before a port."""
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


def _bits_of_address(url: str, place: str, observation: Observation, said: Sequence[str]) -> int:
    """A bare origin and an address in the user's words carry nothing; a link of the page is a choice among its links."""
    hrefs = [element.href for element in observation.interactive if element.href]
    known = {_plain(joined(observation.page.url, href)) for href in ("", *hrefs)}
    if _plain(url) in ("about:blank", _plain(observation.page.url)):
        return 0
    if _plain(url) in known:
        return _bits_of_link(len(hrefs))
    try:
        parts = urlsplit(_plain(url))
        port = str(parts.port or "")
    except ValueError:
        return BITS_BUDGET
    host = _bits_of_host(read_address(url).host, port, set(map(site_of, known)), said)
    login, _, _ = parts.netloc.rpartition("@")
    shown = [unquote_plus(link) for link in known if site_of(link) == place]
    texts = map(unquote_plus, (login, parts.path, parts.query, parts.fragment))
    return host + _bits([_JOINTS.sub(" ", text) for text in texts], said, shown)


def _bits_of_link(links: int) -> int:
    """What opening one of all links says."""
    return LINK_BITS if links > MANY_LINKS else 1


def _plain(url: str) -> str:
    return url.strip().replace("\\", "/").rstrip("/")


def _bits_of_host(host: str, port: str, known: set[str], said: Sequence[str]) -> int:
    """The owner of a domain owns all names below it and receives the words in them by the DNS lookup alone. A
    port can carry as much as a code of four digits."""
    before, owner = _split_host(host)
    words = " ".join(said).casefold()
    is_named = "." in owner and not _is_ip(owner)
    if port and is_named and f"{host}:{port}" not in known and port not in words:
        return BITS_BUDGET
    if not before or host in {site.partition(":")[0] for site in known}:
        return 0
    unknown = [label for label in before if label != "www" and label not in words]
    if len(unknown) == 1 and unknown[0].isalpha() and len(unknown[0]) <= PLAIN_LABEL:
        return LABEL_BITS
    return BITS_BUDGET if unknown else 0


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


def _bits(texts: Iterable[str], said: Iterable[str], shown: Iterable[str]) -> int:
    """The bits of texts: of words in the order in which the user said them one for the whole run (of a short one those of
    the choice among the short ones), of a word that the page shows those of the choice among its words, of others those
    of their signs. Many signs or spaces in a row count as well, unless the user has written them."""
    written = set(_WORD_SEPARATOR.findall(" ".join(said)))
    named = _TAINTED_WORD.findall(" ".join(said).casefold())
    pairs, own, all_own = set(pairwise(named)), set(named), " ".join(named)
    choices = set(_TAINTED_WORD.findall(" ".join(shown).casefold()))
    bits = 0
    for text in texts:
        marks = _COMMON_SIGNS.sub("", _TAINTED_WORD.sub(" ", text))
        rows = (len(row) - FREE_SIGNS for row in _WORD_SEPARATOR.findall(text) if row not in written)
        bits += SIGN_BITS * sum(max(0, more) for more in rows)
        bits += (
            MARK_BITS * max(0, len(marks) - 1) + sum(map(_is_odd, _TAINTED_WORD.findall(text))) * SIGN_BITS
        )
        before = ""
        for word in _TAINTED_WORD.findall(text.casefold()):
            signs = sum(WIDE_BITS if "\u2e80" <= sign <= "\uffdc" else SIGN_BITS for sign in word)
            if word in own:
                alike = (
                    sum(len(other) < MIN_TAINTED_CHARS for other in own)
                    if len(word) < MIN_TAINTED_CHARS
                    else 0
                )
                bits += 0 if (before, word) in pairs else max(1, _choice(alike))
            elif len(word) >= MIN_TAINTED_CHARS and word in all_own:
                bits += SIGN_BITS
            elif word in choices:
                bits += min(signs, max(1, _choice(len(choices))))
            else:
                bits += signs if len(word) < MIN_TAINTED_CHARS else max(signs, BITS_BUDGET)
            before = word
    return bits


def _is_odd(word: str) -> bool:
    """Whether the case of its letters says something, too: `gReEn`."""
    return word.lower() != word and word.upper() != word and word[1:].lower() != word[1:]
