"""The lexicon's patterns in arrays: each is found again as it was, and they take little memory."""

from __future__ import annotations

import tracemalloc
from collections import Counter

import pytest

from server.agent.policy.lexicon import Pattern, read_patterns
from server.agent.policy.lexicon.table import Kind, PatternTable

BYTES_OF_A_PATTERN = 120
"""In a small table. As objects, with their words, they took 400."""


@pytest.mark.parametrize("language", ["de", "ja", "ru"])
def test_each_pattern_is_found_by_its_first_word(language: str) -> None:
    patterns = list(read_patterns(language))
    table = PatternTable(patterns)
    keys = {(_first_of(pattern), Kind.of(pattern)) for pattern in patterns}
    assert Counter(patterns) == Counter(
        pattern for first, kind in keys for pattern in table.starting(first, kind)
    )


def test_a_word_has_the_languages_that_use_it() -> None:
    table = PatternTable([*read_patterns("de"), *read_patterns("en")])
    assert [table.languages_of(word) for word in ("kündigen", "checkout", "Ünknown", "\ud800")] == [
        ["de"], ["en", "de"], [], [],
    ]  # fmt: skip


def test_a_table_takes_little_memory() -> None:
    patterns = list(read_patterns("de"))
    tracemalloc.start()
    try:
        table = PatternTable(patterns)
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert table.starting("kündigen", Kind.WORD)
    assert size < BYTES_OF_A_PATTERN * len(patterns)


def _first_of(pattern: Pattern) -> str:
    first = pattern.words[0]
    return first[0] if Kind.of(pattern) is Kind.DENSE else first.strip("*")
