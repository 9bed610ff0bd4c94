"""Remove secret values from a snapshot before anything else reads it.

A field is secret if the page script reports it, or if its label says so in one of many languages. Its value
is then removed from the field and masked wherever else it occurs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import filterfalse

from server.browser.observation.names import label_of_field
from server.browser.observation.page_script import Box, SecretField
from server.browser.observation.secret_words import SECRET_WORDS
from server.browser.observation.snapshot import FIELD_ROLES, SECRET_MASK, Snapshot, overlaps
from server.text import in_addresses
from wording.catalogue import changed

NEAR_FIELD_PIXELS = 3
"""Tolerance in pixels between a field's box in the snapshot and in the page script's result."""
LABEL_CHARS = 300
SHORTEST_WORD, SHORTEST_NUMBER = 4, 6
"""Characters and digits of a value that is masked wherever it occurs; shorter ones only in their fields."""
MAX_SECRETS, SECRET_CHARS = 60, 2000
"""Limits for values that are masked elsewhere on the page. A secret field's own value is always removed."""


def hide_secrets(
    snapshot: Snapshot, found: Iterable[SecretField] = (), *, unknown: bool = False
) -> Callable[[str], str]:
    """Mark secret fields and mask their values in fields, names, text, addresses and notes.

    With `unknown`, every field is treated as secret. Returns a function that masks other text of the page.
    """
    found = list(found)
    boxes = _Boxes(secret.box for secret in found)
    held = {secret.value for secret in found if secret.value}
    long = set(filterfalse(is_short, held))
    _hide_drawn(snapshot, found)
    for index, node in enumerate(snapshot.nodes):
        if node.role in FIELD_ROLES and (unknown or _is_secret(snapshot, index, boxes, long)):
            if len(held) < MAX_SECRETS and len(node.text) <= SECRET_CHARS:
                held.add(node.text)
            node.name = _masking([node.text])(node.name)
            node.secret, node.filled, node.text = True, bool(node.text), ""
    mask = _masking(filterfalse(is_short, held))
    _mask(snapshot, mask, _masking(held))
    return mask


def is_short(value: str) -> bool:
    """Whether it looks like other words and numbers: it says nothing about what else holds it."""
    return len(value) < (SHORTEST_NUMBER if value.isdigit() else SHORTEST_WORD)


def _hide_drawn(snapshot: Snapshot, found: Sequence[SecretField]) -> None:
    """Blank what a page draws of a secret sign by sign, such as the digits of a code under a clear field."""
    texts = [
        (at, node) for at, node in enumerate(snapshot.nodes) if node.role not in FIELD_ROLES and node.text
    ]
    for at in drawn_of([(node.box, node.text) for _, node in texts], found):
        texts[at][1].text = ""


def drawn_of(texts: Sequence[tuple[Box | None, str]], found: Sequence[SecretField]) -> set[int]:
    """The places of texts that lie in a secret field and are a part of what it holds, or spell it sign by sign."""
    drawn: set[int] = set()
    singles = [at for at, (_, text) in enumerate(texts) if len(text.strip()) == 1]
    spelled = "".join(texts[at][1].strip() for at in singles)
    for secret in found:
        if not secret.value:
            continue
        drawn |= {
            at
            for at, (box, text) in enumerate(texts)
            if box and text.strip() in secret.value and overlaps(box, secret.box)
        }
        if len(secret.value) > 2 and (start := spelled.find(secret.value)) >= 0:
            drawn.update(singles[start : start + len(secret.value)])
    return drawn


def _is_secret(snapshot: Snapshot, index: int, boxes: _Boxes, held: set[str]) -> bool:
    node = snapshot.nodes[index]
    if node.text and node.text in held:
        return True
    if node.box is not None and node.box in boxes:
        return True
    if node.role not in ("textbox", "spinbutton"):
        return False
    label = (node.name or label_of_field(snapshot, index))[:LABEL_CHARS]
    return bool(SECRET_WORDS.search(label) or SECRET_WORDS.search(node.placeholder[:LABEL_CHARS]))


class _Boxes:
    """A set of boxes, matched with up to `NEAR_FIELD_PIXELS` pixels difference per value, by a grid over their corners."""

    def __init__(self, boxes: Iterable[Box]) -> None:
        self._cells: dict[tuple[int, int], set[Box]] = {}
        for box in boxes:
            self._cells.setdefault(_cell(box), set()).add(box)

    def __contains__(self, box: object) -> bool:
        if not self._cells or not isinstance(box, tuple):
            return False
        x, y = _cell(box)
        around = ((x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1))
        return any(
            all(abs(a - b) <= NEAR_FIELD_PIXELS for a, b in zip(box, other, strict=True))
            for cell in around
            for other in self._cells.get(cell, ())
        )


def _cell(box: Box) -> tuple[int, int]:
    return int(box[0] // (NEAR_FIELD_PIXELS + 1)), int(box[1] // (NEAR_FIELD_PIXELS + 1))


def _masking(values: Iterable[str]) -> Callable[[str], str]:
    spellings = {form for value in values for form in _spellings(value)}
    if not spellings:
        return str
    whole = re.compile("|".join(re.escape(form) for form in sorted(spellings, key=len, reverse=True)))
    return lambda text: whole.sub(SECRET_MASK, text)


def _mask(snapshot: Snapshot, mask: Callable[[str], str], in_address: Callable[[str], str]) -> None:
    """Mask long values wherever they are, short ones in addresses, where a form puts them."""
    if in_address is str:
        return
    for node in snapshot.nodes:
        node.name, node.text = mask(node.name), mask(node.text)
        node.url, node.placeholder = in_address(node.url), mask(node.placeholder)
    snapshot.url, snapshot.title = in_address(snapshot.url), mask(snapshot.title)
    snapshot.notes = tuple(changed(note, mask) for note in snapshot.notes)


def _spellings(value: str) -> set[str]:
    """The spellings of a value in a page or an address. One or two characters would mask unrelated text."""
    forms = {value, " ".join(value.split()), " ".join(value), *in_addresses(value)}
    return {form for form in forms if len(form) > 2}
