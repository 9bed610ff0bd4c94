"""The pinned packages of the browser-use server, which `uvx` installs in an environment of their own."""

from pathlib import Path

BROWSER_USE_PACKAGE = "browser-use[cli]==0.13.14"
BROWSER_USE_PACKAGES = Path(__file__).parent / "browser_use_packages.txt"
"""One exact version of each package in that environment (`make lock`)."""
IN_BROWSER_USE = ("--constraints", str(BROWSER_USE_PACKAGES), "--from", BROWSER_USE_PACKAGE)
"""Arguments of `uvx` for a program in that environment."""
