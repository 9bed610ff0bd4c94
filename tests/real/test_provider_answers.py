"""A few of the inputs of `bench.wire`, played to the server: of each kind the one that broke most."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.wire.__main__ import line_of, run
from bench.wire.asked import Input
from bench.wire.inputs import all_inputs

INPUTS = {
    "P1-think-tags-then-answer", "P1-only-closing-tag", "P3-max_tokens", "P6-no-index", "P7-hermes", "P7-bare-json",
    "P8-object", "P9-ids-change-within-a-call", "P10-unknown-tool", "P11-pair-split-over-two-chunks",
    "P11-anthropic-pair-split", "W4-slices-of-50", "W5-connection-stays-open-after-done",
    "W6-broken-off-error", "W7-error-code-429-inside", "W8-429-retry-after-nan", "W9-one-object",
    "W11-usage-in-every-chunk", "W12-context-groq", "R1-to-another-origin-307",
}  # fmt: skip
WIRES = ("chat", "anthropic")


def chosen() -> list[Input]:
    return [given for given in all_inputs() if given.id in INPUTS and given.wire in WIRES]


async def test_answers_of_providers_end_as_they_should(tmp_path: Path) -> None:
    found = await run(chosen(), tmp_path)
    assert len(found) > 40
    assert [line_of(judged) for judged in found if judged.verdict == "fails"] == []


@pytest.mark.parametrize("name", sorted(INPUTS))
def test_the_input_is_there(name: str) -> None:
    assert any(given.id == name for given in chosen())
