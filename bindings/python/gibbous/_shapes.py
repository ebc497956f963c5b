"""The two shapes in which models answer and are told results: OpenAI's chat and Anthropic's messages. Any thread."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that a model wants. `problem` says what is wrong with its arguments, if anything is."""
    id: str
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    problem: str = ''


class Shape(Protocol):
    def read(self, response: Any) -> tuple[dict[str, Any], str, list[ToolCall]]:
        """Returns the message to remember, its text, and the calls in it. Raises ValueError for another shape."""

    def results(self, results: Sequence[tuple[ToolCall, tuple[bool, str]]]) -> list[dict[str, Any]]:
        """Returns the messages that tell the model how its calls ended."""


def _as_dict(value: Any, place: str) -> dict[str, Any]:
    if hasattr(value, 'model_dump'):  # objects of the vendors' clients
        value = value.model_dump(exclude_none=True)
    if not isinstance(value, dict):
        raise ValueError(f'{place}: expected a dict, got {value!r}')
    return value


def _need(value: dict[str, Any], name: str, kind: type, place: str) -> Any:
    if not isinstance(value.get(name), kind):
        raise ValueError(f'{place}.{name}: expected a {kind.__name__}, got {value.get(name)!r}')
    return value[name]


class OpenAi:
    def read(self, response: Any) -> tuple[dict[str, Any], str, list[ToolCall]]:
        choices = _need(_as_dict(response, 'response'), 'choices', list, 'response')
        if not choices:
            raise ValueError('response.choices: expected at least one')
        place = 'response.choices[0]'
        message = _as_dict(_need(_as_dict(choices[0], place), 'message', dict, place), f'{place}.message')
        calls = [self._call(_as_dict(each, f'{place}.message.tool_calls[{index}]'), index)
                 for index, each in enumerate(message.get('tool_calls') or [])]
        return message, message.get('content') or '', calls

    def _call(self, given: dict[str, Any], index: int) -> ToolCall:
        place = f'response.choices[0].message.tool_calls[{index}]'
        function = _need(given, 'function', dict, place)
        id = _need(given, 'id', str, place)
        name = _need(function, 'name', str, f'{place}.function')
        text = function.get('arguments') or '{}'
        try:
            arguments = json.loads(text)
        except ValueError as error:
            return ToolCall(id, name, problem=f'the arguments are not JSON: {error}')
        if not isinstance(arguments, dict):
            return ToolCall(id, name, problem=f'the arguments are not a JSON object: {text}')
        return ToolCall(id, name, arguments)

    def results(self, results: Sequence[tuple[ToolCall, tuple[bool, str]]]) -> list[dict[str, Any]]:
        return [{'role': 'tool', 'tool_call_id': call.id, 'content': text} for call, (_, text) in results]


class Anthropic:
    def read(self, response: Any) -> tuple[dict[str, Any], str, list[ToolCall]]:
        content = _need(_as_dict(response, 'response'), 'content', list, 'response')
        blocks = [_as_dict(each, f'response.content[{index}]') for index, each in enumerate(content)]
        text = ''.join(block.get('text', '') for block in blocks if block.get('type') == 'text')
        calls = [ToolCall(_need(block, 'id', str, place), _need(block, 'name', str, place),
                          _need(block, 'input', dict, place))
                 for index, block in enumerate(blocks) if block.get('type') == 'tool_use'
                 for place in [f'response.content[{index}]']]
        return {'role': 'assistant', 'content': blocks}, text, calls

    def results(self, results: Sequence[tuple[ToolCall, tuple[bool, str]]]) -> list[dict[str, Any]]:
        blocks: list[dict[str, Any]] = []
        for call, (ok, text) in results:
            block: dict[str, Any] = {'type': 'tool_result', 'tool_use_id': call.id, 'content': text}
            blocks.append(block if ok else block | {'is_error': True})
        return [{'role': 'user', 'content': blocks}]


SHAPES: dict[str, Shape] = {'openai': OpenAi(), 'anthropic': Anthropic()}
