"""A program in place of Chromium: it speaks DevTools over a pipe, and writes the commands to its profile."""

from __future__ import annotations

import sys
from pathlib import Path

PROGRAM = """#!{python} -ISu
import json, os, sys
profile = next(it.partition("=")[2] for it in sys.argv if it.startswith("--user-data-dir="))
os.makedirs(profile, exist_ok=True)
told = open(os.path.join(profile, "told"), "a")
sessions = 0
def say(message):
    os.write(4, json.dumps(message, separators=(",", ":")).encode() + b"\\0")
buffer = b""
while data := os.read(3, 65536):
    *whole, buffer = (buffer + data).split(b"\\0")
    for command in map(json.loads, whole):
        session = {{"sessionId": command["sessionId"]}} if "sessionId" in command else {{}}
        result = {{}}
        if command["method"] == "Target.attachToBrowserTarget":
            sessions += 1
            result = {{"sessionId": f"S{{sessions}}"}}
        elif command["method"] == "Test.read":
            result = {{"text": open(command["params"]["path"]).read()}}
        elif command["method"] == "Test.write":
            with open(os.path.join(command["params"]["folder"], command["params"]["name"]), "w") as file:
                file.write(command["params"]["text"])
        elif command["method"] == "Test.freeze":
            import time
            time.sleep(3600)
        told.write(json.dumps(command) + "\\n")
        told.flush()
        say({{"id": command["id"], "result": {{**result, "got": command.get("params", {{}})}}, **session}})
        if command["method"] == "Browser.close":
            sys.exit()
"""


def fake_chromium(folder: Path) -> Path:
    """Its path, for BROWSER_EXECUTABLE."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "chromium"
    program.write_text(PROGRAM.format(python=sys.executable))
    program.chmod(0o700)
    return program
