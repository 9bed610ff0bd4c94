"""What came of an act with an effect: the requests it sent, what the page then says, and both in words. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from server.agent.gate.masking import without
from server.agent.storable import storable
from server.browser.observation import Observation
from server.browser.observation.rendering import clean
from server.browser.sent import SAFE_METHODS, SentRequest, SentRequests
from server.events import Effect, EffectOutcome
from server.ops.json_types import JsonObject
from server.text import cut
from wording.catalogue import Wording, sentence

SAYS_CHARS = 300
MAX_REQUESTS_SHOWN = 3
"""Requests named in one line for a model."""
SHOWN_PATH_CHARS = 80
MAX_COMPARED_REQUESTS = 200
"""Requests of a run that later ones are compared with."""
MAX_REFUSED = 5
_ABSENT = frozenset({404, 405, 410, 501})


@dataclass(frozen=True, slots=True)
class ActEffect:
    """What an act sent. `keys` are those of its requests, for comparing later ones with them."""

    outcome: EffectOutcome
    effects: tuple[Effect, ...] = ()
    main: tuple[Effect, ...] = ()
    """Those that decide: with a method that has an effect; if there is none, the page that was opened."""
    keys: tuple[str, ...] = field(default=(), repr=False)

    @property
    def refused(self) -> list[Effect]:
        return (
            [effect for effect in self.main if effect.outcome == "refused"]
            if self.outcome == "refused"
            else []
        )

    def said(self) -> Wording:
        match self.outcome:
            case "none":
                return sentence("sent.nothing")
            case "refused":
                return sentence("sent.refused", requests=_listed(self.refused))
            case "unknown":
                lost = [effect for effect in self.main if effect.outcome == "unknown"]
                return sentence("sent.doubtful", requests=_listed(lost)) if lost else sentence("sent.unknown")
        if any(effect.repeated for effect in self.main):
            return sentence("sent.again", requests=_listed(self.main))
        return sentence("sent.all", requests=_listed(self.main))

    def in_words(self) -> str:
        """The same for a line of a model."""
        said = self.said()
        return said[:1].lower() + said[1:].removesuffix(".")

    def to_json(self) -> JsonObject:
        """The fields of `ToolEnd`."""
        return {
            "effect": self.outcome,
            "effects": [effect.model_dump(exclude_none=True) for effect in self.effects],
        }


def effect_of(
    sent: SentRequests | None, earlier: Collection[str], urls: Sequence[str], secrets: Sequence[str] = ()
) -> ActEffect:
    """`earlier` are the keys of the run's requests so far, `urls` the act's pages, before and after.

    A request of the page's own statistics, or to another site that cannot be reached, does not make an act
    refused as long as another request was accepted; one that asks for what the site does not have never does.
    """
    if sent is None:
        return ActEffect("unknown")
    effects = tuple(_as_effect(request, earlier, secrets) for request in sent.requests)
    every = zip(sent.requests, effects, strict=True)
    pairs = [(request, effect) for request, effect in every if not _asks_in_vain(request)]
    groups = (
        [effect for request, effect in pairs if request.method not in SAFE_METHODS and not request.is_beacon],
        [effect for request, effect in pairs if request.method not in SAFE_METHODS],
        [effect for _, effect in pairs],
    )
    main = tuple(next(filter(None, groups), []))
    keys = tuple(request.key for request in sent.requests if request.key)
    return ActEffect(_outcome(main, urls, is_all=sent.is_all), effects, main, keys)


def _asks_in_vain(request: SentRequest) -> bool:
    """Whether a page asks its site for a part that this one does not have, such as a list of shares."""
    return request.only_reads and request.status in _ABSENT


def _as_effect(request: SentRequest, earlier: Collection[str], secrets: Sequence[str]) -> Effect:
    is_repeated = bool(request.key) and (request.times > 1 or request.key in earlier)
    return Effect(
        method=clean(request.method), host=request.host, path=storable(without(secrets, clean(request.path))),
        status=request.status, failure=request.failure, outcome=request.outcome, times=request.times,
        repeated=is_repeated,
    )  # fmt: skip


def _outcome(main: Sequence[Effect], urls: Sequence[str], *, is_all: bool) -> EffectOutcome:
    outcomes, hosts = {effect.outcome for effect in main}, set(map(_host, urls))
    accepted = "accepted" in outcomes
    refused = [effect for effect in main if effect.outcome == "refused"]
    if any(effect.status is not None or effect.host in hosts or not accepted for effect in refused):
        return "refused"
    if "unknown" in outcomes or not (main or is_all):
        return "unknown"
    return "accepted" if main else "none"


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        return f"{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}"
    except ValueError:
        return ""


def still_refused(refused: Sequence[Effect], act: ActEffect) -> tuple[Effect, ...]:
    """The requests of a run that were refused and not accepted later, the oldest first."""
    done = {_place(effect) for effect in act.effects if effect.outcome == "accepted"}
    found = {_place(effect): effect for effect in refused}
    found |= {_place(effect): effect for effect in act.refused}
    left = [effect for place, effect in found.items() if place not in done or effect in act.refused]
    return tuple(left[-MAX_REFUSED:])


def _place(effect: Effect) -> tuple[str, str, str]:
    return effect.method, effect.host, effect.path


def in_short(effect: Effect) -> str:
    """`POST shop.example/orders 403`"""
    times = f" ×{effect.times}" if effect.times > 1 else ""
    answer = effect.status or f"({(effect.failure or '').replace('_', ' ')})"
    return f"{effect.method} {effect.host}{cut(effect.path, SHOWN_PATH_CHARS)} {answer}{times}"


def _listed(effects: Sequence[Effect]) -> str:
    more = [f"{len(effects) - MAX_REQUESTS_SHOWN} more"] if len(effects) > MAX_REQUESTS_SHOWN else []
    return ", ".join([*map(in_short, effects[:MAX_REQUESTS_SHOWN]), *more])


def new_text(before: Observation, after: Observation, secrets: Sequence[str] = ()) -> str:
    """What the page says that it did not say before, at most SAYS_CHARS: alerts, dialogs, headings, other text."""
    known, found = set(_texts(before)), _texts(after)
    new = list(dict.fromkeys(text for text in found if text not in known))
    shown: str = without(secrets, cut(" · ".join(new), SAYS_CHARS))
    return storable(shown)


def _texts(page: Observation) -> list[str]:
    """The most important first. Short texts next to each other share a block, see `text_blocks.py`."""
    headings = [block for block in page.text_blocks if block.startswith("# ")]
    overlays = [overlay.text for overlay in page.overlays]
    blocks = (*page.urgent, *overlays, *headings, *page.text_blocks)
    return [text for block in blocks for text in block.removeprefix("# ").split(" | ") if text]
