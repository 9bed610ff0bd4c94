"""Names of downloads, profiles, scratch space and processes: the quiet parts around a browser."""

import asyncio
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from server.browser.browser import BrowserUnavailable
from server.browser.chromium.downloads import Downloads
from server.browser.chromium.process_guard import end_group, start_time_of
from server.browser.chromium.processes import Processes, clean_environment
from server.browser.chromium.profiles import Profiles, folder_name
from server.browser.fence import MAX_FENCED_CHARS, fence
from server.browser.masking import make_picture, mask_text
from server.browser.mcp.client import Stdio
from server.browser.observation.page_script import SecretField
from server.browser.pool import BrowserPool
from server.extras.tools.browser_use_server import server_at
from server.extras.tools.other_browser import OTHER
from server.extras.tools.packages import IN_BROWSER_USE
from server.fs.names import safe_name
from server.settings import Settings
from tests.support.eventually import eventually


def settings(folder: Path, **changes: Any) -> Settings:
    return Settings(_env_file=None, data_dir=folder, **changes)


def names_in(folder: Path, pattern: str) -> list[str]:
    return [path.name for path in folder.rglob(pattern)]


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        (".bashrc", "bashrc"),
        ("a\x00b.txt", "a_b.txt"),
        ("", "file"),
        ("....", "file"),
        ("x" * 300 + ".txt", "x" * 136 + ".txt"),
        ("rechnung (1).pdf", "rechnung (1).pdf"),
        ("報告書.pdf", "報告書.pdf"),
        ("ग" * 100 + ".pdf", "ग" * 45 + ".pdf"),
        ("fdp\u202etxt.exe", "fdp_txt.exe"),
    ],
)
def test_a_download_gets_a_harmless_name(name: str, safe: str):
    assert safe_name(name) == safe


@given(st.text())
def test_no_name_leaves_its_folder(name: str):
    safe = safe_name(name)
    assert 0 < len(safe.encode()) <= 160
    assert "/" not in safe
    assert not safe.startswith(".")
    assert (Path("/folder") / safe).parent == Path("/folder")


class SilentCdp:
    """A browser whose events a test makes up."""

    def __init__(self) -> None:
        self.listeners: dict[str, Any] = {}

    def on(self, event: str, listener: Any) -> Any:
        self.listeners[event] = listener
        return lambda: None

    async def send(self, *_: Any, **__: Any) -> dict[str, Any]:
        return {}


async def test_downloads_of_one_name_that_arrive_together_stay_apart_from_each_other_and_from_what_was_given(
    tmp_path: Path,
):
    cdp, notes = SilentCdp(), []
    folder, scratch = tmp_path / "files", tmp_path / "scratch"
    (folder / "given").mkdir(parents=True)
    (folder / "given" / "report.txt").write_bytes(b"mine")
    downloads = Downloads(cdp, folder, scratch, notes.append)  # type: ignore[arg-type]
    await downloads.start(enabled=True)
    for number in range(6):
        cdp.listeners["Browser.downloadWillBegin"](
            {"guid": f"g{number}", "suggestedFilename": "report.txt"}, None
        )
        (scratch / f"g{number}").write_bytes(b"x" * number)
    for number in range(6):
        cdp.listeners["Browser.downloadProgress"]({"guid": f"g{number}", "state": "completed"}, None)
    await downloads.close()
    assert sorted(path.stat().st_size for path in folder.glob("*.txt")) == [0, 1, 2, 3, 4, 5]
    assert not (folder / "report.txt").exists()
    assert len(notes) == 6


async def test_a_flood_of_downloads_ends_at_fifty_files_however_fast_they_come(tmp_path: Path):
    cdp, notes = SilentCdp(), []
    folder, scratch = tmp_path / "files", tmp_path / "scratch"
    downloads = Downloads(cdp, folder, scratch, notes.append)  # type: ignore[arg-type]
    await downloads.start(enabled=True)
    for number in range(80):
        guid = f"g{number}"
        cdp.listeners["Browser.downloadWillBegin"]({"guid": guid, "suggestedFilename": "x.txt"}, None)
        (scratch / guid).write_bytes(b"x")
        cdp.listeners["Browser.downloadProgress"]({"guid": guid, "state": "completed"}, None)
    await downloads.close()
    assert len(list(folder.iterdir())) == 50
    assert sum("a session keeps 50 files" in note for note in notes) == 30
    assert list(scratch.iterdir()) == []


@given(st.text())
def test_every_session_has_a_folder_of_its_own(session_id: str):
    name = folder_name(session_id)
    assert "/" not in name
    assert name not in ("", ".", "..")


async def test_purging_takes_everything_of_a_session(tmp_path: Path):
    profiles = Profiles(settings(tmp_path))
    for folder in (await profiles.open("a"), profiles.files("a"), profiles.scratch("a")):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "x").write_text("x")
    await profiles.purge("a")
    assert names_in(tmp_path, "x") == []


async def test_a_shared_profile_goes_from_session_to_session_without_its_caches(tmp_path: Path):
    profiles = Profiles(settings(tmp_path, browser_profile="shared"))
    first = await profiles.open("a")
    (first / "Default" / "Cache").mkdir(parents=True)
    (first / "Default" / "Cookies").write_text("login")
    (first / "Default" / "Cache" / "big").write_text("x")
    await profiles.close("a", limit=10)
    second = await profiles.open("b")
    assert (second / "Default" / "Cookies").read_text() == "login"
    assert not (second / "Default" / "Cache").exists()


async def test_a_browser_ends_in_the_mode_in_which_it_began(tmp_path: Path):
    profiles = Profiles(settings(tmp_path, browser_profile="fresh"))
    fresh = await profiles.open("a")
    fresh.mkdir(parents=True)
    profiles.mode = "session"
    kept = await profiles.open("b")
    kept.mkdir()
    profiles.mode = "fresh"
    await profiles.close("a", limit=10)
    await profiles.close("b", limit=10)
    assert (fresh.exists(), kept.exists()) == (False, True)


async def test_changed_settings_leave_the_scratch_space_alone(tmp_path: Path):
    pool = BrowserPool(settings(tmp_path))
    scratch = Profiles(settings(tmp_path)).scratch("a")
    scratch.mkdir(parents=True)
    pool.configure(settings(tmp_path, browser_profile="fresh"))
    assert scratch.is_dir()
    await pool.aclose()


def test_the_environment_of_a_child_holds_no_key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    monkeypatch.setenv("AUTH_TOKEN", "secret")
    env = clean_environment({"MINE": "1"})
    assert "secret" not in env.values()
    assert env["MINE"] == "1"
    assert env["PATH"] == os.environ["PATH"]


async def test_a_process_is_written_down_while_it_runs(tmp_path: Path):
    processes = Processes(tmp_path)
    process = await processes.start((sys.executable, "-c", "import time; time.sleep(60)"))
    assert names_in(tmp_path, "*.json") == [f"{process.pid}.json"]
    await processes.end(process)
    assert names_in(tmp_path, "*.json") == []
    assert start_time_of(process.pid) is None
    await processes.aclose()


LEAVES_A_FILE = "import tempfile; print(tempfile.mkstemp()[1], flush=True); import time; time.sleep(60)"


async def test_what_a_process_leaves_in_its_temporary_folder_is_removed(tmp_path: Path):
    processes = Processes(tmp_path)
    process = await processes.start((sys.executable, "-c", LEAVES_A_FILE), talks=True)
    assert process.stdout is not None
    left = Path((await process.stdout.readline()).decode().strip())
    assert left.parent.name.startswith("ph-")
    await processes.end(process)
    assert not left.parent.exists()
    await processes.aclose()


async def test_what_does_not_end_when_asked_is_killed(tmp_path: Path):
    processes = Processes(tmp_path)
    stubborn = "import signal, time; signal.signal(15, signal.SIG_IGN); print(1, flush=True); time.sleep(60)"
    process = await processes.start((sys.executable, "-c", stubborn), talks=True)
    assert process.stdout is not None
    await process.stdout.readline()
    await processes.end(process, grace=0.1)
    assert process.returncode == -9
    await processes.aclose()


async def test_children_of_a_process_that_has_ended_are_ended_too(tmp_path: Path):
    processes = Processes(tmp_path)
    child = "import subprocess; print(subprocess.Popen(['sleep', '60'], stdin=-3, stdout=-3, stderr=-3).pid, flush=True)"
    process = await processes.start((sys.executable, "-c", child), talks=True)
    assert process.stdout is not None
    number = int(await process.stdout.readline())
    await process.wait()
    assert start_time_of(number)
    await processes.end(process)
    await eventually(lambda: start_time_of(number), lambda it: it is None, message="the child is ended")
    await processes.aclose()


def test_a_group_of_which_none_lives_is_no_group_to_be_ended():
    """Nor is one whose processes have ended and wait to be asked for it."""
    process = subprocess.Popen([sys.executable, "-c", ""], start_new_session=True)
    born = start_time_of(process.pid)
    while start_time_of(process.pid) is not None:
        time.sleep(0.01)
    assert not end_group(process.pid, born, signal.SIGKILL)
    process.wait()
    assert not end_group(process.pid, born, signal.SIGKILL)


async def test_a_number_that_belongs_to_another_process_by_now_is_not_signalled(tmp_path: Path):
    """What `end`, the guard and the sweep signal is the group that they know, not its number."""
    processes = Processes(tmp_path)
    stranger = await processes.start((sys.executable, "-c", "import time; time.sleep(60)"))
    born = start_time_of(stranger.pid)
    for other in (None, "1", f"{born}0"):
        end_group(stranger.pid, other, signal.SIGKILL)
    others = Processes(tmp_path)
    await others.end(Ended(stranger.pid))
    await others.aclose()
    await asyncio.sleep(0.1)
    assert start_time_of(stranger.pid) == born
    end_group(stranger.pid, born, signal.SIGKILL)
    assert await stranger.wait() == -9
    await processes.aclose()


class Ended:
    """A process that has ended, and whose number a stranger has now."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode = 0

    async def wait(self) -> int:
        return self.returncode


def test_browser_use_gets_the_devtools_address_in_a_file_of_its_own(tmp_path: Path):
    server = server_at(settings(tmp_path), "ws://127.0.0.1:1/secret", tmp_path)
    assert "secret" not in " ".join(server.command)
    config = Path(server.env["BROWSER_USE_CONFIG_PATH"])
    assert "ws://127.0.0.1:1/secret" in config.read_text()
    assert config.stat().st_mode & 0o777 == 0o600
    assert server.command[1:] == (*IN_BROWSER_USE, "browser-use", "--mcp")
    assert "--constraints" in server.command


def test_a_servers_command_line_never_gets_the_devtools_address(tmp_path: Path):
    env_form = settings(tmp_path, browser_mcp="WHERE={endpoint} program --output {output}")
    server = OTHER.command(env_form, "ws://127.0.0.1:1/secret", tmp_path, tmp_path)
    assert isinstance(server, Stdio)
    assert server.env == {"WHERE": "ws://127.0.0.1:1/secret"}
    assert server.command == ("program", "--output", str(tmp_path))
    on_line = settings(tmp_path, browser_mcp="program --cdp {endpoint}")
    with pytest.raises(BrowserUnavailable, match="Pass it in a variable"):
        OTHER.command(on_line, "ws://127.0.0.1:1/secret", tmp_path, tmp_path)


async def test_the_sweep_ends_orphans_and_leaves_strangers(tmp_path: Path):
    processes = Processes(tmp_path / "other")
    mine = await processes.start((sys.executable, "-c", "import time; time.sleep(60)"))
    stranger = await processes.start((sys.executable, "-c", "import time; time.sleep(60)"))
    dead_owner = {"owner": 2**22 - 1, "owner_born": "1"}
    left = tmp_path / "left"
    left.mkdir()
    notes = {
        "orphan": {"pid": mine.pid, "born": start_time_of(mine.pid), "folder": str(left), **dead_owner},
        "ended": {"pid": 2**22 - 2, "born": "1", **dead_owner},
        "reused": {"pid": stranger.pid, "born": "another time", **dead_owner},
        "owned": {
            "pid": stranger.pid,
            "born": start_time_of(stranger.pid),
            "owner": os.getpid(),
            "owner_born": start_time_of(os.getpid()),
        },
    }
    for name, note in notes.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(note))
    (tmp_path / "broken.json").write_text("{")
    assert Processes(tmp_path).sweep() == 1
    assert await mine.wait() == -9
    assert stranger.returncode is None
    assert not left.exists()
    assert sorted(names_in(tmp_path, "o*.json")) == ["owned.json"]
    await processes.aclose()


BOX = (10.0, 10.0, 100.0, 30.0)


@pytest.mark.parametrize("value", ["hunter2x", "two  words", 'quo"te: #1', "пароль", "a b&c/d"])
def test_a_secret_is_masked_in_every_spelling(value: str):
    from urllib.parse import quote, quote_plus

    spellings = (
        value,
        json.dumps(value, ensure_ascii=False),
        quote(value, safe=""),
        quote_plus(value),
        " ".join(value.split()),
    )
    masked = mask_text("\n".join(f"x {one} y" for one in spellings), [SecretField(box=BOX, value=value)])
    assert all(one not in masked for one in spellings)


def test_a_short_secret_is_masked_only_as_the_value_of_a_field():
    text = '- textbox "Code" [ref=e1]: 42\n- text: 42 apples'
    assert (
        mask_text(text, [SecretField(box=BOX, value="42")])
        == '- textbox "Code" [ref=e1]: •••\n- text: 42 apples'
    )


def test_an_empty_field_hides_nothing():
    assert mask_text("abc", [SecretField(box=BOX, value="")]) == "abc"


def picture_of_stripes() -> bytes:
    image = Image.new("RGB", (200, 100), "white")
    for x in range(0, 200, 4):
        image.paste("black", (x, 0, x + 2, 100))
    out = io.BytesIO()
    image.save(out, "JPEG", quality=95)
    return out.getvalue()


def test_a_hidden_box_shows_no_letter_and_the_rest_stays():
    picture = make_picture(
        picture_of_stripes(), [BOX, (-20, -20, 30, 30), (190, 90, 500, 500), (500, 500, 10, 10)]
    )
    assert picture is not None
    image = Image.open(io.BytesIO(picture.data)).convert("L")
    low, high = image.crop((14, 14, 106, 36)).getextrema()
    assert high - low < 60
    assert image.crop((120, 50, 180, 80)).getextrema()[0] < 40


def test_a_picture_without_secrets_is_passed_on_as_it_is():
    data = picture_of_stripes()
    picture = make_picture(data, [])
    assert picture is not None
    assert (picture.data, picture.mime, picture.width, picture.height) == (data, "image/jpeg", 200, 100)
    assert make_picture(b"no picture", []) is None


NAMES = ("page", "untrusted-page", "files")
CLOSERS = (
    "</page>",
    "</untrusted-page>",
    "</ PAGE >",
    "<page-1>",
    "</page-2>",
    "</page-01>",
    "[/page-3]",
    "</files-1>",
)


@given(st.lists(st.one_of(st.text(), st.sampled_from(CLOSERS))), st.sampled_from(NAMES))
def test_a_fence_is_closed_once_whatever_its_text_says(texts: list[str], name: str):
    fenced = fence("".join(texts) * 50, name)
    mark = fenced[1 : fenced.index(">")]
    assert re.fullmatch(rf"{name}(-\d+)?", mark)
    assert fenced.endswith(f"\n</{mark}>")
    inside = fenced[len(mark) + 3 : -len(mark) - 4].casefold()
    assert f"/{mark}>" not in inside
    assert mark == name or name in inside
    assert len(fenced) <= MAX_FENCED_CHARS + 100


def test_a_text_that_names_a_thousand_fences_gets_the_next_one():
    closers = "".join(f"</page-{number}>" for number in range(1000)) + "</page>"
    assert fence(closers, "page", 100_000).endswith("\n</page-1000>")


def test_a_fence_takes_linear_time():
    began = time.process_time()
    for text in ("</page" * 100_000, "<" * 600_000, "< " * 300_000, " " * 600_000, "</page-" + "1" * 600_000):
        fence(text, "page", 1_000_000)
    assert time.process_time() - began < 3
