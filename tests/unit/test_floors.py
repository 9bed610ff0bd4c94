"""Imports go down only, on the floors that docs/architecture.md draws, and libraries stay in their folders."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from scripts.measure import constants_of

ROOT = Path(__file__).parents[2]

DRAWING = (ROOT / "docs/architecture.md").read_text().partition("```\n")[2].partition("```")[0]


def names_in(part: str) -> list[str]:
    """`store/*  agent/operator (why)` -> server.store, server.agent.operator"""
    names = re.findall(r"[\w/]+", re.sub(r"\(.*?\)", "", part))
    return [f"server.{name.rstrip('/').replace('/', '.')}" for name in names]


def read_floors() -> dict[str, int]:
    floors, floor = dict[str, int](), 0
    for line in DRAWING.splitlines():
        floor = int(line[0]) if line[0].isdigit() else floor
        floors |= dict.fromkeys(names_in(line[1:]), floor)
    return floors


FLOORS = read_floors()
COLUMNS = [line[1:].split("|") for line in DRAWING.splitlines() if "|" in line]
LEFT = tuple(name for left, _ in COLUMNS for name in names_in(left))
RIGHT = tuple(name for _, right in COLUMNS for name in names_in(right))
"""The two columns below the runs never import each other."""

ROOTS = ("server.__main__", "server.main", "server.runtime", "server.browser.host")
"""Where programs are put together. No other module of the core names an extra, wherever in it."""
EXTRAS = sorted(path.parent.name for path in (ROOT / "server/extras").glob("*/__init__.py"))

LIBRARIES: dict[str, tuple[str, ...]] = {
    "fastapi": (
        "server.main",
        "server.api",
        "server.http.startup",
        "server.extras.tools.routes",
        "server.extras.vault.routes",
    ),
    "starlette": (
        "server.main",
        "server.api",
        "server.auth",
        "server.http",
        "server.cluster",
        "server.extras.cluster",
        "server.extras.hosts",
        "server.extras.sample_site",
        "server.extras.tools.routes",
        "server.extras.vault.routes",
    ),
    "sse_starlette": ("server.api",),
    "uvicorn": (
        "server.__main__",
        "server.http.connection",
        "server.extras.hosts.program",
        "server.extras.sample_site",
    ),
    "sqlalchemy": (
        "server.store",
        "server.database",
        "server.checkpoints",
        "server.extras.cluster.jobs",
        "server.extras.move",
        "server.extras.vault.storage",
    ),
    "cryptography": ("server.fs.secret_box", "server.channels.push", "server.extras.vault"),
    "pyotp": ("server.extras.vault.codes",),
    "authlib": ("server.auth",),
    "joserfc": ("server.auth",),
    "redis": ("server.extras.cluster",),
    "pgqueuer": ("server.extras.cluster.jobs", "server.extras.cluster.pg_queue"),
    "alembic": ("server.database.migrate",),
    "langchain": ("server.agent", "server.runs.agents"),
    "langchain_core": (
        "server.agent",
        "server.runs.agents",
        "server.checkpoints",
        "server.runtime",
        "server.extras.demo",
        "server.extras.mock",
    ),
    "langchain_mcp_adapters": ("server.agent",),
    "langgraph": ("server.agent", "server.runs.agents", "server.checkpoints", "server.extras.move"),
    "mcp": ("server.browser", "server.extras.tools"),
    "markdownify": ("server.browser.reading",),
    "pypdf": ("server.browser.reading",),
    "mammoth": ("server.browser.reading",),
    "openpyxl": ("server.browser.reading", "server.results"),
    "charset_normalizer": ("server.browser.reading",),
    "publicsuffixlist": ("server.browser.sites",),
    "typer": ("cli",),
    "rich": ("cli",),
    "prompt_toolkit": ("cli",),
}


DEVTOOLS = (
    "server.browser.chromium", "server.browser.takeover", "server.browser.mcp.current_page",
    "server.browser.observation.page_script", "server.browser.observation.viewport_script",
    "server.browser.observation.point_script",
)  # fmt: skip
"""Where DevTools is spoken, and what runs there. The agent knows the interface `browser.browser` alone."""

OPEN_FOLDERS = (
    "server",
    "server.agent",
    "server.agent.operator",
    "server.browser",
    "server.extras",
    "server.http",
    "server.runs",
)
"""Folders whose files stand for themselves; any other folder is one unit."""
MAX_AT_THE_TOP = 12
REPEATED_CONSTANTS = {
    "MAX_SITE": "of a foreseen effect, and of a grant",
    "P": "type variables",
    "RULES": "of the prompt with a table, and of that without",
    "SAFE_METHODS": "of this server's requests, and of a page's",
    "T": "type variables",
    "VIEWPORT": "what Chromium is given, what an observation assumes, what the mock site is drawn for",
    "_NUMBER": "in a limit, and before a fact",
}
"""Names that several modules may give to a constant of their own, and where."""


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            yield node.module or ""


def floor_of(module: str) -> int:
    """The floor of the longest prefix that is named."""
    named = [name for name in FLOORS if module == name or module.startswith(name + ".")]
    assert named, f"{module} is on no floor: give it one in docs/architecture.md"
    return FLOORS[max(named, key=len)]


def is_in(module: str, places: tuple[str, ...]) -> bool:
    return any(module == place or module.startswith(place + ".") for place in places)


MODULES = {
    module_of(path): path
    for folder in ("server", "cli", "wording")
    for path in sorted((ROOT / folder).rglob("*.py"))
}


def test_every_name_in_the_drawing_is_a_module() -> None:
    assert not FLOORS.keys() - MODULES.keys()


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("server.")])
def test_imports_go_down_only(module: str) -> None:
    for imported in imports_of(MODULES[module]):
        if imported.startswith("server.") and not (module in ROOTS and is_in(imported, ("server.extras",))):
            assert floor_of(imported) <= floor_of(module), (
                f"{module} imports {imported}, which lives above it"
            )


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("server.")])
def test_only_the_roots_name_extras_and_no_extra_another(module: str) -> None:
    named = {used.split(".")[2] for used in uses_of(module) if used.startswith("server.extras.")}
    own = (
        {module.split(".")[2]}
        if module.startswith("server.extras.")
        else set(EXTRAS if module in ROOTS else ())
    )
    assert named <= own, f"{module} names {sorted(named - own)}"


@pytest.mark.parametrize("module", [name for name in MODULES if is_in(name, LEFT + RIGHT)])
def test_the_two_columns_do_not_know_each_other(module: str) -> None:
    foreign = RIGHT if is_in(module, LEFT) else LEFT
    assert not [imported for imported in imports_of(MODULES[module]) if is_in(imported, foreign)]


@pytest.mark.parametrize(
    "module", [name for name in MODULES if is_in(name, ("server.agent", "server.runs.agents"))]
)
def test_the_agent_knows_nothing_of_devtools(module: str) -> None:
    for imported in imports_of(MODULES[module]):
        assert not is_in(imported, DEVTOOLS), f"{module} imports {imported}"
        assert imported.partition(".")[0] not in ("playwright", "websockets"), f"{module} imports {imported}"


def test_the_modules_that_speak_devtools_are_all_named() -> None:
    speak = {name for name, path in MODULES.items() if "Runtime.evaluate" in path.read_text()}
    assert [name for name in speak if not is_in(name, DEVTOOLS)] == []


@pytest.mark.parametrize("module", MODULES)
def test_libraries_stay_in_their_folders(module: str) -> None:
    for imported in imports_of(MODULES[module]):
        folders = LIBRARIES.get(imported.partition(".")[0])
        assert folders is None or is_in(module, folders), f"{module} may not import {imported}"


def unit_of(module: str) -> str:
    """The folder that a module belongs to, or the module itself in an open folder."""
    parts = module.split(".")
    names = (".".join(parts[:end]) for end in range(1, len(parts) + 1))
    return next(name for name in names if name not in OPEN_FOLDERS)


def circle_in(graph: dict[str, set[str]]) -> list[str]:
    """Names that import each other in a circle; empty when there is none."""
    sorter = TopologicalSorter(graph)
    try:
        sorter.prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def uses_of(module: str) -> Iterator[str]:
    """The modules of `server` that this one imports, wherever in it."""
    for node in ast.walk(ast.parse(MODULES[module].read_text())):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in MODULES else node.module or ""


def test_no_module_and_no_folder_imports_itself_in_a_circle() -> None:
    modules = [name for name in MODULES if name.startswith("server.") and name not in OPEN_FOLDERS]
    uses = {name: {used for used in uses_of(name) if used in modules} - {name} for name in modules}
    for root in ROOTS:
        uses[root] = {used for used in uses[root] if not is_in(used, ("server.extras",))}
    assert circle_in(uses) == []
    units = dict[str, set[str]]()
    for name, used in uses.items():
        units.setdefault(unit_of(name), set()).update(map(unit_of, used))
    assert circle_in({unit: used - {unit} for unit, used in units.items()}) == []


def test_a_class_name_means_one_thing() -> None:
    found = Counter(
        node.name
        for name, path in MODULES.items()
        if name.startswith("server.")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in found.items() if count > 1] == []


def test_a_constant_name_means_one_thing() -> None:
    found = Counter(
        constant
        for name, path in MODULES.items()
        if name.startswith("server.")
        for constant in set(constants_of(ast.parse(path.read_text())))
    )
    repeated = {name for name, count in found.items() if count > 1}
    assert repeated - REPEATED_CONSTANTS.keys() == set(), "say with two words what it is, or import the one"
    assert REPEATED_CONSTANTS.keys() - repeated == set(), "no longer repeated: take it off the list"


def test_few_files_lie_at_the_top() -> None:
    assert len(list((ROOT / "server").glob("*.py"))) <= MAX_AT_THE_TOP


def imported_with(path: Path) -> Iterator[str]:
    """What runs when the file itself is imported: nothing inside functions, nothing for type checkers only."""
    nodes: list[ast.stmt] = list(ast.parse(path.read_text()).body)
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.If) and ast.unparse(node.test) != "TYPE_CHECKING":
            nodes += node.body + node.orelse


def test_what_not_every_start_needs_is_imported_when_it_is_needed() -> None:
    ours, others = ["server.main"], set[str]()
    for module in ours:
        for name in imported_with(MODULES[module]):
            if name not in MODULES:
                others.add(name.partition(".")[0])
            elif name not in ours:
                ours.append(name)
    assert "langgraph" in others, "it is looked at"
    assert not others & {"langchain", "alembic"}


def test_the_command_line_knows_only_the_protocol() -> None:
    for module, path in MODULES.items():
        if module.startswith("cli"):
            assert not [name for name in imports_of(path) if name.startswith("server")]
        if module.startswith("wording"):
            assert not [name for name in imports_of(path) if name.startswith(("server", "cli"))]
