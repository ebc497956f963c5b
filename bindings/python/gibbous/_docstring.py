"""Reads what a docstring says about a function and its parameters, in Google's style or Sphinx's. Any thread."""

import inspect
import re
from typing import Any

_SECTION = re.compile(r'(Args|Arguments|Parameters|Returns|Return|Yields|Raises|Examples?|Notes?):\s*$')
_PARAMETERS = ('Args', 'Arguments', 'Parameters')
_NAMED = re.compile(r'\*{0,2}(\w+)\s*(?:\([^)]*\))?:\s*(.*)$')
_FIELD = re.compile(r':(\w+)(?:\s+[^:]*?(\w+))?:\s*(.*)$')


def described(function: Any) -> tuple[str, dict[str, str]]:
    """Returns the description of a function, '' if it has none, and those of its parameters."""
    summary: list[str] = []
    parameters: dict[str, list[str]] = {}
    into: list[str] | None = summary
    section, indent = '', 0
    for line in (inspect.getdoc(function) or '').splitlines():
        text = line.strip()
        depth = len(line) - len(line.lstrip())
        named = _NAMED.match(text)
        if depth == 0 and (found := _SECTION.match(line)):
            section, indent, into = found[1], 0, None
        elif found := _FIELD.match(text) if depth == 0 else None:
            section, into = 'field', parameters.setdefault(found[2], []) if found[1] == 'param' else None
            if into is not None:
                into.append(found[3])
        elif section in _PARAMETERS and named and (indent == 0 or depth <= indent):
            indent, into = depth, parameters.setdefault(named[1], [])
            into.append(named[2])
        elif into is not None:
            into.append(text)
    return _joined(summary), {name: _joined(lines) for name, lines in parameters.items()}


def _joined(lines: list[str]) -> str:
    """Lines of a paragraph become one; paragraphs stay."""
    paragraphs = '\n'.join(lines).strip().split('\n\n')
    return '\n\n'.join(' '.join(paragraph.split()) for paragraph in paragraphs if paragraph.strip())
