"""SyncRuntime: Gibbous in a program without an event loop."""

import inspect
import math
import select
import time
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, Literal, Self, Unpack

from ._bodies import (
    answer_body, ask_of, call_body, completion_body, error_of, event_of, input_body, input_of, options_body,
    progress_of, prompt_body, result_of, with_settings,
)
from ._calls import Unseen
from ._handle import Budget, Code, Handle, Kind, Message
from ._handlers import (
    INTERRUPTED, NOBODY, end_problem, failure_reply, key_of, log, log_event, missing_reply, send_reply,
)
from ._millis import MAX_TIMEOUT_S
from ._output import OutputReader
from .errors import ClosedError, GibbousError, InvalidArgument, ToolError
from .streams import MAX_WAITING
from .tool import Context, Function, Tool
from .values import Answer, Ask, Event, Input, Options, Path, Progress, Result, ToolFormat

_BUDGET = Budget(bytes=1 << 20, lua_us=0, wall_us=100_000)
_MAX_POLL_MS = 1 << 30  # select.poll() takes a C int


class SyncRuntime:
    """Runs tools for agents: each method blocks until it is done.

        with gibbous.SyncRuntime(mode='auto') as rt:
            print(rt.call('bg_start', command='make').text)

    Runs go on while nothing is called, but what happens to them is noticed, and tools and on_ask are called, only
    inside call(), wait() and the like. Handlers are plain functions, and may call the runtime.

    A signal's handler may raise, or call close(); the other methods are not for it. It is started when it is made.
    Parameters, threads and errors are those of gibbous.Runtime, but there is no budget.
    """

    def __init__(self, *, tools: Iterable[Tool] = (), functions: Iterable[Function] = (),
                 on_ask: Callable[[Ask], Answer | bool] | None = None,
                 on_input: Callable[[Input], dict[str, Any] | None] | None = None, library: Path | None = None,
                 **options: Unpack[Options]) -> None:
        self._tools = {each.key: each for each in [*(_checked(tool, Tool) for tool in tools),
                                                   *(_checked(function, Function) for function in functions)]}
        for name, handler in (('on_ask', on_ask), ('on_input', on_input)):
            if inspect.iscoroutinefunction(handler):
                raise InvalidArgument(f'{name}: expected a function without `async`; gibbous.Runtime takes those with it')
        self._on_ask = on_ask
        self._on_input = on_input
        self._answers: dict[int, tuple[Any, list[dict[str, Any]]]] = {}  # with the events that came with them
        self._given_up: dict[int, str] = {}  # the sessions of interrupted calls whose answer has not come yet
        self._unseen = Unseen()
        self._progress: dict[int, Callable[[Progress], None]] = {}
        self._contexts: dict[int, Context] = {}
        self._replies: dict[int, dict[str, Any]] = {}  # by token: of functions of the program, to be sent
        self._events: deque[Event] = deque(maxlen=MAX_WAITING)
        self.end_problem: ToolError | None = None  # after close()
        self._has_more = False
        self._is_over = False
        self._handle = Handle(options_body(options, self._tools.values()), library)
        self._poller = select.poll()
        self._poller.register(self._handle.fd(), select.POLLIN)
        self._finalizer = weakref.finalize(self, _abandon, self._handle)

    def close(self) -> None:
        """Ends every run and every call, and returns when nothing is left; a second time it does nothing.

        As in Runtime.close(), `end_problem` says afterwards what a file system that did not answer may have lost.
        """
        if self._is_over:
            return
        self._handle.close()
        while not self._is_over:
            self._turn(None)
        self._handle.destroy()
        self._finalizer.detach()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def call(self, name: str, arguments: Mapping[str, Any] | None = None, /, *, timeout: float | None = None,
             session: str | None = None, on_progress: Callable[[Progress], None] | None = None, backlog: bool = False,
             priority: int = 0, check: bool = True, **keywords: Any) -> Result:
        """Calls a tool as Runtime.call() does, and waits for its end. An exception meanwhile, such as
        KeyboardInterrupt, cancels the call."""
        body = with_settings(call_body(name, arguments, keywords), timeout=timeout, session=session,
                             progress=on_progress is not None, backlog=backlog, priority=priority)
        return self._result_of(body, on_progress, check)

    def read_resource(self, uri: str, *, timeout: float | None = None,
                      session: str | None = None) -> list[dict[str, Any]]:
        """Returns what a resource of the scripts holds. As Runtime.read_resource()."""
        body = with_settings({'resource': uri}, timeout=timeout, session=session)
        contents: list[dict[str, Any]] = self._result_of(body).data['contents']
        return contents

    def get_prompt(self, name: str, arguments: Mapping[str, str] | None = None, *, timeout: float | None = None,
                   session: str | None = None) -> dict[str, Any]:
        """Returns a prompt of the scripts. As Runtime.get_prompt()."""
        return self._result_of(with_settings(prompt_body(name, arguments), timeout=timeout, session=session)).data

    def complete(self, argument: str, value: str, *, prompt: str | None = None, template: str | None = None,
                 arguments: Mapping[str, str] | None = None) -> list[str]:
        """Returns what may follow what was typed so far. As Runtime.complete()."""
        values: list[str] = self._result_of(completion_body(prompt, template, argument, value, arguments)).data['values']
        return values

    def _result_of(self, body: dict[str, Any], on_progress: Callable[[Progress], None] | None = None,
                   check: bool = True) -> Result:
        self._handle.need()
        session = body.get('session', '')
        begun: list[int] = []
        try:
            number = self._handle.call(body, begun)
            if on_progress is not None:
                self._progress[number] = on_progress
            self._await(number)
            result: Result = self._answers[number][0]
            error = error_of(result) if check and not result.ok else None
            wants_unseen = 'backlog' in body and (error is None or result.backlog)
            unseen = self._unseen.of(session) if wants_unseen else []
        except BaseException:
            self._give_up(begun, session)
            if begun and begun[0] > 0 and self._handle.check() == Code.OK:
                self._handle.cancel(begun[0])
            raise
        # From here on Python does not look for signals before this function returns.
        if on_progress is not None:
            del self._progress[number]
        del self._answers[number]
        if error is not None:
            unseen += result.backlog
            raise error
        if 'backlog' in body:
            result.backlog[:0] = unseen
            if session in self._unseen.lists:
                del self._unseen.lists[session]
        return result

    def _list_of(self, ask: Callable[[str, list[int]], int], session: str) -> list[dict[str, Any]]:
        begun: list[int] = []
        try:
            number = ask(session, begun)
            self._await(number)
            found: list[dict[str, Any]]
            found, events = self._answers[number]
            unseen = self._unseen.of(session) if events is found else []
        except BaseException:
            self._give_up(begun, session)
            raise
        # From here on Python does not look for signals before this function returns.
        del self._answers[number]
        if events is found:
            found[:0] = unseen
            if session in self._unseen.lists:
                del self._unseen.lists[session]
        return found

    def wait(self, seconds: float) -> list[Event]:
        """Returns the events since the last time; when there are none, waits for some, at most that long.

        The newest 10,000 are kept until they are taken. Raises InvalidArgument unless `seconds` is from 0 to 1e9.
        """
        if not isinstance(seconds, (int, float)) or not 0 <= seconds <= MAX_TIMEOUT_S:
            raise InvalidArgument(f'seconds: expected 0 to {MAX_TIMEOUT_S:.0f}, got {seconds!r}')
        end = time.monotonic() + seconds
        self._handle.need()
        self._turn(0)
        while not self._events and not self._is_over and (left := end - time.monotonic()) > 0:
            self._turn(left)
        none: deque[Event] = deque(maxlen=MAX_WAITING)
        events, self._events = [*self._events], none
        return events

    def asks(self) -> list[dict[str, Any]]:
        """Returns the open questions of all programs of this user. As Runtime.asks()."""
        return self._handle.asks()

    def answer(self, id: str, answer: Answer | bool) -> None:
        """Answers one of asks(). As Runtime.answer()."""
        self._handle.ask_answer(id, answer_body(answer))

    def runs(self, session: str = '') -> list[dict[str, Any]]:
        """Returns the remembered runs of a session, or of all, the oldest first."""
        return self._list_of(self._handle.runs, session)

    def backlog(self, session: str = '') -> list[dict[str, Any]]:
        """Returns the events that the session's agent has not seen, which then count as seen."""
        return self._list_of(self._handle.backlog, session)

    def output(self, run: str, stream: Literal['stdout', 'stderr'] = 'stdout', *, cursor: int = 0) -> Iterator[bytes]:
        """Gives the output of a run as it comes, from the byte `cursor` on until the run's stream ends.

        Iterating raises NotFound when there is no such run, and InvalidArgument for a wrong stream or cursor.
        """
        reader = OutputReader(self._handle, run, stream, cursor)
        while (piece := reader.read()) is not None:
            if piece:
                yield piece
            else:
                self._turn(None)

    def tools(self, format: ToolFormat = 'mcp') -> list[dict[str, Any]]:
        """Returns the definitions of the current tools, as this kind of model wants them."""
        return self._handle.tools(format)

    def resources(self) -> list[dict[str, Any]]:
        """Returns the resources of the scripts, and after them the templates. As Runtime.resources()."""
        listed = self._handle.resources()
        return listed['resources'] + listed['templates']

    def prompts(self) -> list[dict[str, Any]]:
        """Returns the prompts of the scripts, as MCP lists them."""
        return self._handle.prompts()

    def add_tool(self, added: Tool) -> Tool:
        """Adds a tool of your own, a function without `async`. Loads the scripts again, which takes some 50 ms.

        Raises InvalidArgument or GibbousError when the definition is refused.
        """
        self._add(_checked(added, Tool), self._handle.tool_add)
        return added

    def remove_tool(self, name: str) -> None:
        """Removes a tool that add_tool() added. Raises NotFound when there is none."""
        self._handle.tool_remove(name)
        self._tools.pop(name, None)

    def add_function(self, added: Function) -> Function:
        """Adds a function that scripts call as host.NAME(args). Time and errors are those of add_tool()."""
        self._add(_checked(added, Function), self._handle.function_add)
        return added

    def remove_function(self, name: str) -> None:
        """Removes a function that add_function() added. Raises NotFound when there is none."""
        self._handle.function_remove(name)
        self._tools.pop(f'host.{name}', None)

    def reload(self) -> None:
        """Loads scripts and policies again, which takes some 50 ms. Raises GibbousError, and keeps the old ones, when
        they are broken."""
        self._handle.reload()

    def info(self) -> dict[str, Any]:
        """Returns what the runtime is: version, mode, session, generation, policy_error."""
        return self._handle.info()

    def post(self, value: dict[str, Any]) -> None:
        """Makes an event `posted` of a dict that JSON can express, which ends a wait(). Any thread. Errors are those of
        Runtime.post()."""
        self._handle.post(value)

    def _add(self, added: Tool, add: Callable[[dict[str, Any]], None]) -> None:
        before = self._tools
        # It is there before the library can call it. Should an interrupt hide whether the library has taken it, it
        # stays; where there is one of its name, the library has refused it.
        self._tools = {added.key: added} | before
        try:
            add(added.definition)
        except GibbousError:
            self._tools = before
            raise
        self._tools[added.key] = added

    # --- Turning ----------------------------------------------------------------------------------

    # Python looks for signals when a function begins, after it has called a function that is written in C, and at the
    # end of each round of a loop; the exceptions of their handlers come there. So what belongs together below has none
    # of these in between.

    def _await(self, number: int) -> None:
        while number not in self._answers:
            if self._is_over:
                raise ClosedError('the runtime was closed')
            self._turn(None)

    def _give_up(self, begun: list[int], session: str) -> None:
        """Notes that no caller waits any more for the answers of these calls: the next one brings their events."""
        for number in begun:
            self._progress.pop(number, None)
            if number in self._answers:
                events = self._answers[number][1]
                unseen = self._unseen.of(session) if events else []
                unseen += events
                del self._answers[number]
            elif number > 0:  # else it is why the call was refused
                self._given_up[number] = session

    def _turn(self, seconds: float | None) -> None:
        """Waits for something to do, at most that long, and does it. Python's handlers of signals could not run during
        gib_wait()."""
        if self._replies:
            self._reply()
        limit = 0 if self._has_more else self._handle.next_timeout()
        limits = ([limit] if limit >= 0 else []) + ([] if seconds is None else [math.ceil(seconds * 1000)])
        self._poller.poll(min(*limits, _MAX_POLL_MS) if limits else None)
        self._has_more = True  # this stays so when the exception of a signal's handler keeps poll() from returning
        self._has_more = self._handle.poll(_BUDGET)
        while (message := self._handle.next()) is not None:
            self._receive(message)

    def _receive(self, message: Message) -> None:
        body = message.body
        match message.kind:
            case Kind.RESULT:
                result = result_of(body)
                self._answer(message, result, result.backlog)
            case Kind.RUNS:
                self._answer(message, body['runs'], [])
            case Kind.BACKLOG:
                self._answer(message, body['events'], body['events'])
            case Kind.EVENT | Kind.LOG:
                self._tell(message, event_of(body))
            case Kind.POSTED:
                self._tell(message, event_of(body, 'posted'))
            case Kind.ASK:
                self._ask(message)
            case Kind.INPUT:
                self._input(message)
            case Kind.HOST_CALL:
                self._carry_out(message)
            case Kind.CLOSED_DOWN:
                self.end_problem = end_problem(body)
                self._handle.done(message)
                self._is_over = True
            case _:
                self._handle.done(message)
                self._tell_of_call(message)

    def _answer(self, message: Message, answer: Any, events: list[dict[str, Any]]) -> None:
        number = message.call
        given_up = number in self._given_up
        unseen = self._unseen.of(self._given_up[number]) if given_up and events else []
        if not self._handle.done(message):
            return
        if given_up:
            unseen += events
            del self._given_up[number]
        else:
            self._answers[number] = answer, events

    def _tell(self, message: Message, event: Event) -> None:
        append = self._events.append
        if not self._handle.done(message):
            return
        append(event)
        log_event(event)

    def _tell_of_call(self, message: Message) -> None:
        match message.kind:
            case Kind.PROGRESS:
                if on_progress := self._progress.get(message.call):
                    on_progress(progress_of(message.body))
            case Kind.CANCELLED:
                if context := self._contexts.get(message.token):
                    context._end()

    # --- What the program answers -----------------------------------------------------------------

    def _ask(self, message: Message) -> None:
        body = NOBODY if self._on_ask is None else answer_body(Answer(False, 'the question was not answered'))
        if not self._handle.done(message):
            return
        try:
            if self._on_ask is not None:
                body = answer_body(self._on_ask(ask_of(message.body, message.call)))
        except Exception as error:
            log.error('on_ask failed, which denies', exc_info=error)
        finally:
            self._replies[message.token] = body
            self._reply()

    def _input(self, message: Message) -> None:
        body = input_body(None) if self._on_input is None else {'message': 'the question was not answered'}
        if not self._handle.done(message):
            return
        try:
            if self._on_input is not None:
                body = input_body(self._on_input(input_of(message.body, message.call)))
        except Exception as error:
            log.error('on_input failed', exc_info=error)
        finally:
            self._replies[message.token] = body
            self._reply()

    def _carry_out(self, message: Message) -> None:
        token, body = message.token, message.body
        tool = self._tools.get(key_of(body))
        reply = INTERRUPTED if tool is not None else missing_reply(body)
        context = Context(tool.name if tool is not None else '', body.get('session', ''),
                          lambda made: self._handle.progress(token, made))
        if not self._handle.done(message):
            return
        try:
            if tool is not None:
                self._contexts[token] = context
                reply = tool.reply(tool.invoke(body['arguments'], context))
        except Exception as error:
            assert tool is not None
            reply = failure_reply(tool, error)
        finally:
            self._replies[token] = reply
            self._contexts.pop(token, None)
            context._end()
            self._reply()

    def _reply(self) -> None:
        """Sends the replies that are ready; those that an interrupt keeps here are sent with the next turn."""
        for token, body in [*self._replies.items()]:
            send_reply(self._handle, token, body)
            self._replies.pop(token, None)  # close() in a signal's handler may have sent it


def _checked(added: Tool, kind: type[Tool]) -> Tool:
    if type(added) is not kind:
        raise InvalidArgument(f'expected a function decorated with @gibbous.{kind.__name__.lower()}, got {added!r}')
    if added.is_async:
        raise InvalidArgument(f'{added.name}: expected a function without `async`; gibbous.Runtime takes those with it')
    return added


def _abandon(handle: Handle) -> None:
    was_open = handle.check() == Code.OK
    handle.destroy()
    if was_open:
        warnings.warn('a gibbous.SyncRuntime was not closed: use `with`, or close()', ResourceWarning, stacklevel=2)
