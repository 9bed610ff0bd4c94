"""The core stands without the additions in `server/extras`: it can be imported, and its API described."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.unit.test_floors import MODULES, ROOT

PROGRAMS_OF_EXTRAS = {"server.browser.host"}

WITHOUT_EXTRAS = """
import sys
from importlib import import_module


class NoExtras:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("server.extras"):
            raise ModuleNotFoundError(name)


sys.meta_path.insert(0, NoExtras())
for module in sys.argv[2:]:
    import_module(module)
from server.main import create_app
from server.settings import Settings

assert "/api/sessions" in create_app(Settings(_env_file=None, data_dir=sys.argv[1]), further=lambda _: []).openapi()["paths"]
"""


def test_the_core_can_be_imported_and_its_api_described_without_extras(tmp_path: Path) -> None:
    core = [name for name in MODULES if name.startswith("server") and "extras" not in name]
    assert len(core) > 300
    program = [
        sys.executable,
        "-c",
        WITHOUT_EXTRAS,
        str(tmp_path),
        *(name for name in core if name not in PROGRAMS_OF_EXTRAS),
    ]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
