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
    page = (ROOT / "docs" / "verification.md").read_text()
    rows = [int(row) for row in re.findall(r"^\| (\d) \|", page, re.MULTILINE)]
    assert rows == list(range(1, 9))
    references = re.findall(r"`(tests/\w+/\w+\.py)::(\w+)`", page)
    assert len(references) > 10
    for file, name in references:
        assert re.search(rf"^(?:async )?def {name}\(", (ROOT / file).read_text(), re.MULTILINE), (
            f"{file}::{name}"
        )
