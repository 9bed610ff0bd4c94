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
    assert figures["broad except / kLOC"] == "111.11"
    assert figures["return types"] == "50.0 %"
    assert figures["... called once"] == "100.0 %"


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
