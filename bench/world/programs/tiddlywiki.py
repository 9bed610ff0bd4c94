"""TiddlyWiki on its own server: notes in one page of JavaScript, whose editor stands in a frame."""

from __future__ import annotations

from collections.abc import Sequence

from bench.task.script import Look, Script, answer_dialog, click, fill, first
from bench.world.program import Home, Program


def _start(home: Home) -> Sequence[str]:
    home.run("tiddlywiki", "wiki", "--init", "server")
    home.write(
        "wiki/tiddlers/Harbour.tid", "title: Harbour\ntags: place\n\nThe harbour master is Ada Voss.\n"
    )
    return [home.program("tiddlywiki"), "wiki", "--listen", "host=127.0.0.1", f"port={home.port}"]


PROGRAM = Program("tiddlywiki", _start, "/status")


def _tiddler(home: Home, title: str) -> dict[str, object]:
    answer = home.get(f"/recipes/default/tiddlers/{title}")
    return dict(answer.json()) if answer.is_success else {}


@PROGRAM.task(
    "write a note named Tides that says: High water at noon.",
    "/",
    lambda home: "High water at noon." in str(_tiddler(home, "Tides").get("text")),
)
def write_a_note() -> Script:
    yield click("new tiddler")
    yield fill({"New Tiddler|": "Tides"}, near="Confirm changes")
    yield fill({"Type the text.*": "High water at noon."})
    yield click("Confirm changes to this tiddler")
    return "written"


@PROGRAM.task("who is the harbour master?", "/#Harbour", expected="Ada Voss")
def look_up_a_note() -> Script:
    return first((yield Look(r"harbour master is (\w+ \w+)", how="page", query="harbour master")))


@PROGRAM.task(
    "tag the note Harbour with port",
    "/#Harbour",
    lambda home: "port" in str(_tiddler(home, "Harbour").get("tags")),
)
def tag_a_note() -> Script:
    yield click("Edit this tiddler", near="Harbour")
    yield fill({"tag name": "port"})
    yield click("add", near="tag name")
    yield click("Confirm changes to this tiddler")
    return "tagged"


@PROGRAM.task("delete the note Harbour", "/#Harbour", lambda home: not _tiddler(home, "Harbour"), asks=1)
def delete_a_note() -> Script:
    yield click("Edit this tiddler", near="Harbour")
    yield click("Delete this tiddler")
    yield answer_dialog(True)
    return "deleted"
