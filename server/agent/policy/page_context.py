"""What the text around a control says about the step at hand.

Evidence of risk only adds up: no text takes any of it away. Only the first sentence, the heading, may
tell that a step is a calm one (filters, a cart, step 1 of 3), and that never outweighs strong evidence.
Whatever else a page writes around a control can raise a verdict and never lower it.
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
"""What a question is not about in passing: `Switch to the annual plan?`, `Restart the server?`."""
_SHOWING = ("switch", "change", "apply")
"""What `Use my location` and `Switch to English` do to the page itself."""
_PURSUED = ("pay", "order", "account")
_FILE = re.compile(
    r"\w\.(?:docx?|xlsx?|pptx?|pdf|csv|txt|jpe?g|png|zip|mp[34]|key|json|ya?ml|sql|py|psd)(?!\w)"
)
_OBJECT = re.compile(r"\W*\w[\w ]{0,30}[:：]\s*\S")


@dataclass(frozen=True, slots=True)
class PageContext:
    """The evidence found, each kind once, with its weight."""

    evidence: dict[str, int]
    calm: bool = False
    """The heading tells of a step that commits nothing, such as a filter, a cart, step 1 of 3."""
    past: bool = False
    """The heading tells of something that is done already."""
    light: bool = False
    """The heading tells of a filter, a search or a cart, whose entries come and go."""
    cookies: bool = False
    """The heading is that of a banner about cookies."""
    help: bool = False
    """The heading is that of pages to read."""
    place: bool = False
    """The heading is that of a header, a menu or a footer, where buttons lead somewhere as links do."""
    kind: str = ""
    asks: bool = False
    """The heading asks whether to do something."""
    warns: bool = False
    """The heading tells what is about to happen."""
    menu: bool = False
    """The heading is a row of places to go, with this control among them: `Inbox, Sent, Trash`."""
    early: bool = False
    """The heading counts steps, and this is not the last."""
    widget: bool = False
    """The heading is that of a part of the page itself: a picker of dates or columns, a player, a map, a pop-up."""
    page: bool = False
    """The heading asks about the page itself: to go on reading, to show it in another language, to load more."""
    notice: bool = False
    """The heading is a notice about the page, that one takes note of: `Your browser is out of date`."""
    news: bool = False
    """The heading is introduced as a tip, news or a notice: `Tip: ...`."""
    caution: bool = False
    """The heading tells what to heed before a deed: `Before you close your account`."""
    form: bool = False
    """The address or the heading is that of a form that can be left: `/events/new`, `New standing order`."""

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
    """The evidence in the text around the control of this name and in the page's address, in every way to read it."""
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
    """The heading as it is written, and in what other ways it says anything: Greek read as Latin mostly does not."""
    headings = [text[0] for text in texts if text]
    return headings[:1] + [heading for heading in headings[1:] if heading.hits]


def _all_are(headings: list[Sentence], test: Callable[[Sentence], bool]) -> bool:
    """Whether the heading passes in every way to read it."""
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
    """The evidence of a sentence; of a row of labels only what is no label, such as `your card is charged`."""
    weights = _weigh(sentence)
    if not lists_controls(sentence.text, name):
        return weights
    return [pair for pair in weights if pair[1] >= STRONG and pair[0].startswith(("scene", "claim"))]


def _weigh(sentence: Sentence) -> list[tuple[str, int]]:
    told = sentence.has("calm.howto") or sentence.is_past
    weights = [(hit.concept, weight) for hit in sentence.hits if (weight := _weight(hit)) is not None]
    if sentence.has("ease.view"):  # `Do you want to see only ...?` asks for no commitment
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
    """Text that speaks to an agent, or of a consent that is given or not needed, is a reason to ask."""
    speaks = sentence.has("claim.agent", "claim.skip")
    consents = sentence.has("claim.consent") and sentence.has("claim.waive", "claim.who")
    return [("claim.skip", STRONG)] if speaks or consents else []


def _announced(sentence: Sentence, weights: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """`Your order will be placed`: what is about to happen to something that matters."""
    matters = (
        sentence.has("ease.past", "scene.crowd") or max((weight for _, weight in weights), default=0) >= 2
    )
    return [("scene.sure", STRONG)] if matters and sentence.has("scene.will") else []


def _asked(sentence: Sentence) -> list[tuple[str, int]]:
    """`Cancel your plan?`, `Continue for €5?`: a question that names a deed or its cost asks for a commitment."""
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
    """The sum, plan or system that a question names, unless it is about filters, the page and such."""
    if is_calm(sentence) and not about_page:
        return []
    found = [(hit.concept, STRONG) for hit in sentence.hits if hit.concept in _COSTLY and not about_page]
    has_sum = has_money(sentence.text) and not is_range(sentence.text)
    return [*found, ("scene.money", STRONG)] if has_sum else found


def _count_steps(sentence: Sentence) -> list[tuple[str, int]]:
    """Whether the text counts steps and this is the last of them."""
    place = find_step(sentence)
    if not place or not place[0] == place[1] > 1 or sentence.has("ease.media", "ease.tour"):
        return []
    return [("scene.end", STRONG if sentence.has("ease.step") else 2)]
