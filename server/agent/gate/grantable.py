"""What a grant can cover: never a secret, never a file for another site; amounts only beyond doubt. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from server.agent.actions import TOOL_PLACE, AimedAction, CallToolAction
from server.agent.gate.amounts import hidden_sums
from server.agent.gate.masking import secrets_of
from server.agent.gate.page_facts import CONTEXT_SEPARATOR, controls_in_same_group, destination_of, place_of
from server.agent.policy import Judgement, Verdict
from server.agent.policy.money import find_sums, is_price
from server.agent.policy.verdict import KINDS_ASKED
from server.browser.addresses import site_of
from server.grants.coverage import MINOR_UNITS, SCOPES, Amount, GrantMark, GrantScope, Need
from server.text import OVERRIDE

TOOL_KIND = "tool"
NEVER = frozenset({"credential", "leave", "unknown", TOOL_KIND})
"""Kinds that each act asks about: secrets, a person's input that would be lost, and what cannot be seen on a page."""
PASSING_KINDS = frozenset({"transfer"})
"""Kinds that are allowed for a run or a session at most."""

GRANTABLE_KINDS = frozenset(KINDS_ASKED) - NEVER | PASSING_KINDS
"""What a grant can be given for."""

_BY_SIGN = {
    "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR", "£": "£", "gbp": "GBP", "usd": "USD", "us$": "USD",
    "$": "$", "a$": "AUD", "au$": "AUD", "aud": "AUD", "c$": "CAD", "ca$": "CAD", "cad": "CAD", "r$": "BRL", "brl": "BRL",
    "₽": "RUB", "rub": "RUB", "руб": "RUB", "₴": "UAH", "uah": "UAH", "zł": "PLN", "pln": "PLN", "kč": "CZK", "czk": "CZK",
    "ft": "HUF", "huf": "HUF", "chf": "CHF", "sek": "SEK", "nok": "NOK", "dkk": "DKK", "₹": "INR", "inr": "INR",
    "₺": "TRY", "try": "TRY", "₪": "ILS", "ils": "ILS", "₩": "KRW", "krw": "KRW", "jpy": "JPY", "cny": "CNY", "¥": "¥",
}  # fmt: skip
"""By how a page writes it. A sign of several currencies stands for itself: a grant is for one site."""
CURRENCIES = frozenset(_BY_SIGN.values())
_PART_SEPARATOR = re.compile(r" [·|] ")
"""Between the texts that an observation puts into one line."""
_SUM_PATTERN = re.compile(r"[0-9][0-9.,'’\s]*")
_PLAIN_AMOUNT = re.compile(r"([0-9]{1,3}(?:[.,'’\s][0-9]{3})*|[0-9]+)(?:[.,]([0-9]{1,2}))?")
_AROUND = re.compile(r"[0-9+/*×%~≈–—-]")
"""In the rest of a text with one sum: it may be a part, a range, a rate or a multiple of it."""


def scopes_of(judgement: Judgement, aimed: AimedAction) -> tuple[GrantScope, ...]:
    """The scopes in which the person may allow acts like this one; empty if each has to be asked about."""
    if not is_grantable(judgement, aimed):
        return ()
    return SCOPES[:2] if judgement.kind in PASSING_KINDS else SCOPES


def is_grantable(judgement: Judgement, aimed: AimedAction) -> bool:
    """Whether a grant may cover the effect that the judgement asks about."""
    if judgement.verdict is not Verdict.ASK or not judgement.kind:
        return False
    if isinstance(aimed.action, CallToolAction):
        return judgement.kind == TOOL_KIND and not aimed.action.each_time
    if judgement.kind in NEVER:
        return False
    site = site_of(place_of(aimed))
    if not site or _hands_over_secrets(aimed):
        return False
    if judgement.kind != "upload":
        return True
    sent_to = {site_of(target.sends_to) for target in aimed.targets if target.sends_to}
    return sent_to <= {site}


def _hands_over_secrets(aimed: AimedAction) -> bool:
    """It types a secret, or sends a form in which one is filled in."""
    if secrets_of(aimed):
        return True
    target = aimed.target
    is_sent = target is not None and (target.submits or bool(destination_of(aimed)))
    return (
        is_sent
        and target is not None
        and any(one.filled for one in controls_in_same_group(target, aimed.observation))
    )


def need_of(judgement: Judgement, aimed: AimedAction) -> Need:
    """What a grant has to cover for the effect that the judgement asks about."""
    return Need(site=granted_site(place_of(aimed)), kind=judgement.kind, amount=sure_amount(aimed))


def granted_site(place: str) -> str:
    """What a grant names for an act at this place: its site, or the very tool."""
    return place if place.startswith(TOOL_PLACE) else site_of(place)


def marks_of(judgement: Judgement) -> list[GrantMark]:
    """The grants that allow the act, each once."""
    scopes = {use.grant_id: use.scope for use in judgement.uses}
    return [GrantMark(id=grant_id, scope=scope) for grant_id, scope in scopes.items()]


def sure_amount(aimed: AimedAction) -> Amount | None:
    """The sum that the act spends, if the page leaves no doubt; else None.

    It is the only sum on the control or, if there is none, in the text around it or in the page's texts; it can
    be read in one way only, it is painted, and nothing on the page shows a larger one or another currency.
    """
    target = aimed.target
    if (
        target is None
        or OVERRIDE in target.name + target.shows
        or any(note.startswith("truncated,") for note in aimed.observation.notes)
    ):
        return None
    texts = CONTEXT_SEPARATOR.join(filter(find_sums, aimed.observation.text_blocks))
    source = next((text for text in (target.name, target.context, texts) if find_sums(text)), "")
    stated = {read_sum(text) for text in find_sums(source)}
    if len(stated) != 1 or _is_qualified(source) or not hidden_sums(aimed).isdisjoint(find_sums(source)):
        return None
    (amount,) = stated
    if amount is None:
        return None
    others = [read_sum(text) for text in _sums_of_page(aimed)]
    is_largest = all(
        other is not None and other.currency == amount.currency and other.parts <= amount.parts
        for other in others
    )
    return amount if is_largest else None


def _is_qualified(source: str) -> bool:
    for text in filter(find_sums, _PART_SEPARATOR.split(source)):
        rest = text.replace(find_sums(text)[0], " ")
        if not is_price(text) and _AROUND.search(rest):
            return True
    return False


def _sums_of_page(aimed: AimedAction) -> Iterator[str]:
    observation = aimed.observation
    texts = [observation.page.title, *observation.text_blocks]
    for element in observation.interactive:
        texts += [element.name, element.shows, element.context, element.value or ""]
    for text in texts:
        yield from find_sums(text)


def read_sum(text: str) -> Amount | None:
    """`€ 1.234,50` as an amount; None if its number or its currency can be read in more than one way."""
    found = _SUM_PATTERN.search(text)
    if found is None:
        return None
    written = found.group().strip().rstrip(".,'’")
    currency = _BY_SIGN.get((text[: found.start()] + text[found.end() :]).strip(" .").casefold())
    number = _read_number(written)
    return None if currency is None or number is None else Amount(parts=number, currency=currency)


def _read_number(written: str) -> int | None:
    match = _PLAIN_AMOUNT.fullmatch(written)
    if match is None:
        return None
    whole, fraction = match.groups()
    separators = set(re.sub(r"[0-9]", "", whole))
    is_unclear = len(separators) > 1 or (
        not fraction and len(separators & {".", ","}) == 1 and len(whole) <= 7
    )
    if is_unclear:  # `1.234` is a thousand, or one and a part
        return None
    if fraction and written[-len(fraction) - 1] in separators:
        return None
    return int(Decimal(f"{re.sub(r'[^0-9]', '', whole)}.{fraction or 0}") * MINOR_UNITS)
