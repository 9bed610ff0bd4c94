"""Reads and changes what sessions' browsers have of their own. The password of a proxy is stored encrypted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from server.browser.browser import BrowserUnavailable
from server.browser.chromium.upstream import ProxyRefused, Upstream
from server.browser.surroundings import OwnSurroundings
from server.clock import LocaleRefused, check_locale, check_zone
from server.errors import BadRequest
from server.fs.secret_box import SecretBox, SecretLost
from server.ops.json_types import JsonObject
from server.store import Store
from wording.catalogue import sentence


@dataclass(frozen=True, slots=True)
class ProxyChange:
    """`password`: None keeps the one that is stored for this address and user."""

    address: str
    user: str = ""
    password: str | None = None


class StoredSurroundings:
    def __init__(self, store: Store, secrets: SecretBox) -> None:
        self._store = store
        self._secrets = secrets

    async def shown(self, session_id: str) -> JsonObject:
        """`{time_zone, locale, proxy: {address, user, has_password} or null}`. Raises NotFound."""
        row = await self._store.session(session_id)
        kept = row.surroundings
        proxy = kept.get("proxy")
        has_password = row.proxy_password is not None
        return {
            "time_zone": kept.get("time_zone"),
            "locale": kept.get("locale"),
            "proxy": {**proxy, "has_password": has_password} if proxy else None,
        }

    async def find(self, session_id: str) -> OwnSurroundings:
        """What its browser has. Raises BrowserUnavailable if the password cannot be decrypted."""
        row = await self._store.session(session_id)
        kept, proxy = row.surroundings, row.surroundings.get("proxy")
        if not proxy:
            return OwnSurroundings(kept.get("time_zone"), kept.get("locale"))
        try:
            password = (
                (await self._secrets.decrypt(row.proxy_password)).decode() if row.proxy_password else ""
            )
            upstream = Upstream.read(proxy["address"], proxy["user"], password)
        except (SecretLost, ProxyRefused) as lost:
            raise BrowserUnavailable(lost.why) from None
        return OwnSurroundings(kept.get("time_zone"), kept.get("locale"), upstream)

    async def change(
        self,
        session_id: str,
        places: Mapping[str, str | None],
        proxy: ProxyChange | None,
        *,
        sets_proxy: bool,
    ) -> None:
        """Change `time_zone` and `locale`, where they are given, and the proxy if it `sets_proxy`; None is the one of
        all sessions, or none. Raises BadRequest, NotFound, Unavailable."""
        row = await self._store.session(session_id)
        values: JsonObject = {**row.surroundings, **places}
        password = row.proxy_password
        for name, check in (("time_zone", check_zone), ("locale", check_locale)):
            if (value := places.get(name)) is not None:
                with _named(name):
                    check(value)
        if sets_proxy:
            shown = _shown(proxy) if proxy else None
            if proxy is None or proxy.password is not None or shown != row.surroundings.get("proxy"):
                word = proxy.password if proxy else None
                password = await self._secrets.encrypt(word.encode()) if word else None
            values["proxy"] = shown
        kept = {name: value for name, value in values.items() if value is not None}
        await self._store.change_session(session_id, surroundings=kept, proxy_password=password)


def _shown(proxy: ProxyChange) -> JsonObject:
    """What is stored of it but its password. Raises BadRequest."""
    with _named("proxy.address"):
        Upstream.read(proxy.address)
    with _named("proxy.user"):
        read = Upstream.read(proxy.address, proxy.user, proxy.password or "")
    return {"address": read.address, "user": read.user}


@contextmanager
def _named(field: str) -> Iterator[None]:
    """What is refused inside is a BadRequest that begins with the field's name: a form shows it there."""
    try:
        yield
    except (LocaleRefused, ProxyRefused) as refused:
        raise BadRequest(sentence("field.model", field=field, why=refused.why)) from None
