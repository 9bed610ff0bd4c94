"""What a turn has a use for, by the page that it shows. Pure."""

from __future__ import annotations

from collections import Counter

from server.agent.operator.act.acting import FIELDS, FORM_FIELDS, LISTS
from server.agent.operator.memory.state import BLANK
from server.agent.operator.plan.move import Offer
from server.agent.operator.see.observing import ShownPicture
from server.browser.observation import Observation
from server.browser.observation.elements import DRAG_ROLES

MARKED = frozenset({"treeitem", "gridcell", "row"})
"""Entries of which several are marked by clicks with a key held, and that often have a menu of the right button."""


def usable_on(observation: Observation) -> Offer:
    """What the page has a use for. A question of its script hides all of the page."""
    roles = Counter(element.role for element in observation.interactive)
    is_empty = not (observation.interactive or observation.text_blocks)
    return Offer(
        page=observation.page.url not in BLANK or not is_empty,
        typing=not FIELDS.isdisjoint(roles),
        form=sum(map(roles.__getitem__, FORM_FIELDS)) > 1,
        several=any(one.several for one in observation.interactive),
        manners=observation.manners or not MARKED.isdisjoint(roles),
        adds=any(one.field == "lines" and one.value for one in observation.interactive),
        choosing=not LISTS.isdisjoint(roles) or any(one.options for one in observation.interactive),
        dialog=is_empty,
    )


def offers_points(shown: ShownPicture | None, observation: Observation) -> bool:
    """Whether a prompt has something to act on at a point, or by dragging: a picture of the page, or what can be
    dragged."""
    has_picture = shown is not None and shown.picture is not None
    return has_picture or any(element.role in DRAG_ROLES for element in observation.interactive)
