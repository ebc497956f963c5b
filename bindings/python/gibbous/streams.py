"""What a Runtime gives out piece by piece: events, and the output of runs. The thread of the runtime only."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable

from ._output import OutputReader
from .values import Event

MAX_WAITING = 10_000


class EventStream(AsyncIterator[Event]):
    """The events from its making until the runtime is closed: `async for event in rt.events()`.

    At most 10,000 wait. Then each new one drops the oldest, and an event `events_dropped` says how many (`count`).
    """

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names
        self._waiting: deque[Event] = deque()
        self._dropped = 0
        self._ended = False
        self._changed = asyncio.Event()

    def close(self) -> None:
        """Ends the stream once what waits has been taken."""
        self._ended = True
        self._changed.set()

    def add(self, event: Event) -> None:
        """Takes an event from the runtime, if it is one that the stream was asked for."""
        if self._ended or (self._names and event.name not in self._names):
            return
        if len(self._waiting) == MAX_WAITING:
            self._waiting.popleft()
            self._dropped += 1
        self._waiting.append(event)
        self._changed.set()

    async def __anext__(self) -> Event:
        while not self._waiting:
            if self._ended:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        if self._dropped:
            count, self._dropped = self._dropped, 0
            return Event('events_dropped', '', '', {'event': 'events_dropped', 'count': count})
        return self._waiting.popleft()


class OutputStream(AsyncIterator[bytes]):
    """The bytes of one stream of a run, until it ends: `async for piece in rt.output(run)`.

    Bytes that are no longer kept are left out, and `cursor` jumps over them. A UTF-8 sequence is not cut.
    """

    def __init__(self, reader: OutputReader, next_turn: Callable[[], Awaitable[None]]) -> None:
        self._reader = reader
        self._next_turn = next_turn

    @property
    def cursor(self) -> int:
        """Where the next piece begins, in bytes from the start of the stream."""
        return self._reader.cursor

    async def __anext__(self) -> bytes:
        while True:
            piece = self._reader.read()
            if piece is None:
                raise StopAsyncIteration
            if piece:
                return piece
            await self._next_turn()
