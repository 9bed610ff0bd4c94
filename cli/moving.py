"""`pilothouse move`: the server's own program copies the database; its sentences are said in the terminal's language."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable

from cli.words import t
from pilothouse.run import command


def run_move(source: str, target: str) -> int:
    """Copy the database and print the progress. Returns the exit code of the program that does it."""
    program = command("server", "move", f"--from={source}", f"--to={target}", "--json")
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            _show(process.stdout)
        except KeyboardInterrupt:
            _show(process.stdout)  # Ctrl-C reaches it, too: it says what became of the target
    return process.returncode


def _show(lines: Iterable[str]) -> None:
    for line in lines:
        sentence = json.loads(line)
        template, values = sentence["template"], sentence["values"]
        print(t(template, **values), flush=True)
