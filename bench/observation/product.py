"""Observe the pages as the product does: its own browser, DevTools' listeners, page script and tool server."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.observation.capture import HOST, serve
from tests.support.browsers import open_pool

TIMES = 3


async def add_observations(pages: Path, names: Sequence[str], out: Path) -> None:
    """Add `ours` to each shot: `{observation, seconds}`, the least of a few times."""
    with serve(pages) as base, tempfile.TemporaryDirectory() as folder:
        async with open_pool(Path(folder)) as pool:
            browser = await pool.get("bench")
            for name in names:
                path = out / f"{name.replace('/', '__')}.json"
                if not path.exists():
                    continue
                await browser.navigate(f"{base}/{name}")
                seconds = []
                for _ in range(TIMES):
                    began = time.perf_counter()
                    seen = await browser.observe()
                    seconds.append(time.perf_counter() - began)
                text = seen.model_dump_json().replace(base, f"http://{HOST}")
                shot = json.loads(path.read_text())
                shot["ours"] = {"observation": json.loads(text), "seconds": min(seconds)}
                path.write_text(json.dumps(shot, ensure_ascii=False))
                print(f"{name}: observed in {min(seconds) * 1000:.0f} ms", flush=True)
