"""Tools of your own: functions whose type hints and docstring become a definition for models."""

import dataclasses
import inspect
import json
import re
import typing
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, overload

from ._docstring import described
from ._millis import millis_of
from .errors import InvalidArgument, ToolError
from .schema import Member, Schema, UnsupportedType, members_of, object_schema, schema_of, value_of
from .values import Permission, Reply

DEFAULT_TIMEOUT_S = 60.0
HOST_ERROR = 'host_error'
MAX_PROGRESS = 1e15
_CODE = re.compile(r'[a-z][a-z0-9_]{0,63}')


class Context:
    """The call that a tool carries out: a parameter with this type hint gets it.

    Both may be used on any thread, but progress() of a SyncRuntime only on the thread of the runtime.
    """

    def __init__(self, tool: str, session: str, report: Callable[[dict[str, Any]], None]) -> None:
        self.tool = tool
        self.session = session  # of the caller
        self._report = report
        self._is_cancelled = False

    @property
    def is_cancelled(self) -> bool:
        """Whether the call has ended: a function without `async`, which cannot be interrupted, should then return."""
        return self._is_cancelled

    def _end(self) -> None:
        self._is_cancelled = True

    def progress(self, progress: float, total: float | None = None, message: str = '') -> None:
        """Tells a caller that wants to know how far the call is. Does nothing once it has ended.

        Raises InvalidArgument unless the numbers are from 0 to 1e15.
        """
        body: dict[str, Any] = {'progress': progress, 'message': message}
        if total is not None:
            body['total'] = total
        for name in body.keys() - {'message'}:
            if not isinstance(body[name], (int, float)) or not 0 <= body[name] <= MAX_PROGRESS:
                raise InvalidArgument(f'{name}: expected a number from 0 to 1e15, got {body[name]!r}')
        self._report(body)


@dataclasses.dataclass(frozen=True, slots=True)
class Tool:
    """A function and its definition. Calling it calls the function."""
    function: Callable[..., Any]
    name: str
    definition: dict[str, Any]  # as gib_tool_add() takes it
    members: dict[str, Member]
    context_name: str | None

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.function(*args, **keywords)

    @property
    def is_async(self) -> bool:
        return inspect.iscoroutinefunction(self.function)

    def invoke(self, arguments: Mapping[str, Any], context: Context) -> Any | Awaitable[Any]:
        """Calls the function with the arguments of a call. Raises ValueError when they do not fit the hints."""
        given = {name: value_of(self.members[name].type, value) for name, value in arguments.items()}
        if self.context_name is not None:
            given[self.context_name] = context
        return self.function(**given)

    @property
    def key(self) -> str:
        """Its name among the tools and functions of a program."""
        return self.name

    def reply(self, returned: Any) -> dict[str, Any]:
        """Returns the reply to a call whose function has returned this."""
        if isinstance(returned, Reply):
            body: dict[str, Any] = {'text': returned.text}
            if returned.data is not None:
                body['data'] = returned.data
            return body
        if returned is None or isinstance(returned, str):
            return {'text': returned or ''}
        value = _plain(returned)
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        return {'text': text, 'data': dict(value)} if isinstance(value, Mapping) else {'text': text}


class Function(Tool):
    """A function that scripts call as host.NAME(args), and no model sees."""
    __slots__ = ()

    @property
    def key(self) -> str:
        return f'host.{self.name}'

    def reply(self, returned: Any) -> dict[str, Any]:
        return {'value': _plain(returned)}


def _plain(returned: Any) -> Any:
    is_record = dataclasses.is_dataclass(returned) and not isinstance(returned, type)
    return dataclasses.asdict(returned) if is_record else returned


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def tool(*, name: str | None = None, permission: Permission = 'execute', title: str = '',
         description: str | None = None, timeout: float | None = DEFAULT_TIMEOUT_S,
         structured: bool = False) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(function: Callable[..., Any] | None = None, /, *, name: str | None = None,
         permission: Permission = 'execute', title: str = '', description: str | None = None,
         timeout: float | None = DEFAULT_TIMEOUT_S, structured: bool = False) -> Any:
    """Makes a tool of a function, sync or async: `@tool` or `@tool(permission='read')`.

    Its parameters need type hints; what its docstring says about it and them is what models read. `permission` is what
    the policy judges. `timeout`: seconds after which a call ends with the code `timeout`, None for never.
    `structured`: models read the data instead of the text.

    It may return a str (the text), a dict, dataclass or TypedDict (the data), a Reply (both) or anything else that
    JSON can express. A ToolError fails with its code, any other exception with the code `host_error`.

    Raises UnsupportedType for a type hint that has no JSON Schema, and InvalidArgument for what else is wrong.
    """
    def make(decorated: Callable[..., Any]) -> Tool:
        made = _definition(decorated, name, permission, description, timeout)
        made.body['structured'] = structured
        if title:
            made.body['title'] = title
        if output := _output_schema(made.name, made.returned):
            made.body['output'] = output
        return Tool(decorated, made.name, made.body, made.members, made.context_name)

    return make if function is None else make(function)


@overload
def function(function: Callable[..., Any], /) -> Function: ...
@overload
def function(*, name: str | None = None, permission: Permission = 'execute', description: str | None = None,
             timeout: float | None = DEFAULT_TIMEOUT_S) -> Callable[[Callable[..., Any]], Function]: ...
def function(function: Callable[..., Any] | None = None, /, *, name: str | None = None,
             permission: Permission = 'execute', description: str | None = None,
             timeout: float | None = DEFAULT_TIMEOUT_S) -> Any:
    """Makes a function for scripts, as tool() makes a tool: they call it as host.NAME(args) and get what it returns.

    The policy judges it as a call of `host.NAME`. Type hints and errors are those of tool().
    """
    def make(decorated: Callable[..., Any]) -> Function:
        made = _definition(decorated, name, permission, description, timeout)
        if output := schema_of(made.returned, f'{made.name}.return'):
            made.body['output'] = output
        return Function(decorated, made.name, made.body, made.members, made.context_name)

    return make if function is None else make(function)


@dataclasses.dataclass(frozen=True, slots=True)
class _Definition:
    name: str
    body: dict[str, Any]
    members: dict[str, Member]
    context_name: str | None
    returned: Any


def _definition(function: Callable[..., Any], name: str | None, permission: str, description: str | None,
                timeout: float | None) -> _Definition:
    if not callable(function):
        raise InvalidArgument(f'tool: expected a function, got {function!r}')
    name = name or str(getattr(function, '__name__', ''))
    summary, notes = described(function)
    if not (description or summary):
        raise InvalidArgument(f'{name}: a tool needs a description: give it a docstring')
    members, context_name, returned = _signature(name, function)
    schema = object_schema(members, name)
    for parameter, note in notes.items():
        if parameter in schema['properties']:
            schema['properties'][parameter].setdefault('description', note)
    body = {'name': name, 'description': description or summary, 'permission': permission, 'input': schema,
            'timeout_ms': 0 if timeout is None else millis_of(f'{name}.timeout', timeout)}
    return _Definition(name, body, members, context_name, returned)


def _signature(tool_name: str, function: Callable[..., Any]) -> tuple[dict[str, Member], str | None, Any]:
    """Returns the parameters, the name of the one that gets the context, and the type that is returned."""
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except NameError as error:
        raise InvalidArgument(f'{tool_name}: a type hint cannot be resolved: {error}. Define the type at the top level '
                              'of its module') from error
    members: dict[str, Member] = {}
    context_name = None
    for name, parameter in inspect.signature(function).parameters.items():
        place = f'{tool_name}.{name}'
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise InvalidArgument(f'{place}: {parameter} has no name that a model could use; give each parameter one')
        if name not in hints:
            raise InvalidArgument(f'{place}: a parameter of a tool needs a type hint')
        if Context in (hints[name], *typing.get_args(hints[name])):
            context_name = name
        else:
            required = parameter.default is parameter.empty
            members[name] = Member(hints[name], required, None if required else parameter.default)
    return members, context_name, hints.get('return', Any)


def _output_schema(name: str, returned: Any) -> Schema | None:
    members = members_of(returned)
    if members is None:
        return None
    try:
        return object_schema(members, f'{name}.return', (returned,))
    except UnsupportedType:
        return None  # what is returned is checked when it is encoded


def error_reply(error: Exception) -> dict[str, Any]:
    """Returns the reply to a call whose function has raised this."""
    if isinstance(error, ToolError):
        code = error.code if isinstance(error.code, str) and _CODE.fullmatch(error.code) else HOST_ERROR
        return {'error': {'code': code, 'message': str(error.message)}}
    name = type(error).__name__
    return {'error': {'code': HOST_ERROR, 'message': f'{name}: {error}' if str(error) else name}}
