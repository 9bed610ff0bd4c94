"""A login at an OpenID Connect provider: authorization code with state, nonce and PKCE."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel

from server.auth.trusted_header import is_person
from server.ops.json_types import JsonObject
from server.settings import Settings

if TYPE_CHECKING:
    from authlib.integrations.httpx_client import AsyncOAuth2Client
    from joserfc.jwk import KeySetSerialization

logger = logging.getLogger(__name__)

PROVIDER_SECONDS = 10.0
METADATA_SECONDS = 600.0
FLOW_SECONDS = 600
"""How long a person has for the login at the provider."""
ALGORITHMS = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
    "Ed25519",
)
"""Of signatures by a key of the provider's; never one by the client's secret, or none."""


class Flow(BaseModel):
    """One attempt, as it is kept in the browser until the provider sends it back."""

    state: str
    nonce: str
    verifier: str
    next: str


Failure = Literal["failed", "refused", "other_attempt", "not_you", "too_many"]


class NotLoggedIn(Exception):
    """The login page says why in words of its own, by `code`; the log has the details."""

    def __init__(self, code: Failure) -> None:
        super().__init__(code)
        self.code = code


@contextmanager
def failures_explained() -> Iterator[None]:
    """Turns what a provider can do wrong into NotLoggedIn; the log has the details."""
    from authlib.integrations.base_client import OAuthError
    from httpx2 import HTTPError
    from joserfc.errors import JoseError

    try:
        yield
    except (OAuthError, HTTPError, JoseError, ValueError, KeyError, TypeError, AttributeError) as error:
        logger.warning("the login by OIDC_ISSUER failed: %s: %s", type(error).__name__, error)
        raise NotLoggedIn("failed") from None


class OpenIdLogin:
    def __init__(self, settings: Settings) -> None:
        self._issuer = settings.oidc_issuer or ""
        self._client_id = settings.oidc_client_id or ""
        secret = settings.oidc_client_secret
        self._client_secret = secret.get_secret_value() if secret else ""
        self._users = settings.auth_users
        self._metadata: JsonObject = {}
        self._metadata_at = 0.0

    @property
    def host(self) -> str | None:
        """Of the provider; None if there is none."""
        return urlsplit(self._issuer).netloc or None

    async def begin(self, callback: str, next_path: str) -> tuple[str, Flow]:
        """The provider's page, and what `finish` needs. Raises NotLoggedIn."""
        flow = Flow(
            state=secrets.token_urlsafe(24), nonce=secrets.token_urlsafe(24), verifier=secrets.token_urlsafe(48),
            next=next_path,
        )  # fmt: skip
        with failures_explained():
            async with self._client(await self._read_metadata(), callback) as client:
                url, _ = client.create_authorization_url(
                    self._metadata["authorization_endpoint"], state=flow.state, nonce=flow.nonce,
                    code_verifier=flow.verifier,
                )  # fmt: skip
        return url, flow

    async def finish(self, flow: Flow, answer: Mapping[str, str], callback: str) -> str:
        """The person's name at the provider. `answer` is the query it sent the browser back with. Raises NotLoggedIn."""
        if not secrets.compare_digest(answer.get("state", "").encode(), flow.state.encode()):
            raise NotLoggedIn("other_attempt")
        if answer.get("iss", self._issuer) != self._issuer or "code" not in answer:
            logger.warning("OIDC_ISSUER sent no code: %.200r", answer.get("error", "none"))
            raise NotLoggedIn("refused")
        with failures_explained():
            metadata = await self._read_metadata()
            async with self._client(metadata, callback) as client:
                token = await client.fetch_token(
                    metadata["token_endpoint"], code=answer["code"], code_verifier=flow.verifier
                )
                keys = (
                    (await client.request("GET", metadata["jwks_uri"], withhold_token=True))
                    .raise_for_status()
                    .json()
                )
                claims = self._checked(token, keys, flow.nonce)
                if "email" not in claims and "userinfo_endpoint" in metadata:
                    more = (await client.get(metadata["userinfo_endpoint"])).raise_for_status().json()
                    claims |= more if more["sub"] == claims["sub"] else {}
        return self._person(claims)

    def _checked(self, token: JsonObject, keys: KeySetSerialization, nonce: str) -> JsonObject:
        """The claims of the id token. Raises JoseError or KeyError."""
        from authlib.oidc.core import CodeIDToken
        from joserfc import jwt
        from joserfc.jwk import KeySet

        offered = self._metadata.get("id_token_signing_alg_values_supported", ["RS256"])
        decoded = jwt.decode(
            token["id_token"],
            KeySet.import_key_set(keys),
            algorithms=[one for one in offered if one in ALGORITHMS],
        )
        expected = {
            "iss": {"essential": True, "value": self._issuer}, "aud": {"essential": True, "value": self._client_id},
        }  # fmt: skip
        given = {"nonce": nonce, "client_id": self._client_id, "access_token": token["access_token"]}
        claims = CodeIDToken(decoded.claims, decoded.header, expected, given)
        claims.validate(leeway=120)
        return dict(claims)

    def _person(self, claims: JsonObject) -> str:
        names = [str(claims["sub"])]
        if claims.get("email_verified") is True and "email" in claims:
            names.append(str(claims["email"]))
        for name in names:
            if is_person(name, self._users):
                return name
        logger.warning(
            "the provider of OIDC_ISSUER named %s, who is none of AUTH_USERS", " = ".join(map(repr, names))
        )
        raise NotLoggedIn("not_you")

    async def _read_metadata(self) -> JsonObject:
        if time.monotonic() > self._metadata_at + METADATA_SECONDS or not self._metadata:
            async with self._client({}, "") as client:
                address = f"{self._issuer.rstrip('/')}/.well-known/openid-configuration"
                found = (await client.request("GET", address, withhold_token=True)).raise_for_status().json()
            if found["issuer"] != self._issuer:
                raise ValueError(
                    f"the provider calls itself {found['issuer']!r:.200}, which is not OIDC_ISSUER"
                )
            self._metadata, self._metadata_at = found, time.monotonic()
        return self._metadata

    def _client(self, metadata: JsonObject, callback: str) -> AsyncOAuth2Client:
        from authlib.integrations.httpx_client import AsyncOAuth2Client  # 10 MB, of use at such a login only

        methods = metadata.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        basic = "client_secret_basic" in methods
        return AsyncOAuth2Client(
            self._client_id, self._client_secret, scope="openid email", redirect_uri=callback or None,
            token_endpoint_auth_method="client_secret_basic" if basic else "client_secret_post",
            code_challenge_method="S256", timeout=PROVIDER_SECONDS,
        )  # fmt: skip
