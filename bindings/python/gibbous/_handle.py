"""One runtime of libgibbous: its functions with Python values and exceptions.

Used by Runtime and SyncRuntime, on the thread that made it; post() and check() on any.
"""

import ctypes
import enum
import json
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from . import errors
from ._library import CBudget, load
from ._library import Message as CMessage

ERROR_BYTES = 4096
FORKED = 'this process was forked'  # how gib_create() begins its refusal in a forked child


class Code(enum.IntEnum):
    """gib_code."""
    OK = 0
    CLOSED = -1
    WRONG_THREAD = -2
    FORKED = -3
    INVALID = -4
    NOT_FOUND = -5
    FAILED = -6
    NO_MEMORY = -7


class Kind(enum.IntEnum):
    """gib_kind."""
    RESULT = 1
    PROGRESS = 2
    EVENT = 3
    ASK = 4
    HOST_CALL = 5
    CANCELLED = 6
    LOG = 7
    CLOSED_DOWN = 8
    POSTED = 9
    RUNS = 10
    BACKLOG = 11
    INPUT = 12


_EXCEPTIONS: dict[int, type[Exception]] = {
    Code.CLOSED: errors.ClosedError,
    Code.WRONG_THREAD: errors.WrongThreadError,
    Code.FORKED: errors.ForkedError,
    Code.INVALID: errors.InvalidArgument,
    Code.NOT_FOUND: errors.NotFound,
    Code.NO_MEMORY: MemoryError,
}


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the queue. `kind` is a Kind, or a number that a newer library knows."""
    kind: int
    call: int
    token: int
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Budget:
    """What one turn of a runtime may take before your event loop goes on; 0 means no limit.

    `bytes`: output of children to take in. `lua_us`: time inside scripts, in microseconds. `wall_us`: time after which
    no new work begins, in microseconds.
    """
    bytes: int = 256 << 10
    lua_us: int = 2000
    wall_us: int = 5000

    def __post_init__(self) -> None:
        for name in ('bytes', 'lua_us', 'wall_us'):
            value = getattr(self, name)
            if not isinstance(value, int) or not 0 <= value < 1 << 63:
                raise errors.InvalidArgument(f'budget.{name}: expected a whole number, 0 or more, got {value!r}')


def encoded(name: str, value: Any) -> bytes:
    """Returns a value as JSON. Raises InvalidArgument, which names it, when JSON cannot express it."""
    try:
        return json.dumps(value, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise errors.InvalidArgument(f'{name}: expected what JSON can express: {error}') from error


def _named(name: str, value: str) -> bytes:
    if not isinstance(value, str):
        raise errors.InvalidArgument(f'{name}: expected a string, got {value!r}')
    if '\0' in value:
        raise errors.InvalidArgument(f'{name}: expected a string without NUL, got {value!r}')
    return value.encode(errors='replace')


class Handle:
    """Owns a gib_runtime. Once it is destroyed, every method raises ClosedError."""

    def __init__(self, options: dict[str, Any], library: str | os.PathLike[str] | None = None) -> None:
        """Raises LibraryError, ForkedError in a child that was forked while a runtime existed, else GibbousError."""
        self._library = load(library)
        self._process = os.getpid()
        self._posting = threading.Lock()  # gib_post() must not meet gib_destroy()
        problem = ctypes.create_string_buffer(ERROR_BYTES)
        runtime = self._library.gib_create(encoded('options', options), problem, ERROR_BYTES)
        if runtime is None:
            text = problem.value.decode(errors='replace')
            raise (errors.ForkedError if text.startswith(FORKED) else errors.GibbousError)(text)
        self._runtime = ctypes.c_void_p(runtime)
        self._given = CMessage(size=ctypes.sizeof(CMessage))  # what gib_next() gave last; its kind is 0 once it is done
        self._message: Message | None = None  # the same in Python

    def check(self) -> int:
        """Returns the Code that a function would return here and now."""
        return int(self._library.gib_check(self._runtime))

    def need(self) -> None:
        """Raises unless functions are carried out here and now."""
        self._checked(self.check())

    def call(self, request: dict[str, Any], begun: list[int] | None = None) -> int:
        """Begins a call and returns its number, which it also appends to `begun`: the owner of that list knows the
        call, also when the exception of a signal's handler, such as KeyboardInterrupt, takes the place of the return.
        """
        return self._begin(self._library.gib_call, encoded('request', request), begun)

    def cancel(self, call: int) -> None:
        """Cancels a call; one that has ended already is left alone."""
        self._checked(self._library.gib_cancel(self._runtime, call), Code.NOT_FOUND)

    def poll(self, budget: Budget) -> bool:
        """Returns whether more could be done at once."""
        given = CBudget(ctypes.sizeof(CBudget), budget.bytes, budget.lua_us, budget.wall_us)
        return self._checked(self._library.gib_poll(self._runtime, given)) == 1

    def fd(self) -> int:
        return int(self._library.gib_fd(self._runtime))

    def next_timeout(self) -> int:
        """Milliseconds; 0: now; -1: never."""
        return 0 if self._given.kind else int(self._library.gib_next_timeout(self._runtime))

    def next(self) -> Message | None:
        """Returns the next message, copied; None when there is none. It is the same one until done()."""
        if not self._given.kind and self._checked(self._library.gib_next(self._runtime, self._given), Code.CLOSED) != 1:
            return None
        return self._copied()

    def done(self, message: Message) -> bool:
        """Says that a message of next() need not come again. Returns False when that was said before."""
        if self._message is not message:
            return False
        self._message = None
        self._given.kind = 0
        return True

    def _copied(self) -> Message | None:
        given = self._given
        if not given.kind:  # close() in a signal's handler has taken it, and freed its text
            return None
        if self._message is None:
            text = ctypes.string_at(given.json, given.json_size).decode(errors='replace')
            try:
                body = json.loads(text)
                if given.kind:
                    self._message = Message(given.kind, given.call, given.token, body)
            except (ValueError, RecursionError):  # it would come for ever
                given.kind = 0
                raise
        return self._message

    def reply(self, token: int, body: dict[str, Any]) -> None:
        """Answers an ask, an input or a host call; one that has ended is left alone. InvalidArgument leaves it open."""
        code = self._library.gib_reply(self._runtime, token, encoded('reply', body))
        self._checked(code, Code.NOT_FOUND, Code.CLOSED)

    def asks(self) -> list[dict[str, Any]]:
        text = self._library.gib_asks(self._runtime)
        if text is None:
            self.need()
            self._fail(Code.FAILED)
        listed: list[dict[str, Any]] = json.loads(text.decode(errors='replace'))['asks']
        return listed

    def ask_answer(self, id: str, body: dict[str, Any]) -> None:
        self._checked(self._library.gib_ask_answer(self._runtime, _named('id', id), encoded('answer', body)))

    def progress(self, token: int, body: dict[str, Any]) -> None:
        code = self._library.gib_progress(self._runtime, token, encoded('progress', body))
        self._checked(code, Code.NOT_FOUND, Code.CLOSED)

    def tool_add(self, tool: dict[str, Any]) -> None:
        self._checked(self._library.gib_tool_add(self._runtime, encoded('tool', tool)))

    def tool_remove(self, name: str) -> None:
        self._checked(self._library.gib_tool_remove(self._runtime, _named('name', name)))

    def function_add(self, function: dict[str, Any]) -> None:
        self._checked(self._library.gib_function_add(self._runtime, encoded('function', function)))

    def function_remove(self, name: str) -> None:
        self._checked(self._library.gib_function_remove(self._runtime, _named('name', name)))

    def tools(self, format: str) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = self._parsed(self._library.gib_tools(self._runtime, _named('format', format)))
        return listed

    def resources(self) -> dict[str, list[dict[str, Any]]]:
        listed: dict[str, list[dict[str, Any]]] = self._parsed(self._library.gib_resources(self._runtime))
        return listed

    def prompts(self) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = self._parsed(self._library.gib_prompts(self._runtime))['prompts']
        return listed

    def info(self) -> dict[str, Any]:
        told: dict[str, Any] = self._parsed(self._library.gib_info(self._runtime))
        return told

    def runs(self, session: str, begun: list[int] | None = None) -> int:
        """Asks for the runs of a session. `begun` as for call()."""
        return self._begin(self._library.gib_runs, _named('session', session), begun)

    def backlog(self, session: str, begun: list[int] | None = None) -> int:
        """Asks for the unseen events of a session. `begun` as for call()."""
        return self._begin(self._library.gib_backlog, _named('session', session), begun)

    def read(self, run: str, stream: int, cursor: ctypes.c_uint64, buffer: 'ctypes.Array[ctypes.c_char]',
             ended: ctypes.c_int) -> int:
        """Returns how many bytes it copied into `buffer`; sets `cursor` and `ended`."""
        return self._checked(self._library.gib_read(self._runtime, _named('run', run), stream, cursor, buffer,
                                                    len(buffer), ended))

    def reload(self) -> None:
        self._checked(self._library.gib_reload(self._runtime))

    def post(self, value: dict[str, Any]) -> None:
        text = encoded('value', value)
        self._refuse_in_child()
        with self._posting:
            code = self._library.gib_post(self._runtime, text)
        if code == Code.INVALID:  # gib_error() belongs to the other thread
            raise errors.InvalidArgument('value: expected a dict of at most 8 MiB as JSON')
        self._checked(code)

    def close(self) -> None:
        if self._given.kind:
            self._copied()  # its text goes away
        self._checked(self._library.gib_close(self._runtime), Code.CLOSED)

    def destroy(self) -> int:
        """Frees the runtime, in any state, and returns the Code. Does nothing on another thread and in a child."""
        code = self.check()
        if code in (Code.WRONG_THREAD, Code.FORKED):
            return code
        with self._posting:
            code = int(self._library.gib_destroy(self._runtime))
        return code

    def _refuse_in_child(self) -> None:
        # Checked before the lock is taken: the child may have inherited it locked.
        if os.getpid() != self._process:
            self._fail(Code.FORKED)

    def _begin(self, function: Callable[[ctypes.c_void_p, bytes], int], text: bytes, begun: list[int] | None) -> int:
        numbers = [] if begun is None else begun
        # Python looks for signals after extend() has returned, not between the call and the appending.
        numbers.extend(map(function, (self._runtime,), (text,)))
        if numbers[-1] < 0:
            self._fail(numbers.pop())
        return numbers[-1]

    def _parsed(self, text: bytes | None) -> Any:
        if text is None:
            self.need()
            self._fail(Code.INVALID)
        return json.loads(text.decode(errors='replace'))

    def _checked(self, code: int, *accepted: int) -> int:
        if code < 0 and code not in accepted:
            self._fail(code)
        return int(code)

    def _fail(self, code: int) -> NoReturn:
        text = self._library.gib_error(self._runtime).decode(errors='replace')
        if code == Code.CLOSED:
            text = 'the runtime was closed'
        raise _EXCEPTIONS.get(code, errors.GibbousError)(text)

