"""Write docs/settings.md, .env.example and the list in README.md from the fields of `Settings`.

    .venv/bin/python -m scripts.describe_settings [--check]

With `--check` nothing is written: a file that is not up to date is named and the exit code is 1.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from pydantic import AliasChoices
from pydantic.fields import FieldInfo

from scripts.shell import ROOT
from server.settings import SECTIONS, Settings

PAGE = """\
# Settings

Read once at start from the environment or `.env`. Lists are separated by commas; an empty value means "not set".
Some can be changed while the server runs, on the settings page; those changes are kept in the database and win.
"""

LIST = re.compile(r"(?<=<!-- all settings -->\n).*?(?=\n<!-- end -->)", re.DOTALL)

EXAMPLE = """\
# Copy to .env and change what you need. Everything here is optional on your own machine.
# docs/settings.md explains each name; an empty value means "not set".
# docker compose reads two names of its own from here: POSTGRES_PASSWORD (letters and digits), and PUBLISH, the address
# and port on which the page is published: 127.0.0.1:8000 unless it says otherwise, such as 0.0.0.0:8000.
"""


def main(*options: str, folder: Path = ROOT) -> int:
    readme = LIST.sub("\n".join(_list_lines()), (ROOT / "README.md").read_text())
    written = {"docs/settings.md": describe_page(), ".env.example": describe_example(), "README.md": readme}
    if "--check" not in options:
        for name, text in written.items():
            (folder / name).write_text(text)
        return 0
    stale = [name for name, text in written.items() if (folder / name).read_text() != text]
    for name in stale:
        print(f"{name} is not up to date; run: .venv/bin/python -m scripts.describe_settings")
    return 1 if stale else 0


def describe_page() -> str:
    return PAGE + "".join(_page_lines())


def describe_example() -> str:
    return EXAMPLE + "".join(_example_lines())


def _page_lines() -> Iterator[str]:
    for name, field in Settings.model_fields.items():
        if name in SECTIONS:
            title, introduction = SECTIONS[name]
            yield f"\n## {title}\n\n{introduction}\n\n| name | default | meaning |\n|---|---|---|\n"
        names = ", ".join(f"`{each.upper()}`" for each in names_of(name, field))
        default = f"`{shown}` " if (shown := default_of(field)) else ""
        yield f"| {names} | {default}| {field.description} |\n"


def _example_lines() -> Iterator[str]:
    for name, field in Settings.model_fields.items():
        if name in SECTIONS:
            yield f"\n# {SECTIONS[name][0]}\n"
        yield f"{name.upper()}={default_of(field)}\n"


def _list_lines() -> Iterator[str]:
    """The names of each section, in one paragraph."""
    paragraph = ""
    for name, field in Settings.model_fields.items():
        if name in SECTIONS:
            if paragraph:
                yield f"{paragraph}.\n"
            paragraph = f"{SECTIONS[name][0]}:"
        else:
            paragraph += ","
        paragraph += "".join(f" `{each.upper()}`" for each in names_of(name, field))
    yield f"{paragraph}."


def names_of(name: str, field: FieldInfo) -> list[str]:
    """The names that the environment may use for a field."""
    alias = field.validation_alias
    return [str(choice) for choice in alias.choices] if isinstance(alias, AliasChoices) else [name]


def default_of(field: FieldInfo) -> str:
    """The default as it is written in an environment file; "" if the setting is unset."""
    value = field.default
    if isinstance(value, tuple):
        return ",".join(value)
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
