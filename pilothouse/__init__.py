"""The only package that a wheel installs. The program's own are inside of it there, and next to it in a checkout.

Importing it puts the folder that holds `server`, `cli` and `wording` first on sys.path: packages of these names that
something else has installed are not seen.
"""

from __future__ import annotations

import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
PACKAGES = str(_HERE if (_HERE / "server").is_dir() else _HERE.parent)

if sys.path[:1] != [PACKAGES]:
    sys.path.insert(0, PACKAGES)
