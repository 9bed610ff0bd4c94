"""Delays what libraries do when they are imported, to save memory and the time of a start.

The `__init__` of packages such as `openai.types` imports every class of an API, thousands of them, of which a
run uses a few dozen: about 60 MB and two thirds of the time that the imports take. The module of a re-exported name
is imported when the name is first used; PACKAGES and PARTS name what is delayed.

Libraries define some 600 pydantic models, of which a run uses a few dozen, too. Pydantic builds the validator and the
serializer of a model when it is first used instead of when its class is defined.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import resolve_name
from types import ModuleType
from typing import Any

PACKAGES = (
    "anthropic.lib",
    "anthropic.resources",
    "anthropic.types",
    "langchain_anthropic",
    "langchain_openai",
    "langgraph_sdk",
    "langsmith.types",
    "mcp",
    "openai.resources",
    "openai.types",
    "tiktoken",
)
"""With their subpackages. Only an `__init__` that does nothing but re-export is delayed; any other is imported as it
is, such as after an update of the library."""
PACKAGE_PARTS = {
    "anthropic": ("lib.aws", "lib.bedrock", "lib.foundry", "lib.google_cloud", "lib.vertex"),
    "charset_normalizer": ("api", "legacy", "models", "utils"),
    "langchain.agents.middleware": (
        "context_editing",
        "file_search",
        "human_in_the_loop",
        "model_call_limit",
        "model_fallback",
        "model_retry",
        "pii",
        "provider_tool_search",
        "shell_tool",
        "summarization",
        "todo",
        "tool_call_limit",
        "tool_emulator",
        "tool_error",
        "tool_retry",
        "tool_selection",
    ),
    "langgraph.prebuilt": ("chat_agent_executor", "tool_validator"),
    "mcp.server.fastmcp": ("server",),
}
"""Packages whose `__init__` does more: their modules whose names are delayed."""
MODULES_LEFT_OUT = ("httpx._main", "mako.ext.pygmentplugin")
"""Modules that are never imported, and that their library does without: httpx's command line and Mako's coloured
errors, which bring Rich and Pygments."""

MODELS = "pydantic.main"
"""The module of `BaseModel`."""

Source = tuple[str, str]
"""The module that a name comes from, and its name there."""


def delay_packages() -> None:
    """Install the finder; for the whole process, once."""
    if not any(isinstance(finder, LazyPackages) for finder in sys.meta_path):
        sys.meta_path.insert(0, LazyPackages())
        if MODELS in sys.modules:
            defer_models(sys.modules[MODELS])


def defer_models(module: Any) -> None:
    """Let the models that are defined from now on be built at their first use.

    The documented option `defer_build`, which classes inherit like the rest of their configuration: a model may set it
    back. Pydantic builds a model once, whichever thread uses it first.
    """
    module.BaseModel.model_config["defer_build"] = True


class LazyPackages(MetaPathFinder):
    def __init__(
        self, packages: Sequence[str] = PACKAGES, parts: Mapping[str, Sequence[str]] = PACKAGE_PARTS
    ) -> None:
        self._packages = packages
        self._parts = parts

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in MODULES_LEFT_OUT:
            raise ModuleNotFoundError(f"{fullname} is left out", name=fullname)
        if fullname == MODELS:
            spec = PathFinder.find_spec(fullname, path, target)
            if spec and isinstance(spec.loader, SourceFileLoader):
                spec.loader = DeferredModels(fullname, spec.loader.path)
            return spec
        is_whole = fullname not in self._parts and any(
            fullname == name or fullname.startswith(f"{name}.") for name in self._packages
        )
        if not is_whole and fullname not in self._parts:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec and spec.submodule_search_locations and isinstance(spec.loader, SourceFileLoader):
            tree = ast.parse(spec.loader.get_data(spec.loader.path))
            names, rest = split_exports(tree, fullname, self._parts.get(fullname))
            if names and not (is_whole and rest.body):
                spec.loader = LazyExports(fullname, spec.loader.path, names, rest)
        return spec


class DeferredModels(SourceFileLoader):
    """Loads the module of `BaseModel`, before any model is defined."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        defer_models(module)


class LazyExports(SourceFileLoader):
    """Loads a package without the modules that it re-exports `names` from; `rest` is what is left of its code."""

    def __init__(self, name: str, path: str, names: dict[str, Source], rest: ast.Module) -> None:
        super().__init__(name, path)
        self._names = names
        self._rest = rest

    def exec_module(self, module: ModuleType) -> None:
        names, package = self._names, module.__name__

        def load(name: str) -> object:
            if name not in names:
                raise AttributeError(f"module {package!r} has no attribute {name!r}")
            source, attribute = names[name]
            value = getattr(importlib.import_module(source), attribute)
            setattr(module, name, value)
            return value

        module.__dict__.update(__getattr__=load, __dir__=lambda: sorted({*module.__dict__, *names}))
        exec(compile(self._rest, self.path, "exec", dont_inherit=True), module.__dict__)


def split_exports(
    tree: ast.Module, package: str, parts: Sequence[str] | None
) -> tuple[dict[str, Source], ast.Module]:
    """Where the names come from whose import is delayed, and the code without these imports.

    With `parts` only names from these modules of the package are delayed; without, all of them, and what
    has no effect of its own (docstrings, `__all__`, versions) is left out of the code.
    """
    names: dict[str, Source] = {}
    rest: list[ast.stmt] = []
    for statement in tree.body:
        match statement:
            case ast.ImportFrom() if (source := _source(statement, package)) and (
                source in {f"{package}.{part}" for part in parts} if parts else statement.names[0].name != "*"
            ):
                for alias in statement.names:
                    names[alias.asname or alias.name] = (source, alias.name)
            case (
                ast.Expr(value=ast.Constant())
                | ast.ImportFrom(module="__future__")
                | ast.Assign(targets=[ast.Name(id="__all__" | "__version__")])
            ) if not parts:
                pass
            case _:
                rest.append(statement)
    names.pop("*", None)
    return names, ast.Module(rest, tree.type_ignores)


def _source(statement: ast.ImportFrom, package: str) -> str | None:
    """The module that is imported from, if it is in the same library."""
    source = statement.module or ""
    if statement.level:
        source = resolve_name("." * statement.level + source, package)
    return source if source.partition(".")[0] == package.partition(".")[0] else None
