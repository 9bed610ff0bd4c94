"""Which runs this process executes, and when: from their commit to the queue, and from the end of one to the next."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from server.runs.events import to_decision
from server.runs.execution import Execution
from server.runs.queue import RunQueue
from server.runs.recorder import RECORD_RETRY_SECONDS
from server.runs.services import RunServices
from server.store import AcceptedMessage, FinishedRun, StartedRun

STEP_SECONDS = 5.0
"""How long a process that hands its runs back waits for their current steps."""
CANCEL_GRACE = 1.0
"""Seconds an agent has to end after cancellation; then it is abandoned."""


class Dispatch:
    """Submits runs to this process's queue, and stops its executions when the process ends."""

    def __init__(
        self, services: RunServices, queue: RunQueue, executions: Mapping[str, Execution], *, is_shared: bool
    ) -> None:
        """`executions`: those in progress, by session. `is_shared`: the queue is that of several processes."""
        self._store = services.store
        self._bus = services.bus
        self._browsers = services.browsers
        self._recorder = services.recorder
        self.queue = queue
        self._executions = executions
        self._is_shared = is_shared
        self._continues = services.store.ownership.continues
        self._begun: dict[str, StartedRun] = {}
        """By run: what has begun with its message and is submitted."""
        self._settled = asyncio.Event()
        """Replaced whenever no call is about to submit a run of some session any more."""
        self._expected: Counter[str] = Counter()
        """By session: the number of calls that are about to commit a run and submit it here."""
        self._is_draining = False
        self._is_closing = False

    @property
    def is_draining(self) -> bool:
        return self._is_draining

    @property
    def is_closing(self) -> bool:
        """Whether the shutdown timeout has passed: a run that begins now is interrupted at once."""
        return self._is_closing

    @property
    def reason_of_leaving(self) -> str:
        """Why executions are stopped when this process ends."""
        return "handed_back" if self._continues else "interrupted"

    def take_begun(self, run_id: str) -> StartedRun | None:
        """What has begun with the run's message; None if it is still to begin."""
        return self._begun.pop(run_id, None)

    def start(self, accepted: AcceptedMessage) -> None:
        """Publish a new message and submit its run, unless the run is held."""
        self._recorder.publish_accepted(accepted)
        if accepted.started:
            self._begun[accepted.run.id] = accepted.started
            self.queue.submit(accepted.run.id, is_reserved=True)
        elif not accepted.run.held:
            self.submit(accepted.run.id)

    def submit(self, run_id: str) -> None:
        """Execute a committed run: from its start, or from the question that has been answered."""
        self.queue.submit(run_id)

    def start_next(self, ended: FinishedRun | None) -> None:
        """After the end of a run: free its browser for others, and start the run that was held behind it."""
        if ended is None:
            return
        self._browsers.mark_idle(ended.run.session_id)
        if ended.next:
            self.start(ended.next)

    def submit_recovered(self, accepted: AcceptedMessage) -> None:
        """Submit a committed run that is not known here, because the reply to its commit was lost."""
        run = accepted.run
        if self.is_draining or run.status != "queued" or run.held or self.knows(run.id):
            return
        if run.attempt == 0 and self._bus.run_of(run.session_id) != run.id:
            self.start(accepted)
        elif run.attempt and (question := accepted.question):
            self._bus.publish(run.session_id, None, [to_decision(question)])
            self.submit(run.id)

    def knows(self, run_id: str) -> bool:
        """Whether the run waits in the queue or is being executed here."""
        return self.queue.knows(run_id)

    async def wait_started(self, run_id: str) -> bool:
        """Wait for the execution of the run to begin. False if it has none here."""
        return await self.queue.wait_started(run_id)

    @contextmanager
    def submitting(self, session_id: str) -> Iterator[None]:
        """Mark the session as busy while a call commits a run and submits it, so that recovery does not."""
        self._expected[session_id] += 1
        try:
            yield
        finally:
            self._expected[session_id] -= 1
            if not self._expected[session_id]:
                del self._expected[session_id]
                self._settled.set()
                self._settled = asyncio.Event()

    async def wait_submitted(self, session_id: str) -> None:
        """Wait until no call is about to submit a run of the session: then each that has begun can be seen."""
        while session_id in self._expected:
            await self._settled.wait()

    async def reserve(self) -> bool:
        """Keep a slot for a run that begins with its message; False if it has to wait for one, or for its process.

        Only with SQLite: there a failed commit is not in doubt, so no run begins without being submitted.
        """
        return self._store.database.is_sqlite and await self.queue.reserve()

    def busy_sessions(self) -> set[str]:
        """Sessions with a run that is executed, or is about to be submitted."""
        return {*self._expected, *self._executions}

    async def drain(self, seconds: float) -> None:
        """Stop accepting runs, wait up to `seconds` for the current ones, then interrupt the rest."""
        self._is_draining = True
        self.queue.take_no_more()
        if not self._is_shared:
            self._recorder.start_no_next()
        running = [execution.ended.wait() for execution in self._executions.values()]
        if running:
            await asyncio.wait([asyncio.ensure_future(ended) for ended in running], timeout=seconds)
        self._is_closing = True
        if self._continues:
            await self._wait_between_steps()
        for execution in list(self._executions.values()):
            execution.stop(self.reason_of_leaving)
        await self.queue.drain(CANCEL_GRACE + RECORD_RETRY_SECONDS)

    async def _wait_between_steps(self) -> None:
        """Let the agents finish their steps, so that no act is in progress when their runs are handed back."""
        executions = list(self._executions.values())
        for execution in executions:
            execution.stop_before_next_step()
        waits = [asyncio.ensure_future(execution.is_between_steps.wait()) for execution in executions]
        waits += [asyncio.ensure_future(execution.ended.wait()) for execution in executions]
        pairs = [
            asyncio.wait({one, other}, return_when=asyncio.FIRST_COMPLETED)
            for one, other in zip(waits[: len(executions)], waits[len(executions) :], strict=True)
        ]
        if pairs:
            await asyncio.wait([asyncio.ensure_future(pair) for pair in pairs], timeout=STEP_SECONDS)
        for wait in waits:
            wait.cancel()
