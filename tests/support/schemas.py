"""What a migration changes, and a next migration that does not exist yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, create_engine, inspect, text

from server.database import HEAD

NEXT = f"{int(HEAD) + 1:04}"
NEXT_GENERATION = f"{int(HEAD[0]) + 1}{int(HEAD[1:]) + 1:03}"


@dataclass(frozen=True)
class Schema:
    """Of one database: by table its columns, and its rules by name, each with the columns it is about."""

    columns: dict[str, dict[str, tuple[str, bool, bool]]]
    """Type, whether it may be NULL, whether it has a default."""
    rules: dict[str, dict[str, tuple[str, ...]]]


def read_schema(db: Connection) -> Schema:
    found = inspect(db)
    columns, rules = {}, {}
    for table in found.get_table_names():
        columns[table] = {
            column["name"]: (str(column["type"]), column["nullable"], column["default"] is not None)
            for column in found.get_columns(table)
        }
        rules[table] = dict(_rules(found, table))
    return Schema(columns, rules)


def _rules(found: Any, table: str) -> list[tuple[str, tuple[str, ...]]]:
    unique = [one for one in found.get_indexes(table) if one["unique"]]
    return [
        *((f"unique {one['name']}", tuple(one["column_names"])) for one in unique),
        *((f"unique {one['name']}", tuple(one["column_names"])) for one in found.get_unique_constraints(table)),
        *((f"key {one['constrained_columns']}", tuple(one["constrained_columns"])) for one in found.get_foreign_keys(table)),
        *((f"check {one['name']} {one['sqltext']}", ()) for one in found.get_check_constraints(table)),
    ]  # fmt: skip


def what_is_not_added(before: Schema, after: Schema) -> list[str]:
    """Changes that a process made for the schema `before` may not survive; empty if everything is only added."""
    found = []
    for table, columns in before.columns.items():
        now = after.columns.get(table)
        if now is None:
            found.append(f"{table} is gone")
            continue
        for name, (kind, may_be_null, has_default) in columns.items():
            if name not in now:
                found.append(f"{table}.{name} is gone")
            elif now[name][0] != kind:
                found.append(f"{table}.{name} has another type")
            elif may_be_null and not now[name][1]:
                found.append(f"{table}.{name} must have a value now")
            elif has_default and not now[name][2]:
                found.append(f"{table}.{name} has no default any more")
        new = now.keys() - columns.keys()
        found += [
            f"{table}.{name} is left out by others"
            for name in sorted(new)
            if not (now[name][1] or now[name][2])
        ]
        added = after.rules[table].items() - before.rules[table].items()
        found += [f"{table}: {rule}" for rule, about in sorted(added) if not new & {*about}]
    return found


def migrate_further(url: str, version: str = NEXT) -> None:
    """What a later version may do to the schema, while this one uses it."""
    engine = create_engine(url)
    with engine.begin() as db:
        for table in ("sessions", "runs", "messages", "interrupts", "processes"):
            db.execute(text(f"ALTER TABLE {table} ADD COLUMN of_later TEXT"))
            db.execute(text(f"ALTER TABLE {table} ADD COLUMN counted INTEGER NOT NULL DEFAULT 3"))
        db.execute(text("CREATE TABLE of_later (id TEXT PRIMARY KEY)"))
        db.execute(text("UPDATE alembic_version SET version_num = :version"), {"version": version})
    engine.dispose()
