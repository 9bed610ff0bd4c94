"""The keys of the vault, in a file of their own: `vault.key` in DATA_DIR.

The file has one key a line, the newest first. With VAULT_LOCK the lines are encrypted by a key made of a passphrase: the file
is then JSON, and this process can read it once the passphrase was given.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from server.agent.logins import VaultLocked
from server.errors import BadRequest, Conflict, Explained, Unavailable
from server.fs import secret_file
from wording.catalogue import Wording, sentence

if TYPE_CHECKING:
    from cryptography.fernet import Fernet, MultiFernet

SCRYPT: Mapping[str, int] = {"n": 2**16, "r": 8, "p": 1}
"""64 MB and some 0.2 s for each guess."""
SCRYPT_MEMORY = 256 * 2**20
MIN_PASSPHRASE = 12
MAX_SCRYPT_N = 2**17


class KeyLost(VaultLocked):
    """The file is missing or holds no key: the person has to put it back."""

    def __init__(self, why: Wording) -> None:
        Explained.__init__(self, sentence("vault.key_lost", why=why))


class KeyRing:
    """Used in threads, one call at a time: each may read the file, and unlocking takes a moment."""

    def __init__(self, path: Path, *, wants_lock: bool) -> None:
        self._path = path
        self._wants_lock = wants_lock
        self._read_as = ""
        """The text of the file that `_keys` are from."""
        self._keys: list[bytes] = []
        self.wrapping: bytes | None = None
        """The key made of the passphrase, while the vault is unlocked."""

    @property
    def has_passphrase(self) -> bool:
        """Whether the file is wrapped now."""
        return _is_wrapped(self._text())

    @property
    def needs_passphrase(self) -> bool:
        """Whether the person has to give one before anything can be read or stored."""
        text = self._text()
        if not _is_wrapped(text):
            return self._wants_lock
        return self.wrapping is None or self._unwrapped(text, self.wrapping) is None

    def fernet(self) -> MultiFernet:
        """Raises VaultLocked, KeyLost."""
        from cryptography.fernet import MultiFernet

        return MultiFernet([_fernet(key) for key in self._current()])

    def ensure(self, *, has_logins: bool) -> None:
        """Make the file if there is none and nothing is stored that a former one could open. Raises as `fernet`."""
        if not self._text() and not self._wants_lock and not has_logins:
            try:
                secret_file.load_or_make(self._path, lambda: new_key().decode())
            except secret_file.SecretFileError as error:
                raise Unavailable(
                    sentence("keys.cannot_store", why=error.why), code="key_file_unusable"
                ) from None
        self._current()

    def unlock(self, passphrase: str, *, has_logins: bool) -> None:
        """With VAULT_LOCK the first passphrase wraps the file; without it a passphrase unwraps it for good.

        Raises BadRequest if it is not the passphrase, or is too short for a new one; Conflict where there is no lock; KeyLost.
        """
        text = self._text()
        if _is_wrapped(text):
            wrapping = self._wrapping(passphrase, text)
            if self._unwrapped(text, wrapping) is None:
                raise BadRequest(sentence("vault.wrong_passphrase"), code="wrong_passphrase")
            self.wrapping = wrapping
            if not self._wants_lock:
                self._write(self._current(), plain=True)
            return
        if not self._wants_lock:
            raise Conflict(sentence("vault.no_lock"), code="vault_has_no_lock")
        if len(passphrase) < MIN_PASSPHRASE:
            raise BadRequest(sentence("vault.short_passphrase", n=MIN_PASSPHRASE), code="short_passphrase")
        if not text and has_logins:
            raise KeyLost(sentence("keys.missing", file=str(self._path)))
        keys = self._plain_keys(text) if text else [new_key()]
        scrypt = new_scrypt()
        self.wrapping = wrapping_of(passphrase, scrypt)
        self._write(keys, scrypt)

    def lock(self) -> None:
        """Forget the keys. Raises Conflict where no passphrase could bring them back."""
        if not self.has_passphrase:
            raise Conflict(sentence("vault.no_lock"), code="vault_has_no_lock")
        self.forget()

    def forget(self) -> None:
        self.wrapping, self._keys, self._read_as = None, [], ""

    def adopt(self, wrapping: bytes) -> None:
        """Use what another process was given, if it opens the file."""
        text = self._text()
        if _is_wrapped(text) and self._unwrapped(text, wrapping):
            self.wrapping = wrapping

    def add_key(self) -> None:
        """Put a new key before the others: what is stored from now on has it, and all of them can be read."""
        self._write([new_key(), *self._current()])

    def drop_old_keys(self) -> None:
        """Call it when everything stored has the newest key."""
        self._write(self._current()[:1])

    def _current(self) -> list[bytes]:
        """The keys of the file as it is now: another process may have changed it."""
        text = self._text()
        if not text and not self._wants_lock:
            raise KeyLost(sentence("keys.missing", file=str(self._path)))
        if text != self._read_as or not self._keys:
            self._keys, self._read_as = self._read(text), text
        return self._keys

    def _text(self) -> str:
        try:
            return secret_file.load(self._path) or ""
        except secret_file.SecretFileError as error:
            raise KeyLost(error.why) from None

    def _read(self, text: str) -> list[bytes]:
        if _is_wrapped(text):
            keys = self._unwrapped(text, self.wrapping) if self.wrapping else None
            if keys is None:
                raise VaultLocked
            return keys
        if self._wants_lock:
            raise VaultLocked
        return self._plain_keys(text)

    def _plain_keys(self, text: str) -> list[bytes]:
        keys = text.encode().split()
        try:
            for key in keys:
                _fernet(key)
        except ValueError:
            raise KeyLost(sentence("keys.no_key", file=str(self._path))) from None
        return keys

    def _wrapping(self, passphrase: str, text: str) -> bytes:
        try:
            return wrapping_of(passphrase, json.loads(text)["scrypt"])
        except (ValueError, KeyError, TypeError):
            raise KeyLost(sentence("keys.no_key", file=str(self._path))) from None

    def _unwrapped(self, text: str, wrapping: bytes) -> list[bytes] | None:
        from cryptography.fernet import InvalidToken

        try:
            return _fernet(wrapping).decrypt(json.loads(text)["keys"].encode()).split()
        except InvalidToken:
            return None
        except (ValueError, KeyError, AttributeError):
            raise KeyLost(sentence("keys.no_key", file=str(self._path))) from None

    def _write(self, keys: list[bytes], scrypt: object = None, *, plain: bool = False) -> None:
        lines = b"\n".join(keys)
        if self.wrapping is None or plain:
            text = lines.decode()
        else:
            scrypt = scrypt or json.loads(self._read_as)["scrypt"]
            text = json.dumps({"scrypt": scrypt, "keys": _fernet(self.wrapping).encrypt(lines).decode()})
        try:
            secret_file.write(self._path, text + "\n")
        except OSError as error:
            why = sentence("keys.cannot_write", file=str(self._path), error=str(error.strerror))
            raise Unavailable(sentence("keys.cannot_store", why=why), code="key_file_unusable") from None
        self._keys, self._read_as = keys, text


def new_key() -> bytes:
    return base64.urlsafe_b64encode(secrets.token_bytes(32))


def _fernet(key: bytes) -> Fernet:
    """Raises ValueError."""
    from cryptography.fernet import Fernet  # 6 MB, of use where a login is stored

    return Fernet(key)


def _is_wrapped(text: str) -> bool:
    return text.startswith("{")


def new_scrypt() -> dict[str, str | int]:
    """What a key is made with, besides the passphrase."""
    return {"salt": secrets.token_hex(16), **SCRYPT}


def wrapping_of(passphrase: str, scrypt: Mapping[str, str | int]) -> bytes:
    """A Fernet key of the passphrase."""
    salt, n = bytes.fromhex(str(scrypt["salt"])), min(int(scrypt["n"]), MAX_SCRYPT_N)
    key = hashlib.scrypt(
        passphrase.encode(), salt=salt, n=n, r=int(scrypt["r"]), p=int(scrypt["p"]), maxmem=SCRYPT_MEMORY, dklen=32
    )  # fmt: skip
    return base64.urlsafe_b64encode(key)
