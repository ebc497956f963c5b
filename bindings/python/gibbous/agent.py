"""A minimal agent: a model that calls tools until it has an answer.

    result = await gibbous.agent.run(rt, model, 'Make the tests pass.', shape='openai')

`model` is any function, sync or async, that takes the messages and the tools and returns a response of the OpenAI chat
or of the Anthropic messages API, as a dict or as an object of their clients:

    def model(messages, tools):
        return client.chat.completions.create(model='…', messages=messages, tools=tools)
"""

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ._handlers import called
from ._shapes import SHAPES, ToolCall
from .errors import InvalidArgument
from .values import Result

if TYPE_CHECKING:
    from .runtime import Runtime

Model = Callable[[list[dict[str, Any]], list[dict[str, Any]]], Any | Awaitable[Any]]
MAX_TURNS = 50


@dataclass(frozen=True, slots=True)
class Conversation:
    """What run() returns. `messages` begins with those of the prompt; the next run() may continue them."""
    text: str  # the model's last words
    messages: list[dict[str, Any]]
    turns: int  # how often the model was asked
    stopped: Literal['answer', 'max_turns']


async def run(runtime: 'Runtime', model: Model, prompt: str | Sequence[dict[str, Any]], *,
              shape: Literal['openai', 'anthropic'] = 'openai', max_turns: int = MAX_TURNS, session: str | None = None,
              call_timeout: float | None = None, on_message: Callable[[dict[str, Any]], None] | None = None
              ) -> Conversation:
    """Asks the model, carries out the calls that it makes, those of one turn at the same time, and tells it their
    results and what has happened meanwhile. Goes on until the model answers without a call, or was asked `max_turns`
    times.

    `prompt` is the user's words, or messages in the model's shape. `session` is who the runs belong to;
    `call_timeout` limits each call, in seconds; `on_message` sees each new message of the conversation. A model that
    is not async is asked in a thread.

    A call that fails is told to the model. What the model raises is raised; so is ValueError for a response that is not
    of the shape, and what Runtime.call() raises when the runtime is closed. Cancelling cancels the open calls.
    """
    if shape not in SHAPES:
        raise InvalidArgument(f'shape: expected {" or ".join(SHAPES)}, got {shape!r}')
    if max_turns < 1:
        raise InvalidArgument(f'max_turns: expected 1 or more, got {max_turns!r}')
    form = SHAPES[shape]
    messages = [{'role': 'user', 'content': prompt}] if isinstance(prompt, str) else list(prompt)

    def add(message: dict[str, Any]) -> None:
        messages.append(message)
        if on_message is not None:
            on_message(message)

    for turn in range(1, max_turns + 1):
        response = await called(model, messages, runtime.tools(shape), is_async=inspect.iscoroutinefunction(model))
        message, text, calls = form.read(response)
        add(message)
        if not calls:
            return Conversation(text, messages, turn, 'answer')
        told = await asyncio.gather(*(_result(runtime, call, session, call_timeout) for call in calls))
        for result in form.results(list(zip(calls, told))):
            add(result)
    return Conversation(text, messages, max_turns, 'max_turns')


async def _result(runtime: 'Runtime', call: ToolCall, session: str | None, timeout: float | None) -> tuple[bool, str]:
    """Carries out a call. Returns whether it succeeded, and what the model reads about it."""
    if call.problem:
        return False, f'invalid_arguments: {call.problem}'
    try:
        result = await runtime.call(call.name, call.arguments, timeout=timeout, session=session, backlog=True,
                                    check=False)
    except InvalidArgument as error:
        return False, f'invalid_arguments: {error}'
    lines = [_text_of(result)]
    lines += [f'[event] {json.dumps(event, ensure_ascii=False)}' for event in result.backlog]
    return result.ok, '\n'.join(line for line in lines if line)


def _text_of(result: Result) -> str:
    if not result.ok:
        return '\n'.join(part for part in (f'{result.code}: {result.message}', result.text) if part)
    return json.dumps(result.data, ensure_ascii=False) if result.structured and result.data else result.text
