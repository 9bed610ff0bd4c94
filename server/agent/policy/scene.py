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

from server.agent.policy.labels import asks, is_menu, lists_controls
from server.agent.policy.lexicon import Hit, lexicon
from server.agent.policy.money import has_money, is_range
from server.agent.policy.names import Force, weigh
from server.agent.policy.text import readings, sentences
from server.agent.policy.trail import opens_form, read_trail

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
SMALL = ("calm.minor", "calm.light")
_NEUTRAL = ("ease.step", "ease.past")
_FILE = re.compile(
    r"\w\.(?:docx?|xlsx?|pptx?|pdf|csv|txt|jpe?g|png|zip|mp[34]|key|json|ya?ml|sql|py|psd)(?!\w)"
)
_ADDRESS = re.compile(r"\w@\w")
_OBJECT = re.compile(r"\W*\w[\w ]{0,30}[:：]\s*\S")
_COUNT = re.compile(r"(?<![\d.,:])(\d{1,2})(?![\d.,:]*\d)")
_FRACTION = re.compile(r"(?<![\d./])(\d{1,2})\s?/\s?(\d{1,2})(?![\d/])")
_MOST_STEPS = 25


@dataclass(frozen=True, slots=True)
class Scene:
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
def read_scene(context: str, url: str = "", language: str = "", name: str = "") -> Scene:
    """The evidence in the text around the control of this name and in the page's address, in every way to read it."""
    texts = [_read(text, language) for text in readings(context)]
    found = [pair for text in texts for sentence in text for pair in _tell(sentence, name)] + read_trail(url)
    evidence: dict[str, int] = {}
    for concept, weight in found:
        evidence[concept] = max(weight, evidence.get(concept, 0))
    headings = [text[0] for text in texts if text]
    return Scene(
        evidence,
        calm=_all_are(headings, _is_calm),
        past=_all_are(headings, lambda heading: heading.is_past),
        light=_all_are(headings, _is_light),
        cookies=_all_are(headings, lambda heading: heading.has("ease.cookies")),
        help=_all_are(headings, lambda heading: heading.has("ease.help")),
        place=_all_are(headings, lambda heading: heading.has("ease.place")),
        kind=_main_kind(evidence),
        asks=_all_are(headings, lambda heading: heading.asks),
        warns=_all_are(headings, lambda heading: heading.has("scene.sure")),
        menu=_all_are(headings, lambda heading: is_menu(heading.text, name, language)),
        early=_all_are(headings, _is_early),
        widget=_all_are(headings, lambda heading: heading.has("ease.widget", "ease.layout")),
        form=opens_form(url) or _all_are(headings, _opens_form),
    )


def _all_are(headings: list[_Sentence], test: Callable[[_Sentence], bool]) -> bool:
    """Whether the heading passes in every way to read it."""
    return bool(headings) and all(map(test, headings))


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    hits: list[Hit]

    @property
    def asks(self) -> bool:
        return asks(self.text)

    @property
    def is_past(self) -> bool:
        return self.has("ease.past") and not self.has("scene.will")

    def has(self, *concepts: str) -> bool:
        return any(hit.concept in concepts for hit in self.hits)


def _read(text: str, language: str) -> list[_Sentence]:
    return [_Sentence(part, lexicon().find(part, language)) for part in sentences(text)]


def _main_kind(evidence: dict[str, int]) -> str:
    kinds = {
        _kind_of(concept): weight for concept, weight in sorted(evidence.items(), key=lambda pair: pair[1])
    }
    return max((kind for kind in kinds if kind and kinds[kind]), key=lambda kind: kinds[kind], default="")


def _kind_of(concept: str) -> str:
    group, _, kind = concept.partition(".")
    return kind if group in ("act", "deed", "trail") else _KINDS.get(concept, "")


def _tell(sentence: _Sentence, name: str) -> list[tuple[str, int]]:
    """The evidence of a sentence; of a row of labels only what is no label, such as `your card is charged`."""
    weights = _weigh(sentence)
    if not lists_controls(sentence.text, name):
        return weights
    return [pair for pair in weights if pair[1] >= STRONG and pair[0].startswith(("scene", "claim"))]


def _weigh(sentence: _Sentence) -> list[tuple[str, int]]:
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
        weights.append(("scene.money", 1 if _is_calm(sentence) else 2))
    if _OBJECT.match(sentence.text) and not _is_calm(sentence):
        weights += [
            (concept, 2) for concept, weight in weights if weight == 1 and concept.startswith("scene.")
        ]
    if _ADDRESS.search(sentence.text):
        weights.append(("scene.person", 2))
    if _FILE.search(sentence.text):
        weights.append(("scene.file", 1))
    weights += [*_asked(sentence), *_count_steps(sentence), *_claimed(sentence)]
    return weights + _announced(sentence, weights)


def _weight(hit: Hit) -> int | None:
    return _WEIGHTS.get(hit.concept, _WEIGHTS.get(hit.group))


def _claimed(sentence: _Sentence) -> list[tuple[str, int]]:
    """Text that speaks to an agent, or of a consent that is given or not needed, is a reason to ask."""
    speaks = sentence.has("claim.agent", "claim.skip")
    consents = sentence.has("claim.consent") and sentence.has("claim.waive", "claim.who")
    return [("claim.skip", STRONG)] if speaks or consents else []


def _announced(sentence: _Sentence, weights: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """`Your order will be placed`: what is about to happen to something that matters."""
    matters = (
        sentence.has("ease.past", "scene.crowd") or max((weight for _, weight in weights), default=0) >= 2
    )
    return [("scene.sure", STRONG)] if matters and sentence.has("scene.will") else []


def _asked(sentence: _Sentence) -> list[tuple[str, int]]:
    """`Cancel your plan?`: a question that names a deed asks for a commitment."""
    if not sentence.asks:
        return []
    meaning = weigh(sentence.hits)
    commits = meaning.force in (Force.ACT, Force.DEED, Force.WEAK)
    return [(f"act.{meaning.kind}", STRONG)] if commits else []


def _count_steps(sentence: _Sentence) -> list[tuple[str, int]]:
    """Whether the text counts steps and this is the last of them."""
    place = _find_step(sentence)
    if not place or not place[0] == place[1] > 1 or sentence.has("ease.media", "ease.tour"):
        return []
    return [("scene.end", STRONG if sentence.has("ease.step") else 2)]


def _find_step(sentence: _Sentence) -> tuple[int, int] | None:
    fraction = _FRACTION.search(sentence.text)
    if fraction:
        return int(fraction[1]), int(fraction[2])
    if not sentence.has("ease.step"):
        return None
    numbers = [int(number) for number in _COUNT.findall(sentence.text)]
    if len(numbers) < 2 or max(numbers[:2]) > _MOST_STEPS:
        return None
    return min(numbers[:2]), max(numbers[:2])


def _is_light(heading: _Sentence) -> bool:
    return heading.has("ease.layout") or (
        heading.has("ease.filter", "ease.cart") and not heading.has("scene.file")
    )


def _opens_form(heading: _Sentence) -> bool:
    return bool(heading.hits) and heading.hits[0].concept == "calm.open"


def _is_early(heading: _Sentence) -> bool:
    place = _find_step(heading)
    return place is not None and 0 < place[0] < place[1]


def _is_calm(sentence: _Sentence) -> bool:
    if _is_early(sentence) or is_range(sentence.text):
        return True
    if _ADDRESS.search(sentence.text) or (sentence.has("scene.ask") and not sentence.has("ease.view")):
        return False
    if any(hit.group == "ease" and hit.concept not in _NEUTRAL for hit in sentence.hits):
        return True
    return sentence.has(*SMALL) and not any(hit.group == "scene" for hit in sentence.hits)
