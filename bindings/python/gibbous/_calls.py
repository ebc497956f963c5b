"""The calls and lists of a Runtime that are not answered yet, and the events that came with answers for which no
caller waited any more. The thread of the runtime only."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._bodies import progress_of
from .errors import ClosedError
from .values import Progress, Result


@dataclass(slots=True)
class OpenCall:
    future: 'asyncio.Future[Result]'
    session: str
    wants_backlog: bool
    on_progress: Callable[[Progress], None] | None


@dataclass(slots=True)
class OpenList:
    """What runs() or backlog() waits for."""
    future: 'asyncio.Future[list[dict[str, Any]]]'
    session: str


class Unseen:
    """Events that came with an answer for which no caller waited: the next answer of the session brings them."""

    def __init__(self) -> None:
        self.lists: dict[str, list[dict[str, Any]]] = {}  # by session

    def keep(self, session: str, events: list[dict[str, Any]]) -> None:
        if events:
            self.of(session).extend(events)

    def take(self, session: str) -> list[dict[str, Any]]:
        return self.lists.pop(session, [])

    def of(self, session: str) -> list[dict[str, Any]]:
        """Returns the list of a session's events. Who takes the events removes it from `lists`."""
        return self.lists.setdefault(session, [])


class Calls:
    def __init__(self) -> None:
        self._open: dict[int, OpenCall] = {}
        self._lists: dict[int, OpenList] = {}
        self._given_up: dict[int, str] = {}  # the sessions of cancelled calls whose end has not come yet
        self._unseen = Unseen()

    def add(self, number: int, call: OpenCall) -> None:
        self._open[number] = call

    def give_up(self, number: int, call: OpenCall) -> bool:
        """Notes that the task that waits for a call was cancelled or dropped, or raises instead of returning the result.
        Returns whether the call still has to be cancelled."""
        if self._open.pop(number, None):
            self._given_up[number] = call.session
            return True
        if not call.future.cancelled() and call.future.exception() is None:  # its end came a moment earlier
            self._unseen.keep(call.session, call.future.result().backlog)
        return False

    def progress(self, number: int, body: dict[str, Any]) -> None:
        call = self._open.get(number)
        if call and call.on_progress:
            call.on_progress(progress_of(body))

    def finish(self, number: int, result: Result) -> None:
        call = self._open.pop(number, None)
        if call is None:
            self._unseen.keep(self._given_up.pop(number, ''), result.backlog)
        elif call.future.cancelled():
            self._unseen.keep(call.session, result.backlog)
        else:
            if call.wants_backlog:
                result.backlog[:0] = self._unseen.take(call.session)
            call.future.set_result(result)

    def add_list(self, number: int, waiting: OpenList) -> None:
        self._lists[number] = waiting

    def give_up_backlog(self, waiting: OpenList) -> None:
        """Notes that the task that waits for events was cancelled, or dropped."""
        future = waiting.future
        if not future.done():
            future.cancel()
        elif not future.cancelled() and future.exception() is None:  # they came a moment earlier
            self._unseen.keep(waiting.session, future.result())

    def finish_runs(self, number: int, runs: list[dict[str, Any]]) -> None:
        waiting = self._lists.pop(number)
        if not waiting.future.done():
            waiting.future.set_result(runs)

    def finish_backlog(self, number: int, events: list[dict[str, Any]]) -> None:
        waiting = self._lists.pop(number)
        if waiting.future.done():
            self._unseen.keep(waiting.session, events)
        else:
            waiting.future.set_result(self._unseen.take(waiting.session) + events)

    def end(self) -> None:
        """Raises ClosedError in who still waits. Every call has had its end before, but a list may have none."""
        for waiting in [*self._open.values(), *self._lists.values()]:
            if not waiting.future.done():
                waiting.future.set_exception(ClosedError('the runtime was closed'))
        self._open.clear()
        self._lists.clear()
