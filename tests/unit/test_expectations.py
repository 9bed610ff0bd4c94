"""Every expectation of the web UI has tests, and they exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.expectations import EXPECTATIONS

ROOT = Path(__file__).parents[2]


def file_of(name: str) -> Path:
    return ROOT / (f"{name}.py" if "/" in name else f"tests/e2e/test_ui_{name}.py")


@pytest.mark.parametrize("expectation", EXPECTATIONS)
def test_an_expectation_is_held_by_tests_that_exist(expectation: str) -> None:
    for reference in EXPECTATIONS[expectation].split():
        name, _, part = reference.partition(":")
        assert part, f"{reference} names no test"
        names = re.findall(r"^(?:async )?def (test_\w+)", file_of(name).read_text(), re.M)
        assert [test for test in names if part in test], f"{reference}: no such test"
