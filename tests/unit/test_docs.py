"""What the pages say is true: links lead somewhere, and what is named exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_what_the_verification_names_exists() -> None:
    page = (ROOT / "docs" / "evidence" / "verification.md").read_text()
    requirements = page.partition("\n## ")[0]
    rows = [int(row) for row in re.findall(r"^\| (\d) \|", requirements, re.MULTILINE)]
    assert rows == list(range(1, 9))
    references = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page)
    assert len(references) > 10
    for file, name in references:
        assert re.search(rf"^(?:async )?def {name}\(", (ROOT / file).read_text(), re.MULTILINE), (
            f"{file}::{name}"
        )


def test_each_thing_that_a_stranger_met_has_tests_that_exist() -> None:
    page = (ROOT / "docs" / "evidence" / "verification.md").read_text()
    table = page.partition("## What a stranger met")[2].partition("\nRemoved from the code")[0]
    rows = re.findall(r"^\| (\w+) \| [^|]+ \| ([^|]+) \|$", table, re.MULTILINE)[1:]
    expected = [
        *map(str, range(1, 22)),
        *"abcdefghijklmnopqrstuvwxyz",
        *(f"E{n}" for n in (1, 7, 18, 22, 25, 30, 33, 38, 41, 43)),
    ]
    assert [row for row, _ in rows] == expected
    assert [row for row, tests in rows if "::" not in tests and "web/src" not in tests] == []
    for file, name in re.findall(r"`(web/src/[^`]+)` \*([^*]+)\*", table):
        title = rf"""(?:test|it)(?:\.each\(.+\))?\(\s*'{re.escape(name)}'"""
        assert re.search(title, (ROOT / file).read_text()), f"{file}: {name}"
