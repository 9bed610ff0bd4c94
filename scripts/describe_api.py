"""Writes the API's description, from which the web UI and the command line have their types: `npm --prefix web run types`."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scripts.shell import ROOT
from server.main import create_app
from server.settings import Settings

DESCRIPTION = ROOT / ".cache/openapi.json"


def describe() -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        settings = Settings(_env_file=None, agent_mode="mock", data_dir=Path(folder))  # type: ignore[call-arg]
        return create_app(settings).openapi()


if __name__ == "__main__":
    DESCRIPTION.parent.mkdir(exist_ok=True)
    DESCRIPTION.write_text(json.dumps(describe(), indent=1, ensure_ascii=False) + "\n")
