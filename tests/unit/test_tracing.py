"""What the settings say about tracing reaches LangSmith's client by the environment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from scripts.shell import ROOT
from server.ops.tracing import configure_tracing
from server.settings import Settings


def test_a_dotenv_file_switches_tracing_on(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        "LANGSMITH_TRACING=true\nLANGSMITH_API_KEY=ls-key\nLANGSMITH_ENDPOINT=http://127.0.0.1:9\n"
    )
    settings = Settings(_env_file=tmp_path / ".env")  # type: ignore[call-arg]
    environ: dict[str, str] = {}
    configure_tracing(settings, environ)
    assert environ == {
        "LANGSMITH_TRACING": "true",
        "LANGSMITH_API_KEY": "ls-key",
        "LANGSMITH_ENDPOINT": "http://127.0.0.1:9",
    }
    assert "ls-key" not in repr(settings)


def test_without_it_the_environment_is_left_alone_and_nothing_is_imported() -> None:
    environ = {"LANGCHAIN_TRACING_V2": "true"}
    configure_tracing(Settings.model_validate({"langsmith_api_key": "ls-key"}), environ)
    assert environ == {"LANGCHAIN_TRACING_V2": "true"}
    script = "import sys, server.__main__; assert not [n for n in sys.modules if n.startswith('langsmith')]"
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, timeout=60)
