"""Check that unit tests notice small changes to the code that keeps effects and addresses in check.

    .venv/bin/python scripts/mutate.py server/agent/gate/taint.py             # every mutation of one file
    .venv/bin/python scripts/mutate.py --list                            # the files, and the tests that each is held to
    .venv/bin/python scripts/mutate.py --most 20 --seconds 60 FILE ...   # 20 mutations of each file, spread evenly
    .venv/bin/python scripts/mutate.py FILE --lines 44 203               # those of two lines

A file's tests are collected once and run once without a mutation, to record which test reaches which statement. Each
mutation is then made in the memory of a forked process, which runs the tests that reach the changed statement, the
fastest first, until one fails. Nothing is written to the checkout. A mutation outside of a function (a constant, a
default) is made while the file is imported, in a process of its own, with all of the file's tests: it takes longer.

What the tests do not notice is printed as a survivor: a test is missing, or the change makes no difference. A test
that takes longer than `--hangs-after` has noticed it: the change makes something wait for ever. A mutation whose tests do
not end within the limit is printed as unfinished: there are many of them, or the machine is too busy.
Exits with 1 if there are survivors. Needs fork, so it runs on Linux and macOS only.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import functools
import gc
import multiprocessing
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from importlib import import_module
from importlib.machinery import SourceFileLoader
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic
from types import CodeType, FunctionType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
LEXICON = "server.agent.policy.lexicon"
POLICY = "tests/unit/test_policy*.py tests/unit/test_gate*.py"
RUNS = (
    "tests/unit/test_run_endings.py tests/unit/test_execution*.py tests/unit/test_messages.py tests/unit/test_decisions.py "
    "tests/unit/test_recovery.py tests/unit/test_clocks.py tests/unit/test_queue_for_browsers.py tests/unit/test_run_lease.py "
    "tests/unit/test_acts_need_a_lease.py tests/unit/test_budget_guard.py tests/unit/test_queued_messages.py "
    "tests/unit/test_continuing.py"
)
WHOLE_RUNS = (
    f"{RUNS} tests/unit/test_executor.py tests/unit/test_ask_first.py tests/unit/test_titles.py tests/unit/test_private_pages.py "
    "tests/unit/test_operator_working_state.py tests/unit/test_live_view.py tests/unit/test_pictures_and_files.py "
    "tests/unit/test_transcript.py tests/unit/test_operator_limits.py"
)
TESTS = {
    "server/agent/gate/gate.py": "tests/unit/test_gate*.py tests/unit/test_operator_consent.py",
    "server/agent/effects.py": "tests/unit/test_effects.py",
    "server/agent/gate/approval.py": "tests/unit/test_points.py tests/unit/test_approval.py tests/unit/test_by_hand.py tests/unit/test_gate*.py tests/unit/test_operator_consent.py",
    "server/agent/gate/taint.py": "tests/unit/test_taint.py tests/unit/test_operator_evil.py tests/unit/test_assistant_gate.py",
    "server/agent/private_sites.py": "tests/unit/test_taint.py tests/unit/test_private_pages.py",
    "server/agent/gate/subjects.py": "tests/unit/test_gate*.py tests/unit/test_policy_unnamed.py tests/unit/test_points.py",
    "server/agent/gate/keys.py": "tests/unit/test_gate*.py",
    "server/agent/gate/rulings.py": "tests/unit/test_rulings.py",
    "server/agent/gate/grantable.py": "tests/unit/test_gate*.py tests/unit/test_grants.py",
    "server/grants/coverage.py": "tests/unit/test_grants.py tests/unit/test_stored_forms.py",
    "server/agent/operator/ask/consent.py": "tests/unit/test_operator_consent.py tests/unit/test_grants.py tests/unit/test_points.py tests/unit/test_captcha.py tests/unit/test_clocks.py tests/unit/test_operator_evil.py tests/unit/test_operator_graph.py tests/unit/test_operator_batch.py",
    "server/agent/operator/act/limits.py": "tests/unit/test_operator_limits.py",
    "server/agent/assistant/limits.py": "tests/unit/test_assistant.py",
    "server/agent/operator/memory/batch.py": "tests/unit/test_operator_batch.py",
    "server/agent/operator/see/observing.py": "tests/unit/test_operator_*.py tests/unit/test_observer.py tests/unit/test_captcha.py tests/unit/test_points.py tests/unit/test_taint.py",
    **{
        f"server/agent/policy/{name}.py": POLICY
        for name in (
            "__init__",
            "buttons",
            "clicks",
            "fields",
            "keys",
            "page_context",
            "address",
            "labels",
            "money",
            "names",
            "sentence",
            "text",
            "verdict",
        )
    },
    "server/agent/policy/points.py": f"{POLICY} tests/unit/test_points.py",
    "server/api/browser.py": "tests/unit/test_by_hand.py",
    "server/browser/chromium/egress.py": "tests/unit/test_egress.py",
    "server/browser/chromium/reach.py": "tests/unit/test_reach.py tests/unit/test_egress.py",
    "server/browser/addresses.py": "tests/unit/test_addresses.py",
    "server/runs/executor.py": f"{WHOLE_RUNS} tests/unit/test_executions_in_turn.py tests/unit/test_shared_runs.py",
    "server/runs/execution.py": "tests/unit/test_execution.py tests/unit/test_run_lease.py",
    "server/runs/recorder.py": f"{WHOLE_RUNS} tests/unit/test_shared_runs.py tests/unit/test_executions_in_turn.py tests/unit/test_announcements.py",
    "server/extras/cluster/sharing.py": "tests/unit/test_shared_runs.py tests/real/test_leases.py",
    "server/store/owners.py": "tests/unit/test_installation.py tests/unit/test_executions_in_turn.py tests/unit/test_run_lease.py tests/real/test_leases.py",
    "server/store/processes.py": "tests/unit/test_shared_runs.py tests/real/test_leases.py tests/real/test_wishes.py",
    "server/store/runs.py": f"{RUNS} tests/unit/test_transcript.py tests/unit/test_ask_first.py tests/unit/test_executor.py tests/unit/test_shared_runs.py tests/unit/test_only_changes.py tests/real/test_store.py tests/real/test_leases.py tests/real/test_lost_commits.py",
}
SWAPS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
FORK = multiprocessing.get_context("fork")

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
MARK = "_mutate_reached"
HANGS_AFTER = 60.0
"""Seconds for one test, unless `--hangs-after` says otherwise."""

Function = tuple[str, int]
"""Qualified name and first line, as a code object has them."""


@dataclass(frozen=True)
class Mutation:
    line: int
    words: str
    tree: ast.Module
    """The whole changed module."""
    statement: int | None
    """Line of the statement that a test has to reach to notice the change; None outside of functions."""


def variants(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What a node may be changed to, each with words for it."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in SWAPS:
            yield "comparison", ast.Compare(node.left, [SWAPS[type(op)]()], node.comparators)
        case ast.BoolOp(op=ast.And()):
            yield "and -> or", ast.BoolOp(ast.Or(), node.values)
        case ast.BoolOp(op=ast.Or()):
            yield "or -> and", ast.BoolOp(ast.And(), node.values)
        case ast.UnaryOp(op=ast.Not()):
            yield "not dropped", node.operand
        case ast.Constant(value=bool() as value):
            yield f"{value} -> {not value}", ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield f"{value} -> {value + 1}", ast.Constant(value + 1)
        case ast.If():
            yield "branch never taken", ast.If(ast.Constant(False), node.body, node.orelse)
        case ast.BinOp(op=ast.Add()):
            yield "+ -> -", ast.BinOp(node.left, ast.Sub(), node.right)


def nodes(tree: ast.AST, statement: int | None = None) -> Iterator[tuple[ast.AST, int | None]]:
    """Every node that may be changed, with the line of the innermost statement of a function that it is part of.

    Left out: annotations, decorators, assertions, and what is logged.
    """
    yield tree, statement
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        is_inside = statement is not None or (name == "body" and isinstance(tree, FUNCTION))
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.Assert) and not is_logging(child):
                yield from nodes(
                    child, child.lineno if is_inside and isinstance(child, ast.stmt) else statement
                )


def is_logging(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="log")))):
            return True
    return False


def mutations(source: str) -> Iterator[Mutation]:
    tree = ast.parse(source)
    for at, (node, statement) in enumerate(nodes(tree)):
        for words, _ in variants(node):
            copy = deepcopy(tree)
            target = next(other for number, (other, _) in enumerate(nodes(copy)) if number == at)
            changed = next(new for name, new in variants(target) if name == words)
            _Replace(target, ast.copy_location(changed, target)).visit(copy)
            copy = ast.fix_missing_locations(copy)
            reached = node.body[0].lineno if isinstance(node, ast.If) and statement else statement
            yield Mutation(getattr(node, "lineno", 0), words, copy, reached)


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self._new if node is self._old else self.generic_visit(node)


class _Marked(ast.NodeTransformer):
    """Lets each statement of a function pass its line to `MARK` before it runs."""

    def __init__(self) -> None:
        self._depth = 0

    def generic_visit(self, node: ast.AST) -> ast.AST:
        self._depth += isinstance(node, FUNCTION)
        super().generic_visit(node)
        for name, value in ast.iter_fields(node):
            if self._depth and isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(node, name, [part for each in value for part in (self._mark(each), each)])
        self._depth -= isinstance(node, FUNCTION)
        return node

    def _mark(self, statement: ast.stmt) -> ast.stmt:
        call = ast.Call(ast.Name(MARK, ast.Load()), [ast.Constant(statement.lineno)], [])
        return ast.copy_location(ast.Expr(call), statement)


def codes(code: CodeType) -> Iterator[tuple[Function, CodeType]]:
    """Every code object within one."""
    yield (code.co_qualname, code.co_firstlineno), code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from codes(inner)


def mutate_in_memory(path: str, tree: ast.Module) -> None:
    """Give the functions that were made from a file the code of a changed module; forget cached results.

    The results of the lexicon are kept: they take seconds to compute, and the lexicon uses none of the listed files.
    """
    changed = dict(codes(compile(tree, path, "exec", dont_inherit=True)))
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename == path:
            code = changed.get((thing.__code__.co_qualname, thing.__code__.co_firstlineno))
            if code is not None:
                thing.__code__ = code
        elif isinstance(thing, functools._lru_cache_wrapper) and not thing.__module__.startswith(LEXICON):
            thing.cache_clear()


def mutate_on_import(path: str, tree: ast.Module) -> None:
    """Let this process import a changed module in place of the file."""
    loaders: Any = SourceFileLoader  # its method is replaced
    get_code = loaders.get_code

    def changed(loader: SourceFileLoader, fullname: str) -> CodeType | None:
        if loader.path == path:
            return compile(tree, path, "exec", dont_inherit=True)
        code: CodeType | None = get_code(loader, fullname)
        return code

    loaders.get_code = changed


class Trial:
    """A pytest plugin: in place of a run of the collected tests, one run for each mutation."""

    def __init__(self, path: str, tried: list[Mutation], seconds: float, tell: Callable[[Any], None]) -> None:
        self.path, self.tried, self.seconds, self.tell = path, tried, seconds, tell

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        from server.agent.policy import warm_up

        import_module(
            ".".join(Path(self.path).relative_to(ROOT).with_suffix("").parts)
        )  # some are imported late
        warm_up()  # once, for all forked processes; not on top, as mutations on import need a fresh import
        gc.unfreeze()  # `mutate_in_memory` has to find every function
        receive, send = FORK.Pipe(duplex=False)
        process = FORK.Process(target=self._record, args=(session, send))
        process.start()
        send.close()
        try:
            reached, took = receive.recv()
        except EOFError:
            self.tell(None)
            return True
        process.join()
        for mutation in self.tried:
            items = [
                item
                for item in sorted(session.items, key=lambda item: took[item.nodeid])
                if mutation.statement in reached[item.nodeid]
            ]
            self.tell(
                (mutation.line, mutation.words, outcome_of(self._run, self.seconds, session, items, mutation))
            )
        return True

    def _record(self, session: pytest.Session, send: Connection) -> None:
        """Return which statements of the file each test reaches, by line, and the seconds it takes."""
        silence()
        reached: dict[str, set[int]] = defaultdict(set)
        took = {}
        tree = _Marked().visit(ast.parse(Path(self.path).read_text(encoding="utf-8")))
        mutate_in_memory(self.path, ast.fix_missing_locations(tree))
        for item, after in zip(session.items, [*session.items[1:], None], strict=True):
            setattr(builtins, MARK, reached[item.nodeid].add)
            began = monotonic()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            took[item.nodeid] = monotonic() - began
        if not session.testsfailed:
            send.send((dict(reached), took))
        os._exit(0)

    def _run(self, session: pytest.Session, items: list[pytest.Item], mutation: Mutation) -> None:
        silence()
        mutate_in_memory(self.path, mutation.tree)
        for item, after in zip(items, [*items[1:], None], strict=False):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            if session.testsfailed:
                os._exit(1)
        os._exit(0)


def silence() -> None:
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)


def outcome_of(run: Callable[..., None], seconds: float, *args: Any) -> str:
    """Of tests in a forked process: "noticed" if they fail, "unfinished" if they do not end in time, or "survived"."""
    process = FORK.Process(target=run, args=args)
    process.start()
    process.join(seconds)
    if process.exitcode is None:
        process.kill()
        process.join()
        return "unfinished"
    return "noticed" if process.exitcode else "survived"


def run_pytest(tests: str, hangs_after: float, folder: str, *plugins: object) -> int:
    paths = [str(path.relative_to(ROOT)) for name in tests.split() for path in sorted(ROOT.glob(name))]
    options = [
        "-q",
        "-x",
        "-s",
        "-n0",
        "--tb=no",
        f"--timeout={hangs_after}",
        "-p",
        "no:cacheprovider",
        f"--basetemp={folder}/pytest",
    ]
    return int(pytest.main([*options, *paths], plugins=plugins))


def check(
    name: str, tests: str, lines: Collection[int], most: int, seconds: float, hangs_after: float, folder: str
) -> int:
    """Try the mutations of one file; returns the number of survivors, after printing them."""
    path = str(ROOT / name)
    found = list(mutations(Path(path).read_text(encoding="utf-8")))
    found = [mutation for mutation in found if not lines or mutation.line in lines]
    tried = found[:: max(1, len(found) // most)][:most] if most else found
    began, survived, count = monotonic(), 0, 0

    def report(line: int, words: str, outcome: str) -> None:
        nonlocal survived, count
        count += 1
        survived += outcome == "survived"
        if outcome != "noticed":
            print(f"{outcome}: {name}:{line}: {words}", flush=True)
        if count % 20 == 0:
            print(f"{name}: {count} of {len(tried)} after {monotonic() - began:.0f} s", flush=True)

    receive, send = FORK.Pipe(duplex=False)

    def in_functions() -> None:
        silence()
        inner = [mutation for mutation in tried if mutation.statement is not None]
        run_pytest(tests, hangs_after, folder, Trial(path, inner, seconds, send.send))

    process = FORK.Process(target=in_functions)
    process.start()
    send.close()
    with suppress(EOFError):
        while result := receive.recv():
            report(*result)
        sys.exit(f"{name}: its tests fail without a mutation")
    process.join()

    def outside(mutation: Mutation) -> None:
        silence()
        mutate_on_import(path, mutation.tree)
        os._exit(run_pytest(tests, hangs_after, folder))

    for mutation in tried:
        if mutation.statement is None:
            report(mutation.line, mutation.words, outcome_of(outside, seconds, mutation))
    if count != len(tried):
        sys.exit(f"{name}: its tests were not collected")
    print(f"{name}: {count} of {len(found)} mutations tried, {survived} survived", flush=True)
    return survived


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", help="of the list; all of them when none is named")
    parser.add_argument("--list", action="store_true", help="print the files and their tests")
    parser.add_argument(
        "--lines", type=int, nargs="*", default=(), metavar="LINE", help="mutations of these lines only"
    )
    parser.add_argument("--tests", help="in place of the files' own tests")
    parser.add_argument("--most", type=int, default=0, help="mutations of each file; 0 for all")
    parser.add_argument(
        "--seconds", type=float, default=120, help="limit of one run; one that takes longer is unfinished"
    )
    parser.add_argument(
        "--hangs-after", type=float, default=HANGS_AFTER, help="seconds after which a test counts as failed"
    )
    chosen = parser.parse_args()
    if chosen.list:
        print("\n".join(f"{name}: {tests}" for name, tests in TESTS.items()))
        return 0
    os.chdir(ROOT)
    os.nice(3)
    with tempfile.TemporaryDirectory() as folder:
        names = chosen.files or TESTS
        survivors = sum(
            check(
                name,
                chosen.tests or TESTS[name],
                chosen.lines,
                chosen.most,
                chosen.seconds,
                chosen.hangs_after,
                folder,
            )
            for name in names
        )
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
