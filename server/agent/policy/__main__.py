"""Judge JSON lines: `{id, lang, action, role, name, context, url}` in, `{id, verdict, reason, kind}` out.

An invalid line gets the verdict `ask` and an `error` that describes the problem.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields

from pydantic import TypeAdapter, ValidationError

from server.agent.policy import Subject, assess
from server.agent.policy.verdict import ask

SUBJECT = TypeAdapter(Subject)
_FACTS = {field.name for field in fields(Subject)}


def judge_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield one line of JSON for each input line, in order. Empty lines are skipped."""
    return (json.dumps(judge_line(line)) for line in lines if line.strip())


def judge_line(line: str) -> dict[str, object]:
    row: object = None
    try:
        row = json.loads(line)
        judgement, wrong = assess(read_subject(row)), {}
    except (ValueError, RecursionError) as error:
        judgement, wrong = ask("unknown_submit"), {"error": _words_of(error)}
    return {
        "id": row.get("id") if isinstance(row, dict) else None,
        "verdict": judgement.verdict,
        "reason": judgement.reason,
        "kind": judgement.kind,
        **wrong,
    }


def read_subject(row: object) -> Subject:
    """The subject that a row describes, with defaults for missing keys. Raises ValueError if invalid."""
    if not isinstance(row, dict):
        raise ValueError("the line is no JSON object")
    facts = {name: _whole(it) for name, it in row.items() if name in _FACTS and it is not None}
    return SUBJECT.validate_python(facts)


def _whole(value: object) -> object:
    """Replace lone surrogates, as left by text cut in the middle of a character."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _words_of(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    return "; ".join(f"{item['loc'][0]}: {item['msg']}" for item in error.errors())


def main() -> None:
    """Read standard input to its end and print one result per line."""
    sys.stdin.reconfigure(encoding="utf-8-sig", errors="replace")  # type: ignore[union-attr]
    for answer in judge_lines(sys.stdin):
        print(answer, flush=True)


if __name__ == "__main__":
    main()
