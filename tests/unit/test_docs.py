"""What the pages say is true: every setting is told, with its default; links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from server.settings import Settings

ROOT = Path(__file__).parents[2]
NAMES = {name.upper() for name in Settings.model_fields}
DOCS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_every_setting_is_described_once() -> None:
    rows = re.findall(r"^\| (`[^|]+) \|", (ROOT / "docs" / "settings.md").read_text(), re.MULTILINE)
    told = [name for row in rows for name in re.findall(r"`([A-Z_]+)`", row)]
    assert sorted(told) == sorted(NAMES)


def test_the_front_page_names_every_setting() -> None:
    settings = (ROOT / "README.md").read_text().partition("\n## Settings\n")[2].partition("\n## ")[0]
    rows = "\n".join(line for line in settings.splitlines() if line.startswith("|"))
    assert sorted(re.findall(r"`([A-Z_]+)`", rows)) == sorted(NAMES)


def test_the_environment_example_has_every_setting_and_loads() -> None:
    path = ROOT / ".env.example"
    told = re.findall(r"^([A-Z_]+)=", path.read_text(), re.MULTILINE)
    assert sorted(told) == sorted(NAMES)
    example, plain = Settings(_env_file=path), Settings(_env_file=None)  # type: ignore[call-arg]
    assert example == plain


def test_the_defaults_that_are_told_hold() -> None:
    plain = Settings(_env_file=None)  # type: ignore[call-arg]
    for name, told in re.findall(
        r"^\| `([A-Z_]+)` \| `([^`]+)` \|", (ROOT / "docs" / "settings.md").read_text(), re.MULTILINE
    ):
        value = getattr(plain, name.lower())
        if value is not None and "/" not in told and told not in NAMES:
            assert str(value).lower().removesuffix(".0") == told.lower(), name


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
