"""Debian's packages, for those who may install them: root, and people who have sudo."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from scripts.shell import SetupError, run, succeeds

_WAIT_FOR_LOCK = ("-o", "DPkg::Lock::Timeout=300")


def install(*packages: str) -> bool:
    """True when the packages are installed now; False when this machine or user does not allow it."""
    if not shutil.which("apt-get") or not _is_allowed(packages):
        return False
    sudo = () if os.geteuid() == 0 else ("sudo", "-n")
    apt_get = (*sudo, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", *_WAIT_FOR_LOCK)
    try:
        run(*apt_get, "update", "-qq")
        run(*apt_get, "install", "-y", "-qq", "--no-install-recommends", *packages)
    except SetupError:
        return False
    return True


def _is_allowed(packages: tuple[str, ...]) -> bool:
    if os.geteuid() == 0:
        return True
    if not shutil.which("sudo"):
        return False
    return succeeds("sudo", "-n", "true") or (sys.stdin.isatty() and _asks_for_password(packages))


def _asks_for_password(packages: tuple[str, ...]) -> bool:
    """Let sudo ask the person at the terminal. An empty answer or Ctrl-C means no."""
    prompt = f"\n  To install {' '.join(packages)}, the password of %p (empty: don't): "
    try:
        return subprocess.run(("sudo", "--validate", "--prompt", prompt)).returncode == 0
    except KeyboardInterrupt:
        return False
