"""Turns a runtime inside an asyncio loop, a budget at a time, and hands its messages over. The loop's thread only.

The loop holds the pump, and the pump holds its owner weakly: a Runtime without references is collected, and
its finalizer calls abandon().
"""

import asyncio
import contextlib
import warnings
import weakref
from typing import Protocol

from ._handle import Budget, Code, Handle, Kind, Message

MESSAGES_SECONDS = 0.005  # how long one turn hands messages over


class Owner(Protocol):
    def _receive(self, message: Message) -> None: ...
    def _turned(self) -> None: ...


class Pump:
    def __init__(self, handle: Handle, owner: Owner, budget: Budget) -> None:
        self.loop = asyncio.get_running_loop()
        self.ended = False
        self.closed: asyncio.Future[None] = self.loop.create_future()
        self._handle = handle
        self._owner = weakref.ref(owner)
        self._budget = budget
        self._due: asyncio.Handle | None = None
        self._fd = handle.fd()
        self.loop.add_reader(self._fd, self._turn)
        self._schedule(True)

    def kick(self) -> None:
        """Turns soon. Needed after every function that gives the runtime something to do."""
        if not self.ended:
            self._schedule(True)

    def abandon(self) -> None:
        """Ends a runtime that was not closed. Any thread, also while the program ends, and in a forked child."""
        code = self._handle.check()
        if self.ended or code == Code.FORKED:
            return
        if code == Code.WRONG_THREAD:
            with contextlib.suppress(RuntimeError):  # raised when the loop was closed: the keeper ends the runs
                self.loop.call_soon_threadsafe(self.abandon)
            return
        self.end()
        warnings.warn('a gibbous.Runtime was not closed: use `async with`, or await close()', ResourceWarning,
                      stacklevel=2)

    def _turn(self) -> None:
        self._cancel_due()
        owner = self._owner()
        if owner is None:
            return  # its finalizer is about to run, or has posted abandon()
        more = self._handle.poll(self._budget)
        last = self.loop.time() + MESSAGES_SECONDS
        while (message := self._handle.next()) is not None:
            self._handle.done(message)
            self._hand_over(owner, message)
            if message.kind == Kind.CLOSED_DOWN:
                self.end()
                break
            if self.loop.time() > last:
                more = True
                break
        owner._turned()
        if not self.ended:
            self._schedule(more)

    def _hand_over(self, owner: Owner, message: Message) -> None:
        try:
            owner._receive(message)
        except Exception as error:  # raised by a callback of the program: the other messages still come
            self.loop.call_exception_handler({'message': 'a handler of gibbous failed', 'exception': error})

    def _schedule(self, now: bool) -> None:
        self._cancel_due()
        wait_ms = 0 if now else self._handle.next_timeout()
        if wait_ms == 0:
            self._due = self.loop.call_soon(self._turn)
        elif wait_ms > 0:
            self._due = self.loop.call_later(wait_ms / 1000, self._turn)

    def _cancel_due(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def end(self) -> None:
        """Frees the runtime; what is still open is closed first, which takes milliseconds, at most 3 s."""
        self.ended = True
        self._cancel_due()
        if not self.loop.is_closed():
            self.loop.remove_reader(self._fd)
        self._handle.destroy()
        if not self.closed.done():
            self.closed.set_result(None)
