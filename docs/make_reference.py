#!/usr/bin/env python3
"""Makes docs/reference.md, the reference of the Lua API, from the declarations in scripts/meta.

    make_reference.py [--check]

Writes the page; with --check it only compares, and exits with 1 when the page is stale. Python's standard
library is enough.
"""

import re
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
META = ROOT / 'scripts' / 'meta'
PAGE = ROOT / 'docs' / 'reference.md'
COLUMNS = 156

# The order of the page: files of scripts/meta, those of tools first and those of policies last.
FILES = [
    'tool', 'resource', 'prompt', 'ask', 'schema', 'run', 'handle', 'output', 'executor', 'wait', 'task', 'journal', 'store', 'json', 'log', 'time', 'host',
    'policy', 'rule', 'spec',
]

HEADER = """# Reference of the Lua API

<!-- docs/make_reference.py makes this page from scripts/meta. Edit those files and run it again. -->

This page lists every function and type that scripts and policies see. [scripting.md](scripting.md) introduces
them, and [policy.md](policy.md) shows policies at work. Wrong use raises an error that names the field; what can
fail at run time returns `nil, err` with an [`Err`](#type-err). In a list of options, `name?` is optional.
"""


@dataclass
class Entry:
    """A function or a value, such as run.start, Run:info or json.null."""
    name: str
    signature: str
    text: list = field(default_factory=list)
    example: list = field(default_factory=list)
    tags: list = field(default_factory=list)


@dataclass
class Type:
    """A class or an alias."""
    name: str
    parent: str = ''
    text: list = field(default_factory=list)
    fields: list = field(default_factory=list)
    values: list = field(default_factory=list)


@dataclass
class Module:
    """A file of scripts/meta."""
    name: str
    intro: str = ''
    entries: list = field(default_factory=list)
    types: list = field(default_factory=list)


def split_type(text):
    """Separates a LuaCATS type from the words after it; types hold spaces only inside brackets."""
    depth = 0
    quoted = False
    for at, letter in enumerate(text):
        if letter == "'":
            quoted = not quoted
        elif quoted:
            continue
        elif letter in '({[<':
            depth += 1
        elif letter in ')}]>':
            depth -= 1
        elif letter == ' ' and depth == 0 and text[at - 1] not in ':,':
            return text[:at], text[at + 1:].strip()
    return text, ''


def tags_of(block):
    """Splits the lines of a comment into text, example and tags; a tag may go on in the next lines."""
    text, example, tags = [], [], []
    fenced = in_example = False
    for line in block:
        line = line[3:]
        if line.startswith('```'):
            fenced = not fenced
        elif fenced:
            example.append(line)
        elif line.startswith('Example:'):
            in_example = True
            inline = line[len('Example:'):].strip()
            if inline:
                example.append(inline.strip('`'))
        elif line.startswith('@'):
            in_example = False
            tag, _, rest = line[1:].partition(' ')
            tags.append([tag, rest])
        elif line.startswith('| '):
            tags.append(['value', line[2:]])
        elif tags:
            tags[-1][1] += ' ' + line.strip()
        elif in_example and line.strip():
            raise ValueError(f'text after an example: {line}')
        elif not in_example:
            text.append(line.strip())
    return text, example, tags


def read_type(text, tags):
    kind, rest = next(tag for tag in tags if tag[0] in ('class', 'alias'))
    if kind == 'alias':
        name, definition = (rest.split(' ', 1) + [''])[:2]
        made = Type(name, text=text)
        made.values = [value for tag, value in tags if tag == 'value'] or [definition]
        return made
    name, _, parent = rest.partition(':')
    made = Type(name.strip(), parent.strip(), text)
    for tag, value in tags:
        if tag == 'field':
            named, _, typed = value.partition(' ')
            made.fields.append((named, *split_type(typed)))
    return made


def read_entry(line, text, example, tags):
    """The entry that a line of Lua declares, or None."""
    function = re.match(r'function ([\w.:]+)\((.*)\) end$', line)
    if function:
        return Entry(function[1], f'{function[1]}({function[2]})', text, example, tags)
    value = re.match(r'(\w+\.\w+) = ', line)
    if value:
        return Entry(value[1], value[1], text, example, tags)
    called = [rest for tag, rest in tags if tag == 'overload']
    table = re.match(r'(\w+) = \{\}$', line)
    if table and called:
        parameters = re.match(r'fun\((\w+): (.*?)\)(?:: (.*))?$', called[0])
        typed = [tag for tag in tags if tag[0] == 'since']
        typed.append(['param', f'{parameters[1]} {parameters[2]}'])
        typed += [['return', each] for each in parameters[3].split(', ')]
        return Entry(table[1], f'{table[1]}({parameters[1]})', text, example, typed)
    return None


def read_module(name):
    module = Module(name)
    block = []
    lines = (META / f'{name}.lua').read_text(encoding='utf-8').splitlines()
    intro = []
    for line in lines[1:]:
        if not line.startswith('-- '):
            break
        intro.append(line[3:])
    module.intro = ' '.join(intro)
    for line in [*lines[1:], '']:
        if line.startswith('---'):
            block.append(line)
            continue
        if line.startswith('--'):
            continue
        text, example, tags = tags_of(block)
        entry = read_entry(line, text, example, tags)
        if entry:
            module.entries.append(entry)
        elif any(tag in ('class', 'alias') for tag, _ in tags):
            made = read_type(text, tags)
            if made.fields or made.values or made.text:
                module.types.append(made)
        block = []
    return module


# --- the page ----------------------------------------------------------------------------------------


def paragraphs(lines):
    return [' '.join(part.split()) for part in '\n'.join(lines).split('\n\n') if part.strip()]


def sentences(text):
    return re.split(r'(?<=[.)])\s+(?=[A-Z])', text)


def code(text, in_table=False):
    return '`' + (text.replace('|', r'\|') if in_table else text) + '`'


def wrapped(text):
    """The lines of a paragraph or of an item of a list; code stays in one line."""
    whole = re.sub(r'`[^`]*`', lambda match: match[0].replace(' ', '\0'), text)
    lines = textwrap.wrap(whole, COLUMNS, subsequent_indent='  ' if text.startswith('- ') else '',
                          break_long_words=False, break_on_hyphens=False)
    return [line.replace('\0', ' ') for line in lines]


def cell(text):
    """Text of a table's cell: bars would end it."""
    return text.replace('|', r'\|')


def types_named(text, types):
    """Links to the types that a type's text names."""
    found = []
    for word in re.findall(r'[A-Z]\w+', re.sub(r"'[^']*'", '', text)):
        if word in types and word not in found:
            found.append(word)
    return ', '.join(f'[{word}](#type-{word.lower()})' for word in found)


def linked_type(kind, types):
    """A type as code; a link where it is one type, links behind it where it holds some."""
    name = kind.rstrip('?').removesuffix('[]')
    if name in types:
        return f'[{code(kind)}](#type-{name.lower()})'
    links = types_named(kind, types)
    return code(kind) + (f' ({links})' if links else '')


def anchor(name):
    return 'lua-' + re.sub(r'[.:]', '-', name).lower()


def entry_lines(entry, types):
    made = [f'<a id="{anchor(entry.name)}"></a>', '', f'### {code(entry.signature)}', '']
    raises, errors, rest = [], [], []
    for paragraph in paragraphs(entry.text):
        kept = []
        for sentence in sentences(paragraph):
            if sentence.startswith('Raises'):
                raises.append(sentence)
            elif sentence.startswith('Returns nil, err with'):
                errors.append(sentence)
            else:
                kept.append(sentence)
        if kept:
            rest.append(' '.join(kept))
    for paragraph in rest:
        made += [*wrapped(paragraph), '']
    items = []
    for tag, value in entry.tags:
        if tag == 'param':
            name, _, typed = value.partition(' ')
            kind, words = split_type(typed)
            items.append(f'- **{name}** {linked_type(kind, types)}' + (f': {words}' if words else ''))
        elif tag == 'return':
            kind, words = split_type(value)
            items.append(f'- returns {linked_type(kind, types)}' + (f' {words}' if words else ''))
    items += [f'- {sentence[0].lower()}{sentence[1:]}' for sentence in raises]
    items += [f'- {sentence.replace("Returns nil, err with", "errors:")}' for sentence in errors]
    since = [value for tag, value in entry.tags if tag == 'since']
    items += [f'- since {value}' for value in since]
    deprecated = [value for tag, value in entry.tags if tag == 'deprecated']
    items += [f'- **deprecated** {value}' for value in deprecated]
    for item in items:
        made += wrapped(item)
    made += ['', '```lua', *entry.example, '```', '']
    return made


def type_lines(made, types):
    lines = [f'<a id="type-{made.name.lower()}"></a>', '', f'### {made.name}', '']
    for paragraph in paragraphs(made.text):
        lines += [*wrapped(paragraph), '']
    if made.parent:
        lines += [f'It has the fields of {types_named(made.parent, types) or code(made.parent)}, and these:', '']
    if made.values and made.values[0].startswith("'") and ' # ' in made.values[0]:
        lines += ['| value | meaning |', '|---|---|']
        for value in made.values:
            name, _, words = value.partition(' # ')
            lines.append(f'| {code(name, True)} | {cell(words)} |')
        lines.append('')
    elif made.values:
        lines += [code(made.values[0]), '']
    if made.fields:
        lines += ['| field | type | description |', '|---|---|---|']
        for name, kind, words in made.fields:
            links = types_named(kind, types)
            described = ' '.join(part for part in (cell(words), f'({links})' if links else '') if part)
            lines.append(f'| {code(name)} | {code(kind, True)} | {described} |')
        lines.append('')
    return lines


def make_page():
    modules = [read_module(name) for name in FILES]
    known = {path.stem for path in META.glob('*.lua')}
    if known != set(FILES):
        raise ValueError(f'not in FILES of {__file__}: {sorted(known ^ set(FILES))}')
    types = {made.name for module in modules for made in module.types}
    lines = [HEADER]
    for module in modules:
        names = ' · '.join(f'[{entry.name}](#{anchor(entry.name)})' for entry in module.entries)
        kinds = ' · '.join(f'[{made.name}](#type-{made.name.lower()})' for made in module.types)
        lines += wrapped(f'- [{module.name}](#{module.name}): ' + ' · '.join(part for part in (names, kinds) if part))
    lines.append('')
    for module in modules:
        lines += [f'## {module.name}', '', *wrapped(module.intro), '']
        for entry in module.entries:
            lines += entry_lines(entry, types)
        for made in module.types:
            lines += type_lines(made, types)
    return '\n'.join(lines).rstrip('\n') + '\n'


def main():
    page = make_page()
    if '--check' not in sys.argv[1:]:
        PAGE.write_text(page, encoding='utf-8')
        return 0
    if PAGE.exists() and PAGE.read_text(encoding='utf-8') == page:
        print(f'{PAGE.relative_to(ROOT)} is what scripts/meta says')
        return 0
    print(f'{PAGE.relative_to(ROOT)} is stale: run python3 docs/make_reference.py')
    return 1


if __name__ == '__main__':
    sys.exit(main())
