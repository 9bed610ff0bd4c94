"""What `/api/metrics` reads, in the text format of Prometheus."""

from __future__ import annotations

from contextlib import suppress

from prometheus_client import CONTENT_TYPE_LATEST as METRICS_TYPE
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily

from server.api.deps import Streams
from server.errors import Unavailable
from server.runtime import Runtime

__all__ = ["METRICS_TYPE", "read_metrics"]


async def read_metrics(runtime: Runtime, streams: Streams) -> bytes:
    """The readings of this process, and with several processes of what they share."""
    registry = CollectorRegistry()
    registry.register(_Readings(runtime, streams))
    if runtime.cluster.is_shared:
        registry.register(await _SharedReadings.take(runtime))
    return generate_latest(registry)


class _SharedReadings:
    """What all processes share. What does not answer is left out."""

    def __init__(self, gauges: list[GaugeMetricFamily]) -> None:
        self._gauges = gauges

    @classmethod
    async def take(cls, runtime: Runtime) -> _SharedReadings:
        gauges = [
            GaugeMetricFamily(
                "pilothouse_browsers_open", "Browsers of this process", len(runtime.browsers.opened())
            ),
            *cls._of_role(runtime),
        ]
        with suppress(Unavailable):
            stats = await runtime.executor.dispatch.queue.stats()
            gauges += [
                GaugeMetricFamily("pilothouse_queue_jobs", "Runs that wait for a worker", stats.queued),
                GaugeMetricFamily("pilothouse_queue_running", "Runs that workers execute", stats.running),
                GaugeMetricFamily(
                    "pilothouse_queue_oldest_seconds",
                    "How long the first waiting run has waited",
                    stats.oldest_seconds,
                ),
            ]
        with suppress(Unavailable):
            workers = [one for one in await runtime.store.live_processes() if one.role != "web"]
            gauges.append(GaugeMetricFamily("pilothouse_workers", "Live workers", len(workers)))
        return cls(gauges)

    @staticmethod
    def _of_role(runtime: Runtime) -> list[GaugeMetricFamily]:
        """The limits of this process, and how far its events are behind."""
        is_worker = runtime.settings.role != "web"
        runs, browsers = runtime.settings.max_runs, runtime.current_settings.max_browsers
        return [
            GaugeMetricFamily("pilothouse_run_slots", "Runs that this process may execute", is_worker * runs),
            GaugeMetricFamily("pilothouse_browser_slots", "Browsers that it may open", is_worker * browsers),
            GaugeMetricFamily(
                "pilothouse_bus_lag_seconds",
                "How long its oldest event has waited for Redis",
                runtime.cluster.lag,
            ),
        ]

    def collect(self) -> list[GaugeMetricFamily]:
        return self._gauges


class _Readings:
    def __init__(self, runtime: Runtime, streams: Streams) -> None:
        self._runtime = runtime
        self._streams = streams

    def collect(self) -> list[GaugeMetricFamily]:
        return [
            GaugeMetricFamily(
                "pilothouse_runs_active", "Runs in progress", len(self._runtime.executor.executions)
            ),
            GaugeMetricFamily("pilothouse_streams_open", "Open connections of streams", self._streams.open),
            GaugeMetricFamily("pilothouse_stream_readers", "Open streams", self._runtime.bus.reader_count),
            GaugeMetricFamily(
                "pilothouse_topics", "Sessions with buffered events", self._runtime.bus.topic_count
            ),
        ]
