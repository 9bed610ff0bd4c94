"""The outputs for items: a terminal with colours and images, or plain text for other programs."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol, TextIO

from rich.console import Console, RenderableType
from rich.text import Text

from cli.screen.items import Entered, Item, Plan, Question, ResultTable, Spoken, ToolRan, UserSaid
from cli.screen.picture import Way, encode
from cli.screen.render import THEME, draw, linked, prose, question


class Screen(Protocol):
    def show(self, item: Item) -> None: ...

    def print(self, renderable: RenderableType) -> None:
        """Print output that the user requested: a table, a list."""
        ...

    def picture(self, data: bytes) -> None: ...

    @property
    def shows_pictures(self) -> bool: ...


BLOCKS = (UserSaid, Spoken, Plan, Question, ResultTable)
"""Items with a blank line before and after. A command has one before it, all others have none."""
UNWRAPPED = 4000
"""Columns of plain text, so that lines are not wrapped."""


class RichScreen:
    """A terminal. `file` may be a proxy that prints above the prompt, `site` is the address of the server."""

    def __init__(self, file: TextIO | None = None, way: Way | None = None, site: str = "") -> None:
        self._site = site
        self.console = Console(
            file=file,
            theme=THEME,
            markup=False,
            emoji=False,
            highlight=False,
            force_terminal=True if file else None,
        )
        self._way = way
        self._wants_gap = False

    @property
    def shows_pictures(self) -> bool:
        return self._way is not None

    def show(self, item: Item) -> None:
        if isinstance(item, Spoken) and not item.text.strip():
            return
        if self._wants_gap or isinstance(item, (*BLOCKS, Entered)):
            self.console.print()
        self.console.print(prose(item.text, self._site) if isinstance(item, Spoken) else draw(item))
        if isinstance(item, Question) and item.screenshot:
            address = Text(item.screenshot, linked(item.screenshot))
            self.console.print(Text.assemble("  ▣ ", address), soft_wrap=True)
        self._wants_gap = isinstance(item, BLOCKS)

    def print(self, renderable: RenderableType) -> None:
        self.console.print(renderable)
        self._wants_gap = True

    def picture(self, data: bytes) -> None:
        if self._way:
            self.console.file.write(f"  {encode(data, self._way)}\n")
            self.console.file.flush()


class PlainScreen:
    """Plain text: the agent's answer is written to `out` byte for byte, all other items to `log`."""

    shows_pictures = False

    def __init__(self, out: TextIO, log: TextIO) -> None:
        self._out = out
        self._tables = _plain(out)
        self._log = _plain(log)

    def show(self, item: Item) -> None:
        if isinstance(item, Spoken):
            self._out.write(item.text + ("\n" if item.ends else ""))
            self._out.flush()
        elif isinstance(item, ToolRan) and item.screenshot:
            self._log.print(draw(replace(item, screenshot=None)))
            self._log.print(Text(f"    {item.screenshot}"))
        elif isinstance(item, Question):
            self._log.print(Text("A question is open:"))
            self._log.print(question(item))
            if item.screenshot:
                self._log.print(Text(f"picture  {item.screenshot}"))
        else:
            self._log.print(draw(item))

    def print(self, renderable: RenderableType) -> None:
        self._tables.print(renderable)

    def picture(self, data: bytes) -> None:
        """Do nothing: plain text has no images, and the URL was printed."""


def _plain(file: TextIO) -> Console:
    return Console(
        file=file,
        theme=THEME,
        markup=False,
        emoji=False,
        highlight=False,
        no_color=True,
        color_system=None,
        width=UNWRAPPED,
    )
