"""Private sites of a browser profile, shared by all agents and sessions that use it."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from pathlib import Path

log = logging.getLogger(__name__)

FILE = "private_sites.json"
MOST_SITES = 500


class PrivateSites:
    """Sites where something private was seen, and how many letters of unknown origin other sites got since.

    Both are stored in the profile's folder, like the logins: they are copied, kept and removed with it.
    Without a folder, and until the browser has created it, they are kept in memory. `makes_folder`: create
    it, because no browser does.
    """

    def __init__(self, profile: Path | None = None, *, makes_folder: bool = False) -> None:
        self._profile = profile
        self._makes_folder = makes_folder
        self._is_read = False
        self._sites: list[str] = []
        self._letters: dict[str, int] = {}

    @property
    def sites(self) -> list[str]:
        self._read()
        return list(self._sites)

    @property
    def letters(self) -> dict[str, int]:
        """Letters by owner of a site (`taint.owner_of`)."""
        self._read()
        return dict(self._letters)

    def add(self, sites: Iterable[str]) -> None:
        known = self.sites
        new = [site for site in dict.fromkeys(sites) if site and site not in known]
        if new:
            self._sites = [*known, *new][-MOST_SITES:]
            self._write()

    def count(self, owner: str, letters: int) -> None:
        """Add letters sent to this owner's sites; 0 resets the count."""
        before = self.letters.get(owner, 0)
        after = before + letters if letters else 0
        if after != before:
            self._letters = {**self._letters, owner: after}
            self._write()

    def _read(self) -> None:
        if self._is_read or self._profile is None or not self._profile.is_dir():
            return
        self._is_read = True
        try:
            kept = json.loads((self._profile / FILE).read_text(encoding="utf-8"))
            self._sites = list(dict.fromkeys([*map(str, kept["sites"]), *self._sites]))
            letters = {str(owner): int(count) for owner, count in kept["letters"].items()}
            self._letters = {**letters, **self._letters}
        except FileNotFoundError:
            pass
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            log.warning("private sites of the profile cannot be read: %s", error)

    def _write(self) -> None:
        if self._profile is None or not (self._makes_folder or self._profile.is_dir()):
            return
        path = self._profile / FILE
        try:
            if self._makes_folder:
                self._profile.mkdir(mode=0o700, parents=True, exist_ok=True)
            new = path.with_suffix(".new")
            new.write_text(json.dumps({"sites": self._sites, "letters": self._letters}), encoding="utf-8")
            new.replace(path)
        except OSError as error:
            log.warning("private sites of the profile cannot be kept: %s", error)
