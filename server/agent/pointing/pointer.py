"""A user's pointers and what they can point at: the elements that are kept with a picture of the page. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b

from pydantic import BaseModel, TypeAdapter

from server.agent.gate.shown_page import ShownPage
from server.agent.pointing.resolving import resolve
from server.agent.trail import TargetWords, words_of
from server.browser.addresses import without_login
from server.browser.observation import Observation
from server.events import POINTERS, Box
from server.ops.json_types import JsonObject


class SeenElement(BaseModel, frozen=True):
    """An element as it is kept with a picture of its page."""

    id: str
    """A hash of the element and its document: the same picture of another document has other ids."""
    ref: str
    box: Box
    """In percent of the picture."""
    target: TargetWords
    alone: bool = True
    """Whether its words fitted no other element of the page."""


class SeenPage(BaseModel, frozen=True):
    """What a picture shows."""

    url: str
    view: str = ""
    """`Observation.view` of that moment; "" if unknown."""
    elements: tuple[SeenElement, ...] = ()

    def find(self, element_id: str) -> SeenElement | None:
        return next((one for one in self.elements if one.id == element_id), None)


class Pointer(BaseModel, frozen=True):
    """One mark of a user on a picture, made by the server from what is kept with the picture."""

    n: int
    url: str = ""
    """Of the page; "" if only its picture is known."""
    picture: str
    """Address of the picture."""
    box: Box
    """In percent of the picture."""
    note: str = ""
    """The user's words."""
    target: TargetWords | None = None
    """None for a place of the picture."""
    ref: str = ""
    view: str = ""
    alone: bool = True
    """As in `SeenElement` and `SeenPage`."""

    @property
    def document(self) -> str:
        """Identifies the loaded document, in which a `ref` stays with its element; "" if unknown."""
        return _document_of(self.view)


_POINTERS = TypeAdapter(tuple[Pointer, ...])


def read_pointers(meta: Mapping[str, object] | None) -> tuple[Pointer, ...]:
    """The pointers of a message."""
    return _POINTERS.validate_python((meta or {}).get(POINTERS) or ())


def seen_page(observation: Observation, picture: str, size: tuple[int, int]) -> SeenPage:
    """What a picture of this observation shows. `size` of the picture in CSS pixels."""
    page, url = ShownPage(observation, picture, size), without_login(observation.page.url)
    document = _document_of(observation.view)
    boxes = ((element, page.box(element)) for element in observation.interactive)
    seen = (
        SeenElement(
            id=_id_of(url, document, element.ref, words := words_of(element, observation)), ref=element.ref, box=box,
            target=words,
            alone=resolve(words, observation).level == "exact",
        )
        for element, box in boxes
        if box and _is_in_picture(box)
    )  # fmt: skip
    return SeenPage(url=url, view=observation.view, elements=tuple(seen))


def _id_of(url: str, document: str, ref: str, words: TargetWords) -> str:
    return blake2b("\n".join((url, document, ref, repr(words))).encode(), digest_size=6).hexdigest()


def is_of_document(pointer: Pointer, page: Observation) -> bool:
    """Whether the page is the loaded document that was pointed at."""
    return bool(pointer.document) and pointer.document == _document_of(page.view)


def _document_of(view: str) -> str:
    return view.partition(":")[0]


def to_json(pointers: Sequence[Pointer]) -> list[JsonObject]:
    return [one.model_dump(mode="json", exclude_defaults=True) for one in pointers]


def merged(known: Sequence[Pointer], new: Sequence[Pointer]) -> tuple[Pointer, ...]:
    """Of two pointers with one number the newer one is meant."""
    numbers = {one.n for one in new}
    return (*(one for one in known if one.n not in numbers), *new)


def _is_in_picture(box: Box) -> bool:
    left, top, width, height = box
    return width > 0 and height > 0 and left < 100 and top < 100 and left + width > 0 and top + height > 0
