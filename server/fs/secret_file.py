"""Files with mode 0600 that are written atomically."""

from __future__ import annotations

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
    """The secret, and whether it was created now. Raises SecretFileError."""
    if secret := load(path):
        return secret, False
    secret = make()
    try:
        write(path, secret + "\n")
    except OSError as error:
        raise SecretFileError(
            sentence("keys.cannot_write", file=str(path), error=str(error.strerror))
        ) from None
    return secret, True


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".part")
    unfinished.unlink(missing_ok=True)
    unfinished.touch(mode=0o600)
    unfinished.write_text(text)
    unfinished.replace(path)
