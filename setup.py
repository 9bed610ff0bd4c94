"""Puts the program's packages inside the one that a wheel installs, with what the server needs besides them.

Everything else is in pyproject.toml. The files keep their paths, below `server/bundle`: see server/ops/program_files.py.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py
from setuptools.errors import SetupError

BUNDLED = {
    "alembic.ini": "alembic.ini",
    "migrations": "migrations/env.py",
    "node_modules": "node_modules/@playwright/mcp/cli.js",
    "web/dist": "web/dist/index.html",
}
"""Each file or folder, and the file that shows that it is complete."""
TOP = "pilothouse"
PROGRAM = ("server", "cli", "wording")
"""Folders of this checkout that are packages inside TOP in a wheel: see pilothouse/__init__.py."""
LEFT_OUT = shutil.ignore_patterns("__pycache__", ".bin", ".stamp", ".package-lock.json")


class BuildWithBundle(build_py):
    """An editable install stays a checkout and gets nothing."""

    def run(self) -> None:
        if self.editable_mode:
            return super().run()
        missing = [name for name, sign in BUNDLED.items() if not Path(sign).is_file()]
        if missing:
            raise SetupError(
                f"{' and '.join(missing)} would be missing in the wheel: build it with `make wheel`"
            )
        shutil.rmtree(self.build_lib, ignore_errors=True)  # what an earlier build left there
        super().run()
        for name in BUNDLED:
            self._add(Path(name))

    def _add(self, source: Path) -> None:
        target = Path(self.build_lib) / TOP / "server" / "bundle" / source
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=LEFT_OUT)
        else:
            shutil.copy(source, target)


setup(
    packages=[TOP, *(f"{TOP}.{name}" for name in find_packages(include=[f"{name}*" for name in PROGRAM]))],
    package_dir={f"{TOP}.{name}": name for name in PROGRAM},
    cmdclass={"build_py": BuildWithBundle},
)
