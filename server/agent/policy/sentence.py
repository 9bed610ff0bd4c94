"""Classify one sentence of the text around a control, such as a heading that marks a calm context."""

from __future__ import annotations

import re
from dataclasses import dataclass

from server.agent.policy.labels import asks
from server.agent.policy.lexicon import Hit
from server.agent.policy.money import is_range

_NEUTRAL = ("ease.step", "ease.past", "ease.notice", "ease.intro", "ease.caution")
_LABEL_START = re.compile(r"\W*(.*?)(?:\s*[:!?؟]|\s[-–—]\s|\W*$)")
_BADGE_COUNT = re.compile(r"(?<![\d.,:])(\d{1,2})(?![\d.,:]*\d)")
_FRACTION = re.compile(r"(?<![\d./])(\d{1,2})\s?/\s?(\d{1,2})(?![\d/])")
_MAX_STEPS = 25
ADDRESS = re.compile(r"\w@\w")
_SIDE_EFFECTS = ("weak.remove", "weak.accept", "weak.submit", "weak.save")
"""Verbs that make a question about the page a question about something else as well."""
MINOR = ("calm.minor", "calm.light")
"""Objects without consequence: a theme, captions, a coupon."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A folded sentence and the concepts found in it."""

    text: str
    hits: list[Hit]

    @property
    def asks(self) -> bool:
        """Whether it is a question."""
        return asks(self.text)

    @property
    def is_past(self) -> bool:
        """Whether it describes something already done."""
        return self.has("ease.past") and not self.has("scene.will")

    def has(self, *concepts: str) -> bool:
        """Whether any of these concepts was found."""
        return any(hit.concept in concepts for hit in self.hits)


def find_step(sentence: Sentence) -> tuple[int, int] | None:
    """The current step and the number of steps, if it counts steps: `Step 1 of 3`, `2/4`."""
    fraction = _FRACTION.search(sentence.text)
    if fraction:
        return int(fraction[1]), int(fraction[2])
    if not sentence.has("ease.step"):
        return None
    numbers = [int(number) for number in _BADGE_COUNT.findall(sentence.text)]
    if len(numbers) < 2 or max(numbers[:2]) > _MAX_STEPS:
        return None
    return min(numbers[:2]), max(numbers[:2])


def is_list(heading: Sentence) -> bool:
    """Whether it is the heading of a filter, a search, a cart or a layout setting, whose entries are removed freely."""
    return heading.has("ease.layout") or (
        heading.has("ease.filter", "ease.cart") and not heading.has("scene.file")
    )


def is_opener(heading: Sentence) -> bool:
    """Whether it begins like a control that opens a form: `New standing order`."""
    return bool(heading.hits) and heading.hits[0].concept == "calm.open"


def is_about_page(heading: Sentence) -> bool:
    """Whether it only asks about the page, without a further action: `Continue reading?`."""
    return heading.has("ease.page") and not heading.has(*_SIDE_EFFECTS)


def is_news(sentence: Sentence) -> bool:
    """Whether it is introduced as a tip or news: `Tip: ...`, but not `New invoice`."""
    label = _LABEL_START.match(sentence.text)
    return label is not None and any(
        hit.concept == "ease.intro" and hit.start <= label.start(1) and hit.end >= label.end(1)
        for hit in sentence.hits
    )


def is_early(heading: Sentence) -> bool:
    """Whether it counts steps, and this is not the last one."""
    place = find_step(heading)
    return place is not None and 0 < place[0] < place[1]


def is_calm(sentence: Sentence) -> bool:
    """Whether it describes a context that commits nothing, such as filters, a cart, an early step."""
    if is_early(sentence) or is_range(sentence.text):
        return True
    if ADDRESS.search(sentence.text) or (sentence.has("scene.ask") and not sentence.has("ease.view")):
        return False
    if any(hit.group == "ease" and hit.concept not in _NEUTRAL for hit in sentence.hits):
        return True
    return sentence.has(*MINOR) and not any(hit.group == "scene" for hit in sentence.hits)
