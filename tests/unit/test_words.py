"""The check on the words of docstrings and comments."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.words import find_refused, find_refused_script, main


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('"""Tells the client."""', [(1, "Tells")]),
        ('x = 1\n"""Who hears of it."""', [(2, "hears of")]),
        ("x = 1  # nobody reads it", [(1, "nobody")]),
        ('def f():\n    """Publish the event."""\n    return "told"', []),
        ('"""What `tell` does with `heard`."""', []),
        ('"""A foretold storyteller."""', []),
    ],
)
def test_unclear_words_are_found_in_docstrings_and_comments_only(
    source: str, found: list[tuple[int, str]]
) -> None:
    assert [(line, word) for line, word, _ in find_refused(source)] == found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("// nobody reads it\nconst word = 1", [(1, "nobody")]),
        ("const word = 1 // it goes on", [(1, "goes on")]),
        ("\n/** Reads it.\n * What is told here. */\n", [(2, "told")]),
        ("fetch('http://told.example/heard')", []),
        ("const told = 'nobody' // known as `told`", []),
    ],
)
def test_unclear_words_are_found_in_comments_of_scripts(source: str, found: list[tuple[int, str]]) -> None:
    assert [(line, word) for line, word, _ in find_refused_script(source)] == found


def test_each_file_with_an_unclear_word_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one.py", "two.tsx", "schema.d.ts", "words.md"):
        (tmp_path / name).write_text("# told" if name.endswith(".py") else "// told")
    assert main(str(tmp_path)) == 1
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == [
        str(tmp_path / "one.py"),
        str(tmp_path / "two.tsx"),
    ]
