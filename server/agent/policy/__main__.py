"""Judge JSON lines: `{id, lang, action, role, name, context, url}` in, `{id, verdict, reason}` out."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

from server.agent.policy import Subject, assess

_FACTS = {field.name for field in fields(Subject)}
_LISTS = {"form_fields", "siblings"}


def judge_lines(lines: Iterable[str]) -> Iterator[str]:
    """One line of JSON out for each line of JSON in, in order."""
    for line in lines:
        if line.strip():
            row = json.loads(line)
            judgement = assess(read_subject(row))
            answer = {
                "id": row.get("id"),
                "verdict": judgement.verdict,
                "reason": judgement.reason,
                "kind": judgement.kind,
            }
            yield json.dumps(answer, ensure_ascii=False)


def read_subject(row: dict[str, Any]) -> Subject:
    """The subject that a row describes; what it does not say keeps its default."""
    facts: dict[str, Any] = {
        key: tuple(value) if key in _LISTS else value
        for key, value in row.items()
        if key in _FACTS and value is not None
    }
    return Subject(**facts)


def main() -> None:
    """Read standard input to its end, answering line by line."""
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    for answer in judge_lines(sys.stdin):
        print(answer, flush=True)


if __name__ == "__main__":
    main()
