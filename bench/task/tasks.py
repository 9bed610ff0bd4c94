"""Small web tasks, as what a person asks and the moves that do it, in words that fit any agent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.support.sites import Site


@dataclass(frozen=True, slots=True)
class Move:
    """`verb` is open, click, fill, choose or scroll; `names` are names of controls, `texts` what goes into them."""

    verb: str
    names: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    name: str
    text: str
    moves: tuple[Move, ...]
    answer: str
    holds: Callable[[Site], bool] = lambda site: True


def click(*names: str) -> tuple[Move, ...]:
    return tuple(Move("click", (name,)) for name in names)


def tasks(site: Site) -> list[Task]:
    def opened(path: str) -> Move:
        return Move("open", texts=(site.url(path),))

    def did(effect: str) -> Callable[[Site], bool]:
        return lambda site: any(done.name == effect for done in site.effects)

    letter = Move("fill", ("To", "Subject", "Message"), ("bob@example.com", "Hello", "See you at 5."))
    prices = click("Amber kettle", "All kettles", "Blue kettle", "All kettles", "Cream kettle")
    return [
        Task("read a page", "what does the blue kettle cost?", (opened("/kettle/blue"),), "€39.50"),
        Task("add to the cart", "put the blue kettle into the cart",
             (opened("/shop"), *click("Blue kettle", "Add to cart")), "It is in the cart.", did("add")),
        Task("compare three pages", "which kettle is the cheapest?", (opened("/shop"), *prices), "The blue one."),
        Task("fill in a form", "tell them that Ann lives in Riga and likes green",
             (opened("/form"), Move("fill", ("Name", "Town"), ("Ann", "Riga")),
              Move("choose", ("Colour",), ("Green",)), *click("Send")), "Sent.", did("form")),
        Task("write a letter", "write to Bob: see you at 5", (opened("/compose"), letter, *click("Send")), "Sent.",
             did("send")),
        Task("close a banner", "read the story", (opened("/cookie-banner"), *click("Only necessary", "Read the story")),
             "It is a form."),
        Task("buy", "order the blue kettle for Ann",
             (opened("/kettle/blue"), *click("Add to cart", "Go to checkout"), Move("fill", ("Name",), ("Ann",)),
              *click("Place order")), "Ordered.", did("order")),
    ]  # fmt: skip
