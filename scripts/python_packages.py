"""The Python side of the set-up: .venv and the pinned packages, by uv or pip."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import NamedTemporaryFile

from scripts import apt
from scripts.shell import ROOT, SetupError, run, succeeds
from scripts.stamp import fingerprint, is_current, mark

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
_ENSUREPIP = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"


def packages() -> str:
    """What the server needs."""
    _install("requirements.txt")
    _install_ourselves()
    return "requirements.txt in .venv"


def dev_packages() -> str:
    """What the server, the tests and the checks need: the first file is contained in the second."""
    _install("requirements-dev.txt", "requirements.txt")
    _install_ourselves()
    return "requirements-dev.txt in .venv"


def _install(requirements: str, *contained: str) -> None:
    if is_current(VENV / f".stamp-{requirements}", _print_of(requirements)):
        return
    _make_venv()
    _install_locked(requirements)
    for name in (requirements, *contained):
        mark(VENV / f".stamp-{name}", _print_of(name))


def _install_locked(requirements: str) -> None:
    """By uv where there is one, in half the time; otherwise by pip."""
    # The file is complete. Without --no-deps pip asks for the newest version of a package whose extra is needed, such
    # as google-auth[requests], and refuses it because only the pinned one has hashes.
    locked = ("--no-deps", "--require-hashes", "-r", requirements)
    uv = _find_uv(requirements)
    # Compiled at once, as pip does: what runs later may not be allowed to keep compiled modules.
    if uv is None or not succeeds(uv, "pip", "install", "--python", PYTHON, "--compile-bytecode", *locked):
        pip_install(*locked)


def _find_uv(requirements: str) -> str | None:
    """The system's uv, or the pinned one, which pip brings. None where pip asks a registry that uv would not ask."""
    told = subprocess.run(
        [PYTHON, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
    )
    if asks_another_registry(told.stdout):
        return None
    own = VENV / "bin" / "uv"
    if (found := shutil.which("uv")) is None and not own.exists():
        with NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(lines_of("uv", (ROOT / requirements).read_text(encoding="utf-8")))
            file.flush()
            succeeds(PYTHON, "-m", "pip", "install", "--no-deps", "--require-hashes", "-r", file.name)
    return found or (str(own) if own.exists() else None)


def asks_another_registry(pip_config: str) -> bool:
    """Whether pip's settings, as `pip config list` prints them, name an index instead of the public one."""
    return re.search(r"(?m)^\S*\.(index-url|no-index)=", pip_config) is not None


def lines_of(package: str, lock: str) -> str:
    """The version of a package and its hashes, as they are in a lock file."""
    found = re.search(rf"(?m)^{re.escape(package)}==.*\n(?:[ \t].*\n)*", lock)
    return found[0] if found else ""


def _install_ourselves() -> None:
    """The `pilothouse` command. Editable: what runs stays the code of this checkout."""
    stamp, project = VENV / ".stamp-pilothouse", _print_of("pyproject.toml")
    if not is_current(stamp, project):
        pip_install("--no-deps", "--editable", ".")
        mark(stamp, project)


def pip_install(*arguments: str | Path) -> None:
    run(PYTHON, "-m", "pip", "install", "--disable-pip-version-check", *arguments)


def _print_of(file: str) -> str:
    # The interpreter counts: after an upgrade of the system's Python the packages are not seen any more.
    return fingerprint([ROOT / file], note=str(PYTHON.resolve()))


def _make_venv() -> None:
    """A virtual environment with pip. Debian keeps ensurepip, which brings pip, in a package of its own."""
    if PYTHON.exists() and succeeds(PYTHON, "-m", "pip", "--version"):
        return
    # After an upgrade of the system the folder may have no working interpreter: it is cleared.
    create = (sys.executable, "-m", "venv", *(() if PYTHON.exists() else ("--clear",)))
    if succeeds(sys.executable, "-m", "ensurepip", "--version") or apt.install(_ENSUREPIP):
        run(*create, VENV)
    elif succeeds(sys.executable, "-m", "pip", "--version"):
        run(*create, "--without-pip", VENV)
        run(sys.executable, "-m", "pip", "--python", PYTHON, "install", "pip")
    else:
        raise SetupError(f"Python's ensurepip is missing. Run: sudo apt install {_ENSUREPIP}")
