"""Gibbous in Python: runs the commands of an agent, under a policy, and ends whole process trees.

    async with gibbous.Runtime(mode='auto') as rt:
        result = await rt.call('bg_start', command='make')

Runtime is for asyncio, SyncRuntime for programs without it, gibbous.agent a loop around any model.
"""

from . import agent
from ._handle import Budget
from ._library import version
from .errors import (ClosedError, ForkedError, GibbousError, InvalidArgument, LibraryError, NotFound, ToolError,
                     WrongThreadError)
from .runtime import Runtime
from .schema import UnsupportedType
from .streams import EventStream, OutputStream
from .sync import SyncRuntime
from .tool import Context, Function, Tool, function, tool
from .values import Answer, Ask, Event, Input, Options, Progress, Reply, Result

__all__ = [
    'Answer', 'Ask', 'Budget', 'ClosedError', 'Context', 'Event', 'EventStream', 'ForkedError', 'Function',
    'GibbousError', 'Input', 'InvalidArgument', 'LibraryError', 'NotFound', 'Options', 'OutputStream', 'Progress', 'Reply',
    'Result', 'Runtime', 'SyncRuntime', 'Tool', 'ToolError', 'UnsupportedType', 'WrongThreadError', 'agent', 'function',
    'tool', 'version',
]
