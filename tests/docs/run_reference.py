#!/usr/bin/env python3
"""Runs the examples of the Lua API's reference.

    run_reference.py REFERENCE GIBBOUS

Each example becomes the body of a tool, so all of them must at least load. Those that stand on their own are also
called in a session: an error, or an assertion that does not hold, fails the test.
"""

import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / 'examples' / 'demo'))

from agent import Agent, ToolError  # noqa: E402

LEAST_RUN = 45  # examples that stand on their own; the others use a name of GIVEN that the reader has
ENTRY = re.compile(r'^### `([\w.:]+)[^`]*`\n(?:(?!^### ).)*?^```lua\n(.*?)^```$', re.MULTILINE | re.DOTALL)
GIVEN = re.compile(r'\b(args|handle|server|editor|spec)\b')
TEXT = re.compile(r"'[^'\n]*'")
TOOL = """  tool {{
    name = 'example_{number}', description = '{name}', permission = 'execute',
    run = function(args)
      local function example()
{example}
      end
      example()
      return 'done'
    end,
  }},
"""


def stands_alone(example):
    code = TEXT.sub("''", example)
    return set(GIVEN.findall(code)) <= set(re.findall(r'\blocal (\w+)', code))


def make_scripts(directory, examples):
    """A scripts directory with a tool for each example, beside those that the examples call."""
    tools = ''.join(TOOL.format(number=number, name=name, example=example)
                    for number, (name, example) in enumerate(examples))
    (directory / 'init.lua').write_text(
        "return { toolsets = { require 'toolsets.bg', { name = 'examples', tools = {\n" + tools + '} } } }\n',
        encoding='utf-8')


def main():
    page, gibbous = Path(sys.argv[1]).read_text(encoding='utf-8'), sys.argv[2]
    examples = ENTRY.findall(page)
    alone = [number for number, (_, example) in enumerate(examples) if stands_alone(example)]
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        (directory / 'scripts').mkdir()
        (directory / 'work').mkdir()
        make_scripts(directory / 'scripts', examples)
        agent = Agent([gibbous, 'session', '--mode', 'auto', '--scripts', directory / 'scripts', '--workspace',
                       directory / 'work', '--state', directory / 'state'])
        failed = {}
        for number in alone:
            try:
                agent.call(f'example_{number}')
            except ToolError as error:
                failed[number] = error
        agent.close()
    for number, error in failed.items():
        print(f'{examples[number][0]}: {error}')
    print(f'{len(alone) - len(failed)} of {len(examples)} examples ran, all of them load')
    return 0 if not failed and len(alone) >= LEAST_RUN else 1


if __name__ == '__main__':
    sys.exit(main())
