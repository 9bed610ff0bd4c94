"""Collect evidence of risk from the text around a control.

Evidence only adds up: no text removes any of it. Only the first sentence, the heading, can mark a step as
calm (filters, a cart, step 1 of 3), and that never outweighs strong evidence. Any other text around a control
can raise a verdict, never lower it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from server.agent.policy.labels import is_menu, lists_controls
from server.agent.policy.lexicon import Hit, lexicon
from server.agent.policy.money import has_money, is_range
from server.agent.policy.names import Force, weigh
from server.agent.policy.sentence import (
    ADDRESS,
    Sentence,
    find_step,
    is_about_page,
    is_calm,
    is_early,
    is_light,
    is_news,
    is_opener,
)
from server.agent.policy.text import readings, sentences
from server.agent.policy.url_hints import opens_form, read_trail

STRONG = 3
_WEIGHTS = {
    "act": STRONG, "claim.skip": STRONG, "claim.agent": STRONG,
    "deed": 2, "deed.send": 0, "deed.publish": 1, "deed.account": 1, "deed.approve": 1, "scene.draft": 2,
    "scene.sure": STRONG, "scene.effect": STRONG, "scene.final": STRONG, "scene.charge": STRONG, "scene.live": STRONG,
    "scene.last": 2, "scene.funds": 2, "scene.security": 2, "scene.legal": 2, "scene.plan": 2, "scene.now": 2,
    "scene.total": 1, "scene.compose": 1, "scene.crowd": 1, "scene.gear": 1, "scene.ask": 1, "scene.person": 1,
    "scene.paper": 1, "scene.file": 1, "scene.held": 0, "scene.case": 0, "scene.will": 0, "scene.visit": 0,
}  # fmt: skip
_KINDS = {
    "scene.charge": "pay", "scene.total": "pay", "scene.funds": "pay", "scene.money": "pay",
    "scene.compose": "send", "scene.draft": "send", "scene.crowd": "send", "scene.live": "system", "scene.gear": "system",
    "scene.security": "account", "scene.person": "account", "scene.plan": "account",
    "scene.legal": "legal", "scene.paper": "legal", "scene.file": "delete", "scene.held": "order",
}  # fmt: skip
_COSTLY = ("scene.plan", "scene.gear")
"""Concepts that are strong evidence in a question: `Switch to the annual plan?`, `Restart the server?`."""
_SHOWING = ("switch", "change", "apply")
"""Kinds of actions that only affect the page: `Use my location`, `Switch to English`."""
_PURSUED = ("pay", "order", "account")
_FILE = re.compile(
    r"\w\.(?:docx?|xlsx?|pptx?|pdf|csv|txt|jpe?g|png|zip|mp[34]|key|json|ya?ml|sql|py|psd)(?!\w)"
)
_OBJECT = re.compile(r"\W*\w[\w ]{0,30}[:：]\s*\S")


@dataclass(frozen=True, slots=True)
class PageContext:
    """The evidence found: the highest weight for each concept, and properties of the heading."""

    evidence: dict[str, int]
    calm: bool = False
    """The heading describes a step that commits nothing, such as a filter, a cart, step 1 of 3."""
    past: bool = False
    """The heading describes something that is already done."""
    light: bool = False
    """The heading is that of a filter, a search or a cart, whose entries may be removed freely."""
    cookies: bool = False
    """The heading is that of a cookie banner."""
    help: bool = False
    """The heading is that of help pages."""
    place: bool = False
    """The heading is that of a header, a menu or a footer, where buttons navigate like links."""
    kind: str = ""
    asks: bool = False
    """The heading asks whether to do something."""
    warns: bool = False
    """The heading announces what is about to happen."""
    menu: bool = False
    """The heading is a row of navigation targets, this control included: `Inbox, Sent, Trash`."""
    early: bool = False
    """The heading counts steps, and this is not the last one."""
    widget: bool = False
    """The heading is that of a page widget: a date or column picker, a player, a map, a pop-up."""
    page: bool = False
    """The heading asks about the page itself: to continue reading, to change its language, to load more."""
    notice: bool = False
    """The heading is a notice about the page, for information only: `Your browser is out of date`."""
    news: bool = False
    """The heading is introduced as a tip, news or a notice: `Tip: ...`."""
    caution: bool = False
    """The heading says what to consider before an action: `Before you close your account`."""
    form: bool = False
    """The address or heading is that of a form that can be left: `/events/new`, `New standing order`."""

    @property
    def score(self) -> int:
        return sum(self.evidence.values())

    @property
    def strong(self) -> bool:
        return max(self.evidence.values(), default=0) >= STRONG

    def has(self, *concepts: str) -> bool:
        """Whether any of these was found."""
        return not self.evidence.keys().isdisjoint(concepts)


@lru_cache(maxsize=512)
def read_scene(context: str, url: str = "", language: str = "", name: str = "") -> PageContext:
    """Collect the evidence from every reading of the text around the control `name`, and from the address."""
    texts = [_read(text, language) for text in readings(context)]
    found = [pair for text in texts for sentence in text for pair in _tell(sentence, name)] + read_trail(url)
    evidence: dict[str, int] = {}
    for concept, weight in found:
        evidence[concept] = max(weight, evidence.get(concept, 0))
    headings = _tell_headings(texts)
    return PageContext(
        evidence,
        calm=_all_are(headings, is_calm),
        past=_all_are(headings, lambda heading: heading.is_past),
        light=_all_are(headings, is_light),
        cookies=_all_are(headings, lambda heading: heading.has("ease.cookies")),
        help=_all_are(headings, lambda heading: heading.has("ease.help")),
        place=_all_are(headings, lambda heading: heading.has("ease.place")),
        kind=_main_kind(evidence),
        asks=_all_are(headings, lambda heading: heading.asks),
        warns=_all_are(headings, lambda heading: heading.has("scene.sure")),
        menu=_all_are(headings, lambda heading: is_menu(heading.text, name, language)),
        early=_all_are(headings, is_early),
        widget=_all_are(headings, lambda heading: heading.has("ease.widget", "ease.layout")),
        page=_all_are(headings, is_about_page),
        notice=_all_are(headings, lambda heading: heading.has("ease.notice")),
        news=_all_are(headings, is_news),
        caution=_all_are(headings, lambda heading: heading.has("ease.caution")),
        form=opens_form(url) or _all_are(headings, is_opener),
    )


def _tell_headings(texts: list[list[Sentence]]) -> list[Sentence]:
    """The heading as written, and those of its other readings that contain known words."""
    headings = [text[0] for text in texts if text]
    return headings[:1] + [heading for heading in headings[1:] if heading.hits]


def _all_are(headings: list[Sentence], test: Callable[[Sentence], bool]) -> bool:
    """Whether every reading of the heading passes."""
    return bool(headings) and all(map(test, headings))


def _read(text: str, language: str) -> list[Sentence]:
    return [Sentence(part, lexicon().find(part, language)) for part in sentences(text)]


def _main_kind(evidence: dict[str, int]) -> str:
    kinds = {
        _kind_of(concept): weight for concept, weight in sorted(evidence.items(), key=lambda pair: pair[1])
    }
    return max((kind for kind in kinds if kind and kinds[kind]), key=lambda kind: kinds[kind], default="")


def _kind_of(concept: str) -> str:
    group, _, kind = concept.partition(".")
    return kind if group in ("act", "deed", "trail") else _KINDS.get(concept, "")


def _tell(sentence: Sentence, name: str) -> list[tuple[str, int]]:
    """The evidence of a sentence; of a row of labels only strong claims such as `your card is charged`."""
    weights = _weigh(sentence)
    if not lists_controls(sentence.text, name):
        return weights
    return [pair for pair in weights if pair[1] >= STRONG and pair[0].startswith(("scene", "claim"))]


def _weigh(sentence: Sentence) -> list[tuple[str, int]]:
    told = sentence.has("calm.howto") or sentence.is_past
    weights = [(hit.concept, weight) for hit in sentence.hits if (weight := _weight(hit)) is not None]
    if sentence.has("ease.view"):  # `Do you want to see only ...?` commits to nothing
        weights = [(concept, weight) for concept, weight in weights if concept != "scene.ask"]
    if told:
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
    meaning = weigh(sentence.hits)
    about_page = sentence.has("ease.page")
    shows = about_page and meaning.force is Force.WEAK and meaning.kind in _SHOWING
    commits = meaning.force in (Force.ACT, Force.DEED, Force.WEAK) and not shows
    pursues = meaning.force is Force.PROCEED and meaning.kind in _PURSUED
    found = [(f"act.{meaning.kind}", STRONG)] if commits or pursues else []
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
