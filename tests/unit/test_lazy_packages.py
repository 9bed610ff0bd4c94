"""Imports that are delayed inside library packages: less is imported, and every name is still there."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.ops.lazy_packages import PACKAGE_PARTS, PACKAGES, LazyPackages, delay_packages

HEAVY = {
    "server.agent.models.openai": ("openai.types.responses.response", "openai.types.evals", "openai.types.beta", "tiktoken.core"),
    "server.agent.models.anthropic": ("anthropic.resources", "anthropic.lib.vertex", "anthropic.resources.beta", "anthropic.types.beta.sessions.beta_managed_agents_session"),
    "server.browser.pool": ("rich", "mcp.server.lowlevel"),
    "server.agent.assistant.agent": ("mcp.server.fastmcp.server", "jsonschema", "langchain.agents.middleware.pii", "langgraph.prebuilt.chat_agent_executor"),
    "server.main": ("PIL.Image", "langgraph_sdk.client", "mcp.types", "openpyxl", "jinja2", "cryptography", "openai", "anthropic", "sqlalchemy.dialects.postgresql", "charset_normalizer.api", "prometheus_client"),
}  # fmt: skip
"""By module: what its import used to bring along."""


@pytest.mark.parametrize("module", HEAVY)
def test_an_import_does_not_bring_what_a_run_does_not_use(module: str) -> None:
    code = f"import sys, {module}; print(*(name for name in {HEAVY[module]!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == []


@pytest.mark.parametrize(
    "package", [name for name in [*PACKAGES, *PACKAGE_PARTS] if "." not in name or name.startswith("lang")]
)
def test_every_name_of_a_package_can_be_imported(package: str) -> None:
    module = importlib.import_module(package)

    assert [name for name in dir(module) if getattr(module, name, None) is None and name[0] != "_"] == []


def test_a_type_that_is_used_is_the_one_of_its_module() -> None:
    types = importlib.import_module("openai.types.chat")
    module = importlib.import_module("openai.types.chat.chat_completion")

    assert types.ChatCompletion is module.ChatCompletion
    with pytest.raises(AttributeError, match=r"openai\.types\.chat.*'NoSuchThing'"):
        _ = types.NoSuchThing


@pytest.mark.parametrize("first", ["server", "pydantic.main"])
def test_a_model_is_built_at_its_first_use(first: str) -> None:
    code = f"import {first}, server; from mcp.types import Tool; " + (
        "print(Tool.__pydantic_complete__, Tool(name='look', inputSchema={}).name, Tool.__pydantic_complete__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "look", "True"]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Path]:
    """The folder of a package that is delayed, and can be imported."""
    folder = tmp_path / "re_exporting"
    folder.mkdir()
    (folder / "part.py").write_text("NAME = 'from the part'\n")
    finder = LazyPackages(("re_exporting",), {})
    sys.path.insert(0, str(tmp_path))
    sys.meta_path.insert(0, finder)
    yield folder
    sys.meta_path.remove(finder)
    sys.path.remove(str(tmp_path))
    for name in [name for name in sys.modules if name.startswith("re_exporting")]:
        del sys.modules[name]


def test_a_package_that_only_re_exports_is_loaded_without_its_parts(library: Path) -> None:
    (library / "__init__.py").write_text(
        '"""Doc."""\nfrom .part import NAME as CALLED\n__all__ = ["CALLED"]\n'
    )

    package = importlib.import_module("re_exporting")

    assert "re_exporting.part" not in sys.modules
    assert "CALLED" in dir(package)
    assert package.CALLED == "from the part"


def test_a_package_that_does_more_is_imported_as_it_is(library: Path) -> None:
    (library / "__init__.py").write_text("from .part import NAME\nCOPY = NAME.upper()\n")

    package = importlib.import_module("re_exporting")

    assert package.COPY == "FROM THE PART"
    assert "NAME" in vars(package)


def test_the_finder_is_installed_once() -> None:
    delay_packages()

    assert sum(isinstance(finder, LazyPackages) for finder in sys.meta_path) == 1
