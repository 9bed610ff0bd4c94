"""All inputs, a module for each group of kinds."""

from __future__ import annotations

from bench.wire.asked import Input
from bench.wire.inputs import call_pieces, calls_in_text, ends, failures, halves, sent, thoughts

MODULES = (thoughts, calls_in_text, call_pieces, sent, ends, failures, halves)


def all_inputs() -> list[Input]:
    """Raises AssertionError if two have one name."""
    found = [given for module in MODULES for given in module.inputs()]
    names = [given.model for given in found]
    assert len(names) == len(set(names)), sorted(name for name in names if names.count(name) > 1)
    return found
