"""Observations: a page as the agent sees it, within a token budget for any page size.

Pure functions: the text reply of an MCP server in, an `Observation` out.
`python -m server.browser.observation` does the same for lines of JSON. docs/observation.md describes the text
that a model reads.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Annotated, Literal

from pydantic import BaseModel, SkipValidation

from server.browser.observation.editors import put_editors
from server.browser.observation.element_context import Surroundings
from server.browser.observation.elements import find_elements
from server.browser.observation.names import own_text, whole_text, words_around
from server.browser.observation.outline import outline
from server.browser.observation.overlays import find_overlays
from server.browser.observation.page import Budget, Element, Overlay, Page
from server.browser.observation.page_script import PAGE_SCRIPT, Clickable, Extra, SecretField
from server.browser.observation.points import PointHit
from server.browser.observation.ranking import merge_duplicates, put_first, rank, select_around
from server.browser.observation.rendering import (
    clean,
    clean_lines,
    cost,
    element_lines,
    in_part,
    overlay_line,
    page_lines,
    text_line,
)
from server.browser.observation.secret_fields import drawn_of, hide_secrets
from server.browser.observation.snapshot import (
    FIELD_ROLES,
    MAX_SNAPSHOT_VALUE,
    WIDGETS,
    Snapshot,
    parse_snapshot,
)
from server.browser.observation.text_blocks import find_text
from server.browser.observation.text_search import TextPlace, find_place
from server.browser.observation.token_budget import DIRECTION_HEADLINES, Fitted, fit
from server.browser.observation.visible_text import find_hidden
from server.ops.json_types import JsonObject
from server.text import cut
from wording.catalogue import changed

__all__ = [
    "NOTHING",
    "PAGE_SCRIPT",
    "Budget",
    "Clickable",
    "Element",
    "Extra",
    "Observation",
    "Overlay",
    "Page",
    "PointHit",
    "SecretField",
    "TextPlace",
    "find_place",
    "observe_snapshot",
    "text_near",
]

VIEWPORT = (1280, 720)
DEFAULT_BUDGET = Budget()
SECTION_HEADLINES = frozenset(line for lines in DIRECTION_HEADLINES.values() for line in lines)
MAX_URGENT = 10
NEAR_CHARS, AROUND_CHARS = 6000, 600
"""Characters of an element's own text, and of short text with what is around it."""
FRAME_CHARS = 80
LEAST_LEFT_OUT = 4
"""Lines: fewer take no more tokens than the note about them."""
PASSING_ROLES = frozenset({"alert", "status", "log", "tooltip", "timer", "progressbar"})
MAX_PASSING = 20
NOTHING = "no text and no control can be read on this page; it may be drawn as a picture"


_PLACE = {"eid", "ref", "box", "group", "same_as", "context", "form", "frame", "alike", "full_name"}
"""What an element's digest leaves out: where it is, and what else the page has."""


class Observation(BaseModel, frozen=True):
    """A page at one moment. Its eids are valid only until the next observation."""

    page: Page
    viewport: tuple[int, int] = VIEWPORT
    mode: Literal["main", "focused"] = "main"
    interactive: tuple[Element, ...] = ()
    text_blocks: tuple[str, ...] = ()
    overlays: tuple[Overlay, ...] = ()
    notes: tuple[Annotated[str, SkipValidation], ...] = ()
    """One line each: dialogs, downloads, new tabs, console and HTTP errors, number of elements left out."""
    truncated: int = 0
    """Number of elements left out."""
    focused: str = ""
    """Ref of the element with the keyboard focus, even if it was left out; "" if unknown."""
    order: tuple[str, ...] = ()
    """Line order of `text`: eids, `t0` for the first text block, and headlines such as `Below:`."""
    header_tokens: int = 800
    """Token limit for address, title, notes and overlays in `text`."""
    urgent: tuple[str, ...] = ()
    """The texts of alerts and status messages, whether or not they are among `text_blocks`."""
    passing: tuple[str, ...] = ()
    """The texts of messages without controls: words that come and go on one page."""
    hidden: tuple[str, ...] = ()
    """Texts with a number that are in the window and not painted."""
    moment: str = ""
    """`Extra.moment` of the page script result used here; "" if unknown."""
    manners: bool = False
    """Whether something on it takes clicks in other manners than plainly."""
    hits: tuple[PointHit, ...] = ()
    """What is at the points that were asked about."""
    dialog: str = ""
    """The kind of the open dialog of the page's script, such as `confirm`; "" if there is none."""
    sends_are_held: bool = False
    """Whether what an act sends is held by the browser, unless it was approved."""

    @property
    def view(self) -> str:
        """Equal while the document, the window's size and its scroll position are; "" if unknown."""
        return ":".join(self.moment.split(":", 2)[:2])

    @property
    def outline(self) -> JsonObject:
        """What observers of a run get: `{url, title, counts: {elements, blocks}, overlays}`."""
        counts = {"elements": len(self.interactive), "blocks": len(self.text_blocks)}
        kinds = [overlay.kind for overlay in self.overlays]
        return {"url": self.page.url, "title": self.page.title, "counts": counts, "overlays": kinds}

    def at(self, x: int, y: int) -> PointHit | None:
        return next((hit for hit in self.hits if (hit.x, hit.y) == (x, y)), None)

    @property
    def asks_for_secret(self) -> bool:
        """Whether the page has a login or a field for a password, a card or a code."""
        has_field = any(element.secret for element in self.interactive)
        return has_field or any(overlay.kind == "login" for overlay in self.overlays)

    def find(self, eid: str) -> Element | None:
        return next((element for element in self.interactive if element.eid == eid), None)

    def text(self, *, with_texts: bool = True, known: Collection[str] = ()) -> str:
        """The text for the model: one line for each element and text block, in reading order.

        Without the text blocks for a model that has just been shown them: all elements keep their lines and eids.
        `known`: `marks` of the last turn's page. Links and texts that were there and are out of view now are left out.
        """
        lines = page_lines(self.page, self.notes, self.overlays, self.header_tokens)
        body = self._lines()
        order = self.order or tuple(body)
        if not with_texts and self.text_blocks:
            lines.append("Note: the page is as it was at the last turn; its texts are left out here")
            order = tuple(key for key in order if not _is_text(key))
        same = {key for key in self._far(order) if known and _mark(key, body) in known}
        if len(same) >= LEAST_LEFT_OUT:
            lines.append(
                f"Note: {len(same)} links and texts out of view, as at the last turn, are left out here: scroll(query) to them"
            )
            order = tuple(_without_empty(key for key in order if key not in same))
        return "\n".join([*lines, *(body.get(key, key) for key in order)])

    def marks(self) -> list[str]:
        """A mark for each link and text, equal for equal lines whatever their eids are."""
        body = self._lines()
        return sorted({_mark(key, body) for key in self._passive() if key in body})

    def _lines(self) -> dict[str, str]:
        """The lines by their key in `order`, headlines excluded."""
        shown = [element.eid for element in self.interactive if not element.same_as]
        body = dict(zip(shown, element_lines(self.interactive), strict=True))
        return body | {f"t{at}": text_line(block) for at, block in enumerate(self.text_blocks)}

    def _passive(self) -> set[str]:
        """The keys of links and texts: without them, all that can be filled or pressed is still there."""
        links = (element.eid for element in self.interactive if element.role == "link")
        return {*links, *(f"t{at}" for at in range(len(self.text_blocks)))}

    def _far(self, order: Sequence[str]) -> list[str]:
        begins = next((at for at, key in enumerate(order) if key in SECTION_HEADLINES), len(order))
        passive = self._passive()
        return [key for key in order[begins:] if key in passive]

    def text_with_targets(self) -> str:
        """As `text`, with `Element.ref` in place of eids, for a model that calls the MCP server's own tools.

        Omits address, title and notes: the tool result already contains them.
        """
        refs = {element.eid: element.ref for element in self.interactive}
        named = [
            element.model_copy(update={"eid": element.ref, "same_as": refs.get(element.same_as, "")})
            for element in self.interactive
        ]
        shown = [element.eid for element in self.interactive if not element.same_as]
        body = dict(zip(shown, element_lines(named), strict=True))
        body |= {f"t{at}": text_line(block) for at, block in enumerate(self.text_blocks)}
        lines = [
            *map(overlay_line, self.overlays),
            *(body.get(key, key) for key in self.order or tuple(body)),
        ]
        return "\n".join(lines)

    def digest(self) -> str:
        """A short, stable hash, equal for two observations of the same page in the same state."""
        kept = [self.page.url, *self.text_blocks]
        for element in self.interactive:
            kept.append(element.model_dump_json(exclude=_PLACE))
        return hashlib.blake2b("\n".join(kept).encode("utf-8", "replace"), digest_size=8).hexdigest()


def _is_text(key: str) -> bool:
    return key.startswith("t")


def _mark(key: str, body: Mapping[str, str]) -> str:
    line = body[key].removeprefix(f"[{key}] ")
    return hashlib.blake2b(line.encode("utf-8", "replace"), digest_size=6).hexdigest()


def _without_empty(keys: Iterable[str]) -> Iterator[str]:
    """The keys without headlines that no line follows."""
    waiting = ""
    for key in keys:
        if key in SECTION_HEADLINES:
            waiting = key
            continue
        if waiting:
            yield waiting
        waiting = ""
        yield key


def observe_snapshot(
    snapshot: str,
    *,
    url: str = "",
    title: str = "",
    viewport: tuple[int, int] = VIEWPORT,
    budget: Budget = DEFAULT_BUDGET,
    notes: Sequence[str] = (),
    extra: Extra | None = None,
    keep: Sequence[str] = (),
    around: str = "",
) -> Observation:
    """Build an observation from Playwright MCP's `browser_snapshot` reply, or from its YAML alone.

    `url` and `title` default to those of the reply. `extra` is the result of `PAGE_SCRIPT`. Elements whose
    ref is in `keep` are included while they are on the page, and so is their form, dialog or row if it fits.
    With the ref of an element in `around`, only its form, dialog, row or section is observed, in detail; if the page
    no longer has it, the whole page, with a note.
    """
    tree, beside = _read(snapshot, url, title, viewport, notes, extra)
    target = _locate(tree, around, beside) if around else None
    if around and target is None:
        tree.notes = (*tree.notes, "the element is not on the page any more")
    return _observe(tree, viewport, budget, beside, target, keep)


def text_near(snapshot: str, ref: str, *, chars: int = NEAR_CHARS, extra: Extra | None = None) -> str:
    """The text of an element, for a field its value, and what is around it if that is short: at most `chars` characters.

    Text that is cut says so at its end. "" if there is no such element.
    """
    tree, beside = _read(snapshot, "", "", VIEWPORT, (), extra)
    index = _locate(tree, ref, beside)
    if index is None:
        return ""
    node, wide = tree.nodes[index], min(chars, AROUND_CHARS)
    text = node.text if node.role in FIELD_ROLES else ""
    for box in () if text else (index, *tree.ancestors(index)):
        pieces = whole_text(tree, box, tree.nodes[box].end)
        wider = "".join(piece for piece, _ in zip(pieces, range(20 * chars), strict=False))
        if text.strip() and len(wider) > wide:
            break
        text = wider
    return in_part(
        clean_lines(text if node.text or 3 * len(text) > wide else words_around(tree, index, wide)), chars
    )


def _read(
    snapshot: str, url: str, title: str, viewport: tuple[int, int], notes: Iterable[str], extra: Extra | None
) -> tuple[Snapshot, Extra]:
    """Parse the snapshot. Returns the tree and `extra`, both with secrets masked."""
    tree, extra = parse_snapshot(snapshot, viewport), extra or Extra()
    tree.url, tree.title = url or tree.url, title or tree.title
    tree.notes = tuple(dict.fromkeys((*notes, *tree.notes)))
    extra = put_editors(tree, extra)
    texts = extra.texts or ()
    drawn = drawn_of([(one.box, one.text) for one in texts], extra.secrets)
    if drawn:
        extra = extra.model_copy(
            update={"texts": tuple(one for at, one in enumerate(texts) if at not in drawn)}
        )
    return tree, extra.masked(hide_secrets(tree, extra.secrets, unknown=extra.unknown))


def _locate(tree: Snapshot, ref: str, extra: Extra) -> int | None:
    """The node with this ref; for an element of the page script, the last visible node that starts above."""
    found = next((thing for thing in extra.clickables if thing.target == ref), None)
    if found is None:
        return tree.find(ref)
    above = (
        at for at, node in enumerate(tree.nodes) if node.seen and node.box and node.box[1] <= found.box[1]
    )
    return max(above, default=None)


def _notes(
    tree: Snapshot, fitted: Fitted, target: int | None, extra: Extra, *, is_page: bool
) -> tuple[str, ...]:
    """The snapshot's notes, and what the observation leaves out."""
    notes: list[str] = [changed(note, clean) for note in tree.notes]
    waiting = (clean(one.name or one.url.split("?")[0]) for one in extra.framed if one.waits)
    notes += [
        f'the frame "{cut(name, FRAME_CHARS)}" has not loaded: what it may show is left out'
        for name in waiting
    ]
    notes += [
        f'the document "{clean(name)}" is shown in the page: read_page reads it' for name in extra.documents
    ]
    if target is not None:
        around = tree.nodes[target].ref
        notes += [f"around {element.eid}" for element in fitted.elements if element.ref == around]
    if is_page and not (fitted.elements or fitted.blocks):
        notes.append(NOTHING)
    if fitted.truncated or (target is None and fitted.texts_left):
        many = f"{fitted.truncated} more elements" if fitted.truncated else f"{fitted.texts_left} more texts"
        where = ", also at the bottom of the window" if fitted.is_window_cut else ""
        notes.append(f"truncated, {many}{where}: scroll to them; read_page has all text")
    elif fitted.is_window_cut:
        notes.append("truncated, the last text of the window is cut: scroll to it; read_page has all text")
    return tuple(notes)


def _observe(
    tree: Snapshot,
    viewport: tuple[int, int],
    budget: Budget,
    extra: Extra,
    target: int | None,
    keep: Sequence[str],
) -> Observation:
    shape = outline(tree)
    found = drafts = find_elements(tree, extra, viewport)
    if target is None:
        drafts = merge_duplicates(drafts)
    hidden = find_hidden(tree, extra)
    around = Surroundings(tree, shape, drafts, extra.framed, hidden)
    chars = budget.block_chars if target is None else MAX_SNAPSHOT_VALUE
    blocks = find_text(tree, shape, drafts, chars, extra)
    page = Page(url=clean(tree.url), title=clean(tree.title))
    overlays = find_overlays(tree, around, extra.frames)
    room = budget.tokens // 4
    used = cost(page_lines(page, tree.notes, overlays, room))
    if target is None:
        ranked, must = rank(drafts, shape, around, viewport[1])
    else:
        ranked, blocks = select_around(tree, around, blocks, target)
        must = len(ranked)
    fitted = fit(ranked, must, blocks, around, budget, used, detail=target is not None)
    if not set(keep) <= {element.ref for element in fitted.elements}:
        wanted = [draft for draft in found if draft.ref in keep]
        ranked, must, first = put_first(wanted, ranked, must, around)
        fitted = fit(ranked, must, blocks, around, budget, used, first=first, detail=target is not None)
    return Observation(
        page=page,
        viewport=viewport,
        mode="main" if target is None else "focused",
        interactive=fitted.elements,
        text_blocks=fitted.blocks,
        overlays=overlays,
        notes=_notes(tree, fitted, target, extra, is_page=not page.url.startswith("about:")),
        truncated=fitted.truncated,
        focused=tree.focused(),
        order=fitted.order,
        header_tokens=room,
        urgent=tuple(block.text for block in blocks if block.is_urgent)[:MAX_URGENT],
        passing=_passing(tree),
        hidden=tuple(text for text in hidden.values() if any(map(str.isdigit, text))),
        moment=extra.moment,
        manners=bool(extra.takes),
    )


def _passing(tree: Snapshot) -> tuple[str, ...]:
    messages = (range(at, node.end) for at, node in enumerate(tree.nodes) if node.role in PASSING_ROLES)
    mere = (inside for inside in messages if not any(tree.nodes[at].role in WIDGETS for at in inside))
    texts = (clean(own_text(tree.nodes[at])) for inside in mere for at in inside)
    return tuple(
        islice(dict.fromkeys(cut(text, DEFAULT_BUDGET.block_chars) for text in texts if text), MAX_PASSING)
    )
