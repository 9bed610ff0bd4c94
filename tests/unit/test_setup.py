"""The set-up does what is missing, once, and says what it cannot do; the checks count honestly."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from scripts import check, setup
from scripts.programs import setting
from scripts.python_packages import asks_another_registry, lines_of
from scripts.shell import ROOT, SetupError, run
from scripts.stamp import fingerprint, is_current, mark


class TestStamp:
    def test_changes_with_a_files_content_name_and_absence(self, tmp_path: Path) -> None:
        source = tmp_path / "src" / "a.ts"
        source.parent.mkdir()
        source.write_text("1")
        seen = [fingerprint([tmp_path / "src"])]
        source.write_text("2")
        seen.append(fingerprint([tmp_path / "src"]))
        source.rename(source.with_name("b.ts"))
        seen.append(fingerprint([tmp_path / "src"]))
        (tmp_path / "src" / "b.ts").unlink()
        seen.append(fingerprint([tmp_path / "src"]))
        assert len(set(seen)) == 4

    def test_does_not_depend_on_where_the_checkout_is(self, tmp_path: Path) -> None:
        for name in ("one", "two"):
            (tmp_path / name / "src").mkdir(parents=True)
            (tmp_path / name / "src" / "a.ts").write_text("1")
        assert fingerprint([tmp_path / "one" / "src"]) == fingerprint([tmp_path / "two" / "src"])

    def test_is_current_only_for_the_value_it_was_marked_with(self, tmp_path: Path) -> None:
        stamp = tmp_path / ".stamp"
        assert not is_current(stamp, "a")
        mark(stamp, "a")
        assert is_current(stamp, "a")
        assert not is_current(stamp, "b")


class TestSteps:
    def test_a_failed_step_is_told_and_the_later_ones_are_still_taken(self) -> None:
        taken = []

        def first() -> str:
            return "there"

        def broken() -> str:
            raise SetupError("Install it.")

        def last() -> str:
            taken.append("last")
            return "there"

        assert setup.take_all([first, broken, last]) == ["broken: Install it."]
        assert taken == ["last"]

    def test_nothing_is_tried_without_the_packages_that_come_first(self) -> None:
        def packages() -> str:
            raise SetupError("No pip.")

        def never() -> str:
            raise AssertionError("taken")

        assert setup.take_all([packages, never]) == ["packages: No pip."]

    def test_a_program_that_fails_is_told_with_its_last_words(self) -> None:
        with pytest.raises(SetupError, match=r"(?s)failed \(3\).*the reason"):
            run(sys.executable, "-c", "print('the reason'); raise SystemExit(3)")

    def test_a_program_that_is_not_there_is_told(self, tmp_path: Path) -> None:
        with pytest.raises(SetupError, match="cannot be started"):
            run(tmp_path / "missing")

    def test_settings_are_read_from_the_environment_before_the_file(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        env_file = tmp_path / ".env"
        env_file.write_text('# BROWSER_MCP=other\nBROWSER_MCP="browser-use"\n')
        monkeypatch.delenv("BROWSER_MCP", raising=False)
        assert setting("BROWSER_MCP", env_file) == "browser-use"
        monkeypatch.setenv("BROWSER_MCP", "playwright")
        assert setting("BROWSER_MCP", env_file) == "playwright"
        assert setting("BROWSER_EXECUTABLE", env_file) is None


class TestPythonPackages:
    @pytest.mark.parametrize(
        ("config", "is_another"),
        [
            ("", False),
            ("global.cert='/ca.crt'\nglobal.extra-index-url='file:///more'\n", False),
            ("global.index-url='https://mirror.example/simple'\n", True),
            ("global.cert='/ca.crt'\n:env:.index-url='https://mirror.example/simple'\n", True),
            ("install.no-index='true'\n", True),
        ],
    )
    def test_pip_installs_where_it_is_told_of_a_registry(self, config: str, is_another: bool) -> None:
        assert asks_another_registry(config) is is_another

    @pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
    def test_uv_is_brought_in_its_pinned_version_with_its_hashes(self, name: str) -> None:
        first, *hashes = lines_of("uv", (ROOT / name).read_text()).splitlines()
        assert first.startswith("uv==")
        assert len([line for line in hashes if "--hash=sha256:" in line]) > 5
        assert [line for line in hashes if not line.startswith(" ")] == []

    def test_a_package_that_is_not_locked_has_no_lines(self) -> None:
        assert lines_of("uv", "uvicorn==1.0 \\\n    --hash=sha256:0\n") == ""


class TestChecks:
    def test_a_failing_command_counts_as_one_failed_test(self) -> None:
        result = check.run("lint", (sys.executable, "-c", "raise SystemExit(1)"))
        assert (result.ok, result.passed, result.failed) == (False, 0, 1)

    def test_a_command_that_cannot_start_fails(self) -> None:
        assert not check.run("lint", ("/nowhere",)).ok

    def test_compiled_modules_are_kept_for_the_next_process(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        keeps = "import sys; raise SystemExit(sys.dont_write_bytecode)"
        assert check.run("lint", (sys.executable, "-c", keeps)).ok

    def test_tests_are_counted_from_the_report(self) -> None:
        report = '<testsuites><testsuite tests="5" failures="1" errors="1" skipped="0"/></testsuites>'
        write = f"open({str(check.REPORTS / 'lint.xml')!r}, 'w').write({report!r}); raise SystemExit(1)"
        result = check.run("lint", (sys.executable, "-c", write))
        assert (result.ok, result.passed, result.failed) == (False, 3, 2)

    def test_tests_that_pass_before_a_crash_do_not_hide_it(self) -> None:
        report = '<testsuites><testsuite tests="5" failures="0" errors="0" skipped="0"/></testsuites>'
        write = f"open({str(check.REPORTS / 'lint.xml')!r}, 'w').write({report!r}); raise SystemExit(1)"
        result = check.run("lint", (sys.executable, "-c", write))
        assert (result.ok, result.failed) == (False, 1)

    def test_the_summary_ends_with_the_plain_count(self, capsys: pytest.CaptureFixture[str]) -> None:
        check.summarize(
            [check.Result("lint", "mypy", True, 1, 0, 0.1), check.Result("quick", "pytest", False, 4, 2, 3.0)]
        )
        assert capsys.readouterr().out.splitlines()[-1] == "5 passed, 2 failed"

    def test_the_summary_names_the_failed_tests(self, capsys: pytest.CaptureFixture[str]) -> None:
        report = (
            '<testsuite tests="2" failures="1"><testcase classname="tests.unit.a" name="good"/>'
            '<testcase classname="tests.unit.a" name="bad"><failure message="1 is not 2&#10;more"/></testcase></testsuite>'
        )
        write = f"open({str(check.REPORTS / 'lint.xml')!r}, 'w').write({report!r}); raise SystemExit(1)"
        check.summarize([check.run("lint", (sys.executable, "-c", write))])
        *_, named, _, count = capsys.readouterr().out.splitlines()
        assert named == "  FAILED lint   tests.unit.a::bad: 1 is not 2"
        assert count == "1 passed, 1 failed"

    def test_what_runs_side_by_side_is_told_in_whole_pieces(
        self, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        talk = "import time\nfor i in range(3): print({0!r}, i, flush=True); time.sleep(0.05)"
        commands = {name: [(sys.executable, "-c", talk.format(name))] for name in ("lint", "web")}
        monkeypatch.setattr(check, "CHECKS", commands)
        assert check.main("lint", "web") == 0
        told = capfd.readouterr().out
        for name in ("lint", "web"):
            assert f"{name} 0\n{name} 1\n{name} 2\n" in told

    def test_no_check_at_all_is_no_success(self) -> None:
        assert check.main() == 1
