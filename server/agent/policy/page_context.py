"""Collect evidence of risk from the text around a control.

Evidence only adds up: no text removes any of it. Only the first sentence, the heading, can mark a step as
calm (filters, a cart, step 1 of 3), and that never outweighs strong evidence. Any other text around a control
can raise a verdict, never lower it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum, auto
from functools import lru_cache

from server.agent.policy.address import find_evidence, opens_form
from server.agent.policy.labels import is_menu, lists_controls
from server.agent.policy.lexicon import Hit, lexicon
from server.agent.policy.money import has_money, is_range
from server.agent.policy.names import Commitment, read_phrase, split_phrases
from server.agent.policy.sentence import (
    ADDRESS,
    Sentence,
    find_step,
    is_about_page,
    is_calm,
    is_early,
    is_list,
    is_news,
    is_opener,
)
from server.agent.policy.text import readings, sentences

STRONG = 3
_WEIGHTS = {
    "act": STRONG, "claim.skip": STRONG, "claim.agent": STRONG,
    "deed": 2, "deed.send": 0, "deed.publish": 1, "deed.account": 1, "deed.approve": 1, "scene.draft": 2,
    "scene.sure": STRONG, "scene.effect": STRONG, "scene.final": STRONG, "scene.charge": STRONG, "scene.live": STRONG,
    "scene.last": 2, "scene.funds": 2, "scene.security": 2, "scene.legal": 2, "scene.plan": 2, "scene.now": 2,
    "scene.total": 1, "scene.compose": 1, "scene.crowd": 1, "scene.gear": 1, "scene.ask": 1, "scene.person": 1,
    "scene.paper": 1, "scene.file": 1, "scene.held": 0, "scene.case": 0, "scene.will": 0, "scene.visit": 0,
}  # fmt: skip
_SCENE_KINDS = {
    "scene.charge": "pay", "scene.total": "pay", "scene.funds": "pay", "scene.money": "pay",
    "scene.compose": "send", "scene.draft": "send", "scene.crowd": "send", "scene.live": "system", "scene.gear": "system",
    "scene.security": "account", "scene.person": "account", "scene.plan": "account",
    "scene.legal": "legal", "scene.paper": "legal", "scene.file": "delete", "scene.held": "order",
}  # fmt: skip
_COSTLY = ("scene.plan", "scene.gear")
"""Concepts that are strong evidence in a question: `Switch to the annual plan?`, `Restart the server?`."""
_SHOWING = ("switch", "change", "apply")
"""Kinds of actions that only affect the page: `Use my location`, `Switch to English`."""
_PROCEEDING_KINDS = ("pay", "order", "account")
_FILE = re.compile(
    r"\w\.(?:docx?|xlsx?|pptx?|pdf|csv|txt|jpe?g|png|zip|mp[34]|key|json|ya?ml|sql|py|psd)(?!\w)"
)
_OBJECT = re.compile(r"\W*\w[\w ]{0,30}[:：]\s*\S")


class Heading(StrEnum):
    """What the heading, the first sentence around a control, says about its place."""

    CALM = auto()
    """A step that commits nothing, such as a filter, a cart, step 1 of 3."""
    PAST = auto()
    """Something that is already done."""
    LIST = auto()
    """A filter, a search or a cart, whose entries may be removed freely."""
    COOKIES = auto()
    """A cookie banner."""
    HELP = auto()
    """Help pages."""
    NAVIGATION = auto()
    """A header, a menu or a footer, where buttons navigate like links."""
    MENU = auto()
    """A row of navigation targets, this control included: `Inbox, Sent, Trash`."""
    QUESTION = auto()
    """Asks whether to do something."""
    WARNING = auto()
    """Announces what is about to happen."""
    EARLY_STEP = auto()
    """Counts steps, and this is not the last one."""
    WIDGET = auto()
    """A page widget: a date or column picker, a player, a map, a pop-up."""
    ABOUT_PAGE = auto()
    """Asks about the page itself: to continue reading, to change its language, to load more."""
    NOTICE = auto()
    """A notice about the page, for information only: `Your browser is out of date`."""
    NEWS = auto()
    """Introduced as a tip, news or a notice: `Tip: ...`."""
    CAUTION = auto()
    """What to consider before an action: `Before you close your account`."""
    FORM = auto()
    """A form that can be left, by its address or heading: `/events/new`, `New standing order`."""


_HEADINGS: dict[Heading, Callable[[Sentence], bool]] = {
    Heading.CALM: is_calm,
    Heading.PAST: lambda heading: heading.is_past,
    Heading.LIST: is_list,
    Heading.COOKIES: lambda heading: heading.has("ease.cookies"),
    Heading.HELP: lambda heading: heading.has("ease.help"),
    Heading.NAVIGATION: lambda heading: heading.has("ease.place"),
    Heading.QUESTION: lambda heading: heading.asks,
    Heading.WARNING: lambda heading: heading.has("scene.sure"),
    Heading.EARLY_STEP: is_early,
    Heading.WIDGET: lambda heading: heading.has("ease.widget", "ease.layout"),
    Heading.ABOUT_PAGE: is_about_page,
    Heading.NOTICE: lambda heading: heading.has("ease.notice"),
    Heading.NEWS: is_news,
    Heading.CAUTION: lambda heading: heading.has("ease.caution"),
    Heading.FORM: is_opener,
}
"""The test of each, except for MENU, which depends on the control too."""


@dataclass(frozen=True, slots=True)
class PageContext:
    """The evidence found around a control, and what its heading says about its place."""

    evidence: Mapping[str, int]
    """The highest weight that was found for each concept."""
    headings: frozenset[Heading] = frozenset()
    kind: str = ""
    """The kind of effect with the most weight."""

    @property
    def score(self) -> int:
        return sum(self.evidence.values())

    @property
    def strong(self) -> bool:
        return max(self.evidence.values(), default=0) >= STRONG

    def tells(self, kind: str) -> bool:
        """Whether the address, or strong evidence in the text, speaks of this kind of effect."""
        return any(
            _kind_of(concept) == kind and (weight >= STRONG or concept.startswith("url."))
            for concept, weight in self.evidence.items()
        )

    def has(self, *concepts: str) -> bool:
        """Whether there is evidence of any of these concepts."""
        return not self.evidence.keys().isdisjoint(concepts)

    def under(self, *headings: Heading) -> bool:
        """Whether the heading is any of these."""
        return not self.headings.isdisjoint(headings)


@lru_cache(maxsize=512)
def read_context(context: str, url: str = "", language: str = "", name: str = "") -> PageContext:
    """Collect the evidence from every reading of the text around the control `name`, and from the address."""
    texts = [
        [Sentence(part, lexicon().find(part, language)) for part in sentences(text)]
        for text in readings(context)
    ]
    found = [pair for text in texts for sentence in text for pair in _find_evidence(sentence, name)]
    evidence: dict[str, int] = {}
    for concept, weight in [*found, *find_evidence(url)]:
        evidence[concept] = max(weight, evidence.get(concept, 0))
    first = _known_headings(texts)
    headings = {heading for heading, test in _HEADINGS.items() if first and all(map(test, first))}
    if first and all(is_menu(heading.text, name, language) for heading in first):
        headings.add(Heading.MENU)
    if opens_form(url):
        headings.add(Heading.FORM)
    return PageContext(evidence, frozenset(headings), _main_kind(evidence))


def names_total(text: str) -> bool:
    """Whether a text speaks of a total or an amount: `Total €43.90`, not any other price."""
    return read_context(text).has("scene.total", "scene.charge")


def _known_headings(texts: list[list[Sentence]]) -> list[Sentence]:
    """The heading as written, and those of its other readings that contain known words."""
    headings = [text[0] for text in texts if text]
    return headings[:1] + [heading for heading in headings[1:] if heading.hits]


def _main_kind(evidence: dict[str, int]) -> str:
    kinds = {
        _kind_of(concept): weight for concept, weight in sorted(evidence.items(), key=lambda pair: pair[1])
    }
    return max((kind for kind in kinds if kind and kinds[kind]), key=lambda kind: kinds[kind], default="")


def _kind_of(concept: str) -> str:
    group, _, kind = concept.partition(".")
    return kind if group in ("act", "deed", "url") else _SCENE_KINDS.get(concept, "")


def _find_evidence(sentence: Sentence, name: str) -> list[tuple[str, int]]:
    """The evidence of a sentence; of a row of labels only strong claims such as `your card is charged`."""
    weights = _weigh_sentence(sentence)
    if not lists_controls(sentence.text, name):
        return weights
    return [pair for pair in weights if pair[1] >= STRONG and pair[0].startswith(("scene", "claim"))]


def _weigh_sentence(sentence: Sentence) -> list[tuple[str, int]]:
    weights = [(hit.concept, weight) for hit in sentence.hits if (weight := _weight(hit)) is not None]
    if sentence.has("ease.view"):  # `Do you want to see only ...?` commits to nothing
        weights = [(concept, weight) for concept, weight in weights if concept != "scene.ask"]
    if sentence.has("calm.howto") or sentence.is_past:
        weights = [
            (concept, min(weight, 1)) if concept.startswith("act") else (concept, weight)
            for concept, weight in weights
        ]
    if has_money(sentence.text) and not is_range(sentence.text):
        weights.append(("scene.money", 1 if is_calm(sentence) and not sentence.has("ease.page") else 2))
    if _OBJECT.match(sentence.text) and not is_calm(sentence) and not is_news(sentence):
        weights += [
            (concept, 2) for concept, weight in weights if weight == 1 and concept.startswith("scene.")
        ]
    if ADDRESS.search(sentence.text):
        weights.append(("scene.person", 2))
    if _FILE.search(sentence.text):
        weights.append(("scene.file", 1))
    weights += [*_asked(sentence), *_count_steps(sentence), *_claimed(sentence)]
    return weights + _announced(sentence, weights)


def _weight(hit: Hit) -> int | None:
    return _WEIGHTS.get(hit.concept, _WEIGHTS.get(hit.group))


def _claimed(sentence: Sentence) -> list[tuple[str, int]]:
    """Evidence from text that addresses an agent, or claims that consent is given or not needed."""
    speaks = sentence.has("claim.agent", "claim.skip")
    consents = sentence.has("claim.consent") and sentence.has("claim.waive", "claim.who")
    return [("claim.skip", STRONG)] if speaks or consents else []


def _announced(sentence: Sentence, weights: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Evidence from an announced effect that matters: `Your order will be placed`."""
    matters = (
        sentence.has("ease.past", "scene.crowd") or max((weight for _, weight in weights), default=0) >= 2
    )
    return [("scene.sure", STRONG)] if matters and sentence.has("scene.will") else []


def _asked(sentence: Sentence) -> list[tuple[str, int]]:
    """Evidence from a question that names an action or its cost: `Cancel your plan?`, `Continue for €5?`."""
    if not sentence.asks:
        return []
    about_page = sentence.has("ease.page")
    meaning = max(map(read_phrase, split_phrases(sentence.hits)), key=lambda meaning: meaning.commitment)
    shows = about_page and meaning.commitment is Commitment.AMBIGUOUS and meaning.kind in _SHOWING
    commits = (
        meaning.commitment in (Commitment.CERTAIN, Commitment.LIKELY, Commitment.AMBIGUOUS) and not shows
    )
    proceeds = meaning.commitment is Commitment.PROCEED and meaning.kind in _PROCEEDING_KINDS
    found = [(f"act.{meaning.kind}", STRONG)] if commits or proceeds else []
    return found + _costs(sentence, about_page)


def _costs(sentence: Sentence, about_page: bool) -> list[tuple[str, int]]:
    """Evidence from the sum, plan or system that a question names, unless it is a calm one."""
    if is_calm(sentence) and not about_page:
        return []
    found = [(hit.concept, STRONG) for hit in sentence.hits if hit.concept in _COSTLY and not about_page]
    has_sum = has_money(sentence.text) and not is_range(sentence.text)
    return [*found, ("scene.money", STRONG)] if has_sum else found


def _count_steps(sentence: Sentence) -> list[tuple[str, int]]:
    """Evidence from a step count that is at its last step."""
    place = find_step(sentence)
    if not place or not place[0] == place[1] > 1 or sentence.has("ease.media", "ease.tour"):
        return []
    return [("scene.end", STRONG if sentence.has("ease.step") else 2)]
