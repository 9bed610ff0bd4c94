"""The check on the words of docstrings and comments."""

from __future__ import annotations

import pytest

from scripts.words import find_refused


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
