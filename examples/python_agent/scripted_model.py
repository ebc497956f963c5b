"""A stand-in for a model, in OpenAI's shape: it reads what the tests print, and knows one way to mend it."""

import json
import re

FAILURE = re.compile(r'AssertionError: \S+ != \S+')


class ScriptedModel:
    """A function of messages and tools, as gibbous.agent.run() takes it, for one conversation."""

    def __init__(self):
        self._turns = 0

    def __call__(self, messages, tools):
        self._turns += 1
        said = messages[-1]['content']
        if self._turns == 1:
            return self._calls(self._shell('python3 -B -m unittest'), self._shell('cat prices.py'))
        if self._turns == 2:
            told = '\n'.join(message['content'] for message in messages if message['role'] == 'tool')
            if not FAILURE.search(told):
                return self._says('The tests do not fail as I know it.')
            return self._calls(self._shell("sed -i 's/price - percent/price * (1 - percent \\/ 100)/' prices.py"))
        if self._turns == 3:
            return self._calls(self._shell('python3 -B -m unittest'), ('changed_files', {}))
        return self._says(f'The discount was taken off as an amount, not as a percentage. I changed {said}.')

    @staticmethod
    def _shell(command):
        return 'bg_start', {'command': command, 'until': {'exit': True}}

    def _calls(self, *calls):
        return self._says(None, [
            {'id': f'call_{self._turns}_{index}', 'type': 'function',
             'function': {'name': name, 'arguments': json.dumps(arguments)}}
            for index, (name, arguments) in enumerate(calls)])

    @staticmethod
    def _says(text, calls=None):
        message = {'role': 'assistant', 'content': text}
        if calls:
            message['tool_calls'] = calls
        return {'choices': [{'message': message, 'finish_reason': 'tool_calls' if calls else 'stop'}]}
