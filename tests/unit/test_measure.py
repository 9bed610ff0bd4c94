"""The script that prints how the code is built."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.measure import main, measure

MODULE = """
class Door:
    def open(self) -> None:
        try:
            self._unlock()
        except Exception:
            pass

    def _unlock(self): ...
"""


def test_a_folder_with_one_file_has_all_figures(tmp_path: Path) -> None:
    (tmp_path / "door.py").write_text(MODULE)
    figures = measure(tmp_path)
    assert figures["files"] == "1"
    assert figures["file median / p90 / max"] == "9 / 9 / 9"
    assert figures["function median / p90 / max"] == "3 / 5 / 5"
    assert figures["... in one folder"] == f"0.0 % {tmp_path.name}"
    assert figures["broad except / kLOC"] == "111.11"
    assert figures["return types"] == "50.0 %"
    assert figures["... called once"] == "100.0 %"


SHELF = """
from typing import Any

JsonObject = dict[str, Any]
Update = JsonObject
LIMIT = 3


def read(rows: list[Update]) -> JsonObject:
    return {}


def is_large(rows: list[Update]) -> bool:
    return any(len(row) > LIMIT and row for row in rows if row) or not rows  # fmt: skip
"""


def test_names_that_stand_for_any_count_as_such(tmp_path: Path) -> None:
    (tmp_path / "shelf.py").write_text(SHELF)
    figures = measure(tmp_path)
    lines = SHELF.count("\n")
    assert figures["Any / kLOC"] == f"{1 / lines * 1000:.1f}"
    assert figures["... with its aliases"] == f"{5 / lines * 1000:.1f}"


def test_constants_and_complexity_are_counted(tmp_path: Path) -> None:
    (tmp_path / "shelf.py").write_text(SHELF)
    (tmp_path / "more.py").write_text(
        "LIMIT = 4\nOTHER = 5\n" + "def each(rows: list[int]) -> None:\n" + "    if rows: pass\n" * 10
    )
    figures = measure(tmp_path)
    assert figures["constants of one name"] == "1 of 2"
    assert figures["complexity > 10"] == "33.3 %"
    assert figures["function names of one word"] == "66.7 %"
    assert figures["fmt: skip"] == "1"


def test_a_folder_without_functions_or_lines_has_all_figures(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("")
    figures = measure(tmp_path)
    assert (figures["kLOC"], figures["function median / p90 / max"]) == ("0.0", "none")


def test_each_folder_is_a_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "door.py").write_text(MODULE)
    assert main(str(tmp_path), str(tmp_path)) == 0
    assert "kLOC                                   0.0            0.0" in capsys.readouterr().out


def test_help_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main("--help")
    assert ended.value.code == 0
    assert "[FOLDER ...]" in capsys.readouterr().out


def test_a_folder_without_python_files_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(str(tmp_path))
    assert ended.value.code == 2
    assert f"{tmp_path} is no folder with Python files" in capsys.readouterr().err


def test_the_folder_with_the_largest_share_of_complex_functions_is_named(tmp_path: Path) -> None:
    branches = "".join(f"    if x == {number}:\n        return {number}\n" for number in range(10))
    (tmp_path / "hard").mkdir()
    (tmp_path / "hard" / "door.py").write_text(f"def find(x):\n{branches}\n\ndef open(x): ...\n")
    (tmp_path / "door.py").write_text(MODULE)
    assert measure(tmp_path)["... in one folder"] == "50.0 % hard"
