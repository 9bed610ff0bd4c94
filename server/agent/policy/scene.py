"""What the text around a control says about the step at hand.

Evidence of risk only adds up: no text takes any of it away. Only the first sentence, the heading, may
tell that a step is a calm one (filters, a cart, step 1 of 3), and that never outweighs strong evidence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from server.agent.policy.lexicon import Hit, lexicon
from server.agent.policy.text import fold, readings

STRONG = 3
_WEIGHTS = {
    "act": STRONG, "deed": 2, "claim.skip": STRONG,
    "scene.sure": STRONG, "scene.final": STRONG, "scene.charge": STRONG, "scene.live": STRONG,
    "scene.last": 2, "scene.funds": 2, "scene.security": 2, "scene.legal": 2, "scene.plan": 2, "scene.now": 2,
    "scene.total": 1, "scene.compose": 1, "scene.crowd": 1, "scene.gear": 1, "scene.ask": 1, "scene.person": 1,
    "scene.paper": 1,
}  # fmt: skip
_KINDS = {
    "scene.charge": "pay", "scene.total": "pay", "scene.funds": "pay", "scene.money": "pay",
    "scene.compose": "send", "scene.crowd": "send", "scene.live": "system", "scene.gear": "system",
    "scene.security": "account", "scene.person": "account", "scene.plan": "account",
    "scene.legal": "legal", "scene.paper": "legal",
}  # fmt: skip
_SENTENCE = re.compile(r"\n+|(?<=[.!?…])\s+|(?<=[。！？؟।])|(?<=;)\s+")
_MONEY = re.compile(
    r"[$€£¥₽₹₩₺₴₫₪฿₦₱₸]\s*\d|\d[\d\s.,٬٫']*(?:[$€£¥₽₹₩₺₴₫₪฿₦₱₸元円원]|万元|บาท|(?:usd|eur|gbp|rub|uah|pln|zl|kc|czk|huf|ft|kr|sek|nok|dkk|chf|tl|try|lei|ron|"
    r"inr|jpy|cny|rmb|krw|vnd|idr|rp|brl|mxn|ars|cop|sar|aed|egp|irr|ils|thb|pyb|pyб|гph|лв|usdt|usdc|btc|eth|aud|cad|sgd|hkd|zar|"
    r"dong|d|تومان|ریال|رس|ر\.س|درهم|جنیه|דולר|ש.?ח|रुपये|रु|yen|euros?|dollars?|pounds?)(?!\w))|(?<!\w)(?:rp|r|rs|us|usd|eur|pln|kr|chf|inr|rm|s)\.?\s?[$€]?\d"
)
_COUNT = re.compile(r"(?<![\d.,:])(\d{1,2})(?![\d.,:]*\d)")
_FRACTION = re.compile(r"(?<![\d./])(\d{1,2})\s?/\s?(\d{1,2})(?![\d/])")
_MOST_STEPS = 25


@dataclass(frozen=True, slots=True)
class Scene:
    """The evidence found, each kind once, with its weight."""

    evidence: dict[str, int]
    calm: bool = False
    kind: str = ""
    asks: bool = False
    """The heading asks whether to do something."""

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
def read_scene(context: str) -> Scene:
    """The evidence in the text around a control; it is read the riskiest way."""
    return max((_read(text) for text in readings(context)), key=lambda scene: (scene.strong, scene.score))


def _read(text: str) -> Scene:
    sentences = [sentence for sentence in _SENTENCE.split(text) if sentence.strip()]
    found = [lexicon().find(sentence) for sentence in sentences]
    evidence: dict[str, int] = {}
    kinds: dict[str, int] = {}
    for sentence, hits in zip(sentences, found, strict=True):
        for concept, weight in [*_weigh(sentence, hits), *_count_steps(sentence, hits)]:
            evidence[concept] = max(weight, evidence.get(concept, 0))
            kind = _KINDS.get(concept, concept.partition(".")[2] if concept.startswith(("act", "deed")) else "")
            kinds[kind] = max(weight if kind else -1, kinds.get(kind, 0))
    kind = max(kinds, key=lambda k: kinds[k], default="")
    calm = bool(found) and _is_calm(sentences[0], found[0])
    return Scene(evidence, calm, kind, bool(found) and _is_question(sentences[0]))


def _weigh(sentence: str, hits: list[Hit]) -> list[tuple[str, int]]:
    told = any(hit.concept == "calm.howto" for hit in hits)
    asked = _is_question(sentence)
    weights = [("scene.money", 1)] if _MONEY.search(sentence) else []
    for hit in hits:
        weight = _WEIGHTS.get(hit.concept, _WEIGHTS.get(hit.group, 0))
        if hit.group == "act" and told:
            weight = 1
        if hit.group in ("weak", "deed") and asked:
            weight = STRONG
        weights.append((hit.concept, weight))
    return weights


def _is_question(sentence: str) -> bool:
    return sentence.rstrip().endswith(("?", "？", "؟", ";")) or sentence.rstrip().endswith(("吗", "ですか", "ますか", "까요", "습니까"))


def _count_steps(sentence: str, hits: list[Hit]) -> list[tuple[str, int]]:
    """Whether the text counts steps and this is the last of them."""
    place = _find_step(sentence, hits)
    if place and place[0] == place[1] > 1 and not any(hit.concept == "ease.media" for hit in hits):
        return [("scene.end", STRONG if any(hit.concept == "ease.step" for hit in hits) else 2)]
    return []


def _find_step(sentence: str, hits: list[Hit]) -> tuple[int, int] | None:
    fraction = _FRACTION.search(sentence)
    if fraction:
        return int(fraction[1]), int(fraction[2])
    if not any(hit.concept == "ease.step" for hit in hits):
        return None
    numbers = [int(number) for number in _COUNT.findall(sentence)]
    if len(numbers) < 2 or max(numbers[:2]) > _MOST_STEPS:
        return None
    return min(numbers[:2]), max(numbers[:2])


def _is_calm(sentence: str, hits: list[Hit]) -> bool:
    place = _find_step(sentence, hits)
    if place and 0 < place[0] < place[1]:
        return True
    return any(hit.group == "ease" and hit.concept != "ease.step" for hit in hits)
