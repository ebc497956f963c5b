"""Reads the output of a run piece by piece. Used by both runtimes, on their thread."""

import ctypes

from ._handle import Handle
from .errors import InvalidArgument

READ_BYTES = 64 << 10
STREAMS = {'stdout': 1, 'stderr': 2}


class OutputReader:
    """Reads one stream of a run from a place on; reading consumes nothing."""

    def __init__(self, handle: Handle, run: str, stream: str, cursor: int) -> None:
        if stream not in STREAMS:
            raise InvalidArgument(f'stream: expected stdout or stderr, got {stream!r}')
        if not isinstance(cursor, int) or cursor < 0:
            raise InvalidArgument(f'cursor: expected 0 or more bytes, got {cursor!r}')
        self._handle = handle
        self._run = run
        self._stream = STREAMS[stream]
        self._cursor = ctypes.c_uint64(cursor)
        self._buffer = ctypes.create_string_buffer(READ_BYTES)
        self._ended = ctypes.c_int(0)

    @property
    def cursor(self) -> int:
        """Where the next read begins, in bytes from the start of the stream."""
        return self._cursor.value

    def read(self) -> bytes | None:
        """Returns what there is, b'' for nothing at the moment, and None when there will be no more."""
        count = self._handle.read(self._run, self._stream, self._cursor, self._buffer, self._ended)
        if count == 0 and self._ended.value:
            return None
        return ctypes.string_at(self._buffer, count)
