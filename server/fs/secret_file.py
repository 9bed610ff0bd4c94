"""Files with mode 0600 that are written atomically."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable
from pathlib import Path

from server.errors import Explained
from wording.catalogue import sentence


class SecretFileError(Explained, ValueError):
    """The text names the file and the reason, in one line."""


def load(path: Path) -> str | None:
    """The secret; None if there is no file, or an empty one, left by a full disk. Raises SecretFileError."""
    try:
        return path.read_text().strip() or None
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or sentence("file.no_text")
        raise SecretFileError(sentence("keys.cannot_read", file=str(path), error=reason)) from None


def load_or_make(path: Path, make: Callable[[], str]) -> tuple[str, bool]:
    """The secret, and whether it was created now. Of processes that make one at the same time, all get the same.

    Raises SecretFileError.
    """
    if secret := load(path):
        return secret, False
    secret = make()
    try:
        unfinished = _written(path, secret + "\n", f".{secrets.token_hex(4)}.part")
        try:
            if not load(path):  # an empty one is in the way
                path.unlink(missing_ok=True)
            os.link(unfinished, path)
        except FileExistsError:
            return load(path) or secret, False
        finally:
            unfinished.unlink()
        _sync_folder(path.parent)
    except OSError as error:
        raise SecretFileError(
            sentence("keys.cannot_write", file=str(path), error=str(error.strerror))
        ) from None
    return secret, True


def write(path: Path, text: str) -> None:
    """On disk on return: what is encrypted with a key must not be there before it."""
    _written(path, text, ".part").replace(path)
    _sync_folder(path.parent)


def _written(path: Path, text: str, ending: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ending)
    unfinished.unlink(missing_ok=True)
    unfinished.touch(mode=0o600)
    with unfinished.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return unfinished


def _sync_folder(folder: Path) -> None:
    if sys.platform == "win32":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
