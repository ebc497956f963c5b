"""Seconds in Python, milliseconds in gibbous.h."""

import math

from .errors import InvalidArgument

MAX_TIMEOUT_S = 1e9


def millis_of(name: str, seconds: float) -> int:
    """Returns whole milliseconds, at least one. Raises InvalidArgument, which names the argument."""
    is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not is_number or not 0 < seconds <= MAX_TIMEOUT_S:
        raise InvalidArgument(f'{name}: expected seconds, above 0 and at most {MAX_TIMEOUT_S:.0f}, or None, '
                              f'got {seconds!r}')
    return math.ceil(seconds * 1000)
