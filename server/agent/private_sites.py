"""Private sites of a session, and of the browser profile that it may share with other sessions."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Iterable
from pathlib import Path

log = logging.getLogger(__name__)

SITES_FILE = "private_sites.json"
MAX_SITES = 500


class PrivateSites:
    """Sites where something private was seen, and how many bits other sites may have got of it since.

    Both are stored in two folders. `own` is the session's: the conversation repeats what was seen, also when
    there is no profile, or no longer. `profile` is the browser profile's, like the logins: they are copied, kept
    and removed with it. Only the browser creates that one. Without any folder they are kept in memory.
    """

    def __init__(self, profile: Path | None = None, own: Path | None = None) -> None:
        self._profile = profile
        self._own = own
        self._read_folders: set[Path] = set()
        self._sites: list[str] = []
        self._bits: dict[str, int] = {}

    @property
    def sites(self) -> list[str]:
        self._read()
        return list(self._sites)

    @property
    def bits(self) -> dict[str, int]:
        """Letters by owner of a site (`taint.owner_of`)."""
        self._read()
        return dict(self._bits)

    def add(self, sites: Iterable[str]) -> None:
        known = self.sites
        new = [site for site in dict.fromkeys(sites) if site and site not in known]
        if new:
            self._sites = [*known, *new][-MAX_SITES:]
            self._write()

    def count(self, owner: str, bits: int) -> None:
        """Add bits sent to this owner's sites; 0 resets the count."""
        before = self.bits.get(owner, 0)
        after = before + bits if bits else 0
        if after != before:
            self._bits = {**self._bits, owner: after}
            self._write()

    def forget(self) -> None:
        """Remove the session's own folder; the profile is removed by its owner."""
        if self._own is not None:
            shutil.rmtree(self._own, ignore_errors=True)

    def _read(self) -> None:
        for folder in (self._own, self._profile):
            if folder is not None and folder not in self._read_folders and folder.is_dir():
                self._read_folders.add(folder)
                self._read_from(folder)

    def _read_from(self, folder: Path) -> None:
        try:
            kept = json.loads((folder / SITES_FILE).read_text(encoding="utf-8"))
            self._sites = list(dict.fromkeys([*map(str, kept["sites"]), *self._sites]))
            counted = kept["bits"] if "bits" in kept else kept["letters"]  # as older versions counted
            bits = {str(owner): int(count) for owner, count in counted.items()}
            more = {owner: max(count, self._bits.get(owner, 0)) for owner, count in bits.items()}
            self._bits = {**self._bits, **more}
        except FileNotFoundError:
            pass
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            log.warning("private sites cannot be read: %s", error)

    def _write(self) -> None:
        try:
            if self._own is not None:
                self._own.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._write_into(self._own)
            if self._profile is not None and self._profile.is_dir():
                self._write_into(self._profile)
        except OSError as error:
            log.warning("private sites cannot be kept: %s", error)

    def _write_into(self, folder: Path) -> None:
        path = folder / SITES_FILE
        new = path.with_suffix(".new")
        new.write_text(json.dumps({"sites": self._sites, "bits": self._bits}), encoding="utf-8")
        new.replace(path)
