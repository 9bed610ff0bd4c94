"""The time zone and the language that pages see: those of the person, not the server's."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass

from server.browser.chromium.cdp import Cdp, CdpError
from server.ops.json_types import JsonObject
from server.settings import Settings


@dataclass(frozen=True, slots=True)
class Locality:
    """None: Chromium's own."""

    zone: str | None = None
    locale: str | None = None

    @classmethod
    def of(cls, settings: Settings) -> Locality:
        return cls(settings.time_zone, settings.locale)

    @property
    def languages(self) -> str:
        """`pt-BR,pt`: for `Accept-Language` and `navigator.languages`."""
        whole = self.locale or ""
        return ",".join(dict.fromkeys((whole, whole.partition("-")[0]))) if whole else ""

    @property
    def environment(self) -> dict[str, str]:
        """Of a Chromium that starts: so its pages, popups and workers of any kind begin with the zone."""
        return {"TZ": self.zone} if self.zone else {}

    @property
    def flags(self) -> list[str]:
        return [f"--accept-lang={self.languages}"] if self.locale else []

    async def emulate(self, cdp: Cdp, session: str, *, resumes: bool = False) -> None:
        """Show it to one page, frame or worker, and end what was shown there before; then let it start.

        All commands are on their way before the first is answered: a target that waits answers late.
        """
        locale: JsonObject = {"locale": self.locale} if self.locale else {}
        works = [
            cdp.send("Emulation.setTimezoneOverride", {"timezoneId": self.zone or ""}, session=session),
            cdp.send("Emulation.setLocaleOverride", locale, session=session),
            cdp.send(
                "Emulation.setUserAgentOverride",
                {"userAgent": "", "acceptLanguage": self.languages},
                session=session,
            ),
        ]
        if resumes:
            works.append(cdp.send("Runtime.runIfWaitingForDebugger", session=session))
        await asyncio.gather(*map(_done, works))


async def _done(work: Awaitable[object]) -> None:
    with suppress(CdpError):  # another page of its process shows it already, or it is gone
        await work


UNKNOWN_LOCALITY = Locality()
