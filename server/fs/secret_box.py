"""Encrypts what is stored in the database, with a key that is kept outside of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from server.errors import Explained, Unavailable
from server.fs import secret_file
from wording.catalogue import sentence

if TYPE_CHECKING:
    from cryptography.fernet import Fernet


class SecretLost(Explained):
    """A ciphertext cannot be decrypted; the text says why, with the file's path."""


class SecretBox:
    """The key file is made when something is first encrypted, and never replaced while it has content."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fernet: Fernet | None = None

    async def encrypt(self, data: bytes) -> bytes:
        """Raises Unavailable if the key file cannot be used."""
        try:
            fernet = await asyncio.to_thread(self._open, makes=True)
        except SecretLost as lost:
            raise Unavailable(sentence("keys.cannot_store", why=lost.why), code="key_file_unusable") from None
        return fernet.encrypt(data)

    async def decrypt(self, ciphertext: bytes) -> bytes:
        """Raises SecretLost."""
        from cryptography.fernet import InvalidToken  # 6 MB, of use where a secret is stored

        fernet = await asyncio.to_thread(self._open, makes=False)
        try:
            return fernet.decrypt(ciphertext)
        except InvalidToken:
            raise SecretLost(sentence("keys.other_file", file=str(self._path))) from None

    def _open(self, *, makes: bool) -> Fernet:
        if self._fernet is None:
            from cryptography.fernet import Fernet

            try:
                if makes:
                    key = secret_file.load_or_make(self._path, lambda: Fernet.generate_key().decode())[0]
                else:
                    key = secret_file.load(self._path) or ""
            except secret_file.SecretFileError as error:
                raise SecretLost(error.why) from None
            if not key:
                raise SecretLost(sentence("keys.missing", file=str(self._path)))
            try:
                self._fernet = Fernet(key.encode())
            except ValueError:
                raise SecretLost(sentence("keys.no_key", file=str(self._path))) from None
        return self._fernet
