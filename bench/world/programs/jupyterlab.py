"""JupyterLab: notebooks and files in an editor of many parts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from bench.task.script import Look, Script, click, first
from bench.world.program import Home, Program


def _start(home: Home) -> Sequence[str]:
    home.write("work/notes.txt", "Ask the harbour office.\n")
    home.write(
        "work/tides.ipynb",
        '{"cells": [{"cell_type": "code", "execution_count": null, "id": "a", "metadata": {}, "outputs": [], "source": ["high, low = 412, 137\\n", "print(\'difference\', high - low)"]}], "metadata": {"kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}}, "nbformat": 4, "nbformat_minor": 5}\n',
    )
    options = [
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={home.port}",
        "--IdentityProvider.token=",
        "--no-browser",
        "--allow-root",
        "--LabApp.news_url=",
        "--ServerApp.root_dir=work",
    ]
    return [home.program("jupyter-lab"), *options]


PROGRAM = Program("jupyterlab", _start, "/lab")


def _cells(home: Home, file: str) -> list[dict[str, Any]]:
    path = home.folder / "work" / file
    return list(json.loads(path.read_text())["cells"]) if path.exists() else []


@PROGRAM.task(
    "run the cell: what is the difference?", "/lab/tree/tides.ipynb", expected="difference 275", asks=1
)
def run_a_cell() -> Script:
    yield click("Run this cell.*", kind="button")
    return first((yield Look(r"difference \d+", how="scroll")))


@PROGRAM.task("save the notebook with its result", "/lab/tree/tides.ipynb",
              lambda home: "difference 275" in str([cell["outputs"] for cell in _cells(home, "tides.ipynb")]), asks=1)  # fmt: skip
def save_the_notebook() -> Script:
    yield click("Run this cell.*", kind="button")
    yield Look(r"difference \d+", how="scroll")
    yield click("Save.*", kind="button")
    return "saved"


@PROGRAM.task("what do the notes say whom to ask?", "/lab/tree/notes.txt", expected="the harbour office")
def read_a_file() -> Script:
    return first((yield Look(r"Ask (the \w+ \w+)", how="scroll")))
