"""Print how the Python code is built: sizes, nesting, types, names.

    .venv/bin/python -m scripts.measure [FOLDER ...]      # default: server cli

Definitions: a function's length counts its lines with its docstring; `nest` is the depth of compound statements within
one function; a broad except is bare, `Exception` or `BaseException`. `called once` counts private functions whose name
is found at exactly one place of their file in addition to their definition; overrides that only a library calls are
found at none. An alias of `Any` is a name at the top of a module whose value contains `Any` or another alias, such as
`JsonObject`. Complexity is one and one more for each branch, condition, handler, loop and case.
"""

from __future__ import annotations

import argparse
import ast
import re
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from scripts.shell import ROOT

Function = ast.FunctionDef | ast.AsyncFunctionDef
NESTING = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.Match)
BRANCHES = (
    ast.If,
    ast.IfExp,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.match_case,
    ast.comprehension,
)
LONG, DEEP, COMPLEX = 50, 3, 10


def main(*arguments: str) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", default=["server", "cli"], metavar="FOLDER")
    folders: list[str] = parser.parse_args(arguments).folders
    for folder in folders:
        if not any((ROOT / folder).rglob("*.py")):
            parser.error(f"{folder} is no folder with Python files")
    columns = [measure(ROOT / folder) for folder in folders]
    width = max(len(name) for name in columns[0])
    print(f"{'':{width}}", *(f"{folder:>14}" for folder in folders))
    for name in columns[0]:
        print(f"{name:{width}}", *(f"{column[name]:>14}" for column in columns))
    return 0


def measure(folder: Path) -> dict[str, str]:
    """One column: the name of a figure -> its value."""
    sources = {path: path.read_text() for path in sorted(folder.rglob("*.py"))}
    trees = {path: ast.parse(source) for path, source in sources.items()}
    sizes = [source.count("\n") for source in sources.values()]
    lines = sum(sizes)
    nodes = [node for tree in trees.values() for node in ast.walk(tree)]
    functions = [node for node in nodes if isinstance(node, Function)]
    lengths = [(node.end_lineno or node.lineno) - node.lineno + 1 for node in functions]
    classes = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    private = [node.name for node in functions if re.match(r"_[^_]", node.name)]
    once = sum(_called_once(sources[path], tree) for path, tree in trees.items())
    names = {node.name for node in functions}
    constants = Counter(name for tree in trees.values() for name in set(constants_of(tree)))
    aliases = _aliases_of_any(trees.values())
    annotated = sum(node.returns is not None for node in functions)
    handlers = [node for node in nodes if isinstance(node, ast.ExceptHandler)]
    return {
        "files": f"{len(sizes)}",
        "kLOC": f"{lines / 1000:.1f}",
        "files at the top": f"{len(list(folder.glob('*.py')))}",
        "file median / p90 / max": f"{_spread(sizes)}",
        "function median / p90 / max": f"{_spread(lengths)}",
        f"functions > {LONG} lines": _share(sum(length > LONG for length in lengths), len(lengths)),
        f"complexity > {COMPLEX}": _share(
            sum(_complexity(node) > COMPLEX for node in functions), len(functions)
        ),
        "... in one folder": _worst_folder(trees),
        f"nest > {DEEP}": _share(sum(_depth(node) > DEEP for node in functions), len(functions)),
        "broad except / kLOC": f"{sum(map(_is_broad, handlers)) / max(lines, 1) * 1000:.2f}",
        "return types": _share(annotated, len(functions)),
        "Any / kLOC": f"{sum(_is_any(node) for node in nodes) / max(lines, 1) * 1000:.1f}",
        "... with its aliases": f"{sum(_is_any(node, aliases) for node in nodes) / max(lines, 1) * 1000:.1f}",
        "imports in functions": f"{sum(1 for node in functions for _ in _imports(node))}",
        "private functions": _share(len(private), len(functions)),
        "... called once": _share(once, len(private)),
        "function names of one word": _share(sum("_" not in name.strip("_") for name in names), len(names)),
        "class names used twice": f"{sum(count > 1 for count in classes.values())} of {len(classes)}",
        "constants of one name": f"{sum(count > 1 for count in constants.values())} of {len(constants)}",
        "fmt: skip": f"{sum(source.count('# fmt: skip') for source in sources.values())}",
    }


def _spread(numbers: list[int]) -> str:
    if not numbers:
        return "none"
    largest = max(numbers)
    ninth_tenth = statistics.quantiles(numbers, n=10, method="inclusive")[-1] if len(numbers) > 1 else largest
    return f"{statistics.median(numbers):.0f} / {ninth_tenth:.0f} / {largest}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.1f} %"


def _depth(function: ast.AST) -> int:
    def deepest(node: ast.AST, depth: int) -> int:
        below = [deepest(child, depth + isinstance(child, NESTING)) for child in _inner(node)]
        return max([depth, *below])

    return deepest(function, 0)


def _worst_folder(trees: Mapping[Path, ast.Module]) -> str:
    """The largest share of complex functions that a folder has in its own files, and the folder."""
    counts = defaultdict[Path, list[bool]](list)
    for path, tree in trees.items():
        functions = (node for node in ast.walk(tree) if isinstance(node, Function))
        counts[path.parent] += [_complexity(node) > COMPLEX for node in functions]
    shares = {folder: sum(found) / len(found) for folder, found in counts.items() if found}
    if not shares:
        return "none"
    worst = max(shares, key=lambda folder: shares[folder])
    return f"{100 * shares[worst]:.1f} % {worst.name}"


def _inner(node: ast.AST) -> Iterator[ast.AST]:
    """The children, without nested functions and classes; an `elif` counts as its `if`."""
    for child in ast.iter_child_nodes(node):
        is_elif = isinstance(node, ast.If) and isinstance(child, ast.If) and child in node.orelse
        if is_elif:
            yield from _inner(child)
        elif not isinstance(child, (*Function.__args__, ast.ClassDef, ast.Lambda)):
            yield child


def _is_broad(handler: ast.ExceptHandler) -> bool:
    caught = handler.type
    return caught is None or (isinstance(caught, ast.Name) and caught.id in ("Exception", "BaseException"))


def _is_any(node: ast.AST, names: frozenset[str] = frozenset({"Any"})) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names


def _aliases_of_any(trees: Iterable[ast.Module]) -> frozenset[str]:
    """`Any` and all names that stand for it, or for a type that contains it."""
    given = [
        (target.id, node.value)
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and isinstance(node.value, ast.Subscript | ast.BinOp | ast.Name)
    ]
    found = frozenset({"Any"})
    while True:
        more = {name for name, value in given if any(_is_any(node, found) for node in ast.walk(value))}
        if more <= found:
            return found
        found |= more


def constants_of(tree: ast.Module) -> Iterator[str]:
    """The names of the constants at the top of a module, type variables included."""
    for node in tree.body:
        targets = (
            node.targets
            if isinstance(node, ast.Assign)
            else [node.target]
            if isinstance(node, ast.AnnAssign)
            else []
        )
        for target in targets:
            yield from (one.id for one in ast.walk(target) if isinstance(one, ast.Name) and one.id.isupper())


def _called_once(source: str, tree: ast.Module) -> int:
    mentions = Counter(re.findall(r"\b_[a-z]\w*\b", source))
    functions = (node for node in ast.walk(tree) if isinstance(node, Function))
    return sum(mentions[node.name] == 2 for node in functions if re.match(r"_[^_]", node.name))


def _complexity(function: Function) -> int:
    """Nested functions count as functions of their own."""
    total, left = 1, [*ast.iter_child_nodes(function)]
    while left:
        node = left.pop()
        total += isinstance(node, BRANCHES) + (len(node.values) - 1 if isinstance(node, ast.BoolOp) else 0)
        left += [child for child in ast.iter_child_nodes(node) if not isinstance(child, Function)]
    return total


def _imports(function: Function) -> Iterator[ast.AST]:
    return (node for node in ast.walk(function) if isinstance(node, ast.Import | ast.ImportFrom))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
