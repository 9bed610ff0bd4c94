"""A few of the inputs of `bench.wire`, played to the server: of each kind the one that broke most."""

from __future__ import annotations

from pathlib import Path

from bench.wire.__main__ import line_of, run
from bench.wire.asked import Input
from bench.wire.inputs import all_inputs

INPUTS = {
    "P1-think-tags-then-answer", "P3-max_tokens", "P6-no-index", "P7-hermes", "P8-object",
    "P9-ids-change-within-a-call", "P10-unknown-tool", "P11-pair-split-over-two-chunks",
    "W4-slices-of-50", "W7-code-401-inside", "W9-one-object", "W11-usage-in-every-chunk", "W12-context-groq",
    "R1-to-another-origin-307",
}  # fmt: skip


def chosen() -> list[Input]:
    return [given for given in all_inputs() if given.id in INPUTS and given.wire == "chat"]


async def test_answers_of_providers_end_as_they_should(tmp_path: Path) -> None:
    found = await run(chosen(), tmp_path)
    assert {judged.input.id for judged in found} == INPUTS
    assert [line_of(judged) for judged in found if judged.verdict == "fails"] == []
