"""Renders a session as one self-contained HTML page that can be sent to others, printed and replayed."""

from __future__ import annotations

import base64
import io
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup
from PIL import Image, UnidentifiedImageError

from server.clock import local
from server.database.models import InterruptRow
from server.events import Message
from server.files.export import Conversation, effect_lines
from server.files.transcript import (
    Language,
    TranscriptRow,
    is_queued,
    line_of,
    remarks_on,
    row_words,
    time_words,
)
from server.ops.json_types import JsonObject
from server.results.rows import tables_of
from server.results.sheets import numbered_notes, shown_cells
from wording.catalogue import Value, in_language, sentence
from wording.markdown_rules import ModelMarkdown
from wording.step_words import step_words

PictureOf = Callable[[str], Path | None]
"""Maps a screenshot's address to its file; None if the file does not exist."""
Box = Sequence[float]
"""Left, top, width and height in percent of a screenshot."""

THUMBNAIL_PIXELS = 288
"""Longer side: twice the size at which it is shown."""

_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
# Text of models and pages: HTML stays text, and pictures, which would be loaded from the network, become links.
_MARKDOWN = ModelMarkdown().disable("image")
_MARKDOWN.options["breaks"] = True

_BLOCK_OPENERS = frozenset({"paragraph_open", "heading_open", "list_item_open"})
_WHOLES = frozenset({"blockquote_open", "bullet_list_open", "ordered_list_open", "table_open"})


def _set_directions(state: StateCore) -> None:
    """Each block has the direction of its words, and one that holds others that of its first letter."""
    unset: list[Token] = []
    for block in state.tokens:
        if block.type in _BLOCK_OPENERS:
            block.attrSet("dir", "auto")
        if block.type in _WHOLES:
            unset.append(block)
        kinds = (unicodedata.bidirectional(char) for char in block.content if block.type == "inline")
        if first := next((kind for kind in kinds if kind in ("L", "R", "AL")), None):
            for whole in unset:
                whole.attrSet("dir", "ltr" if first == "L" else "rtl")
            unset.clear()


def _unlink_the_app(state: StateCore) -> None:
    """A link into the app, such as `/settings/models`, leads nowhere from a file: only its text stays."""
    for block in state.tokens:
        is_left_out = False
        for token in block.children or []:
            if token.type == "link_open":
                href = str(token.attrs.get("href", ""))
                is_left_out = not href.startswith(("http://", "https://", "mailto:"))
            if is_left_out and token.type in ("link_open", "link_close"):
                token.tag, token.attrs = "span", {}


_MARKDOWN.core.ruler.push("unlink_the_app", _unlink_the_app)
_MARKDOWN.core.ruler.push("set_directions", _set_directions)


@dataclass(frozen=True, slots=True)
class Step:
    """One tool message. `aim` is where the next step acts, in percent of this step's picture."""

    number: int
    message: Message
    aim: Box | None
    language: Language = "en"

    @property
    def meta(self) -> JsonObject:
        return self.message.meta_json or {}

    @property
    def state(self) -> str:
        return "done" if self.meta.get("ok") else "failed"

    @property
    def title(self) -> str:
        name = str(self.meta.get("name", ""))
        did = step_words(name, self.meta.get("args") or {}, self.meta.get("title")).to(self.language)
        return did or self.lines.partition("\n")[0] or name

    @property
    def details(self) -> str:
        """What its result says in addition to the title."""
        first, _, rest = self.lines.partition("\n")
        if self.meta.get("ok") or self.title == first:
            return rest.strip()
        return self.lines.strip()

    @property
    def lines(self) -> str:
        return in_language(self.language, self.message.content, self.meta.get("summary_parts"))

    @property
    def url(self) -> str:
        return self.meta.get("url") or ""

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc if self.url.startswith(("http://", "https://")) else ""


@dataclass(frozen=True, slots=True)
class FileLink:
    """A file of the session, for a page that is served: a saved one could not reach it."""

    name: str
    address: str


def to_html(
    conversation: Conversation,
    picture_of: PictureOf,
    language: Language = "en",
    files: Sequence[FileLink] = (),
) -> Iterator[str]:
    """Yield a page that loads nothing from elsewhere and runs no script of elsewhere.

    In parts, because each picture may have some megabytes.
    """
    messages = conversation.messages
    steps = steps_of(messages, language)
    answer = next((one for one in reversed(messages) if one.role == "assistant" and one.content), None)
    begun, ended = (messages[0].created_at, messages[-1].created_at) if messages else (None, None)
    hosts = list(dict.fromkeys(step.host for step in steps.values() if step.host))

    def say(name: str, **values: Value) -> str:
        return sentence(f"report.{name}", **values).to(language)

    def path_of(step: Step) -> Path | None:
        return picture_of(step.meta["screenshot"]) if step.meta.get("screenshot") else None

    def picture(step: Step) -> str:
        path = path_of(step)
        return _data_url(path.read_bytes(), path.suffix) if path else ""

    def thumbnail(step: Step) -> str:
        path = path_of(step)
        return _data_url(_thumbnail(path.read_bytes()), ".jpg") if path else ""

    yield from _TEMPLATES.get_template("report.html").generate(
        language=language,
        say=say,
        title=conversation.title or say("untitled"),
        task=_task_of(messages, answer),
        answer=answer,
        instructed=row_words(language, "instructed") if conversation.session.instructions else "",
        created=date_words(conversation.session.created_at, language, conversation.zone),
        zone=conversation.zone,
        clock=lambda moment: f"{local(moment, conversation.zone)[0]:%H:%M:%S}",
        duration=time_words(int((ended - begun).total_seconds()), language) if begun and ended else "–",
        hosts=hosts,
        rows=list(_rows(conversation)),
        line=lambda row: line_of(row, language),
        queued=lambda message: row_words(language, "queued") if is_queued(message) else "",
        remarks=lambda message: " · ".join(remarks_on(message, language)),
        decided=lambda row: row.decided_at if isinstance(row, InterruptRow) else None,
        steps=steps,
        files=files,
        tables=list(tables_of(messages).items()),
        facts=[(fact, source_of(fact, steps.values())) for fact in conversation.state.get("facts") or []],
        sent=[
            (step, line) for step in steps.values() for line in effect_lines(step.meta, language, page=False)
        ],
        effects=lambda step: effect_lines(step.meta, language),
        cells=shown_cells,
        notes=lambda table: [(number, note.to(language)) for number, note in numbered_notes(table.rows)],
        markdown=lambda text: Markup(_MARKDOWN.render(text)),
        picture=picture,
        thumbnail=thumbnail,
    )


def date_words(moment: datetime, language: Language, zone: str = "UTC") -> str:
    """Such as `25 November 2026, 14:42 UTC`."""
    moment, _ = local(moment, zone)
    month = sentence(f"month.{moment.month}")
    return sentence(
        "report.moment", day=moment.day, month=month, year=moment.year, clock=f"{moment:%H:%M}", zone=zone
    ).to(language)


def _task_of(messages: Sequence[Message], answer: Message | None) -> str:
    """What the answer answers: the message that began its run, else the first one."""
    asked = [one for one in messages if one.role == "user"]
    own = [one for one in asked if answer and one.run_id and one.run_id == answer.run_id]
    return next((one.content for one in (*own, *asked)), "")


def _rows(conversation: Conversation) -> Iterator[tuple[int | None, TranscriptRow]]:
    """The rows in order, messages with their index."""
    indexes = {message.id: index for index, message in enumerate(conversation.messages)}
    for row in conversation.rows:
        yield (indexes[row.id] if isinstance(row, Message) else None), row


def steps_of(messages: Sequence[Message], language: Language = "en") -> dict[int, Step]:
    """The steps by the index of their message."""
    numbers = [index for index, message in enumerate(messages) if message.role == "tool"]
    aims = aims_of(messages)
    return {
        index: Step(number, messages[index], aims.get(index), language)
        for number, index in enumerate(numbers, start=1)
    }


def aims_of(messages: Sequence[Message]) -> dict[int, Box]:
    """The target of the next action, by index of the message whose screenshot shows the page before it."""
    aims: dict[int, Box] = {}
    pictured: int | None = None
    for index, message in enumerate(messages):
        meta = message.meta_json or {}
        if meta.get("box") and pictured is not None:
            aims.setdefault(pictured, meta["box"])
        if meta.get("screenshot"):
            pictured = index
    return aims


def source_of(fact: JsonObject, steps: Iterable[Step]) -> Step | None:
    """The last step at the fact's page before the fact was noted."""
    if not fact.get("url"):
        return None
    # Times of facts are cut to seconds.
    noted = datetime.fromisoformat(fact["at"]) + timedelta(seconds=1) if fact.get("at") else None
    there = [
        step
        for step in steps
        if step.url == fact["url"] and (noted is None or step.message.created_at <= noted)
    ]
    return there[-1] if there else None


def _data_url(picture: bytes, suffix: str) -> str:
    kind = "jpeg" if suffix == ".jpg" else suffix[1:]
    return f"data:image/{kind};base64,{base64.b64encode(picture).decode()}"


def _thumbnail(picture: bytes) -> bytes:
    """A small JPEG; the picture itself if it cannot be read."""
    out = io.BytesIO()
    try:
        with Image.open(io.BytesIO(picture)) as image:
            image.thumbnail((THUMBNAIL_PIXELS, THUMBNAIL_PIXELS))
            image.convert("RGB").save(out, "JPEG", quality=75)
    except (UnidentifiedImageError, OSError):
        return picture
    return out.getvalue()
