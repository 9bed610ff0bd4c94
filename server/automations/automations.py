"""The person's automations: made, changed, called, listed, exported and imported."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections import deque
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import islice
from urllib.parse import urlsplit

from server.automations.rules import DueTimes, RuleRefused, read_rule
from server.automations.scheduler import Scheduler
from server.clock import LocaleRefused, check_zone, elapsed
from server.database.models import AutomationRow, FiringRow
from server.errors import BadRequest, NotFound
from server.events import now
from server.ops.json_types import JsonObject
from server.results.rows import TABLES_BY
from server.store import Store
from server.store.automations import CALL_SECONDS, MAX_HOOK_CALLS, AutomationSummary, too_often
from wording.catalogue import sentence

MAX_AUTOMATIONS = 200
MAX_UPCOMING = 500
EXPORTED = (
    "name", "task", "agent", "model", "max_tool_steps", "start_url", "rule", "zone", "overlap", "missed", "patience",
    "session_mode", "keep", "budget", "ask_first", "only_changes", "only_first_model",
    "result_schema",
)  # fmt: skip
TIMED = frozenset({"rule", "zone", "enabled"})
"""Fields that the next due time depends on."""


class Automations:
    def __init__(
        self,
        store: Store,
        scheduler: Scheduler,
        *,
        clock: Callable[[], datetime] = now,
        steady: Callable[[], float] = elapsed,
    ) -> None:
        self._store = store
        self._scheduler = scheduler
        self._clock = clock
        self._steady = steady
        self._unknown: deque[float] = deque()
        """The times of calls that name no hook: as many are allowed as of one hook."""

    async def add(self, values: JsonObject) -> AutomationRow:
        """Raises BadRequest for a rule or an address that cannot be used, Conflict if there are too many."""
        if session_id := values.get("created_from"):
            await self._store.session(session_id)
            if values["session_mode"] == "same":
                values |= {"session_id": session_id}
        values = await self._with_time(values)
        row = await self._store.add_automation(MAX_AUTOMATIONS, **values)
        self._scheduler.wake()
        return row

    async def listed(self) -> list[AutomationSummary]:
        return await self._store.automations(self._clock())

    async def change(self, automation_id: str, values: JsonObject) -> AutomationRow:
        """Change the fields that are given. A new rule, zone or state sets the next due time again."""
        row = await self._store.automation(automation_id)
        if values.keys() & TIMED:
            present = {"rule": row.rule, "zone": row.zone, "enabled": row.enabled}
            values = await self._with_time(present | values)
        if "start_url" in values:
            _check_address(values["start_url"])
        if values.get("enabled") and not row.enabled:
            values |= {"failures": 0}
        _check_table(values.get("result_schema", row.result_schema), values.get("agent", row.agent))
        if any(values.get(name, known) != known for name, known in _compared(row).items()):
            values |= {"last_result": None}  # another task: there is nothing to compare with
        changed = await self._store.change_automation(automation_id, **values)
        self._scheduler.wake()
        return changed

    async def _with_time(self, values: JsonObject) -> JsonObject:
        _check_address(values.get("start_url"))
        _check_table(values.get("result_schema"), values.get("agent"))
        _check_zone(values["zone"])
        moment = self._clock()
        # Without a rule this checks the zone. In a thread, as every search for due times.
        read = await asyncio.to_thread(rule_of, values["rule"] or "FREQ=DAILY", values["zone"], moment)
        rule = read if values["rule"] else None
        next_at = await asyncio.to_thread(rule.next_after, moment) if rule else None
        if rule and next_at is None and values["enabled"]:
            raise BadRequest(sentence("rule.never_again"), code="rule_refused")
        return values | {
            "rule": rule.text if rule else None,
            "next_at": next_at if values["enabled"] else None,
            "paused_by": None if values["enabled"] else "person",
        }

    async def renew_hook(self, automation_id: str) -> str:
        """Make a secret for its webhook; a former one is not valid any more. It is returned this once."""
        secret = secrets.token_urlsafe(32)
        await self._store.change_automation(automation_id, hook=_hash(secret))
        return secret

    async def call(self, secret: str, data: str) -> FiringRow:
        """Begin an automation by its webhook. Raises NotFound, TooMany, or Conflict if it is paused."""
        hook = _hash(secret)
        try:
            row = await self._store.automation_by_hook(hook)
        except NotFound:
            self._count_unknown()
            raise
        return await self._scheduler.fire_now(row.id, "hook", data)

    def _count_unknown(self) -> None:
        """Raises TooMany."""
        moment, calls = self._steady(), self._unknown
        while calls and calls[0] <= moment - CALL_SECONDS:
            calls.popleft()
        if len(calls) >= MAX_HOOK_CALLS:
            raise too_often(calls[0] + CALL_SECONDS - moment)
        calls.append(moment)

    async def call_by_hand(self, automation_id: str) -> FiringRow:
        return await self._scheduler.fire_now(automation_id, "hand")

    async def preview(self, rule: str | None, zone: str, n: int) -> list[datetime]:
        """The next `n` due times. Raises BadRequest."""
        if not rule:
            return []
        moment = self._clock()
        _check_zone(zone)
        return await asyncio.to_thread(_coming, rule, zone, moment, timedelta(days=3660), n)

    async def upcoming(self, days: int) -> list[tuple[datetime, AutomationRow]]:
        """What is due in the next days, the soonest first, at most MAX_UPCOMING."""
        moment = self._clock()
        found: list[tuple[datetime, AutomationRow]] = []
        for listed in await self._store.automations(moment):
            row = listed.row
            if row.enabled and row.rule and row.next_at:
                ahead = timedelta(days=days)
                times = await asyncio.to_thread(_coming, row.rule, row.zone, moment, ahead, MAX_UPCOMING)
                found += [(time, row) for time in times]
        found.sort(key=lambda one: (one[0], one[1].id))
        return found[:MAX_UPCOMING]

    async def exported(self) -> JsonObject:
        """All automations as one JSON document: without secrets, sessions and logs."""
        rows = [listed.row for listed in await self._store.automations(self._clock())]
        return {
            "version": 1,
            "automations": [{name: getattr(row, name) for name in EXPORTED} for row in rows],
        }

    async def import_all(self, given: Sequence[JsonObject]) -> list[AutomationRow]:
        """Add automations of an export; they are paused. Raises BadRequest before it adds any."""
        ready = [await self._with_time(values | {"enabled": False}) for values in given]
        rows = [await self._store.add_automation(MAX_AUTOMATIONS, **values) for values in ready]
        self._scheduler.wake()
        return rows


def _coming(rule: str, zone: str, moment: datetime, ahead: timedelta, most: int) -> list[datetime]:
    """The next due times, at most so many. Raises BadRequest."""
    return list(islice(rule_of(rule, zone, moment).between(moment, moment + ahead), most))


def rule_of(text: str, zone: str, moment: datetime) -> DueTimes:
    """Raises BadRequest."""
    try:
        return read_rule(text, zone) if "DTSTART" in text.upper() else read_rule(text, zone, moment)
    except RuleRefused as refused:
        raise BadRequest(sentence("field.rule", why=refused.why), code="rule_refused") from None


def _compared(row: AutomationRow) -> JsonObject:
    """What the results of two runs have to have in common to be compared."""
    return {
        "task": row.task, "start_url": row.start_url, "result_schema": row.result_schema, "only_changes": row.only_changes,
    }  # fmt: skip


def _check_table(schema: JsonObject | None, agent: str | None) -> None:
    if schema and agent not in (None, "operator"):
        raise BadRequest(TABLES_BY, code="result_schema_unsupported")


def _check_zone(zone: str) -> None:
    try:
        check_zone(zone)
    except LocaleRefused as unknown:
        raise BadRequest(sentence("field.rule", why=unknown.why), code="rule_refused") from None


def _check_address(url: str | None) -> None:
    if url is None:
        return
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadRequest(sentence("automation.start_address"), code="address_refused")


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
