"""What an action was done to, in words: recorded with each act, so that a user or a later run can find it again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from server.agent.actions import AimedAction
from server.agent.gate.masking import secrets_of, without
from server.agent.gate.page_facts import CONTEXT_SEPARATOR, place_of
from server.agent.gate.rulings import Ruling
from server.agent.storable import storable
from server.browser.addresses import site_of, without_login
from server.browser.observation import Element, Observation
from server.ops.json_types import JsonObject

CUT_CHARS = 55
"""From this length on, a part of a context may be cut: the beginning of a text at its end is that text."""
MIN_TRAIL_CHARS = 4


class TargetWords(BaseModel, frozen=True):
    """An element's identity without the browser's reference, which is valid only as long as the page."""

    role: str
    name: str
    near: tuple[str, ...] = ()
    """Texts around it; the one that distinguishes it from similar elements comes first. Without what alerts, status
    messages, timers and tooltips say: these words come and go."""
    form: str = ""
    """Name of its form or dialog."""
    frame: str = ""
    """Name and address of the frame it is in, without query; "" for the page itself."""
    leads_to: str = ""
    """Of a link: its address."""
    at: tuple[float, float] | None = None
    """Of an act at a point: where in the element's box it is, from 0 to 1 along each side."""
    nth: int = 1
    """Its place among the elements of the page with the same role and name, from 1 in reading order."""
    of: int = 1
    """How many there are on the whole page, also where the model did not see them."""


class Trail(BaseModel, frozen=True):
    """An act as it was judged and done. What it typed is not in it: the tool message has that, without secrets."""

    targets: tuple[TargetWords, ...]
    verdict: str
    """Of the policy: `allow` or `ask`. An act that a grant allowed was `ask` without it."""
    kind: str = ""
    """The kind of effect, such as `order`."""
    commits: str = ""
    """The model's own claim of an effect."""
    site: str
    """Where the act has its effect."""
    url: str
    """The page before the act."""


JUDGED = "judged"
"""State key of the `JudgedAct` of the assistant's tool call, for the report of it."""


@dataclass(frozen=True, slots=True)
class JudgedAct:
    aimed: AimedAction
    ruling: Ruling


def trail_of(aimed: AimedAction, ruling: Ruling) -> JsonObject:
    """The act's `Trail` as JSON, without secrets, logins in addresses and empty fields."""
    words = tuple(words_of(element, aimed.observation) for element in aimed.targets)
    if aimed.hits:
        pairs = zip(words, aimed.hits, strict=True)
        words = tuple(one.model_copy(update={"at": hit.fractions()}) for one, hit in pairs)
    trail = Trail(
        targets=words, verdict=ruling.verdict, kind=ruling.kind, commits=aimed.action.commits or "",
        site=site_of(place_of(aimed)), url=without_login(aimed.observation.page.url),
    )  # fmt: skip
    shown: JsonObject = without(secrets_of(aimed), trail.model_dump(mode="json", exclude_defaults=True))
    return storable(shown)


def words_of(element: Element, page: Observation) -> TargetWords:
    """The element of this page in words."""
    alike = [one.eid for one in page.interactive if (one.role, one.name) == (element.role, element.name)]
    return TargetWords(
        role=element.role,
        name=element.full_name or element.name or element.shows,
        near=_near(element, page.passing),
        form=element.form,
        frame=element.frame,
        leads_to=without_login(element.href or ""),
        nth=alike.index(element.eid) + 1 if element.eid in alike else 1,
        of=max(len(alike), element.alike),
    )


def _near(element: Element, passing: Sequence[str]) -> tuple[str, ...]:
    """The parts of its context without the `passing` texts; with them where there is nothing else."""
    parts = tuple(part for part in element.context.split(CONTEXT_SEPARATOR) if part)
    lasting = (_without(part, passing) for part in parts)
    return tuple(dict.fromkeys(part for part in lasting if part)) or parts


def _without(part: str, passing: Sequence[str]) -> str:
    for text in sorted(passing, key=len, reverse=True):
        if part == text:
            return ""
        if len(text) < MIN_TRAIL_CHARS:  # "3" is a count in one place and a name in another
            continue
        if not part.startswith(text):  # what a row begins with is its name
            part = re.sub(rf"(?<!\w){re.escape(text)}(?!\w)", " ", part)
        begun = next((n for n in range(len(text), MIN_TRAIL_CHARS - 1, -1) if part.endswith(text[:n])), 0)
        part = part[:-begun] if begun and len(part) >= CUT_CHARS else part
    return " ".join(part.split())
