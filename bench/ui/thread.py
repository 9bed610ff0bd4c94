"""CPU time of a page's main thread, as the browser itself counts it: it does not grow when other programs are busy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page

COLLECTING_PATIENCE = 200


class Thread:
    """The clock of one page's main thread."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._session: CDPSession = page.context.new_cdp_session(page)
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def seconds(self, metric: str = "TaskDuration") -> float:
        """So far; `ScriptDuration` counts scripts alone."""
        metrics = self._session.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in metrics if one["name"] == metric))


@contextmanager
def traced_tasks(browser: Browser, page: Page) -> Iterator[list[float]]:
    """Fills the list with the CPU milliseconds of every main-thread task when the block is left."""
    session, events, done = browser.new_browser_cdp_session(), [], []  # type: ignore[var-annotated]
    session.on("Tracing.dataCollected", lambda event: events.extend(event["value"]))
    session.on("Tracing.tracingComplete", lambda event: done.append(event))
    categories = ["toplevel", "disabled-by-default-devtools.timeline", "__metadata"]
    session.send(
        "Tracing.start",
        {"transferMode": "ReportEvents", "traceConfig": {"includedCategories": categories}},
    )
    tasks: list[float] = []
    yield tasks
    session.send("Tracing.end")
    for _ in range(COLLECTING_PATIENCE):
        if done:
            break
        page.wait_for_timeout(50)
    tasks += task_times(events)
    session.detach()


def task_times(events: list[dict[str, Any]]) -> list[float]:
    """CPU milliseconds of the tasks on the main threads of pages, from a trace's events."""
    mains = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"].get("name") == "CrRendererMain"
    }
    return [
        event["tdur"] / 1000
        for event in events
        if event["name"] in ("RunTask", "ThreadControllerImpl::RunTask")
        and event.get("tdur")
        and (event["pid"], event["tid"]) in mains
    ]
