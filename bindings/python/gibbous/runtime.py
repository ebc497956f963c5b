"""Runtime: Gibbous in an asyncio program."""

import asyncio
import weakref
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import Any, Literal, Self, Unpack

from ._bodies import (
    answer_body, call_body, completion_body, error_of, event_of, options_body, prompt_body, result_of, with_settings,
)
from ._calls import Calls, OpenCall, OpenList
from ._handle import Budget, Code, Handle, Kind, Message
from ._handlers import AskHandler, Handlers, InputHandler, end_problem, log_event
from ._output import OutputReader
from ._pump import Pump
from .errors import ClosedError, GibbousError, InvalidArgument, ToolError
from .streams import EventStream, OutputStream
from .tool import Function, Tool, tool
from .values import Answer, Event, Options, Path, Progress, Result, ToolFormat


class Runtime:
    """Runs tools for agents, inside an asyncio loop, which it never holds up for longer than its budget.

        async with gibbous.Runtime(mode='auto', workspace='.') as rt:
            result = await rt.call('bg_start', command='make')

    It belongs to the thread that starts it: every method but post() must be called there. On another thread they
    raise WrongThreadError, in a forked child ForkedError, before start() and after close() ClosedError.

    `tools`, `functions`, `on_ask` and `on_input` are described at the methods that set them. `budget` is what one
    turn may take. `library` is the path of libgibbous.so, by default the one in this package, else the system's. The
    other keywords are `Options`.
    """

    def __init__(self, *, tools: Iterable[Tool] = (), functions: Iterable[Function] = (),
                 on_ask: AskHandler | None = None, on_input: InputHandler | None = None, budget: Budget = Budget(),
                 library: Path | None = None, **options: Unpack[Options]) -> None:
        self._options = options
        self._library = library
        self._budget = budget
        self._ask_handler: AskHandler | None = None
        self._input_handler: InputHandler | None = None
        self._tools: dict[str, Tool] = {}
        self._calls = Calls()
        self._streams: weakref.WeakSet[EventStream] = weakref.WeakSet()
        self._turns: list[asyncio.Future[None]] = []
        self._handle: Handle | None = None
        self.end_problem: ToolError | None = None  # after close()
        if on_ask is not None:
            self.on_ask(on_ask)
        if on_input is not None:
            self.on_input(on_input)
        for tool in tools:
            self.add_tool(tool)
        for function in functions:
            self.add_function(function)

    # --- Beginning and end ------------------------------------------------------------------------

    async def start(self) -> Self:
        """Loads scripts and policies, which takes some 50 ms. `async with` does it.

        Raises GibbousError when an option is wrong or they are broken, LibraryError without the library, and
        ForkedError in a child that was forked while a runtime existed.
        """
        if self._handle is not None:
            raise GibbousError('the runtime was started before: make a new one')
        self._handle = Handle(options_body(self._options, self._tools.values()), self._library)
        self._pump = Pump(self._handle, self, self._budget)
        self._handlers = Handlers(self._handle, self._tools, self._pump.kick)
        self._handlers.on_ask = self._ask_handler
        self._handlers.on_input = self._input_handler
        weakref.finalize(self, self._pump.abandon)
        return self

    async def close(self) -> None:
        """Ends every run and every call, and returns when nothing is left; a second time it does nothing.

        Calls that are open raise ToolError with the code `cancelled` or `shutdown`. Closing goes on when the task of
        close() is cancelled. A file system that does not answer delays it by two or three seconds; `end_problem`
        then says what may be missing in the journal and in logs.
        """
        if self._handle is None or self._pump.ended:
            return
        if self._handle.check() != Code.CLOSED:  # which it is while another close() waits
            self._handle.need()
        if self._pump.loop.is_closed():  # nothing turns it any more
            self._pump.end()
            return
        self._need_own_loop()
        self._handle.close()
        self._pump.kick()
        await asyncio.shield(self._pump.closed)

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None,
                        trace: TracebackType | None) -> None:
        await self.close()

    # --- Calls ------------------------------------------------------------------------------------

    async def call(self, name: str, arguments: Mapping[str, Any] | None = None, /, *, timeout: float | None = None,
                   session: str | None = None, on_progress: Callable[[Progress], None] | None = None,
                   backlog: bool = False, priority: int = 0, check: bool = True, **keywords: Any) -> Result:
        """Calls a tool: `await rt.call('bg_start', command='make')`.

        Arguments are keywords or a mapping. An argument of the tool that has the name of a parameter of this method
        goes into the mapping: `rt.call('bg_start', {'command': 'make', 'timeout': 5000})`.

        `timeout`: seconds after which the call ends with the code `timeout`. `session`: who the call is for.
        `on_progress` is called each time the tool says how far it is. `backlog`: the result also has the events that
        the session's agent has not seen. `priority`: -100 to 100; scripts of calls with a higher one run first.

        Raises ToolError when the call fails; with check=False, it returns a result whose `ok` is False instead. Events
        that came with the answer of a call that raises come with the next one that has `backlog`, or from backlog().
        Cancelling the task cancels the call and what it has started to get its answer.
        """
        body = with_settings(call_body(name, arguments, keywords), timeout=timeout, session=session,
                             progress=on_progress is not None, backlog=backlog, priority=priority)
        return await self._answered(body, on_progress, check)

    async def read_resource(self, uri: str, *, timeout: float | None = None,
                            session: str | None = None) -> list[dict[str, Any]]:
        """Returns what a resource of the scripts holds: MCP's contents, {'uri', 'mimeType'?, 'text' or 'blob'}.

        Raises ToolError, with the code `resource_not_found` when there is none.
        """
        body = with_settings({'resource': uri}, timeout=timeout, session=session)
        contents: list[dict[str, Any]] = (await self._answered(body)).data['contents']
        return contents

    async def get_prompt(self, name: str, arguments: Mapping[str, str] | None = None, *, timeout: float | None = None,
                         session: str | None = None) -> dict[str, Any]:
        """Returns a prompt of the scripts, in MCP's terms: {'description'?, 'messages': [...]}. Raises ToolError."""
        body = with_settings(prompt_body(name, arguments), timeout=timeout, session=session)
        return (await self._answered(body)).data

    async def complete(self, argument: str, value: str, *, prompt: str | None = None, template: str | None = None,
                       arguments: Mapping[str, str] | None = None) -> list[str]:
        """Returns what may follow what was typed so far for an argument of a prompt, or of a resource's template.

        `arguments` has the values of others. Raises ToolError, and InvalidArgument unless one target is named.
        """
        body = completion_body(prompt, template, argument, value, arguments)
        values: list[str] = (await self._answered(body)).data['values']
        return values

    async def _answered(self, body: dict[str, Any], on_progress: Callable[[Progress], None] | None = None,
                        check: bool = True) -> Result:
        handle = self._opened()
        future: asyncio.Future[Result] = self._future()
        number = handle.call(body)
        open_call = OpenCall(future, body.get('session', ''), body.get('backlog', False), on_progress)
        self._calls.add(number, open_call)
        self._pump.kick()
        try:
            result = await future
        except (asyncio.CancelledError, GeneratorExit):
            if self._calls.give_up(number, open_call) and handle.check() == Code.OK:
                handle.cancel(number)
                self._pump.kick()
            raise
        if check and not result.ok:
            self._calls.give_up(number, open_call)
            raise error_of(result)
        return result

    # --- What happens -----------------------------------------------------------------------------

    def events(self, *names: str) -> EventStream:
        """Returns the events from now on, those of these names or all: run_ended, log, the names of watchers, …

        What post() was given comes as `posted`. Any number of streams may be open.
        """
        self._opened()
        stream = EventStream(frozenset(names))
        self._streams.add(stream)
        return stream

    def on_ask(self, handler: AskHandler) -> AskHandler:
        """Sets who answers when the policy asks: a function, sync or async, from an Ask to True, False or an Answer.

        May be used as a decorator. Without a handler, a call that the policy asks about fails with the code
        `needs_approval`. A handler that raises denies; an async one whose call ends before it answers is cancelled.
        """
        if not callable(handler):
            raise InvalidArgument(f'on_ask: expected a function that takes an Ask, got {handler!r}')
        self._ask_handler = handler
        if self._handle is not None:
            self._handlers.on_ask = handler
        return handler

    def on_input(self, handler: InputHandler) -> InputHandler:
        """Sets who answers what scripts ask (ask in Lua): a function, sync or async, from an Input to the answer, or to
        None because the client cannot be asked.

        May be used as a decorator. Without a handler scripts get the error `cannot_ask`, as they do when it raises; an
        async one whose call ends before it answers is cancelled.
        """
        if not callable(handler):
            raise InvalidArgument(f'on_input: expected a function that takes an Input, got {handler!r}')
        self._input_handler = handler
        if self._handle is not None:
            self._handlers.on_input = handler
        return handler

    def asks(self) -> list[dict[str, Any]]:
        """Returns the open questions of all programs of this user with the same state directory, the oldest first, as
        `gibbous asks --json` prints them: those that on_ask has, too. Reads files, which takes a moment."""
        return self._opened().asks()

    def answer(self, id: str, answer: Answer | bool) -> None:
        """Answers one of asks() by its id, or the beginning of one. Its program takes the first answer, soon.

        Raises NotFound when it is not open, with who answered it and when, and InvalidArgument for an answer that it
        does not offer.
        """
        self._opened().ask_answer(id, answer_body(answer))

    async def runs(self, session: str = '') -> list[dict[str, Any]]:
        """Returns the remembered runs of a session, or of all, the oldest first."""
        return await self._listed(Handle.runs, session)

    async def backlog(self, session: str = '') -> list[dict[str, Any]]:
        """Returns the events that the session's agent has not seen, the oldest first; they then count as seen."""
        return await self._listed(Handle.backlog, session)

    async def _listed(self, begin: Callable[[Handle, str], int], session: str) -> list[dict[str, Any]]:
        handle = self._opened()
        future: asyncio.Future[list[dict[str, Any]]] = self._future()
        waiting = OpenList(future, session)
        self._calls.add_list(begin(handle, session), waiting)
        self._pump.kick()
        try:
            return await future
        except (asyncio.CancelledError, GeneratorExit):
            if begin is Handle.backlog:
                self._calls.give_up_backlog(waiting)
            raise

    def output(self, run: str, stream: Literal['stdout', 'stderr'] = 'stdout', *, cursor: int = 0) -> OutputStream:
        """Returns the output of a run as it comes, from the byte `cursor` on until the run's stream ends.

        Iterating raises NotFound when there is no such run, and ClosedError once the runtime is closed.
        """
        return OutputStream(OutputReader(self._opened(), run, stream, cursor), self._next_turn)

    async def _next_turn(self) -> None:
        turn = self._future()
        self._turns.append(turn)
        await turn

    # --- Tools ------------------------------------------------------------------------------------

    def tools(self, format: ToolFormat = 'mcp') -> list[dict[str, Any]]:
        """Returns the definitions of the current tools, as this kind of model wants them."""
        return self._opened().tools(format)

    def resources(self) -> list[dict[str, Any]]:
        """Returns the resources of the scripts, as MCP lists them, and after them the templates (`uriTemplate`)."""
        listed = self._opened().resources()
        return listed['resources'] + listed['templates']

    def prompts(self) -> list[dict[str, Any]]:
        """Returns the prompts of the scripts, as MCP lists them."""
        return self._opened().prompts()

    def add_tool(self, added: Tool) -> Tool:
        """Adds a tool of your own, which is then listed, judged and called like any other.

        Once the runtime is started, this loads the scripts again, which takes some 50 ms.
        Raises InvalidArgument or GibbousError when the definition is refused.
        """
        if not isinstance(added, Tool) or isinstance(added, Function):
            raise InvalidArgument(f'tools: expected a function decorated with @gibbous.tool, got {added!r}')
        self._add(added, Handle.tool_add)
        return added

    def add_function(self, added: Function) -> Function:
        """Adds a function that scripts call as host.NAME(args). Time and errors are those of add_tool()."""
        if not isinstance(added, Function):
            raise InvalidArgument(f'functions: expected a function decorated with @gibbous.function, got {added!r}')
        self._add(added, Handle.function_add)
        return added

    def _add(self, added: Tool, add: Callable[[Handle, dict[str, Any]], None]) -> None:
        if self._handle is not None:
            add(self._opened(), added.definition)
            self._pump.kick()
        elif added.key in self._tools:
            raise InvalidArgument(f'tools: there are two with the name {added.key!r}')
        self._tools[added.key] = added

    def remove_tool(self, name: str) -> None:
        """Removes a tool that add_tool() added. Raises NotFound when there is none."""
        self._opened().tool_remove(name)
        self._tools.pop(name, None)
        self._pump.kick()

    def remove_function(self, name: str) -> None:
        """Removes a function that add_function() added. Raises NotFound when there is none."""
        self._opened().function_remove(name)
        self._tools.pop(f'host.{name}', None)
        self._pump.kick()

    def tool(self, function: Callable[..., Any] | None = None, /, **definition: Any) -> Any:
        """Decorates a function and adds it: `@rt.tool` or `@rt.tool(permission='read')`, as gibbous.tool() says."""
        if function is not None:
            return self.add_tool(tool(function))
        return lambda decorated: self.add_tool(tool(**definition)(decorated))

    # --- The rest ---------------------------------------------------------------------------------

    def reload(self) -> None:
        """Loads scripts and policies again, now, which takes some 50 ms. Raises GibbousError, and keeps the old ones,
        when they are broken."""
        self._opened().reload()
        self._pump.kick()

    def info(self) -> dict[str, Any]:
        """Returns what the runtime is: version, mode, session, generation, policy_error."""
        return self._opened().info()

    def post(self, value: dict[str, Any]) -> None:
        """Makes an event `posted` of a dict that JSON can express, at most 8 MiB of it. Any thread.

        Raises InvalidArgument for anything else, and ClosedError and ForkedError as every method does.
        """
        if self._handle is None:
            raise ClosedError('the runtime was not started')
        self._handle.post(value)

    def _opened(self) -> Handle:
        if self._handle is None:
            raise ClosedError('the runtime was not started: use `async with`, or await start()')
        self._handle.need()
        if self._pump.loop.is_closed():
            raise ClosedError('the event loop of the runtime was closed')
        return self._handle

    def _need_own_loop(self) -> None:
        if asyncio.get_running_loop() is not self._pump.loop:
            raise GibbousError('the runtime was started in another event loop, which is the only one that turns it')

    def _future(self) -> 'asyncio.Future[Any]':
        self._need_own_loop()
        return self._pump.loop.create_future()

    def _receive(self, message: Message) -> None:
        body = message.body
        match message.kind:
            case Kind.RESULT:
                self._calls.finish(message.call, result_of(body))
            case Kind.PROGRESS:
                self._calls.progress(message.call, body)
            case Kind.EVENT | Kind.LOG:
                self._tell(event_of(body))
            case Kind.POSTED:
                self._tell(event_of(body, 'posted'))
            case Kind.RUNS:
                self._calls.finish_runs(message.call, body['runs'])
            case Kind.BACKLOG:
                self._calls.finish_backlog(message.call, body['events'])
            case Kind.ASK:
                self._handlers.ask(message)
            case Kind.INPUT:
                self._handlers.input(message)
            case Kind.HOST_CALL:
                self._handlers.host_call(message)
            case Kind.CANCELLED:
                self._handlers.cancelled(message.token)
            case Kind.CLOSED_DOWN:
                self.end_problem = end_problem(body)
                self._closed_down()

    def _tell(self, event: Event) -> None:
        log_event(event)
        for stream in list(self._streams):
            stream.add(event)

    def _turned(self) -> None:
        turns, self._turns = self._turns, []
        for turn in turns:
            if not turn.done():
                turn.set_result(None)

    def _closed_down(self) -> None:
        self._calls.end()
        self._handlers.end()
        for stream in list(self._streams):
            stream.close()
