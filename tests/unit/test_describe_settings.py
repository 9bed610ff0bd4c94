"""The settings page and the example environment, which are written from the fields of `Settings`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scripts.describe_settings import main
from server.settings import Settings

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    assert main(folder=tmp_path) == 0
    return tmp_path


def test_every_setting_has_a_description_and_a_row(folder: Path) -> None:
    rows = re.findall(
        r"^\| `([A-Z_]+)`.* \| (.+) \|$", (folder / "docs/settings.md").read_text(), re.MULTILINE
    )
    assert [name.lower() for name, _ in rows] == list(Settings.model_fields)
    assert [name for name, meaning in rows if not meaning.endswith(".")] == []


def test_the_example_environment_names_every_setting_and_changes_none(folder: Path) -> None:
    example = folder / ".env.example"
    assert re.findall(r"^(\w+)=", example.read_text(), re.MULTILINE) == [
        name.upper() for name in Settings.model_fields
    ]
    assert Settings(_env_file=example) == Settings(_env_file=None)  # type: ignore[call-arg]


@pytest.mark.parametrize("name", ["docs/settings.md", ".env.example", "README.md"])
def test_a_file_that_is_not_up_to_date_is_named(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main("--check", folder=folder) == 0
    with (folder / name).open("a") as file:
        file.write("NEW=1\n")
    assert main("--check", folder=folder) == 1
    assert capsys.readouterr().out.startswith(f"{name} is not up to date")


def test_the_readme_names_every_setting_and_no_other() -> None:
    section = (ROOT / "README.md").read_text().partition("\n## Settings\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"`([A-Z_]{4,})`", section))
    assert named - {"GEMINI_API_KEY"} == {name.upper() for name in Settings.model_fields}


def test_an_empty_name_of_a_setting_does_not_hide_its_other_name(tmp_path: Path) -> None:
    env = tmp_path / ".env"
    env.write_text("GOOGLE_API_KEY=\nGEMINI_API_KEY=x\nPORT=\n")
    settings = Settings(_env_file=env)  # type: ignore[call-arg]
    assert settings.google_api_key
    assert settings.google_api_key.get_secret_value() == "x"
    assert settings.port == 8000
