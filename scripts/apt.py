"""Debian's packages, where we may install them without asking: as root, or by a sudo without password."""

from __future__ import annotations

import os
import shutil

from scripts.shell import SetupError, run, succeeds

_WAIT_FOR_LOCK = ("-o", "DPkg::Lock::Timeout=300")


def install(*packages: str) -> bool:
    """True when the packages are installed now; False when this machine or user does not allow it."""
    prefix = _privilege()
    if prefix is None:
        return False
    apt_get = (*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", *_WAIT_FOR_LOCK)
    try:
        run(*apt_get, "update", "-qq")
        run(*apt_get, "install", "-y", "-qq", "--no-install-recommends", *packages)
    except SetupError:
        return False
    return True


def _privilege() -> tuple[str, ...] | None:
    if not shutil.which("apt-get"):
        return None
    if os.geteuid() == 0:
        return ()
    return ("sudo", "-n") if shutil.which("sudo") and succeeds("sudo", "-n", "true") else None
