"""Carries out what the library asks of the host: calls of its tools and questions of the policy, each in a task.

Functions without `async` run in the loop's default thread pool, so that they never hold the loop up.
"""

import asyncio
import contextlib
import inspect
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from ._bodies import answer_body, ask_of, input_body, input_of
from ._handle import Handle, Message
from .errors import GibbousError, InvalidArgument, ToolError
from .tool import Context, Tool, error_reply
from .values import Answer, Ask, Event, Input

AskHandler = Callable[[Ask], 'Awaitable[Answer | bool] | Answer | bool']
InputHandler = Callable[[Input], 'Awaitable[dict[str, Any] | None] | dict[str, Any] | None']
NOBODY = {'no_approver': True}  # the reply to an ask of a program without an on_ask handler
INTERRUPTED = {'error': {'code': 'cancelled', 'message': 'the tool was interrupted before it had an answer'}}

log = logging.getLogger('gibbous')


def log_event(event: Event) -> None:
    """Passes on to `logging` what a script or the runtime logs; other events are left alone."""
    if event.name == 'log':
        level = logging.getLevelNamesMapping().get(str(event.data.get('level', '')).upper(), logging.INFO)
        log.log(level, '%s', event.data.get('message', ''))


def end_problem(body: dict[str, Any]) -> ToolError | None:
    """What the last message says of a file system that did not answer, which is logged, too."""
    problem = body.get('problem')
    if problem is None:
        return None
    log.warning('%s: %s', problem['code'], problem['message'])
    return ToolError(problem['code'], problem['message'])


def send_reply(handle: Handle, token: int, body: dict[str, Any]) -> None:
    """Answers an ask, an input or a host call; with an error when the library refuses what a handler has returned."""
    try:
        handle.reply(token, body)
    except InvalidArgument as error:  # the token is still open
        handle.reply(token, _refused(body, error))


def _refused(body: dict[str, Any], error: InvalidArgument) -> dict[str, Any]:
    if 'allow' in body:
        return {'allow': False, 'reason': str(error)}
    return {'message': str(error)} if 'result' in body else error_reply(error)


def failure_reply(tool: Tool, error: Exception) -> dict[str, Any]:
    """Logs what a tool or function of the program has raised, and returns the reply to its call."""
    log.info('tool %s failed', tool.name, exc_info=error)
    return error_reply(error)


def missing_reply(body: dict[str, Any]) -> dict[str, Any]:
    """Returns the reply to a call of a tool or function that was removed meanwhile."""
    return error_reply(GibbousError(f'this program has no {key_of(body)} any more'))


def key_of(body: dict[str, Any]) -> str:
    """Returns Tool.key of what a host call wants."""
    return str(body['tool'] if 'tool' in body else f'host.{body["function"]}')


async def called(function: Callable[..., Any], *arguments: Any, is_async: bool) -> Any:
    """Returns what a function of the program returns, which is called in a thread unless it is async."""
    returned = function(*arguments) if is_async else await asyncio.to_thread(function, *arguments)
    return await returned if inspect.isawaitable(returned) else returned


class Handlers:
    """The open asks and host calls of one runtime. The loop's thread only, except for Context.progress()."""

    def __init__(self, handle: Handle, tools: dict[str, Tool], after_reply: Callable[[], None]) -> None:
        self.on_ask: AskHandler | None = None
        self.on_input: InputHandler | None = None
        self._handle = handle
        self._tools = tools
        self._after_reply = after_reply
        self._loop = asyncio.get_running_loop()
        self._open: dict[int, asyncio.Task[None]] = {}
        self._contexts: dict[int, Context] = {}

    def ask(self, message: Message) -> None:
        if self.on_ask is None:
            self._reply(message.token, NOBODY)
            return
        self._begin(message.token, self._answer(message.token, ask_of(message.body, message.call), self.on_ask))

    def input(self, message: Message) -> None:
        if self.on_input is None:
            self._reply(message.token, input_body(None))
            return
        self._begin(message.token, self._give(message.token, input_of(message.body, message.call), self.on_input))

    def host_call(self, message: Message) -> None:
        token, body = message.token, message.body
        tool = self._tools.get(key_of(body))
        if tool is None:
            self._reply(token, missing_reply(body))
            return
        context = Context(tool.name, body.get('session', ''), lambda made: self._progress(token, made))
        self._contexts[token] = context
        self._begin(token, self._carry_out(token, tool, body['arguments'], context))

    def cancelled(self, token: int) -> None:
        """Cancels the task of an ask, an input or a host call that the library has ended: no reply is wanted any more."""
        if context := self._contexts.pop(token, None):
            context._end()
        if task := self._open.pop(token, None):
            task.cancel()

    def end(self) -> None:
        """Cancels everything that is open."""
        for token in list(self._open):
            self.cancelled(token)

    def _begin(self, token: int, work: Any) -> None:
        self._open[token] = self._loop.create_task(work)

    async def _answer(self, token: int, ask: Ask, handler: AskHandler) -> None:
        body: dict[str, Any] = {'allow': False, 'reason': 'the question was not answered'}
        try:
            answer = await called(handler, ask, is_async=inspect.iscoroutinefunction(handler))
            body = answer_body(answer)
        except Exception as error:
            self._report('on_ask failed, which denies', error)
        finally:
            self._reply(token, body)

    async def _give(self, token: int, wanted: Input, handler: InputHandler) -> None:
        body: dict[str, Any] = {'message': 'the question was not answered'}
        try:
            body = input_body(await called(handler, wanted, is_async=inspect.iscoroutinefunction(handler)))
        except Exception as error:
            self._report('on_input failed', error)
        finally:
            self._reply(token, body)

    async def _carry_out(self, token: int, tool: Tool, arguments: dict[str, Any], context: Context) -> None:
        body: dict[str, Any] = INTERRUPTED
        try:
            body = tool.reply(await called(tool.invoke, arguments, context, is_async=tool.is_async))
        except Exception as error:
            body = failure_reply(tool, error)
        finally:
            context._end()
            self._contexts.pop(token, None)
            self._reply(token, body)

    def _reply(self, token: int, body: dict[str, Any]) -> None:
        self._open.pop(token, None)
        send_reply(self._handle, token, body)
        self._after_reply()

    def _progress(self, token: int, body: dict[str, Any]) -> None:
        """Reports how far a call is. Any thread."""
        try:
            running = asyncio.get_running_loop()
        except RuntimeError:
            running = None
        if running is self._loop:
            self._tell(token, body)
            return
        with contextlib.suppress(RuntimeError):  # raised when the loop was closed: then no caller waits any more
            self._loop.call_soon_threadsafe(self._tell, token, body)

    def _tell(self, token: int, body: dict[str, Any]) -> None:
        if token not in self._open:
            return
        self._handle.progress(token, body)
        self._after_reply()

    def _report(self, message: str, error: Exception) -> None:
        self._loop.call_exception_handler({'message': f'gibbous: {message}', 'exception': error})
