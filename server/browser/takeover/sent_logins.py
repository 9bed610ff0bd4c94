"""The login that the person has sent to a page during a takeover: in memory only, and for a short time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from pydantic import BaseModel, Field

from server.browser.login_form import LoginForm
from server.browser.sites import origin_host, site_of_host

SENT_LOGIN_SECONDS = 600.0

Typed = Annotated[str, Field(max_length=1000, repr=False)]


class SentLogin(BaseModel, frozen=True):
    """One step of a login may lack the user or the password, which is then empty."""

    form: LoginForm
    user: Typed
    password: Typed

    @property
    def host(self) -> str:
        return origin_host(self.form.url)


class SentLogins:
    """The last login of a takeover. `forget_later` calls its argument after `SENT_LOGIN_SECONDS`, and only for the newest
    call."""

    def __init__(self, forget_later: Callable[[Callable[[], None]], None]) -> None:
        self._forget_later = forget_later
        self._user: SentLogin | None = None
        self.login: SentLogin | None = None

    def note(self, sent: SentLogin) -> None:
        """A password that is sent alone belongs to the user name that was sent to that site before it."""
        if not sent.password:
            self._user = sent
        else:
            former = self._user
            if not sent.user and former and site_of_host(former.host) == site_of_host(sent.host):
                sent = sent.model_copy(update={"user": former.user})
            self.login = sent
        self._forget_later(self.forget)

    def forget(self) -> None:
        self._user = self.login = None
