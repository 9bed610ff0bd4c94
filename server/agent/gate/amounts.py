"""The sum that an act is about: on its card, and the one that a yes is bound to. Pure."""

from __future__ import annotations

from server.agent.actions import AimedAction
from server.agent.policy.money import find_sums
from server.agent.policy.names import Commitment, read_name
from server.agent.policy.page_context import names_total
from server.browser.observation import Element
from server.text import OVERRIDE

SPENDING, MAY_SPEND = frozenset({"pay", "order"}), frozenset({"account", "legal", "unknown_submit"})
"""Kinds of effects that cost money, or may."""


def amount_of(aimed: AimedAction) -> str | None:
    """The price of the action: on the control, around it, else the total on the page, else the last sum on it.

    None if letters of its name run backwards: what is read then need not be what is seen. Sums that are not painted
    do not count.
    """
    target, hidden = aimed.target, hidden_sums(aimed)
    texts = [text for block in aimed.observation.text_blocks for text in block.split(" | ")]
    if target and OVERRIDE in target.name + target.shows:
        return None
    totals = [text for text in texts if find_sums(text) and names_total(text)]
    for text in (*_own_texts(target), *reversed(totals), *reversed(texts)):
        if sums := [one for one in find_sums(text) if one not in hidden]:
            return sums[-1]
    return None


def hidden_sums(aimed: AimedAction) -> set[str]:
    """The sums that are on the page and not painted."""
    return {one for text in aimed.observation.hidden for one in find_sums(text)}


def _own_texts(target: Element | None) -> list[str]:
    return [target.name, target.shows, target.context] if target else []


def shown_amount(aimed: AimedAction, kind: str) -> str | None:
    """The sum on the card: only where the act spends, or where it may and its own words name one."""
    is_named = any(map(find_sums, _own_texts(aimed.target)))
    return amount_of(aimed) if kind in SPENDING or (kind in MAY_SPEND and is_named) else None


def bound_amount(aimed: AimedAction) -> str | None:
    """The sum that a yes is bound to; None where the name says that the act spends nothing (`Send reply`).

    A price that ticks elsewhere on the page voids no yes to such an act.
    """
    target = aimed.target
    meaning = read_name(target.shows or target.name) if target else None
    says = meaning is not None and meaning.commitment >= Commitment.LIKELY
    spends_nothing = says and meaning is not None and meaning.kind not in (*SPENDING, *MAY_SPEND, "")
    return None if spends_nothing else amount_of(aimed)
