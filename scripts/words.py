"""Refuse words in docstrings and comments that hide what the code does.

    .venv/bin/python -m scripts.words [FOLDER ...]        # default: all Python, and the comments of web/src

The glossary in docs/architecture.md has the words to use. Exits with 1 and names each place when one is found.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

from scripts.shell import ROOT

FOLDERS = ("pilothouse", "server", "cli", "wording", "scripts", "bench", "migrations", "tests", "web/src")
GENERATED = "schema.d.ts"

PLAIN = {
    r"tells?|told|telling": "publish, log, return, report, show, list",
    r"hears?( of)?|heard": "receive, read, be notified",
    r"is asked of|are asked of": "request, require",
    r"whoever|whatever becomes": "name the caller or the case",
    r"at hand": "current",
    r"by hand": "manually",
    r"nobody|somebody": "no client, another process, ...",
    r"beside": "next to, in addition to, in the background",
    r"meanwhile": "in the meantime, while ...",
    r"is over": "has ended",
    r"anew|in vain": "again, without success",
    r"goes? on": "continue, resume",
    r"(of|by) (ours|theirs)": "our, their",
    r"held against": "compared with",
}
"""Pattern -> what to write instead."""
ANY = re.compile(rf"(?i)\b({'|'.join(PLAIN)})\b")


def main(*folders: str) -> int:
    found = 0
    for path in sorted(path for folder in folders for path in (ROOT / folder).rglob("*")):
        for line, word, instead in _refused_in(path):
            place = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
            print(f"{place}:{line}: {word!r}; write: {instead}")
            found += 1
    return 1 if found else 0


def _refused_in(path: Path) -> Iterator[tuple[int, str, str]]:
    if "node_modules" in path.parts:
        return
    if path.suffix == ".py":
        yield from find_refused(path.read_text())
    elif path.suffix in (".ts", ".tsx") and path.name != GENERATED:
        yield from find_refused_script(path.read_text())


def find_refused(source: str) -> Iterator[tuple[int, str, str]]:
    """Line, refused word, and what to write instead, in Python."""
    if not ANY.search(source):
        return  # parsing is slow
    for line, text in (*_docstrings(source), *_comments(source)):
        yield from ((line, word, instead) for word, instead in _refused(text))


def find_refused_script(source: str) -> Iterator[tuple[int, str, str]]:
    """The same in TypeScript."""
    for comment in re.finditer(r"(?s:/\*.*?\*/)|(?<!\S)//.*", source):
        line = source.count("\n", 0, comment.start()) + 1
        yield from ((line, word, instead) for word, instead in _refused(comment[0]))


def _refused(text: str) -> Iterator[tuple[str, str]]:
    """Names in backticks are code and count for nothing."""
    words = re.sub(r"`[^`]*`", "", text)
    for pattern, instead in PLAIN.items():
        yield from ((match[0], instead) for match in re.finditer(rf"(?i)\b({pattern})\b", words))


def _docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Those of modules, classes, functions and attributes."""
    for node in ast.walk(ast.parse(source)):
        value = node.value if isinstance(node, ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value.lineno, value.value


def _comments(source: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


if __name__ == "__main__":
    sys.exit(main(*(sys.argv[1:] or FOLDERS)))
