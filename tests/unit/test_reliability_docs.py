"""docs/evidence/reliability.md names code and tests that exist, for each of its 75 rows."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "evidence" / "reliability.md").read_text()
TABLES = (
    (ROOT / "docs" / "evidence" / "verification.md")
    .read_text()
    .partition("## Protections that were switched off once")[2]
)
TRIED = {f"{path}::{name}" for path, name in re.findall(r"`tests/([\w/]+)\.py::(\w+)`", TABLES)}
ROWS = {
    int(number): (code, tests)
    for number, _, _, code, tests in re.findall(
        r"^\| (\d+) \| ([^|]+) \| ([^|]+) \| ([^|]*) \| ([^|]*) \|$", PAGE, re.MULTILINE
    )
}


@cache
def names_of_tests(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }


def test_the_page_has_every_row_once_and_in_order() -> None:
    assert list(ROWS) == list(range(1, 76))


@pytest.mark.parametrize("row", sorted(ROWS))
def test_a_row_names_code_and_tests_that_exist(row: int) -> None:
    code, tests = (re.findall(r"`([^`]+)`", cell) for cell in ROWS[row])
    assert code
    assert tests
    for path in code:
        assert (ROOT / path).exists(), path
    for name in tests:
        path, _, function = name.partition("::")
        assert function in names_of_tests(ROOT / "tests" / f"{path}.py"), name
        assert name in TRIED, f"{name}: never seen to fail without what it is for"
