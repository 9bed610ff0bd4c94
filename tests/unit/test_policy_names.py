"""What a control's name alone commits, and the effect that it names: an example for each rule."""

from __future__ import annotations

import pytest

from server.agent.policy.names import Commitment, read_name

NONE, RETREAT, CANCEL, UNKNOWN, PROCEED = (
    Commitment.NONE, Commitment.RETREAT, Commitment.CANCEL, Commitment.UNKNOWN, Commitment.PROCEED,
)  # fmt: skip
MILD, AMBIGUOUS, LIKELY, CERTAIN = (
    Commitment.MILD, Commitment.AMBIGUOUS, Commitment.LIKELY, Commitment.CERTAIN,
)  # fmt: skip

SIGNS = [("💳", CERTAIN, "pay"), ("→", PROCEED, ""), ("✕", RETREAT, ""), ("🔍", NONE, "")]
SUMS = [
    ("$50", LIKELY, "pay"), ("Tip", LIKELY, "pay"), ("Tip $3", CERTAIN, "pay"), ("Book for $389", LIKELY, "order"),
    ("Room 50", UNKNOWN, ""),
]  # fmt: skip
READING = [
    ("How to wipe and reset your hub", NONE, ""), ("Wipe and reset your hub", CERTAIN, "delete"),
    ("Delete guide", CERTAIN, "delete"), ("Delete account guide", NONE, ""), ("Guide: delete", NONE, ""),
]  # fmt: skip
CERTAINLY = [
    ("Delete cart", NONE, ""), ("Show delete", NONE, ""), ("Delete history", CERTAIN, "delete"), ("History delete", NONE, ""),
    ("Ban", CERTAIN, "account"), ("Delete later", RETREAT, ""), ("Pay later", CERTAIN, "pay"), ("No, send", RETREAT, ""),
]  # fmt: skip
ENDING = [
    ("No", RETREAT, "no"), ("Cancel", CANCEL, ""), ("Cancel sort", RETREAT, ""), ("Cancel cart", RETREAT, ""),
    ("Void booking", CERTAIN, "end"), ("Void sms", CERTAIN, "end"),
]  # fmt: skip
BY_OTHER_WORDS = [
    ("Payment", LIKELY, "pay"), ("Buy permanently", CERTAIN, "pay"), ("Yes, buy", CERTAIN, "pay"), ("Payment list", NONE, ""),
    ("Change", AMBIGUOUS, "change"), ("Change theme", NONE, ""), ("Remove theme", AMBIGUOUS, "remove"), ("Change member", LIKELY, "change"),
    ("Share", MILD, "share"), ("Run", AMBIGUOUS, "switch"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "commitment", "kind"), [*SIGNS, *SUMS, *READING, *CERTAINLY, *ENDING, *BY_OTHER_WORDS]
)
def test_a_name_commits_by_its_verb_and_its_other_words(name: str, commitment: Commitment, kind: str) -> None:
    found = read_name(name, "en")
    assert (found.commitment, found.kind) == (commitment, kind)


@pytest.mark.parametrize(
    ("name", "commitment"),
    [("删除文章", CERTAIN), ("删除账户指南", NONE), ("记录删除", NONE), ("删除记录", CERTAIN)],
)
def test_words_that_are_written_without_spaces_follow_each_other(name: str, commitment: Commitment) -> None:
    assert read_name(name, "zh").commitment is commitment


def test_accents_are_dropped_only_where_no_word_is_known_with_them() -> None:
    assert read_name("Dẹlete", "en").commitment is CERTAIN
    assert read_name("Usuń tło", "pl").commitment is NONE


def test_a_sign_has_no_words() -> None:
    assert [read_name(name).words for name in ("→", "✓", "Pay now")] == [0, 0, 2]
