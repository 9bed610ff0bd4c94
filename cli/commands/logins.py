"""`/logins`, `/login` and `/vault`. What is secret is asked for at a masked prompt and is on no line of it."""

from __future__ import annotations

from cli.client import api_types as api
from cli.commands.syntax import Call
from cli.conversation import Conversation
from cli.screen import tables
from cli.words import t


async def show_logins(conversation: Conversation, call: Call) -> None:
    found: api.StoredLoginList = await conversation.client.call("GET", "/logins")
    conversation.screen.print(tables.LoginTable(found["items"]))


async def add_login(conversation: Conversation, call: Call) -> None:
    site = call.text("site")
    user = await conversation.ask(t("User name: "), is_secret=False)
    password = await conversation.ask(t("Password: "))
    totp = await conversation.ask(t("One-time codes, the otpauth: address or the secret (may be empty): "))
    body = {"hosts": site.split(","), "user": user, "password": password, "totp": totp}
    added: api.StoredLogin = await conversation.client.call("POST", "/logins", body)
    conversation.note(t("Kept for {site}.", site=added["site"]))


async def use_vault(conversation: Conversation, call: Call) -> None:
    what = call.text("what")
    if what == "log":
        log: api.VaultLog = await conversation.client.call("GET", "/vault/log?limit=30")
        conversation.screen.print(tables.VaultTable(log["items"]))
        return
    if what == "lock":
        await conversation.client.call("POST", "/vault/lock", {})
        conversation.note(t("The vault is locked."))
        return
    secret = await conversation.ask(t("Passphrase: "))
    await conversation.client.call("POST", "/vault/unlock", {"secret": secret})
    conversation.note(t("The vault is unlocked."))
