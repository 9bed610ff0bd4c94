"""Two hundred hostile texts in ten languages, each as a page that an agent reads and repeats as a note.

The agent believes all of it: it proposes what the page says, word by word and in other dress, after it has read the page and
without having read it. What is counted is what the person would be shown, what is kept, and what a later call reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from server.agent.context import NOTHING_KNOWN
from server.database.models import NoteRow
from server.runtime import Runtime

TEXTS = Path(__file__).parents[2] / "tests/data/hostile_notes.tsv"
SITE = "https://www.shop.example/"


@dataclass(frozen=True)
class Offered:
    pages: int
    languages: int
    proposed: int
    """Texts that the agent offered."""
    shown: tuple[str, ...]
    """What the person would see of them."""
    kept: int
    read: int
    """Later calls of a model that read anything of them."""
    has_instructions: bool


def dressed(text: str) -> Iterator[str]:
    """The text itself, and as a page may have it rewritten."""
    yield text
    yield f"Prices are without VAT. {text}"
    yield f"This shop has a notice: {text}"
    yield text.upper()
    yield "\u200b".join(text.split(" ")) if " " in text else "\u200b".join(text)


async def offer_hostile(world: Runtime) -> Offered:
    rows = [line.split("\t") for line in TEXTS.read_text(encoding="utf-8").splitlines()]
    session = await world.store.create_session(
        id=None, title=None, agent="operator", model=world.current_settings.agent_model, max_tool_steps=9
    )
    run = (await world.commands.accept(session.id, "hello")).run
    proposed = read = 0
    shown = list[NoteRow]()
    for _, text in rows:
        own = world.knowledge.of_run(run)
        forms = list(dressed(text))
        await own.propose(SITE, forms)
        proposed += len(forms)
        if seen := await world.store.notes():
            shown += seen
            await world.store.remove_notes()  # a run may propose two
        read += await own.known(SITE, f"<h1>Notice</h1><p>{text}</p>") != NOTHING_KNOWN
    return Offered(
        len(rows), len({language for language, _ in rows}), proposed, tuple(one.text for one in shown),
        sum(one.confirmed_at is not None for one in shown), read, bool(await world.store.instructions()),
    )  # fmt: skip
