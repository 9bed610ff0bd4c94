"""Finds the files that belong to the program and are no Python packages: web UI, migrations, Node packages.

They keep their paths below PROGRAM_FILES: in a checkout its top folder, in a wheel the folder that `setup.py` adds.
"""

from __future__ import annotations

from pathlib import Path

_BUNDLE = Path(__file__).parents[1] / "bundle"

IS_WHEEL = _BUNDLE.is_dir()
PROGRAM_FILES = _BUNDLE if IS_WHEEL else Path(__file__).resolve().parents[2]
