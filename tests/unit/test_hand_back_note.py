"""The note of a hand-back: what changed is for the agent, the person's own words are for everybody."""

from __future__ import annotations

from server.browser.takeover.handover import PageMoment, describe_changes
from server.text import with_words, words_in

BEFORE = PageMoment(url="https://a.example/", title="A")
AFTERS = [
    (None, ()),
    (BEFORE, ()),
    (BEFORE, ("User",)),
    (BEFORE.model_copy(update={"url": "https://a.example/in"}), ("User", "Code")),
    (BEFORE.model_copy(update={"title": "B"}), ()),
    (BEFORE.model_copy(update={"tabs": 2}), ()),
    (BEFORE.model_copy(update={"headings": ("Welcome",)}), ()),
]


def test_only_the_words_of_the_person_are_told_of_every_change_there_is() -> None:
    for after, fields in AFTERS:
        changes = describe_changes(BEFORE, after, fields)
        assert words_in(with_words(changes, None)) == "", changes
        assert words_in(with_words(changes, 'I am "in"')) == 'I am "in"'
    assert words_in("The code is wrong") == "The code is wrong"
