"""The login form around a field, as the page shows it at one moment, and the rules by which none is filled. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

LoginRule = Literal[
    "", "changed", "opaque", "no_login", "new_password", "several_passwords", "plain_field", "locked", "hidden",
    "foreign_frame", "foreign_form", "http", "not_kept", "unreachable",
]  # fmt: skip
"""Why a form is not filled; "" if it may be. `login_form.js` checks those up to `hidden`."""
LoginField = Literal["user", "password", "code"]


class LoginForm(BaseModel, frozen=True):
    refused: LoginRule = ""
    token: str = ""
    """Names this very form in this very document: a fill is for it or for none."""
    url: str = ""
    """Of the frame with the form."""
    origins: tuple[str, ...] = ()
    """Of that frame, and of those around it, the page's last."""
    sends: tuple[str, ...] = ()
    """Where the form and its buttons send it; empty where no element says so."""
    fields: tuple[LoginField, ...] = ()
    """Those that a fill would write."""


@dataclass(frozen=True, slots=True)
class FieldValues:
    """What is written, each only if the form has that field."""

    values: Mapping[LoginField, str]

    def __repr__(self) -> str:
        return f"FieldValues({', '.join(self.values)})"
