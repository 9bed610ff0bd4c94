"""The surroundings of an element: its form, its group, and text that distinguishes it from similar ones."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import chain

from server.browser.observation.elements import Draft
from server.browser.observation.names import label_of_field, name_of_link, own_text, text_of
from server.browser.observation.outline import DIALOGS, SIDE, UNIT_ROLES, Outline
from server.browser.observation.page_script import FrameInView
from server.browser.observation.snapshot import FIELD_ROLES, WIDGETS, Snapshot
from server.text import cut

PART_CHARS = 60
PIECES = 4
"""Most texts of a card that are tried as a distinguishing label for its controls."""
FORM_SIZE = 40
"""A plain container with more elements than this is not taken for a form."""
CONTEXT_REACH = 40
CONTROL_ROLES = WIDGETS - {"link"}
ROW_PARTS = UNIT_ROLES | {"cell", "gridcell"}


class Surroundings:
    def __init__(
        self,
        snapshot: Snapshot,
        outline: Outline,
        drafts: Sequence[Draft],
        framed: Sequence[FrameInView] = (),
        hidden: Collection[int] = (),
    ) -> None:
        """`hidden` are nodes whose text the page does not paint."""
        self._hidden = frozenset(hidden)
        self.snapshot = snapshot
        self.outline = outline
        self.drafts = drafts
        self._frames = {tuple(map(round, frame.box)): frame for frame in framed}
        self._forms: dict[tuple[int, str, bool], int] = {}
        self._has_frames = any(node.role == "iframe" for node in snapshot.nodes)
        self._kinds = Counter((draft.role, draft.name) for draft in drafts)
        self._places = [draft.index for draft in drafts]
        self._fields = [draft.index for draft in drafts if draft.role in FIELD_ROLES]
        self._buttons = [draft.index for draft in drafts if draft.role == "button" or draft.submits]
        self._submitting = [draft.index for draft in drafts if draft.submits]

    def form_of(self, draft: Draft) -> int:
        """The form or dialog that it belongs to, or a plain container that acts as a form; -1 if none."""
        if draft.node is None:
            return -1
        key = draft.index, draft.role, draft.submits
        if key not in self._forms:
            self._forms[key] = self._find_form(draft)
        return self._forms[key]

    def _find_form(self, draft: Draft) -> int:
        named = self.outline.form[draft.index]
        if named >= 0 or not (draft.submits or draft.role in FIELD_ROLES | {"button"}):
            return named
        partners = self._buttons if draft.role in FIELD_ROLES else self._fields
        for level, ancestor in enumerate(self.snapshot.ancestors(draft.index)):
            if level > 10 or self._count(self._places, ancestor) > FORM_SIZE:
                break
            if self._count(partners, ancestor):
                return ancestor
        return -1

    def form_name(self, draft: Draft) -> str:
        """The name of its form or dialog, else the heading or text that a dialog begins with; "" if none."""
        form = self.form_of(draft)
        if form < 0:
            return ""
        node = self.snapshot.nodes[form]
        return node.name or (text_of(self.snapshot, form, PART_CHARS) if node.role in DIALOGS else "")

    def frame_of(self, draft: Draft) -> str:
        """Name and address of the frame that it is in, without query and fragment; "" in the page itself."""
        nodes = self.snapshot.nodes
        is_inside = self._has_frames and draft.node is not None
        above = self.snapshot.ancestors(draft.index) if is_inside else ()
        for node in (nodes[at] for at in above if nodes[at].role == "iframe"):
            known = self._frames.get(tuple(map(round, node.box or ())))
            name, url = (known.name, re.split(r"[?#]", known.url)[0]) if known else (node.name, "")
            return f"{name} {url}".strip() or "frame"
        return ""

    def count_alike(self, draft: Draft) -> int:
        """How many elements of the page have its role and name, itself included."""
        return max(1, self._kinds[draft.role, draft.name])

    def _count(self, places: list[int], index: int) -> int:
        """Count the `places` in the node's subtree."""
        return bisect_left(places, self.snapshot.nodes[index].end) - bisect_left(places, index)

    def is_aside(self, draft: Draft) -> bool:
        """Whether it is in a navigation, a header, a footer or a side column."""
        mark = self.outline.mark[draft.index] if draft.node is not None else -1
        return mark >= 0 and self.snapshot.nodes[mark].role in SIDE

    def is_footnote(self, draft: Draft) -> bool:
        parent = draft.node.parent if draft.node is not None else -1
        return parent >= 0 and self.snapshot.nodes[parent].role == "superscript"

    def count_controls(self, index: int) -> tuple[int, int]:
        """Number of buttons, and of elements of any kind, in the node's subtree."""
        return self._count(self._buttons, index), self._count(self._places, index)

    def container_of(self, index: int) -> int:
        """The form, dialog or unit that contains a node, -1 if none."""
        return max(self.outline.form[index], self.outline.unit[index])

    def group_of(self, draft: Draft) -> str:
        if draft.node is None:
            return ""
        unit, form = self.outline.unit[draft.index], self.form_of(draft)
        index = max(unit, form)
        return (
            f"{self.snapshot.nodes[index].role}:{self.snapshot.nodes[index].ref or index}"
            if index >= 0
            else ""
        )

    def submits(self, draft: Draft) -> bool:
        """Whether it submits a form, according to the page script.

        If the script found none in its form: a button after the last field, or any if none comes after it.
        """
        form = self.form_of(draft) if draft.role == "button" else -1
        if (
            draft.submits
            or form < 0
            or not self._count(self._fields, form)
            or self._count(self._submitting, form)
        ):
            return draft.submits
        last = self._fields[bisect_left(self._fields, self.snapshot.nodes[form].end) - 1]
        after = bisect_left(self._buttons, self.snapshot.nodes[form].end) - bisect_left(self._buttons, last)
        return draft.index > last or not after

    @cached_property
    def in_hand(self) -> set[int]:
        """The active forms: those with the focused field, or with a field in the viewport."""
        nodes = self.snapshot.nodes
        active = {
            at for at, node in enumerate(nodes) if "active" in node.attributes and node.role in FIELD_ROLES
        }
        near = [
            draft
            for draft in self.drafts
            if draft.role in FIELD_ROLES and (draft.seen or draft.index in active)
        ]
        return {form for draft in near if (form := self.form_of(draft)) >= 0}

    @cached_property
    def dialogs(self) -> set[int]:
        """Open dialogs with at least a part in the viewport."""
        nodes = self.snapshot.nodes
        return {at for at, node in enumerate(nodes) if node.role in DIALOGS and node.seen and node.ref}

    def contexts(self, chosen: Sequence[Draft], chars: int) -> list[str]:
        """The context of each draft. For unnamed and same-named ones the distinguishing part comes first."""
        labels = self._labels(chosen)
        texts = []
        for draft in chosen:
            parts = [labels.get(id(draft), ""), *self._around(draft)]
            short = (part.replace(" · ", " ").strip()[:PART_CHARS].strip() for part in parts if part)
            texts.append(
                " · ".join(dict.fromkeys(part for part in short if part != draft.name))[:chars].strip()
            )
        return texts

    def _around(self, draft: Draft) -> list[str]:
        if draft.node is None:
            return []
        nodes, at = self.snapshot.nodes, draft.index
        unit, form, heading = self.outline.unit[at], self.form_of(draft), self.outline.heading[at]
        own = range(at, nodes[at].end)

        def called(part: int) -> str:
            return nodes[part].name or text_of(self.snapshot, part, PART_CHARS, own)

        parts = [called(unit)] if unit >= 0 else []
        if draft.role == "button":
            parts.append(label_of_field(self.snapshot, at))
        if form >= 0:
            parts.append(called(form) if nodes[form].role in DIALOGS else nodes[form].name)
        if (
            heading >= 0
            and heading not in own
            and self._hidden.isdisjoint(range(heading, nodes[heading].end))
        ):
            parts.append(text_of(self.snapshot, heading, PART_CHARS))
        return parts

    def _labels(self, chosen: Sequence[Draft]) -> dict[int, str]:
        kinds: dict[tuple[str, str], list[int]] = {}
        for draft in self.drafts:
            kinds.setdefault((draft.role, draft.name), []).append(draft.index)
        families: dict[tuple[str, str], list[Draft]] = {}
        for draft in chosen:
            kind = draft.role, draft.name
            is_placed = draft.node is not None or draft.place >= 0
            if is_placed and (not draft.name or len(kinds[kind]) > 1):
                families.setdefault(kind, []).append(draft)
        labels: dict[int, str] = {}
        for kind, family in families.items():
            if len(kinds[kind]) > 1:
                labels |= self._distinguish(family, kinds[kind])
            else:
                labels |= {id(draft): label_of_field(self.snapshot, draft.index) for draft in family}
        return labels

    def _distinguish(self, family: list[Draft], places: list[int]) -> dict[int, str]:
        pieces = [self._pieces_near(draft, places) for draft in family]
        common = Counter(chain.from_iterable(map(set, pieces)))
        labels = {}
        joined = [", ".join(cut(piece, PART_CHARS // 4) for piece in some[:2]) for some in pieces]
        for draft, some, both in zip(family, pieces, joined, strict=True):
            best = next((piece for piece in some if common[piece] == 1), some[0] if some else "")
            labels[id(draft)] = both if common[best] > 1 and joined.count(both) == 1 else best
        return labels

    def _pieces_near(self, draft: Draft, places: list[int]) -> list[str]:
        """Texts of its cell, its row, the largest box without another of its kind, and its link address."""
        nodes, card = self.snapshot.nodes, self._card(draft.index, places)
        inner = [
            at for at in self.snapshot.ancestors(draft.index) if at > card and nodes[at].role in ROW_PARTS
        ]
        found = [piece for box in (*inner, card) for piece in self._pieces(box, draft)]
        found += [name_of_link(draft.url), *self._own_pieces(draft)]
        return [piece for piece in dict.fromkeys(found) if piece and piece != draft.name]

    def _own_pieces(self, draft: Draft) -> list[str]:
        """Texts in it that its name does not contain."""
        if draft.node is None or draft.role in FIELD_ROLES:
            return []
        inside = self.snapshot.nodes[draft.index : min(draft.node.end, draft.index + CONTEXT_REACH)]
        return [node.text for node in inside if node.text and node.text not in draft.name]

    @cached_property
    def _names(self) -> dict[int, str]:
        """By node, the names of elements that have none in the snapshot: with spaces, unlike the node's text."""
        return {draft.index: draft.name for draft in self.drafts if draft.node and not draft.node.name}

    def _card(self, index: int, places: list[int]) -> int:
        """The largest ancestor that contains no other of `places`, or the node itself."""
        position = bisect_left(places, index)
        before = places[position - 1] if position else -1
        after = places[position + 1] if position + 1 < len(places) else len(self.snapshot.nodes)
        card = index
        for level, ancestor in enumerate(self.snapshot.ancestors(index)):
            if level > CONTEXT_REACH or ancestor <= before or self.snapshot.nodes[ancestor].end > after:
                break
            card = ancestor
        return card

    def _pieces(self, card: int, draft: Draft) -> list[str]:
        nodes, found = self.snapshot.nodes, []
        own = range(draft.index, nodes[draft.index].end if draft.node is not None else draft.index)
        for at in range(card, min(nodes[card].end, card + 2 * CONTEXT_REACH)):
            if at in own or nodes[at].role in CONTROL_ROLES:
                continue
            if text := (nodes[at].text and self._names.get(at)) or own_text(nodes[at]).strip():
                found.append(text)
                if len(found) == PIECES:
                    break
        return found
