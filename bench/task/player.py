"""Plays the model for both agents: follows a task's script and knows nothing but what the requests show.

It finds controls by their words, looks a bounded number of times for what is not shown, then gives up. What it found
must still be in the request that it answers the person in: in the facts, the page or the conversation.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from bench.task.hands import CannotBeDone, Hand, OperatorHand, Sent, StockHand
from bench.task.request_parts import parts_of
from bench.task.script import Act, Look, Scripted, Wish
from bench.task.shown import texts_of, words_of
from tests.support.model_reply import Asked, Reply, fail, say

Count = Callable[[str], int]
MAX_SCROLLS = 12
"""In search of one thing."""
MAX_FAILURES = 2
"""Of one wish."""
FACT_CHARS = 110


@dataclass(frozen=True, slots=True)
class Faults:
    """Shares of calls that fail with a 500, and of the operator's moves that name an element that does not exist."""

    failing: float = 0.0
    wrong: float = 0.0


class Player:
    """A step for `ModelServer`."""

    def __init__(
        self, task: Scripted, address: str, count: Count, faults: Faults = Faults(), seed: int = 0
    ) -> None:
        self.tokens: list[dict[str, int]] = []
        """Of each request, by part."""
        self.acts = 0
        """As a person counts them: each field that is filled is one, the scrolling in search of something and each
        further part of a text are included; looking at what the screen shows is not."""
        self.trouble = ""
        """Why it gave up."""
        self.defect: Exception | None = None
        """An error of the player itself."""
        self._faults = faults
        self._chance = random.Random(f"{task.name} {seed}").random
        self._count = count
        self._script = task.script()
        self._wish: list[Act] | Look | str = []
        self._look_after: Look | None = None
        """At the end of the acts of the wish."""
        self._open = Act("open", texts=(address,))
        self._sent: Sent | None = None
        self._scrolls = self._failures = 0
        self._before_scroll = ""
        self._found: list[str | tuple[str, ...]] = []
        self._known: list[str] = []
        self._hand: Hand | None = None
        self._first: Wish | None = None
        """The script's first wish, while the page is not open yet."""

    def __call__(self, asked: Asked) -> Reply:
        if self._chance() < self._faults.failing:
            return fail(500)
        try:
            return self._answer(asked)
        except (
            Exception
        ) as error:  # raised again by who measures: the server would send a 500, which is tried again
            self.defect = error
            return say("The player is broken.")

    def _answer(self, asked: Asked) -> Reply:
        self.tokens.append({name: self._count(text) for name, text in parts_of(asked).items()})
        if self._hand is None:
            self._begin()
            self._hand = OperatorHand() if asked.tools == ["act"] else StockHand()
            lines = ("1. navigate (here): ok", f"URL: {self._open.texts[0]}\n")
            if all(line in asked.last_text for line in lines):  # the agent opened the address by itself
                self._sent = Sent(say(""), (self._open,))
            self._hand.take(asked)
            self._settle(1)
        else:
            self._settle(self._hand.take(asked))
        if isinstance(self._hand, OperatorHand) and self._chance() < self._faults.wrong:
            self._sent = self._hand.mistake()
        else:
            try:
                self._sent = self._next(self._hand)
            except CannotBeDone as error:
                self._sent = self._give_up(self._hand, str(error))
        return self._sent.reply

    def _settle(self, done: int | None) -> None:
        """Take from the wish what was done of it."""
        if self._sent is None or done is None:
            return
        acts, done = self._sent.acts, min(done, len(self._sent.acts))
        self.acts += sum(act.times for act in acts[:done])
        self._failures = 0 if done else self._failures + 1  # an act that is asked about stands alone
        if isinstance(self._wish, list) and acts and acts[0].verb != "scroll":
            self._wish = self._wish[done:]
            if not self._wish and self._look_after:
                self._wish, self._look_after = self._look_after, None
            elif not self._wish:
                self._advance(None)

    def _next(self, hand: Hand) -> Sent:
        while not isinstance(self._wish, str):
            if self._failures > MAX_FAILURES:
                return self._give_up(hand, f"{self._failures} failures: {self._wish}")
            sent = (
                self._act(hand, self._wish) if isinstance(self._wish, list) else self._look(hand, self._wish)
            )
            if sent is not None:
                return sent
        forgotten = [text for text in self._known if not hand.remembers(text)]
        if forgotten:
            return self._give_up(hand, f"forgotten: {forgotten[:3]}")
        return hand.answer(self._wish)

    def _act(self, hand: Hand, acts: list[Act]) -> Sent | None:
        sent = hand.act(acts, self._look_after)
        return sent or self._search(hand, acts[0]) or self._give_up(hand, f"not found: {acts[0].targets}")

    def _search(self, hand: Hand, act: Act | None = None) -> Sent | None:
        """Scroll on, to the words of the act's target where the agent can; None at the end of the page or of the
        patience. A page may load more only after a moment."""
        assert hand.shown is not None
        is_end = hand.shown.text == self._before_scroll and self._scrolls % 2 == 0
        if self._scrolls >= MAX_SCROLLS or is_end:
            return None
        words = (act.targets[0].near or words_of(act.targets[0].name)) if act and act.targets else ""
        text, sent = hand.shown.text, hand.scroll(act if self._scrolls or words else None, words)
        if sent.acts:
            self._scrolls += 1
            self._before_scroll = text
        return sent

    def _look(self, hand: Hand, look: Look) -> Sent | None:
        if hand.shown is None:
            return hand.look()
        found: list[str | tuple[str, ...]] = re.findall(look.pattern, hand.shown.text)
        if not (look.every or look.how == "all"):
            found = found[:1]
        self._remember(hand, [match for match in dict.fromkeys(found) if match not in self._found])
        if look.how == "all" or not found:
            more = hand.read(look) if look.how in ("all", "page", "query") else None
            if more is None and not self._found and look.how == "scroll":
                more = self._search(hand)
            if more is not None:
                self.acts += not more.acts  # a part of a text; what was scrolled counts when it is done
                return more
        self._advance(self._found)
        return None

    def _remember(self, hand: Hand, new: list[str | tuple[str, ...]]) -> None:
        self._found += new
        self._known += texts_of(new)
        lines = [" ".join((match,) if isinstance(match, str) else match) for match in new]
        if isinstance(hand, OperatorHand):
            for line in lines:
                if hand.facts and len(hand.facts[-1]) + len(line) < FACT_CHARS:
                    hand.facts[-1] += f"; {line}"
                else:
                    hand.facts.append(f"found {line}")

    def _begin(self) -> None:
        """Open the page; where the script begins with a search in a text or all of it, read that at once."""
        self._first, self._wish = next(self._script), [self._open]
        if isinstance(self._first, Look) and self._first.how in ("query", "all") and not self._first.file:
            self._look_after, self._first = self._first, None

    def _advance(self, result: object) -> None:
        self._scrolls, self._failures, self._before_scroll, self._found = 0, 0, "", []
        if self._first is not None:
            wish, self._first = self._first, None
            self._take(wish)
            return
        try:
            self._take(self._script.send(result))
        except StopIteration as stop:
            self._wish = stop.value

    def _take(self, wish: Wish) -> None:
        self._look_after = None
        if not isinstance(wish, list):
            self._wish = [wish] if isinstance(wish, Act) else wish
            return
        self._wish = [act for act in wish if isinstance(act, Act)]
        self._look_after = next((one for one in wish if isinstance(one, Look)), None)

    def _give_up(self, hand: Hand, why: str) -> Sent:
        self.trouble = why
        self._wish = "I could not do it."
        return hand.answer(self._wish)
