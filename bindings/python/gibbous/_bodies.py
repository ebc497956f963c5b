"""Translates between Python values and the JSON objects of gibbous.h. Any thread."""

import dataclasses
import os
from collections.abc import Iterable, Mapping
from typing import Any

from ._millis import millis_of
from .errors import InvalidArgument, ToolError
from .tool import Function, Tool
from .values import Answer, Ask, Event, Input, Progress, Result

_ASK_FIELDS = [field.name for field in dataclasses.fields(Ask) if field.name != 'call']


def options_body(options: Mapping[str, Any], parts: Iterable[Tool]) -> dict[str, Any]:
    body: dict[str, Any] = {'inputs': True}
    for name, value in options.items():
        if value is None:
            continue
        if isinstance(value, os.PathLike):
            value = os.fspath(value)
        body[name] = list(value) if isinstance(value, (tuple, set, frozenset)) else value
    for part in parts:
        body.setdefault('functions' if isinstance(part, Function) else 'tools', []).append(part.definition)
    return body


def call_body(tool: str, arguments: Mapping[str, Any] | None, keywords: Mapping[str, Any]) -> dict[str, Any]:
    given = dict(arguments or {})
    for name in keywords:
        if name in given:
            raise InvalidArgument(f'{name}: given twice, in the arguments and as a keyword')
    return {'tool': tool, 'arguments': given | dict(keywords)}


def prompt_body(name: str, arguments: Mapping[str, str] | None) -> dict[str, Any]:
    return {'prompt': name, 'arguments': dict(arguments or {})}


def completion_body(prompt: str | None, template: str | None, argument: str, value: str,
                    arguments: Mapping[str, str] | None) -> dict[str, Any]:
    if (prompt is None) == (template is None):
        raise InvalidArgument('prompt: expected either a prompt or a template')
    target = {'prompt_completion': prompt} if template is None else {'resource_completion': template}
    given: dict[str, Any] = {'argument': argument, 'value': value}
    if arguments:
        given['arguments'] = dict(arguments)
    return target | {'arguments': given}


def with_settings(body: dict[str, Any], *, timeout: float | None, session: str | None, progress: bool = False,
                  backlog: bool = False, priority: int = 0) -> dict[str, Any]:
    """Adds what every call may have."""
    if session is not None:
        body['session'] = session
    if progress:
        body['progress'] = True
    if backlog:
        body['backlog'] = True
    if timeout is not None:
        body['timeout_ms'] = millis_of('timeout', timeout)
    if priority != 0:
        body['priority'] = priority
    return body


def result_of(body: dict[str, Any]) -> Result:
    return Result(
        ok=body.get('ok', False), text=body.get('text', ''), data=body.get('data') or {},
        structured=body.get('structured', False), backlog=body.get('backlog', []), code=body.get('code', ''),
        message=body.get('message', ''), traceback=body.get('traceback', ''), content=body.get('content', []))


def error_of(result: Result) -> ToolError:
    return ToolError(result.code, result.message, text=result.text, data=result.data or None,
                     traceback=result.traceback)


def progress_of(body: dict[str, Any]) -> Progress:
    return Progress(body.get('progress', 0), body.get('total'), body.get('message', ''), body.get('waiting', False))


def event_of(body: dict[str, Any], name: str = '') -> Event:
    return Event(name or body['event'], body.get('session', ''), body.get('run', ''), body)


def ask_of(body: dict[str, Any], call: int) -> Ask:
    return Ask(**{name: body[name] for name in _ASK_FIELDS}, call=call)


def input_of(body: dict[str, Any], call: int) -> Input:
    return Input(body['id'], body['session'], body['kind'], body['params'], call)


def input_body(answer: Mapping[str, Any] | None) -> dict[str, Any]:
    if answer is None:
        return {'message': 'nobody can be asked'}
    if not isinstance(answer, Mapping):
        raise TypeError(f'on_input: expected a dict or None, got {answer!r}')
    return {'result': dict(answer)}


def answer_body(answer: Answer | bool) -> dict[str, Any]:
    if isinstance(answer, bool):
        answer = Answer(answer)
    if not isinstance(answer, Answer):
        raise TypeError(f'answer: expected True, False or an Answer, got {answer!r}')
    body = {'allow': answer.allow, 'reason': answer.reason, 'who': answer.who, 'remember': answer.remember,
            'about': answer.about}
    if answer.lasts:
        body['lasts_s'] = answer.lasts
    return body
