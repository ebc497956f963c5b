#!/usr/bin/env python3
"""An agent that mends a program whose tests fail: a model, Gibbous's tools, and one tool of its own.

    agent.py                          a scripted model, so that it runs without a network
    agent.py --url URL --model NAME   a model behind an OpenAI-shaped API; its key in OPENAI_API_KEY

It works in a temporary copy of `broken/`. What the policy asks about, it asks you. Exits with 0 when the tests pass.
"""

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

import gibbous
from scripted_model import ScriptedModel

HERE = Path(__file__).resolve().parent
TASK = 'The tests of this directory fail (python3 -m unittest). Mend the program, and say what was wrong with it.'
REQUEST_SECONDS = 120


def model_at(url, name):
    """Returns a function that asks a model behind an API of OpenAI's shape."""

    def ask(messages, tools):
        request = urllib.request.Request(
            url.rstrip('/') + '/chat/completions',
            data=json.dumps({'model': name, 'messages': messages, 'tools': tools}).encode(),
            headers={'Content-Type': 'application/json', 'Authorization': f'Bearer {os.environ["OPENAI_API_KEY"]}'})
        with urllib.request.urlopen(request, timeout=REQUEST_SECONDS) as response:
            return json.load(response)

    return ask


def ask_on_terminal(ask):
    """Answers a question of the policy. It has no `async`, so it runs in a thread and may wait for a person."""
    print(f'\n? {ask.command or ask.tool}\n  {ascii(ask.reason)}')
    if not sys.stdin.isatty():
        return gibbous.Answer(False, 'nobody is at the terminal')
    return input('  Allow? [y/N] ').strip().lower() == 'y'


def show(message):
    """Prints what a message adds to the conversation."""
    for call in message.get('tool_calls') or []:
        print(f'> {call["function"]["name"]} {call["function"]["arguments"]}')
    if message['role'] == 'tool':
        print('\n'.join(f'< {line}' for line in message['content'].splitlines()))
    elif message.get('content'):
        print(message['content'])


async def mend(workspace, model, library):
    """Lets the model work in the workspace until it has an answer."""
    async with gibbous.Runtime(mode='auto', workspace=workspace, state_dir=workspace.parent / 'state',
                               library=library, on_ask=ask_on_terminal) as rt:

        @rt.tool(permission='read')
        def changed_files() -> list[str]:
            """Lists the files of the workspace that differ from those that were there at the beginning."""
            return [str(path.relative_to(workspace)) for path in sorted(workspace.rglob('*.py'))
                    if path.read_bytes() != (HERE / 'broken' / path.relative_to(workspace)).read_bytes()]

        return await gibbous.agent.run(rt, model, TASK, on_message=show)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--url', help='URL of the API, such as https://api.openai.com/v1')
    parser.add_argument('--model', help='name of the model there')
    parser.add_argument('--library', help='path of libgibbous.so; by default the one that is installed')
    given = parser.parse_args()
    if bool(given.url) != bool(given.model):
        parser.error('--url and --model go together')
    if given.url and not os.environ.get('OPENAI_API_KEY'):
        parser.error('--url needs the key of the API in the variable OPENAI_API_KEY')
    model = model_at(given.url, given.model) if given.url else ScriptedModel()
    with tempfile.TemporaryDirectory(prefix='gibbous_agent_') as temporary:
        workspace = Path(temporary).resolve() / 'workspace'
        shutil.copytree(HERE / 'broken', workspace)
        asyncio.run(mend(workspace, model, given.library))
        tests = subprocess.run([sys.executable, '-B', '-m', 'unittest'], cwd=workspace, capture_output=True,
                               check=False)
    print('The tests pass.' if tests.returncode == 0 else 'The tests still fail.')
    return tests.returncode


if __name__ == '__main__':
    sys.exit(main())
