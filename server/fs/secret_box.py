"""Encrypts what is stored in the database, with a key that is kept outside of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from server.errors import Unavailable
from server.fs import secret_file

if TYPE_CHECKING:
    from cryptography.fernet import Fernet


class SecretLost(Exception):
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
            raise Unavailable(f"Nothing can be stored encrypted: {lost}.", code="key_file_unusable") from None
        return fernet.encrypt(data)

    async def decrypt(self, ciphertext: bytes) -> bytes:
        """Raises SecretLost."""
        from cryptography.fernet import InvalidToken  # 6 MB, of use where a secret is stored

        fernet = await asyncio.to_thread(self._open, makes=False)
        try:
            return fernet.decrypt(ciphertext)
        except InvalidToken:
            raise SecretLost(f"{self._path} is not the file that it was stored with") from None

    def _open(self, *, makes: bool) -> Fernet:
        if self._fernet is None:
            from cryptography.fernet import Fernet

            try:
                if makes:
                    key = secret_file.load_or_make(self._path, lambda: Fernet.generate_key().decode())[0]
                else:
                    key = secret_file.load(self._path) or ""
            except secret_file.SecretFileError as error:
                raise SecretLost(str(error)) from None
            if not key:
                raise SecretLost(f"{self._path} is missing or empty")
            try:
                self._fernet = Fernet(key.encode())
            except ValueError:
                raise SecretLost(f"{self._path} does not hold a key") from None
        return self._fernet
